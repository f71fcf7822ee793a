"""`discoverybench agree`: human agreement with HMS, as in section 4.3 of the paper."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from inspect_discoverybench.errors import InvalidArgument, at_least_one
from inspect_discoverybench.scorer.scorer import SCORE_NAME

if TYPE_CHECKING:
    from inspect_discoverybench.validation.agreement import Agreement, Interval, Kappa, Power
    from inspect_discoverybench.validation.sheet import ScoredLog
    from inspect_discoverybench.validation.votes import Scores

READING = (
    "A p above 0.05 does not prove that the two rankings are the same: what to read is the interval of the agreement."
)
FOR_SHEETS = {"pairs": "--pairs", "out": "--out", "force": "--force"}
FOR_VOTES = {
    "votes": "VOTES",
    "scores": "--scores",
    "scores_from": "--scores-from",
    "key": "--key",
    "as_json": "--json",
}


@click.command()
@click.argument("votes", nargs=-1, type=click.Path(path_type=Path))
@click.option("--sample", nargs=2, metavar="LOG_A LOG_B", help="Write an annotation sheet from two logs of one task.")
@click.option("--pairs", default=100, show_default=True, help="With --sample: how many pairs.")
@click.option(
    "--out",
    default=Path("agreement"),
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="With --sample: the folder to write to.",
)
@click.option("--force", is_flag=True, help="With --sample: replace files that are there.")
@click.option("--scores", type=click.Path(path_type=Path), help="CSV file with pair, hms_1 and hms_2, such as key.csv.")
@click.option("--scores-from", nargs=2, metavar="LOG_A LOG_B", help="Read HMS from two logs instead; needs --key.")
@click.option("--key", type=click.Path(path_type=Path), help="With --scores-from: the key.csv of the sheet.")
@click.option("--score", default=SCORE_NAME, show_default=True, help="Name of the score in logs.")
@click.option("--anyway", is_flag=True, help="Compare logs although their scores were not judged alike.")
@click.option("--seed", default=0, show_default=True, help="Of the choice and order of pairs, and of the bootstrap.")
@click.option("--json", "as_json", is_flag=True, help="Print every number as JSON, for machines.")
def agree(
    votes: tuple[Path, ...],
    sample: tuple[str, str] | None,
    pairs: int,
    out: Path,
    force: bool,
    scores: Path | None,
    scores_from: tuple[str, str] | None,
    key: Path | None,
    score: str,
    anyway: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Compare HMS with people: which of two hypotheses is closer to the gold hypothesis?

    With --sample, write a sheet to vote on. With files of VOTES (columns pair, annotator, choice) and --scores, say how
    well HMS agrees with the votes.
    """
    if sample:
        _refuse(FOR_VOTES, "--sample")
        at_least_one("pairs", pairs)
        _write_sheet(_logs(sample, score, anyway), pairs, seed, out, force)
        return
    if not votes:
        raise InvalidArgument("Nothing to do: expected files with votes, or --sample LOG_A LOG_B.")
    _refuse(FOR_SHEETS, "votes")
    # They bring scipy and statsmodels, which take seconds to import: no other command waits for them.
    from inspect_discoverybench.validation.agreement import measure
    from inspect_discoverybench.validation.votes import ballots, read_votes

    hms, source = _hms(scores, scores_from, key, score, anyway)
    measured = measure(ballots(read_votes(votes), hms, source), seed)
    if as_json:
        click.echo(json.dumps({"pairs_scored": len(hms), **asdict(measured)}, indent=2))
    else:
        _print(measured, len(hms))


def _refuse(options: Mapping[str, str], given: str) -> None:
    """Options of the other use would have no effect."""
    context = click.get_current_context()
    for parameter, option in options.items():
        if context.get_parameter_source(parameter) is ParameterSource.COMMANDLINE:
            raise InvalidArgument(f"{option} has no meaning with {given}; leave one of them out.")


def _logs(logs: tuple[str, str], score: str, anyway: bool) -> "tuple[ScoredLog, ScoredLog]":
    """The two logs, which must be comparable unless the user insists."""
    from inspect_discoverybench.validation.sheet import ScoredLog, record_differences

    a, b = (ScoredLog.read(log, score) for log in logs)
    if lines := record_differences(a, b):
        what = f"The scores of {a.name} and {b.name} were not judged alike: {'; '.join(lines)}."
        if not anyway:
            raise InvalidArgument(f"{what} Score one of them again with `inspect score`, or pass --anyway.")
        click.echo(what, err=True)
    return a, b


