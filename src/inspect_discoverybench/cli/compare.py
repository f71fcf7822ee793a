"""`discoverybench compare`: paired comparison of systems on their common tasks."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
from pydantic import TypeAdapter
from rich.console import Console

from inspect_discoverybench.cli.terminal import MISSING_NOTE, mean_text, p_value_text, plural, print_table, say
from inspect_discoverybench.errors.exceptions import InvalidArgument

# These modules import pandas and scipy, which takes seconds. The command imports them when it runs.
if TYPE_CHECKING:
    from inspect_discoverybench.comparison.comparison import SystemComparison
    from inspect_discoverybench.comparison.difference import KeyDifference
    from inspect_discoverybench.statistics.mean import Estimate
    from inspect_discoverybench.statistics.new_studies import NewStudies
    from inspect_discoverybench.statistics.paired import PairedDifference


@click.command()
@click.argument("systems", nargs=-1, required=True, metavar="BASELINE CANDIDATE…")
@click.option(
    "--anyway",
    is_flag=True,
    help="Compare even if judges, their settings or prompts, data or task version numbers differ, or if the candidate "
    "lacks tasks.",
)
@click.option(
    "--fail-if-worse",
    type=click.FloatRange(min=0, max=1),
    metavar="MARGIN",
    help="Exit with 1 if the candidate's mean on these tasks is below the baseline's by more than MARGIN. Samples "
    "without a score count against it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def compare(
    systems: tuple[str, ...],
    anyway: bool,
    fail_if_worse: float | None,
    as_json: bool,
) -> None:
    """Compare two or more systems on their common tasks.

    Each argument is a log or a folder of logs.
    Select samples with PATH:column=value, such as logs:agent=react,model=openai/gpt-4o. A folder with several
    configurations counts as several systems; three or more systems are compared pairwise and ranked. Of a folder with
    several tasks, select one, such as logs:task=real.

    Exits with 0, with 1 if --fail-if-worse applies, and with 2 on errors.
    """
    from inspect_discoverybench.comparison.comparison import compare_systems
    from inspect_discoverybench.comparison.system import read_systems

    if fail_if_worse is not None and math.isnan(fail_if_worse):  # the range of the option does not refuse it
        raise InvalidArgument("--fail-if-worse must be a number from 0 to 1, got nan.")
    selected, left_out = read_systems(systems)
    if fail_if_worse is not None and len(selected) > 2:
        raise InvalidArgument(f"--fail-if-worse needs two systems, got {len(selected)}.")

    comparison = compare_systems(selected, left_out, anyway)
    if as_json:
        # A `TypeAdapter` of `object` writes a value by the type of the value, here a dataclass, and NaN as null.
        say(TypeAdapter(object).dump_json(comparison, indent=2).decode())
    else:
        _print(comparison)
    if fail_if_worse is not None:
        [pair] = comparison.pairs
        if pair.only_baseline and not anyway:
            raise InvalidArgument(
                f"--fail-if-worse: the candidate has not run {pair.only_baseline} of the baseline's tasks. Run them, "
                "or pass --anyway to judge the common ones."
            )
        _fail_if_worse(pair.hms, margin=fail_if_worse)


def _fail_if_worse(hms: "KeyDifference", margin: float) -> None:
    """Exit with 1 if the difference in HMS is below `-margin`.

    Also exit if it would be below `-margin` with the lowest score in place of each missing score of the candidate.
    """
    observed = hms.paired.difference
    with_failures_lowest = hms.failures_lowest
    if min(observed, with_failures_lowest) >= -margin:
        return
    say(
        f"The candidate's mean is below the baseline's by more than {margin:g}: on these tasks, the difference is "
        f"{observed:+.3f}, or {with_failures_lowest:+.3f} with the lowest score wherever the candidate has none.",
        err=True,
    )
    raise click.exceptions.Exit(1)


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
    [pair] = comparison.pairs
    coverage = comparison.coverage
    console = Console(highlight=False, markup=False)  # breaks sentences at the width of the terminal
    say(f"Baseline   {pair.baseline}")
    console.print(coverage[pair.baseline])
    say(f"Candidate  {pair.candidate}")
    console.print(coverage[pair.candidate])
    say(plural(pair.common, "common task"))
    say(f"{pair.only_baseline} only in the baseline, {pair.only_candidate} only in the candidate")

    print_table(
        "On these tasks; scores from 0 to 1",
        [""],  # the column with the key of the score, such as `hms`
        ("Tasks", "Baseline", "Candidate", "Diff.", "95% CI", "p"),
        [_difference_row(difference) for difference in pair.keys],
    )
    if any(difference.missing for difference in pair.keys):
        say(MISSING_NOTE)
    for sentence in _conclusions(pair.hms, pair.studies):
        console.print(sentence)
    if len(pair.keys) > 1:
        console.print("Intervals and p-values are not adjusted for the number of rows.")


def _difference_row(difference: "KeyDifference") -> list[str]:
    """The cells of a key: number of tasks, both means, and their difference with its interval and p-value."""
    paired = difference.paired
    return [
        difference.key,
        str(paired.tasks),
        mean_text(difference.baseline, difference.missing),
        mean_text(difference.candidate, difference.missing),
        f"{paired.difference:+.3f}",
        *_interval_and_p(paired),
    ]


def _conclusions(hms: "KeyDifference", studies: str) -> Iterator[str]:
    """Sentences about the difference in HMS.

    Args:
        hms: The difference.
        studies: The studies of the common tasks, in words.
    """
    paired = hms.paired
    if math.isnan(paired.low):  # all tasks have the same gold hypothesis, and are one cluster
        yield "On these tasks, the difference cannot be tested: that needs tasks with different gold hypotheses."
    else:
        yield f"On these tasks, the difference in HMS is {_significance(paired.p_value)}."
    higher = plural(paired.wins, "task")
    yield f"The candidate scores higher on {higher}, lower on {paired.losses}, and the same on {paired.ties}."
    smallest = paired.smallest_detectable
    if not math.isnan(smallest):
        yield f"Smallest difference that this test detects with power 0.8: {smallest:.3f}."
    yield from _on_new_studies(paired, studies)
    if hms.missing:
        missing = plural(hms.missing, "sample")
        yield f"Without HMS: {missing} of the common tasks, counting both systems and all epochs."
        yield (
            f"Depending on their scores, the difference is between {hms.worst:+.3f} and {hms.best:+.3f}. The interval "
            "covers all of them."
        )


def _significance(p: float) -> str:
    # Imported here, because the module imports scipy, which takes seconds.
    from inspect_discoverybench.statistics.interval import SIGNIFICANCE_LEVEL

    significance = "significant" if p < SIGNIFICANCE_LEVEL else "not significant"
    return f"{significance} at level {SIGNIFICANCE_LEVEL:g}"


def _on_new_studies(paired: "PairedDifference", studies: str) -> Iterator[str]:
    """Sentences about the difference in HMS on new studies: studies that none of the tasks is from.

    Args:
        paired: The difference.
        studies: The studies of the common tasks, in words.
    """
    estimate = paired.new_studies
    if estimate is None:
        yield "A statement about new studies needs tasks of at least two studies, and the study of each."
        return

    if math.isnan(estimate.low):
        yield f"On new studies like these: too few studies to say ({studies})."
    else:
        numbers = f"p: {p_value_text(estimate.p_value)}; 95% CI {_interval_text(estimate)}"
        yield f"On new studies like these, it is {_significance(estimate.p_value)} ({numbers}; {studies})."
    yield f"Without one study, the difference is {estimate.lowest:+.3f} to {estimate.highest:+.3f}."


def _print_ranking(comparison: "SystemComparison") -> None:
    """Print all systems, and all pairs of them.

    Names are long, so a pair shows the numbers that its systems have in the ranking. A system that has no score
    on the tasks that all systems ran is not in the ranking. It has no number, so its pairs show its name.
    """
    numbers: dict[str, str] = {}
    rank_rows = []
    for number, rank in enumerate(comparison.ranking, 1):
        numbers[rank.system] = str(number)
        mean = mean_text(rank.estimate.mean, rank.missing)
        interval = _interval_text(rank.estimate, sign="")
        rank_rows.append([str(number), rank.system, mean, interval])
    # The tasks are the same for all ranks. If there are none, the ranking is empty.
    common_tasks = comparison.ranking[0].tasks if comparison.ranking else 0
    tasks = plural(common_tasks, "task")
    print_table(
        f"Ranking on the {tasks} that all systems ran; scores from 0 to 1",
        ("", "System"),
        ("Mean", "95% CI on\nthese tasks"),
        rank_rows,
    )

    pair_rows = []
    for pair in comparison.pairs:
        candidate = numbers.get(pair.candidate, pair.candidate)
        baseline = numbers.get(pair.baseline, pair.baseline)
        hms = pair.hms
        pair_rows.append(
            [
                f"{candidate} − {baseline}",
                str(hms.paired.tasks),
                mean_text(hms.paired.difference, hms.missing, sign="+"),
                *_interval_and_p(hms.paired),
                *_interval_and_p(hms.paired.new_studies),
            ]
        )
    print_table(
        "Pairs, with intervals and p-values adjusted for their number",
        ["Systems"],
        ("Tasks", "Difference", "95% CI on\nthese tasks", "p", "95% CI on\nnew studies", "p"),
        pair_rows,
    )
    missing = [rank.missing for rank in comparison.ranking]
    missing += [pair.hms.missing for pair in comparison.pairs]
    if any(missing):
        say(MISSING_NOTE)


def _interval_and_p(estimate: "PairedDifference | NewStudies | None") -> tuple[str, str]:
    """The cells of a difference: its interval and p-value; dashes if there is no interval."""
    if estimate is None or math.isnan(estimate.low):
        return "–", "–"
    return _interval_text(estimate), p_value_text(estimate.p_value)


def _interval_text(estimate: "Estimate | PairedDifference | NewStudies", sign: str = "+") -> str:
    if math.isnan(estimate.low):
        return "–"
    return f"{estimate.low:{sign}.3f} to {estimate.high:{sign}.3f}"
