"""`discoverybench compare`: paired comparison of systems on their common tasks."""

import json
import math
import os
from dataclasses import asdict
from typing import TYPE_CHECKING

import click
from rich.console import Console

from inspect_discoverybench.cli.terminal import exit_with_2, p_value, plural, print_table
from inspect_discoverybench.errors import InvalidArgument

# These modules import pandas and scipy, which takes seconds. The command imports them when it runs.
if TYPE_CHECKING:
    from inspect_discoverybench.report.comparison import SystemComparison, SystemPair
    from inspect_discoverybench.statistics.paired import PairedDifference


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

    with exit_with_2():
        named, left_out = read_systems(systems, score, os.cpu_count() or 1)
        if fail_if_worse is not None and len(named) > 2:
            raise InvalidArgument(f"--fail-if-worse needs two systems, got {len(named)}.")
        comparison = compare_systems(named, left_out, anyway, seed)
    if as_json:
        text = json.dumps(asdict(comparison))  # with NaN, which is not JSON
        click.echo(json.dumps(json.loads(text, parse_constant=lambda _: None), indent=2))
    else:
        lines = [f"Warning: {warning}" for warning in comparison.warnings]
        lines += [f"Note: {note}" for note in comparison.notes]
        lines += [f"Left out {log}: {reason}" for log, reason in left_out.items()]
        for line in lines:
            click.echo(line, err=True)
        if len(comparison.pairs) == 1:
            _print_pair(comparison.pairs[0])
        else:
            _print_ranking(comparison)
    first = comparison.pairs[0].keys[0]
    if fail_if_worse is not None and min(first.paired.difference, first.failures_lowest) < -fail_if_worse:
        click.echo(
            f"The candidate's mean is below the baseline's by more than {fail_if_worse:g}: the difference is "
            f"{first.paired.difference:+.3f}, or {first.failures_lowest:+.3f} with the lowest score wherever the "
            "candidate has none.",
            err=True,
        )
        raise click.exceptions.Exit(1)


def _print_pair(pair: "SystemPair") -> None:
    first = pair.keys[0]
    paired, name = first.paired, "HMS" if first.key == "hms" else first.key or "score"
    counts = [f"{plural(paired.tasks, 'common task')} in {plural(paired.clusters, 'cluster')}"]
    counts += [f"{pair.missing} without a score in one of them"] if pair.missing else []
    counts += [f"{pair.only_baseline} only in the baseline"] if pair.only_baseline else []
    counts += [f"{pair.only_candidate} only in the candidate"] if pair.only_candidate else []
    console = Console(highlight=False, markup=False)
    console.print(f"Baseline   {pair.baseline}\nCandidate  {pair.candidate}\n{'; '.join(counts)}")
    rows = [
        [
            *(key.key or "score", f"{key.baseline.mean:.3f}", f"{key.candidate.mean:.3f}", *_difference(key.paired)),
            *(p_value(key.paired.p_value), f"{key.paired.wins}/{key.paired.losses}/{key.paired.ties}"),
        ]
        for key in pair.keys
    ]
    print_table("", [""], ("Baseline", "Candidate", "Diff.", "95% CI", "p", "W/L/T"), rows)
    verdict = "significant" if paired.p_value < 0.05 else "not significant"
    console.print(f"The difference in {name} is {verdict} at level 0.05 ({paired.test}).")
    if not math.isnan(paired.smallest_detectable):
        console.print(f"Smallest difference detectable with power 0.8: {paired.smallest_detectable:.3f}.")
    if first.worst is not None:
        console.print(
            f"Common tasks without a score: {pair.missing}. Depending on these scores, the difference is between "
            f"{first.worst:+.3f} and {first.best:+.3f}."
        )


def _print_ranking(comparison: "SystemComparison") -> None:
    """All systems, and all pairs of them by their numbers in the ranking, because names are long."""
    numbers = {rank.system: str(number) for number, rank in enumerate(comparison.ranking, 1)}
    ranks = [
        [
            *(numbers[rank.system], rank.system, f"{rank.estimate.mean:.3f}"),
            *(f"{rank.estimate.low:.3f} to {rank.estimate.high:.3f}", f"{rank.first_share:.0%}"),
        ]
        for rank in comparison.ranking
    ]
    tasks = comparison.ranking[0].estimate.tasks if comparison.ranking else 0
    title = f"Ranking on the {tasks} tasks that all systems scored"
    print_table(title, ("", "System"), ("Mean", "95% CI", "First in draws"), ranks)
    pairs = [
        [
            f"{numbers.get(pair.candidate, pair.candidate)} − {numbers.get(pair.baseline, pair.baseline)}",
            *(*_difference(pair.keys[0].paired), p_value(pair.p_value_holm), str(pair.keys[0].paired.tasks)),
        ]
        for pair in comparison.pairs
    ]
    title = "Pairs, with p-values adjusted by Holm's method"
    print_table(title, ["Systems"], ("Difference", "95% CI", "p", "Tasks"), pairs)


def _difference(paired: "PairedDifference") -> tuple[str, str]:
    return f"{paired.difference:+.3f}", f"{paired.low:+.3f} to {paired.high:+.3f}"
