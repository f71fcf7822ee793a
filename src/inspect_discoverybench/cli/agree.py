"""`discoverybench agree`: does HMS agree with human annotators (paper §4.3)?"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.hypothesis import SCORE_NAME

# These modules import scipy and statsmodels, which takes seconds. The commands import them when they run.
if TYPE_CHECKING:
    from inspect_discoverybench.validation.agreement import AgreementStatistics, Interval, Kappa, Power
    from inspect_discoverybench.validation.sheet import ScoredLog
    from inspect_discoverybench.validation.votes import HmsPair

INTERPRETATION = (
    "A p-value above 0.05 does not show that the two rankings are the same. Report the confidence interval of the "
    "agreement."
)


@click.group()
def agree() -> None:
    """Measure how often HMS agrees with human annotators.

    `agree sheet` draws pairs of predicted hypotheses for annotators to vote on. `agree votes` computes the agreement
    statistics from their votes.
    """


@agree.command()
@click.argument("logs", nargs=2, metavar="LOG_A LOG_B")
@click.option("--pairs", type=click.IntRange(min=1), default=100, show_default=True, help="Number of pairs to draw.")
@click.option(
    "--out",
    default=Path("agreement"),
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Output folder.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files in the output folder.")
@click.option("--score", default=SCORE_NAME, show_default=True, help="Name of the score in the logs.")
@click.option("--anyway", is_flag=True, help="Accept logs whose scores were judged differently.")
@click.option("--seed", default=0, show_default=True, help="Random seed for the choice and order of pairs.")
def sheet(logs: tuple[str, str], pairs: int, out: Path, force: bool, score: str, anyway: bool, seed: int) -> None:
    """Draw pairs of predicted hypotheses from two logs of the same task.

    Writes vote.html and sheet.csv for annotators, and key.csv, which maps each pair back to the logs and their scores.
    Do not show key.csv to annotators.
    """
    from inspect_discoverybench.validation.sheet import KEY, PAGE, SHEET, candidates, draw, write

    predictions = candidates(*_comparable_logs(logs, score, anyway))
    write(draw(predictions, pairs, seed), out, force)
    if len(predictions) < pairs:
        click.echo(
            f"The logs contain only {len(predictions)} pairs, fewer than the {pairs} requested. Using all of them."
        )
    click.echo(
        f"Wrote {min(pairs, len(predictions))} pairs to {out}. "
        f"Send {PAGE} or {SHEET} to annotators. Do not share {KEY}."
    )


@agree.command()
@click.argument("votes", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--scores", type=click.Path(path_type=Path), help="CSV file with pair, hms_1 and hms_2, such as key.csv.")
@click.option("--scores-from", nargs=2, metavar="LOG_A LOG_B", help="Read HMS from two logs instead. Requires --key.")
@click.option("--key", type=click.Path(path_type=Path), help="With --scores-from: the key.csv of the sheet.")
@click.option(
    "--score", default=SCORE_NAME, show_default=True, help="With --scores-from: name of the score in the logs."
)
@click.option("--anyway", is_flag=True, help="With --scores-from: accept logs whose scores were judged differently.")
@click.option("--seed", default=0, show_default=True, help="Random seed for the bootstrap.")
@click.option("--json", "as_json", is_flag=True, help="Print every statistic as JSON.")
def votes(
    votes: tuple[Path, ...],
    scores: Path | None,
    scores_from: tuple[str, str] | None,
    key: Path | None,
    score: str,
    anyway: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Compute agreement statistics from VOTES.

    VOTES are one or more CSV files with the columns pair, annotator and choice. HMS comes from --scores, or from two
    logs with --scores-from and --key.
    """
    from inspect_discoverybench.validation.agreement import measure
    from inspect_discoverybench.validation.votes import ballots, read_votes

    hms_pairs, source = _hms_pairs(scores, scores_from, key, score, anyway)
    statistics = measure(ballots(read_votes(votes), hms_pairs, source), seed)
    if as_json:
        click.echo(json.dumps({"pairs_scored": len(hms_pairs), **asdict(statistics)}, indent=2))
    else:
        _print(statistics, len(hms_pairs))


