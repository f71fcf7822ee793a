"""The report: a page, a table of samples, tables and figures from logs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_discoverybench.report.files import PAGE, SAMPLES, report_folder, write_csv, write_files
from inspect_discoverybench.report.judge_errors import judge_error_section
from inspect_discoverybench.report.page import sample_table, write_page
from inspect_discoverybench.report.samples import label_samples
from inspect_discoverybench.report.sections import sections
from inspect_discoverybench.results import read_results
from inspect_discoverybench.validation.labels import read_labels


@dataclass(frozen=True)
class ReportSummary:
    """What a report covers.

    Attributes:
        page: Path of the page.
        samples: Number of samples; each epoch counts.
        configurations: Number of configurations.
        left_out: The reason for each log that could not be used.
    """

    page: Path
    samples: int
    configurations: int
    left_out: dict[str, str]


def write_report(
    paths: Iterable[str | Path],
    out: Path,
    title: str,
    judge_labels: Sequence[Path] = (),
    force: bool = False,
    workers: int = 1,
) -> ReportSummary:
    """Write the page, `samples.csv`, `tables/` and `figures/`.

    Args:
        paths: Logs, and folders of logs.
        out: Output folder.
        title: Title of the page.
        judge_labels: Labels of the judge's answers with the key of their sheet, to correct HMS; files or folders.
        force: Write into a folder that contains other files.
        workers: Number of processes that read logs in parallel.

    Raises:
        DataMissing: There is no log or label file, or none of the logs can be used.
        InvalidArgument: The output folder contains other files and `force` is false, or the labels cannot be used.
    """
    with report_folder(out, force) as folder:
        results = read_results(paths, workers)
        samples = label_samples(results.samples)
        parts = sections(samples)
        if judge_labels:
            parts.append(judge_error_section(samples, read_labels(judge_labels).complete))
        write_files(parts, folder)
        write_csv(sample_table(samples), folder / SAMPLES)
        write_page(parts, samples, results.left_out, title, folder / PAGE)
    return ReportSummary(
        page=out / PAGE,
        samples=samples.uuid.nunique(),
        configurations=len(samples[["benchmark", "configuration"]].drop_duplicates()),
        left_out=dict(results.left_out.itertuples(index=False, name=None)),
    )
