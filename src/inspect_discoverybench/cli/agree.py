"""`discoverybench agree`: do HMS and the judge agree with human annotators (paper §4.3)?"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspect_discoverybench.cli.accuracy_tables import print_accuracy
from inspect_discoverybench.cli.agreement_tables import print_agreement
from inspect_discoverybench.cli.number import plural
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.hypothesis import SCORE_NAME

# These modules import scipy and statsmodels, which takes seconds. The commands import them when they run.
if TYPE_CHECKING:
    from inspect_discoverybench.validation.judged import JudgedLog
    from inspect_discoverybench.validation.scored_log import ScoredLog
    from inspect_discoverybench.validation.votes import HmsPair

DEFAULT_PAIRS = 100
DEFAULT_SAMPLES = 200
DEFAULT_FOLDER = Path("agreement")
DEFAULT_JUDGE_FOLDER = Path("judge_labels")


@click.group()
def agree() -> None:
    """Measure how often HMS and the judge agree with human annotators.

    `agree sheet` draws pairs of predicted hypotheses for annotators to vote on, or with --judge, judged samples for
    annotators to label. `agree votes` computes the statistics from their votes or labels.
    """


@agree.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...")
@click.option("--judge", is_flag=True, help="Draw judged samples, to check the judge's answers in each step.")
@click.option("--pairs", type=click.IntRange(min=1), help=f"Number of pairs to draw.  [default: {DEFAULT_PAIRS}]")
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    help=f"With --judge: number of samples to draw.  [default: {DEFAULT_SAMPLES}]",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help=f"Output folder.  [default: {DEFAULT_FOLDER}, or {DEFAULT_JUDGE_FOLDER} with --judge]",
)
@click.option("--force", is_flag=True, help="Overwrite existing files in the output folder.")
@click.option("--score", default=SCORE_NAME, show_default=True, help="Name of the score in the logs.")
@click.option("--anyway", is_flag=True, help="Accept logs whose scores were judged differently.")
@click.option("--seed", default=0, show_default=True, help="Random seed for the choice and order.")
def sheet(
    logs: tuple[str, ...],
    judge: bool,
    pairs: int | None,
    samples: int | None,
    out: Path | None,
    force: bool,
    score: str,
    anyway: bool,
    seed: int,
) -> None:
    """Draw pairs of predicted hypotheses from two or more logs of the same task.

    Writes vote.html and sheet.csv for annotators, and key.csv, which maps each pair back to the logs and their scores.
    Do not show key.csv to annotators.

    With --judge, draws judged samples from one or more logs, at random and stratified by the outcome of the facets.
    Writes label.html and sheet.csv for annotators, who mark each answer of the judge as right or wrong, and key.csv.
    """
    if judge:
        if pairs is not None:
            raise click.UsageError("--pairs cannot be used with --judge. Pass --samples.")
        _write_label_sheet(logs, samples or DEFAULT_SAMPLES, out or DEFAULT_JUDGE_FOLDER, force, score, anyway, seed)
        return
    if samples is not None:
        raise click.UsageError("--samples requires --judge. To draw pairs, pass --pairs.")
    if len(logs) < 2:
        raise click.UsageError("Pairs are drawn from two or more logs, got 1. To check the judge, pass --judge.")
    _write_vote_sheet(logs, pairs or DEFAULT_PAIRS, out or DEFAULT_FOLDER, force, score, anyway, seed)


@agree.command()
@click.argument("votes", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--scores", type=click.Path(path_type=Path), help="CSV file with pair, hms_1 and hms_2, such as key.csv.")
@click.option(
    "--scores-from", multiple=True, metavar="LOG", help="Read HMS from logs instead. Repeat for each. Requires --key."
)
@click.option(
    "--key", type=click.Path(path_type=Path), help="The key.csv of the sheet, for --scores-from and for labels."
)
@click.option(
    "--score", default=SCORE_NAME, show_default=True, help="With --scores-from: name of the score in the logs."
)
@click.option("--anyway", is_flag=True, help="With --scores-from: accept logs whose scores were judged differently.")
@click.option("--json", "as_json", is_flag=True, help="Print every statistic as JSON.")
def votes(
    votes: tuple[Path, ...],
    scores: Path | None,
    scores_from: tuple[str, ...],
    key: Path | None,
    score: str,
    anyway: bool,
    as_json: bool,
) -> None:
    """Compute statistics from votes or labels. The columns of the files show which they are.

    Votes are CSV files with the columns pair, annotator and choice. HMS comes from --scores, or from logs with
    --scores-from and --key. Prints the agreement of HMS with annotators.

    Labels are CSV files from a sheet that was drawn with --judge. They require --key. Prints the accuracy of the judge
    in each step.
    """
    from inspect_discoverybench.validation.labels import is_label_file

    if any(path.is_dir() or is_label_file(path) for path in votes):
        if scores or scores_from:
            raise InvalidArgument("--scores and --scores-from are for votes on pairs. For labels, pass --key.")
        _report_labels([*votes, *([key] if key else [])], as_json)
    else:
        _report_votes(votes, *_hms_pairs(scores, scores_from, key, score, anyway), as_json)


def _write_vote_sheet(
    paths: Sequence[str], count: int, out: Path, force: bool, score: str, anyway: bool, seed: int
) -> None:
    from inspect_discoverybench.validation.sheet import KEY, PAGE, SHEET, candidates, draw, write

    predictions = candidates(*_comparable_logs(paths, score, anyway))
    write(draw(predictions, count, seed), out, force)
    if len(predictions) < count:
        click.echo(f"The logs contain only {plural(len(predictions), 'pair')}, fewer than {count}. Using all of them.")
    click.echo(
        f"Wrote {plural(min(count, len(predictions)), 'pair')} to {out}. "
        f"Send {PAGE} or {SHEET} to annotators. Do not share {KEY}."
    )


def _write_label_sheet(
    paths: Sequence[str], count: int, out: Path, force: bool, score: str, anyway: bool, seed: int
) -> None:
    from inspect_discoverybench.validation.judged import JudgedLog
    from inspect_discoverybench.validation.label_sheet import LABEL_PAGE, draw_items, write_items
    from inspect_discoverybench.validation.sheet import KEY, SHEET

    logs = [JudgedLog.read(path, score) for path in paths]
    _check_comparable(logs, anyway)
    items = draw_items(logs, count, seed)
    write_items(items, out, force)
    for reason, number in sum((Counter(log.left_out) for log in logs), Counter()).items():
        click.echo(f"Left out {plural(number, 'sample')}: {reason}")
    judged, outcomes = sum(len(log.samples) for log in logs), len({item.stratum for item in items})
    if judged < count:
        click.echo(f"The logs contain only {plural(judged, 'judged sample')}, fewer than {count}. Using all of them.")
    click.echo(
        f"Wrote {len(items)} of {plural(judged, 'judged sample')} with {plural(outcomes, 'outcome')} to {out}. "
        f"Send {LABEL_PAGE} or {SHEET} to annotators. Keep {KEY}."
    )


def _comparable_logs(paths: Sequence[str], score: str, anyway: bool) -> "list[ScoredLog]":
    """Read logs.

    Raises:
        InvalidArgument: Their scores were judged differently and `anyway` is false.
    """
    from inspect_discoverybench.validation.scored_log import ScoredLog

    logs = [ScoredLog.read(path, score) for path in paths]
    _check_comparable(logs, anyway)
    return logs


def _check_comparable(logs: "Sequence[ScoredLog] | Sequence[JudgedLog]", anyway: bool) -> None:
    from inspect_discoverybench.validation.scored_log import record_differences

    records: list[Mapping[str, Any]] = [record for log in logs for record in log.records]
    if lines := record_differences(records):
        scores = f"The scores of {', '.join(log.path for log in logs)}"
        message = f"{scores} were judged differently: {'; '.join(lines)}."
        if not anyway:
            raise InvalidArgument(f"{message} Re-score the logs with `inspect score`, or pass --anyway.")
        click.echo(message, err=True)


def _hms_pairs(
    scores: Path | None, logs: Sequence[str], key: Path | None, score: str, anyway: bool
) -> "tuple[dict[str, HmsPair], Path]":
    """HMS by pair, and the path of the file that lists the pairs."""
    from inspect_discoverybench.validation.sheet import read_scores_from_logs
    from inspect_discoverybench.validation.votes import read_scores

    if scores and not logs and not key:
        return read_scores(scores), scores
    if logs and key and not scores:
        return read_scores_from_logs(key, *_comparable_logs(logs, score, anyway)), key
    raise InvalidArgument(
        "No HMS to compare the votes with. Pass --scores FILE, or --scores-from LOG for each log and --key FILE."
    )


def _report_votes(paths: Sequence[Path], hms_pairs: "Mapping[str, HmsPair]", source: Path, as_json: bool) -> None:
    from inspect_discoverybench.validation.agreement import measure
    from inspect_discoverybench.validation.votes import ballots, read_votes

    statistics = measure(ballots(read_votes(paths), hms_pairs, source))
    if as_json:
        click.echo(json.dumps({"pairs_scored": len(hms_pairs), **asdict(statistics)}, indent=2))
    else:
        print_agreement(statistics, len(hms_pairs))


def _report_labels(paths: Sequence[Path], as_json: bool) -> None:
    from inspect_discoverybench.validation.accuracy import measure_judge
    from inspect_discoverybench.validation.labels import read_labels

    statistics = measure_judge(read_labels(paths))
    if as_json:
        click.echo(json.dumps(asdict(statistics), indent=2))
    else:
        print_accuracy(statistics)
