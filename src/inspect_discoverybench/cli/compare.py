"""`discoverybench compare`: paired comparison of systems on their common tasks."""

import json
import math
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from inspect_discoverybench.cli.number import plural
from inspect_discoverybench.errors import DiscoveryBenchError, InvalidArgument

# These modules import pandas and scipy, which takes seconds. The command imports them when it runs.
if TYPE_CHECKING:
    from inspect_discoverybench.report.comparison import KeyDifference, SystemComparison, SystemPair

ERROR_EXIT_CODE = 2
"""Exit code of errors, so that 1 only means that the candidate is worse."""


@click.command()
@click.argument("systems", nargs=-1, required=True, metavar="BASELINE CANDIDATE…")
@click.option("--score", help="Name of the score, or NAME.KEY. Default: HMS, or the only score of the logs.")
@click.option("--anyway", is_flag=True, help="Compare even if judges, prompts, data or task versions differ.")
@click.option(
    "--fail-if-worse",
    type=click.FloatRange(min=0),
    metavar="MARGIN",
    help="Exit with 1 if the candidate's mean is below the baseline's by more than MARGIN. Tasks without a score count "
    "against it.",
)
@click.option("--seed", default=0, show_default=True, help="Random seed of bootstraps and permutation tests.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def compare(
    systems: tuple[str, ...], score: str | None, anyway: bool, fail_if_worse: float | None, seed: int, as_json: bool
) -> None:
    """Compare two or more systems on their common tasks.

    Each argument is a log or a folder of logs, of this package or of any other Inspect evaluation with a numeric score.
    Select samples with PATH:column=value, such as logs:agent=react,model=openai/gpt-4o. A folder with several
    configurations counts as several systems; three or more systems are compared pairwise and ranked.

    Exits with 0, with 1 if --fail-if-worse applies, and with 2 on errors.
    """
    from inspect_discoverybench.report.comparison import compare as compare_systems
    from inspect_discoverybench.report.systems import read_systems

    try:
        named, left_out = read_systems(systems, score, os.cpu_count() or 1)
        if fail_if_worse is not None and len(named) > 2:
            raise InvalidArgument(f"--fail-if-worse needs two systems, got {len(named)}.")
        comparison = compare_systems(named, left_out, anyway, seed)
    except DiscoveryBenchError as error:
        error.show()
        sys.exit(ERROR_EXIT_CODE)
    if as_json:
        click.echo(json.dumps(_null_for_nan(asdict(comparison)), indent=2))
    else:
        _print(comparison)
    if fail_if_worse is not None:
        _apply_gate(comparison.pairs[0].keys[0], fail_if_worse)


def _apply_gate(key: "KeyDifference", margin: float) -> None:
    """Exit with 1 if the candidate is worse by more than the margin, or may be because it failed on tasks."""
    if key.paired.difference < -margin:
        click.echo(f"The candidate's mean is below the baseline's by more than {margin:g}.", err=True)
        sys.exit(1)
    if key.failures_lowest < -margin:
        click.echo(
            "The candidate has no score on some tasks. With the lowest score there, its mean is below the baseline's "
            f"by {-key.failures_lowest:.3f}, more than {margin:g}.",
            err=True,
        )
        sys.exit(1)


def _print(comparison: "SystemComparison") -> None:
    console = Console()
    for warning in comparison.warnings:
        click.echo(f"Warning: {warning}", err=True)
    for note in comparison.notes:
        click.echo(f"Note: {note}", err=True)
    for log, reason in comparison.left_out.items():
        click.echo(f"Left out {log}: {reason}", err=True)
    if len(comparison.pairs) == 1:
        _print_pair(console, comparison.pairs[0])
    else:
        console.print(_ranking(comparison))
        console.print(_pairs(comparison))