def _comparable_logs(paths: tuple[str, str], score: str, anyway: bool) -> "tuple[ScoredLog, ScoredLog]":
    """Read two logs.

    Raises:
        InvalidArgument: Their scores were judged differently and `anyway` is false.
    """
    from inspect_discoverybench.validation.sheet import ScoredLog, record_differences

    a, b = (ScoredLog.read(path, score) for path in paths)
    if lines := record_differences(a, b):
        message = f"The scores of {a.path} and {b.path} were judged differently: {'; '.join(lines)}."
        if not anyway:
            raise InvalidArgument(f"{message} Re-score one of the logs with `inspect score`, or pass --anyway.")
        click.echo(message, err=True)
    return a, b


def _hms_pairs(
    scores: Path | None, logs: tuple[str, str] | None, key: Path | None, score: str, anyway: bool
) -> "tuple[dict[str, HmsPair], Path]":
    """HMS by pair, and the file that lists the pairs."""
    from inspect_discoverybench.validation.sheet import read_scores_from_logs
    from inspect_discoverybench.validation.votes import read_scores

    if scores and not logs and not key:
        return read_scores(scores), scores
    if logs and key and not scores:
        return read_scores_from_logs(key, *_comparable_logs(logs, score, anyway)), key
    raise InvalidArgument(
        "No HMS to compare the votes with. Pass --scores FILE, or --scores-from LOG_A LOG_B --key FILE."
    )


def _print(statistics: "AgreementStatistics", scored_pairs: int) -> None:
    console = Console()
    vote_count = _count(statistics.votes, "vote")
    annotator_count = _count(len(statistics.annotators), "annotator")
    click.echo(f"{vote_count} by {annotator_count} on {statistics.pairs} of {_count(scored_pairs, 'pair')}")
    if statistics.without_majority:
        click.echo(f"{_count(statistics.without_majority, 'pair')} without a majority, excluded from the comparison")
    console.print(_share_table(statistics))
    click.echo(_kappa_line(statistics.kappa))
    console.print(_test_table(statistics))
    click.echo(_power_lines(statistics.power))
    click.echo(f"\n{INTERPRETATION}")


def _share_table(statistics: "AgreementStatistics") -> Table:
    rows = [("majority", statistics.agreement), ("majority, ties excluded", statistics.agreement_decided)]
    rows += [(annotator.name, annotator.agreement) for annotator in statistics.annotators]
    table = Table("HMS agrees with", box=SIMPLE_HEAD)
    for column in ("pairs", "share", "95% CI"):
        table.add_column(column, justify="right")
    for name, share in rows:
        table.add_row(escape(name), f"{share.agreeing}/{share.pairs}", _number(share.share), _interval(share.interval))
    table.add_row("mean over annotators", "", _number(statistics.annotator_mean), "")
    return table


def _kappa_line(kappa: "Kappa") -> str:
    if kappa.kappa is None:
        return f"Fleiss' kappa: {kappa.note}"
    excluded = f"; {kappa.pairs_left_out} with another number of votes excluded" if kappa.pairs_left_out else ""
    return (
        f"Fleiss' kappa {kappa.kappa:.3f}, 95% CI {_interval(kappa.interval)} "
        f"({_count(kappa.pairs, 'pair')} with {kappa.votes_per_pair} votes each{excluded})"
    )


def _test_table(statistics: "AgreementStatistics") -> Table:
    table = Table("majority vs HMS", box=SIMPLE_HEAD)
    for column in ("pairs", "statistic", "p"):
        table.add_column(column, justify="right")
    table.add_column()
    for test in statistics.tests:
        p = "< 0.001" if test.p_value is not None and test.p_value < 0.001 else _number(test.p_value)
        table.add_row(test.name, str(test.pairs), _number(test.statistic), p, test.note or "")
    return table


def _power_lines(power: "Power") -> str:
    if power.smallest_effect is None:
        return "Power: not defined for fewer than two pairs with a majority"
    observed = "observed effect: not defined, the differences do not vary"
    if power.effect_size is not None:
        observed = f"power {_number(power.power)} for the observed effect size {_number(power.effect_size)}"
    return (
        f"Paired t-test, {power.pairs} pairs, level 0.05: {observed};\n"
        f"smallest effect size detectable with power 0.8: {_number(power.smallest_effect)}"
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(interval: "Interval | None") -> str:
    return "–" if interval is None else f"{interval.low:.3f} – {interval.high:.3f}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
