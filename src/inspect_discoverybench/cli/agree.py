"""`discoverybench agree`: do HMS and the judge agree with human annotators (paper §4.3)?"""

import json
from dataclasses import asdict
from pathlib import Path

import click

from inspect_discoverybench.cli.agreement_tables import print_accuracy, print_agreement
from inspect_discoverybench.cli.number import plural
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.hypothesis import SCORE_NAME
from inspect_discoverybench.validation.judged_sample import JudgedSamples
from inspect_discoverybench.validation.label_sheet import draw_samples, has_replies
from inspect_discoverybench.validation.labels import LABELS, has_labels, read_labels
from inspect_discoverybench.validation.sheet import KEY, SHEET, write_sheet
from inspect_discoverybench.validation.votes import VOTES, draw_pairs, find_pairs, read_ballots

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
    if judge and pairs is not None:
        raise click.UsageError("--pairs cannot be used with --judge. Pass --samples.")
    if not judge and samples is not None:
        raise click.UsageError("--samples requires --judge. To draw pairs, pass --pairs.")
    if not judge and len(logs) < 2:
        raise click.UsageError("Pairs are drawn from two or more logs, got 1. To check the judge, pass --judge.")
    judged = _read(logs, score, anyway)
    if judge:
        _write_labels(judged, samples or DEFAULT_SAMPLES, out or DEFAULT_JUDGE_FOLDER, force, seed)
    else:
        _write_votes(judged, pairs or DEFAULT_PAIRS, out or DEFAULT_FOLDER, force, seed)


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
    # Imports scipy and statsmodels, which takes seconds.
    from inspect_discoverybench.validation.accuracy import measure_judge
    from inspect_discoverybench.validation.agreement import measure

    if any(path.is_dir() or has_labels(path) for path in votes):
        if scores or scores_from:
            raise InvalidArgument("--scores and --scores-from are for votes on pairs. For labels, pass --key.")
        accuracy = measure_judge(read_labels([*votes, *([key] if key else [])]))
        if as_json:
            click.echo(json.dumps(asdict(accuracy), indent=2))
        else:
            print_accuracy(accuracy)
        return
    if scores and not scores_from and not key:
        ballots = read_ballots(votes, scores)
    elif scores_from and key and not scores:
        ballots = read_ballots(votes, key, _read(scores_from, score, anyway).samples)
    else:
        raise InvalidArgument(
            "No HMS to compare the votes with. Pass --scores FILE, or --scores-from LOG for each log and --key FILE."
        )
    agreement = measure(ballots)
    if as_json:
        click.echo(json.dumps(asdict(agreement), indent=2))
    else:
        print_agreement(agreement)


def _read(logs: tuple[str, ...], score: str, anyway: bool) -> JudgedSamples:
    judged = JudgedSamples.read(logs, score, anyway)
    if judged.differences:
        click.echo(judged.differences, err=True)
    return judged


def _write_votes(judged: JudgedSamples, count: int, out: Path, force: bool, seed: int) -> None:
    pairs = find_pairs(judged.samples)
    items = draw_pairs(pairs, count, seed)
    write_sheet(VOTES, items, out, force)
    if len(pairs) < count:
        click.echo(f"The logs contain only {plural(len(pairs), 'pair')}, fewer than {count}. Using all of them.")
    click.echo(
        f"Wrote {plural(len(items), 'pair')} to {out}. Send {VOTES.page} or {SHEET} to annotators. Do not share {KEY}."
    )


def _write_labels(judged: JudgedSamples, count: int, out: Path, force: bool, seed: int) -> None:
    samples = [sample for sample in judged.samples if has_replies(sample)]
    without_replies = len(judged.samples) - len(samples)
    if not samples:
        raise InvalidArgument("No sample of these logs was judged. Pass logs with scored submissions.")
    items = draw_samples(samples, count, seed)
    write_sheet(LABELS, items, out, force)
    reasons = {**judged.left_out, "the judge's replies are not recorded or do not give the facets": without_replies}
    for reason, number in reasons.items():
        if number:
            click.echo(f"Left out {plural(number, 'sample')}: {reason}")
    judged_count, outcomes = plural(len(samples), "judged sample"), len({item.key["stratum"] for item in items})
    if len(samples) < count:
        click.echo(f"The logs contain only {judged_count}, fewer than {count}. Using all of them.")
    click.echo(
        f"Wrote {len(items)} of {judged_count} with {plural(outcomes, 'outcome')} to {out}. "
        f"Send {LABELS.page} or {SHEET} to annotators. Keep {KEY}."
    )