def _write_sheet(logs: "tuple[ScoredLog, ScoredLog]", count: int, seed: int, folder: Path, force: bool) -> None:
    from inspect_discoverybench.validation.sheet import KEY, PAGE, SHEET, candidates, draw, write

    predictions = candidates(*logs)
    write(draw(predictions, count, seed), folder, force)
    if len(predictions) < count:
        click.echo(f"{count} pairs were asked for, but the logs make {len(predictions)}: all of them are used.")
    click.echo(
        f"{min(count, len(predictions))} pairs are in {folder}: give {PAGE} or {SHEET} to annotators, never {KEY}."
    )


def _hms(
    scores: Path | None, logs: tuple[str, str] | None, key: Path | None, score: str, anyway: bool
) -> "tuple[dict[str, Scores], Path]":
    """HMS by pair, and the file that names the pairs."""
    from inspect_discoverybench.validation.sheet import scores_anew
    from inspect_discoverybench.validation.votes import read_scores

    if scores and not logs and not key:
        return read_scores(scores), scores
    if logs and key and not scores:
        return scores_anew(key, *_logs(logs, score, anyway)), key
    raise InvalidArgument("Votes need HMS; expected either --scores FILE or --scores-from LOG_A LOG_B --key FILE.")


def _print(measured: "Agreement", scored: int) -> None:
    console = Console()
    votes, annotators = _counted(measured.votes, "vote"), _counted(len(measured.annotators), "annotator")
    click.echo(f"{votes} of {annotators} on {measured.pairs} of {_counted(scored, 'pair')}")
    if measured.without_majority:
        click.echo(f"{_counted(measured.without_majority, 'pair')} without majority: not compared with HMS as a pair")
    console.print(_shares(measured))
    click.echo(_kappa(measured.kappa))
    console.print(_tests(measured))
    click.echo(_power(measured.power))
    click.echo(f"\n{READING}")


def _shares(measured: "Agreement") -> Table:
    rows = [("majority", measured.agreement), ("majority, no side equal", measured.agreement_decided)]
    rows += [(one.name, one.agreement) for one in measured.annotators]
    table = Table("HMS agrees with", box=SIMPLE_HEAD)
    for column in ("pairs", "share", "95 % interval"):
        table.add_column(column, justify="right")
    for name, share in rows:
        table.add_row(escape(name), f"{share.agreeing}/{share.pairs}", _number(share.share), _interval(share.interval))
    table.add_row("mean of the annotators", "", _number(measured.annotator_mean), "")
    return table


def _kappa(kappa: "Kappa") -> str:
    if kappa.kappa is None:
        return f"Fleiss' kappa: {kappa.note}"
    left_out = f"; left out with another number of votes: {kappa.pairs_left_out}" if kappa.pairs_left_out else ""
    return (
        f"Fleiss' kappa {kappa.kappa:.3f}, 95 % interval {_interval(kappa.interval)} "
        f"({_counted(kappa.pairs, 'pair')} with {kappa.votes_per_pair} votes each{left_out})"
    )


def _tests(measured: "Agreement") -> Table:
    table = Table("majority against HMS", box=SIMPLE_HEAD)
    for column in ("pairs", "statistic", "p"):
        table.add_column(column, justify="right")
    table.add_column()
    for test in measured.tests:
        p = "< 0.001" if test.p_value is not None and test.p_value < 0.001 else _number(test.p_value)
        table.add_row(test.name, str(test.pairs), _number(test.statistic), p, test.note or "")
    return table


def _power(power: "Power") -> str:
    if power.smallest_effect is None:
        return "Power: not defined below two pairs with a majority"
    observed = "observed effect: none that varies"
    if power.effect_size is not None:
        observed = f"power {_number(power.power)} for the observed effect size {_number(power.effect_size)}"
    return (
        f"Paired t-test, {power.pairs} pairs, level 0.05: {observed};\n"
        f"the smallest effect size found with power 0.8 is {_number(power.smallest_effect)}"
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(interval: "Interval | None") -> str:
    return "–" if interval is None else f"{interval.low:.3f} – {interval.high:.3f}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
