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
    from inspect_discoverybench.comparison.comparison import SystemComparison
    from inspect_discoverybench.comparison.difference import KeyDifference
    from inspect_discoverybench.statistics.mean import Estimate
    from inspect_discoverybench.statistics.new_studies import NewStudies
    from inspect_discoverybench.statistics.paired import PairedDifference

ON_THESE_TASKS = ("low", "high", "p_value", "smallest_detectable")
"""Fields of means and differences about these tasks, which JSON puts beside those about new studies."""

SIGNIFICANCE_LEVEL = 0.05


@click.command()
@click.argument("systems", nargs=-1, required=True, metavar="BASELINE CANDIDATE…")
@click.option("--score", help="Name of the score, or NAME.KEY. Default: HMS, or the only score of the logs.")
@click.option("--anyway", is_flag=True, help="Compare even if judges, prompts, data or task versions differ.")
@click.option(
    "--fail-if-worse",
    type=click.FloatRange(min=0),
    metavar="MARGIN",
    help="Exit with 1 if the candidate's mean on these tasks is below the baseline's by more than MARGIN. Samples "
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
    from inspect_discoverybench.comparison.system import read_systems

    workers = os.cpu_count() or 1
    selected, left_out = read_systems(systems, score, workers)
    if fail_if_worse is not None and (len(selected) > 2 or not math.isfinite(fail_if_worse)):
        raise InvalidArgument(
            f"--fail-if-worse needs two systems and a number, got {len(selected)} and {fail_if_worse:g}."
        )

    comparison = compare_systems(selected, left_out, anyway, seed)
    if as_json:
        say(_as_json(comparison))
    else:
        _print(comparison)
    if fail_if_worse is not None:
        _fail_if_worse(comparison.pairs[0].keys[0], fail_if_worse)


def _fail_if_worse(difference: "KeyDifference", margin: float) -> None:
    observed, lowest = difference.paired.difference, difference.failures_lowest
    if min(observed, lowest) >= -margin:
        return
    say(
        f"The candidate's mean is below the baseline's by more than {margin:g}: on these tasks, the difference is "
        f"{observed:+.3f}, or {lowest:+.3f} with the lowest score wherever the candidate has none.",
        err=True,
    )
    raise click.exceptions.Exit(1)


def _as_json(comparison: "SystemComparison") -> str:
    text = json.dumps(asdict(comparison))
    # JSON has no NaN.
    values = json.loads(text, parse_constant=lambda _: None, object_hook=_by_level)
    return json.dumps(values, indent=2)


def _by_level(entry: dict[str, Any]) -> dict[str, Any]:
    """Separate what an estimate says about these tasks from what it says about new studies."""
    if "new_studies" not in entry:
        return entry
    on_new_studies = entry.pop("new_studies")
    on_these_tasks = {}
    for name in ON_THESE_TASKS:
        if name in entry:
            on_these_tasks[name] = entry.pop(name)
    return entry | {"on_these_tasks": on_these_tasks, "on_new_studies": on_new_studies}


def _print(comparison: "SystemComparison") -> None:
    for warning in comparison.warnings:
        say(f"Warning: {warning}", err=True)
    for note in comparison.notes:
        say(f"Note: {note}", err=True)
    for log, reason in comparison.left_out.items():
        say(f"Left out {log}: {reason}", err=True)

    if len(comparison.pairs) == 1:
        _print_pair(comparison)
    else:
        _print_ranking(comparison)


def _print_pair(comparison: "SystemComparison") -> None:
    pair = comparison.pairs[0]
    console = Console(highlight=False, markup=False)  # breaks sentences at the width of the terminal
    for role, name in (("Baseline ", pair.baseline), ("Candidate", pair.candidate)):
        say(f"{role}  {name}")
        console.print(comparison.coverage[name])
    counts = [plural(pair.common, "common task")]
    if pair.only_baseline:
        counts.append(f"{pair.only_baseline} only in the baseline")
    if pair.only_candidate:
        counts.append(f"{pair.only_candidate} only in the candidate")
    say("; ".join(counts))

    columns = ("Tasks", "Baseline", "Candidate", "Diff.", "95% CI", "p")
    rows = [_difference_row(difference) for difference in pair.keys]
    print_table("On these tasks", [""], columns, rows)
    for sentence in _verdicts(pair.keys[0], pair.studies):
        console.print(sentence)
    if len(pair.keys) > 1:
        console.print("Intervals and p-values are not adjusted for the number of rows.")


def _difference_row(difference: "KeyDifference") -> list[str]:
    paired = difference.paired
    return [
        difference.key or "score",
        str(paired.tasks),
        f"{difference.baseline.mean:.3f}",
        f"{difference.candidate.mean:.3f}",
        f"{paired.difference:+.3f}",
        _interval(paired),
        p_value(paired.p_value),
    ]


def _verdicts(first: "KeyDifference", studies: str) -> list[str]:
    paired = first.paired
    name = "HMS" if first.key == "hms" else first.key or "score"
    verdicts = [
        f"On these tasks, the difference in {name} is {_verdict(paired.p_value)}.",
        f"The candidate scores higher on {plural(paired.wins, 'task')}, lower on {paired.losses}, and the same on "
        f"{paired.ties}.",
    ]
    if not math.isnan(paired.smallest_detectable):
        verdicts.append(f"Smallest difference that this test detects with power 0.8: {paired.smallest_detectable:.3f}.")
    verdicts.append(_on_new_studies(paired, studies))
    if first.missing:
        verdicts.append(
            f"{plural(first.missing, 'sample')} of the common tasks without {name}, in both systems and all epochs. "
            f"Depending on these scores, the difference is between {first.worst:+.3f} and {first.best:+.3f}; the "
            "interval covers all of them."
        )
    return verdicts


def _verdict(value: float) -> str:
    significance = "significant" if value < SIGNIFICANCE_LEVEL else "not significant"
    return f"{significance} at level {SIGNIFICANCE_LEVEL:g}"


def _on_new_studies(paired: "PairedDifference", studies: str) -> str:
    new = paired.new_studies
    if new is None:
        return "On new studies like these, nothing can be said: that needs the study of every task, and several."
    by_study = (
        f"The studies' mean difference is {new.macro_average:+.3f}; without one study, the difference is "
        f"{new.lowest:+.3f} to {new.highest:+.3f}."
    )
    if math.isnan(new.low):
        return f"On new studies like these: too few studies to say ({studies}). {by_study}"
    value = f"p = {p_value(new.p_value)}".replace("= <", "< ")
    return (
        f"On new studies like these, it is {_verdict(new.p_value)} ({value}; 95% CI {_interval(new)}; "
        f"{studies}). {by_study}"
    )


def _print_ranking(comparison: "SystemComparison") -> None:
    """All systems, and all pairs of them by their numbers in the ranking, because names are long."""
    numbers: dict[str, str] = {}
    ranks = []
    for number, rank in enumerate(comparison.ranking, 1):
        numbers[rank.system] = str(number)
        row = [
            str(number),
            rank.system,
            f"{rank.estimate.mean:.3f}",
            _interval(rank.estimate, ""),
            f"{rank.first_share:.0%}",
        ]
        ranks.append(row)
    tasks = comparison.ranking[0].estimate.tasks if comparison.ranking else 0
    title = f"Ranking on the {tasks} tasks that all systems scored"
    print_table(title, ("", "System"), ("Mean", "95% CI on\nthese tasks", "First in draws"), ranks)

    pairs = []
    for pair in comparison.pairs:
        candidate = numbers.get(pair.candidate, pair.candidate)
        baseline = numbers.get(pair.baseline, pair.baseline)
        paired = pair.keys[0].paired
        row = [
            f"{candidate} − {baseline}",
            str(paired.tasks),
            f"{paired.difference:+.3f}",
            _interval(paired),
            p_value(paired.p_value),
            _interval(paired.new_studies),
            _new_studies_p_value(paired),
        ]
        pairs.append(row)
    title = "Pairs, with intervals and p-values adjusted for their number"
    columns = ("Tasks", "Difference", "95% CI on\nthese tasks", "p", "95% CI on\nnew studies", "p")
    print_table(title, ["Systems"], columns, pairs)


def _new_studies_p_value(paired: "PairedDifference") -> str:
    new = paired.new_studies
    if new is None or math.isnan(new.low):
        return p_value(None)
    return p_value(new.p_value)


def _interval(estimate: "Estimate | PairedDifference | NewStudies | None", sign: str = "+") -> str:
    if estimate is None or math.isnan(estimate.low):
        return "–"
    return f"{estimate.low:{sign}.3f} to {estimate.high:{sign}.3f}"
