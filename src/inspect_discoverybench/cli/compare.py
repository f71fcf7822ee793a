"""`discoverybench compare`: paired comparison of systems on their common tasks."""

import json
import math
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from inspect_discoverybench.cli.terminal import p_value, plural, print_table, say
from inspect_discoverybench.errors.exceptions import InvalidArgument

# These modules import pandas and scipy, which takes seconds. The command imports them when it runs.
if TYPE_CHECKING:
    from inspect_discoverybench.comparison.comparison import SystemComparison, SystemPair
    from inspect_discoverybench.statistics.clusters import NewStudies
    from inspect_discoverybench.statistics.mean import Estimate
    from inspect_discoverybench.statistics.paired import PairedDifference

ON_THESE_TASKS = ("low", "high", "p_value", "test", "smallest_detectable")
"""Fields of means and differences about these tasks, which JSON puts beside those about new studies."""


@click.command()
@click.argument("systems", nargs=-1, required=True, metavar="BASELINE CANDIDATE…")
@click.option("--score", help="Name of the score, or NAME.KEY. Default: HMS, or the only score of the logs.")
@click.option("--anyway", is_flag=True, help="Compare even if judges, prompts, data or task versions differ.")
@click.option(
    "--fail-if-worse",
    type=click.FloatRange(min=0),
    metavar="MARGIN",
    help="Exit with 1 if the candidate's mean on these tasks is below the baseline's by more than MARGIN. Tasks "
    "without a score count against it.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Random seed of the bootstrap of the ranking.",
)
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
    from inspect_discoverybench.comparison.comparison import compare as compare_systems
    from inspect_discoverybench.comparison.comparison import read_systems

    named, left_out = read_systems(systems, score, os.cpu_count() or 1)
    if fail_if_worse is not None and (len(named) > 2 or not math.isfinite(fail_if_worse)):
        raise InvalidArgument(
            f"--fail-if-worse needs two systems and a number, got {len(named)} and {fail_if_worse:g}."
        )
    comparison = compare_systems(named, left_out, anyway, seed)
    if as_json:
        text = json.dumps(asdict(comparison))  # with NaN, which is not JSON
        say(json.dumps(json.loads(text, parse_constant=lambda _: None, object_hook=_by_level), indent=2))
    else:
        for line in (
            *(f"Warning: {warning}" for warning in comparison.warnings),
            *(f"Note: {note}" for note in comparison.notes),
            *(f"Left out {log}: {reason}" for log, reason in left_out.items()),
        ):
            say(line, err=True)
        if len(comparison.pairs) == 1:
            _print_pair(comparison.pairs[0])
        else:
            _print_ranking(comparison)
    first = comparison.pairs[0].keys[0]
    if fail_if_worse is not None and min(first.paired.difference, first.failures_lowest) < -fail_if_worse:
        say(
            f"The candidate's mean is below the baseline's by more than {fail_if_worse:g}: on these tasks, the "
            f"difference is {first.paired.difference:+.3f}, or {first.failures_lowest:+.3f} with the lowest score "
            "wherever the candidate has none.",
            err=True,
        )
        raise click.exceptions.Exit(1)


def _by_level(entry: dict[str, Any]) -> dict[str, Any]:
    if "new_studies" not in entry:
        return entry
    on_these_tasks = {name: entry.pop(name) for name in ON_THESE_TASKS if name in entry}
    return entry | {"on_these_tasks": on_these_tasks, "on_new_studies": entry.pop("new_studies")}


