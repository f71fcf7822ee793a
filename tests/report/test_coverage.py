"""Intervals of the report on logs with known true means."""

from pathlib import Path

from synthetic_logs import figure_4, write_logs

from inspect_discoverybench.report.aggregates import task_table
from inspect_discoverybench.report.configurations import BENCHMARKS, label_configurations, main_judge
from inspect_discoverybench.report.overview import overview_section
from inspect_discoverybench.results import read_results


def test_intervals_contain_the_true_means(sweep: None, tmp_path: Path) -> None:
    runs = figure_4()
    write_logs(runs, tmp_path / "logs", samples=100, padding=10)
    samples = label_configurations(read_results([tmp_path / "logs"]).samples)

    table = overview_section(task_table(main_judge(samples))).table
    rows = table[["benchmark", "configuration", "low", "high"]].itertuples(index=False, name=None)
    intervals = {(benchmark, configuration): (low, high) for benchmark, configuration, low, high in rows}
    hits = 0
    for run in runs:
        low, high = intervals[f"{BENCHMARKS[run.task]} test", f"{run.agent} · {run.model}"]
        hits += low <= 100 * run.hms <= high
    assert len(runs) == 27
    assert hits >= 24