def _print_pair(console: Console, pair: "SystemPair") -> None:
    console.print(f"Baseline   {escape(pair.baseline)}\nCandidate  {escape(pair.candidate)}", highlight=False)
    console.print(f"{_tasks(pair)}", highlight=False)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("", no_wrap=True)
    for column in ("Baseline", "Candidate", "Diff.", "95% CI", "p", "W/L/T"):
        table.add_column(column, justify="right", no_wrap=True)
    for key in pair.keys:
        table.add_row(*_key_cells(key))
    console.print(table)
    first = pair.keys[0]
    console.print(_conclusion(first), highlight=False)
    if first.worst is not None:
        console.print(
            f"Common tasks without a score: {pair.missing}. Depending on these scores, the difference is between "
            f"{first.worst:+.3f} and {first.best:+.3f}.",
            highlight=False,
        )


def _tasks(pair: "SystemPair") -> str:
    paired = pair.keys[0].paired
    parts = [f"{plural(paired.tasks, 'common task')} in {plural(paired.clusters, 'cluster')}"]
    parts += [f"{pair.missing} without a score in one of them"] if pair.missing else []
    parts += [f"{pair.only_baseline} only in the baseline"] if pair.only_baseline else []
    parts += [f"{pair.only_candidate} only in the candidate"] if pair.only_candidate else []
    return "; ".join(parts)


def _key_cells(key: "KeyDifference") -> list[str]:
    paired = key.paired
    return [
        key.key or "score",
        f"{key.baseline.mean:.3f}",
        f"{key.candidate.mean:.3f}",
        f"{paired.difference:+.3f}",
        f"{paired.low:+.3f} to {paired.high:+.3f}",
        _p_value(paired.p_value),
        f"{paired.wins}/{paired.losses}/{paired.ties}",
    ]


def _conclusion(key: "KeyDifference") -> str:
    paired, name = key.paired, key.key or "score"
    name = "HMS" if name == "hms" else name
    finding = (
        f"The difference in {name} is significant at level 0.05 ({paired.test})."
        if paired.p_value < 0.05
        else f"The difference in {name} is not significant at level 0.05 ({paired.test})."
    )
    if math.isnan(paired.smallest_detectable):
        return finding
    if paired.smallest_detectable > 1 and max(abs(key.baseline.high), abs(key.candidate.high)) <= 1:
        return f"{finding}\nThere are too few tasks to detect any difference with power 0.8."
    return f"{finding}\nSmallest difference detectable with power 0.8: {paired.smallest_detectable:.3f}."


def _ranking(comparison: "SystemComparison") -> Table:
    tasks = comparison.ranking[0].estimate.tasks if comparison.ranking else 0
    title = f"Ranking on the {tasks} tasks that all systems scored"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    table.add_column("", justify="right")
    table.add_column("System")
    for column in ("Mean", "95% CI", "First in draws"):
        table.add_column(column, justify="right", no_wrap=True)
    for number, rank in enumerate(comparison.ranking, 1):
        estimate = rank.estimate
        interval = f"{estimate.low:.3f} to {estimate.high:.3f}"
        table.add_row(str(number), escape(rank.system), f"{estimate.mean:.3f}", interval, f"{rank.first_share:.0%}")
    return table


def _pairs(comparison: "SystemComparison") -> Table:
    """All pairs. Systems are named by their number in the ranking, because names are long."""
    numbers = {rank.system: number for number, rank in enumerate(comparison.ranking, 1)}
    table = Table(title="Pairs, with p-values adjusted by Holm's method", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("Systems")
    for column in ("Difference", "95% CI", "p", "Tasks"):
        table.add_column(column, justify="right", no_wrap=True)
    for pair in comparison.pairs:
        paired = pair.keys[0].paired
        table.add_row(
            f"{numbers.get(pair.candidate, pair.candidate)} − {numbers.get(pair.baseline, pair.baseline)}",
            f"{paired.difference:+.3f}",
            f"{paired.low:+.3f} to {paired.high:+.3f}",
            _p_value(pair.p_value_holm),
            str(paired.tasks),
        )
    return table


def _p_value(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _null_for_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _null_for_nan(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_null_for_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
