"""Intervals of the report on logs with known true means."""

from pathlib import Path

from benchmarks.synthetic_logs import figure_4, write_logs
from inspect_discoverybench.report.configurations import BENCHMARKS, label_configurations
from inspect_discoverybench.report.sections import sections
from inspect_discoverybench.results import read_results


def test_intervals_contain_the_true_means(sweep: None, tmp_path: Path) -> None:
    runs = figure_4()
    write_logs(runs, tmp_path / "logs", padding=10)
    samples = label_configurations(read_results([tmp_path / "logs"]).samples)

    [overview] = [section for section in sections(samples) if section.name == "hms"]

    table = overview.table.set_index(["benchmark", "configuration"])
    covered = 0
    for run in runs:
        row = table.loc[(f"{BENCHMARKS[run.task]} test", f"{run.agent} · {run.model}")]
        covered += row["low"] <= 100 * run.hms <= row["high"]
    assert len(runs) == 27
    assert covered >= 24