def _print_pair(pair: "SystemPair") -> None:
    first = pair.keys[0]
    paired, name = first.paired, "HMS" if first.key == "hms" else first.key or "score"
    others = {
        "without a score in one of them": pair.missing,
        "only in the baseline": pair.only_baseline,
        "only in the candidate": pair.only_candidate,
    }
    console = Console(highlight=False, markup=False)  # breaks sentences at the width of the terminal
    counts = [f"{plural(paired.tasks, 'common task')} in {plural(paired.clusters, 'cluster')}"]
    counts += [f"{count} {text}" for text, count in others.items() if count]
    say(f"Baseline   {pair.baseline}\nCandidate  {pair.candidate}\n{'; '.join(counts)}")
    rows = [
        [
            *(key.key or "score", f"{key.baseline.mean:.3f}", f"{key.candidate.mean:.3f}"),
            *(f"{key.paired.difference:+.3f}", _interval(key.paired), p_value(key.paired.p_value)),
            f"{key.paired.wins}/{key.paired.losses}/{key.paired.ties}",
        ]
        for key in pair.keys
    ]
    print_table("On these tasks", [""], ("Baseline", "Candidate", "Diff.", "95% CI", "p", "W/L/T"), rows)
    console.print(f"On these tasks, the difference in {name} is {_verdict(paired.p_value)} ({paired.test}).")
    if not math.isnan(paired.smallest_detectable):
        console.print(f"Smallest difference that this test detects with power 0.8: {paired.smallest_detectable:.3f}.")
    console.print(_on_new_studies(paired))
    if first.worst is not None:
        console.print(
            f"Common tasks without a score: {pair.missing}. Depending on these scores, the difference is between "
            f"{first.worst:+.3f} and {first.best:+.3f}."
        )


def _verdict(value: float) -> str:
    return f"{'significant' if value < 0.05 else 'not significant'} at level 0.05"


def _on_new_studies(paired: "PairedDifference") -> str:
    new = paired.new_studies
    if new is None:
        return (
            "On new studies like these, nothing can be said: that needs the study of every task, two studies and six "
            "gold hypotheses."
        )
    test = paired.test if new.p_value == paired.p_value else "t-test over studies"
    value = f"p = {p_value(new.p_value)}".replace("= <", "< ")
    return (
        f"On new studies like these, it is {_verdict(new.p_value)} ({value}, {test}; 95% CI {_interval(new)}; "
        f"{new.studies} studies). The studies' mean difference is {new.macro_average:+.3f}; without one study, the "
        f"difference is {new.lowest:+.3f} to {new.highest:+.3f}."
    )


def _print_ranking(comparison: "SystemComparison") -> None:
    """All systems, and all pairs of them by their numbers in the ranking, because names are long."""
    numbers = {rank.system: str(number) for number, rank in enumerate(comparison.ranking, 1)}
    ranks = [
        [
            *(numbers[rank.system], rank.system, f"{rank.estimate.mean:.3f}"),
            *(_interval(rank.estimate, ""), f"{rank.first_share:.0%}"),
        ]
        for rank in comparison.ranking
    ]
    tasks = comparison.ranking[0].estimate.tasks if comparison.ranking else 0
    title = f"Ranking on the {tasks} tasks that all systems scored"
    print_table(title, ("", "System"), ("Mean", "95% CI on\nthese tasks", "First in draws"), ranks)
    pairs = [
        [
            f"{numbers.get(pair.candidate, pair.candidate)} − {numbers.get(pair.baseline, pair.baseline)}",
            *(f"{paired.difference:+.3f}", _interval(paired), p_value(pair.these_tasks_p_value_holm)),
            *(str(paired.tasks), _interval(paired.new_studies), p_value(pair.new_studies_p_value_holm)),
        ]
        for pair in comparison.pairs
        for paired in [pair.keys[0].paired]
    ]
    title = "Pairs on these tasks and on new studies like these, with p-values adjusted by Holm's method"
    columns = ("Difference", "95% CI on\nthese tasks", "p", "Tasks", "95% CI on\nnew studies", "p")
    print_table(title, ["Systems"], columns, pairs)


def _interval(estimate: "Estimate | PairedDifference | NewStudies | None", sign: str = "+") -> str:
    if estimate is None or math.isnan(estimate.low):
        return "–"
    return f"{estimate.low:{sign}.3f} to {estimate.high:{sign}.3f}"
