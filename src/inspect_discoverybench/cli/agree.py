"""`discoverybench agree`: do HMS and the judge agree with human annotators (paper §4.3)?"""

import json
from dataclasses import asdict
from pathlib import Path

import click

from inspect_discoverybench.cli.terminal import p_value, plural, print_table, say
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.judged_sample import read_judged_samples
from inspect_discoverybench.human_study.labels import LABELS, draw_samples, has_labels, has_replies, read_labels
from inspect_discoverybench.human_study.sheet import KEY, SHEET, write_sheet
from inspect_discoverybench.human_study.votes import VOTES, draw_pairs, read_ballots
from inspect_discoverybench.submission.submission import SCORE_NAME

DEFAULT_PAIRS = 100
DEFAULT_SAMPLES = 200


@click.group()
def agree() -> None:
    """Measure how often HMS and the judge agree with human annotators.

    `agree sheet` draws pairs of predicted hypotheses for annotators to vote on, or with --judge, judged samples for
    annotators to label. `agree votes` computes the statistics from their votes or labels.
    """


@agree.command()
@click.argument("logs", nargs=-1, required=True, metavar="PATH...")
@click.option("--judge", is_flag=True, help="Draw judged samples, to check the judge's answers in each step.")
@click.option(
    "--pairs",
    "--samples",
    "count",
    type=click.IntRange(min=1),
    help=f"Number of pairs or samples to draw.  [default: {DEFAULT_PAIRS}, or {DEFAULT_SAMPLES} with --judge]",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Output folder.  [default: agreement, or judge_labels with --judge]",
)
@click.option("--force", is_flag=True, help="Overwrite existing files in the output folder.")
@click.option("--score", default=SCORE_NAME, show_default=True, help="Name of the score in the logs.")
@click.option("--anyway", is_flag=True, help="Accept logs whose scores were judged differently.")
@click.option("--seed", default=0, show_default=True, help="Random seed for the choice and order.")
def sheet(
    logs: tuple[str, ...],
    judge: bool,
    count: int | None,
    out: Path | None,
    force: bool,
    score: str,
    anyway: bool,
    seed: int,
) -> None:
    """Draw pairs of predicted hypotheses from two or more logs of the same task, or folders of logs.

    Writes vote.html and sheet.csv for annotators, and key.csv, which maps each pair back to the logs and their scores.
    Do not show key.csv to annotators.

    With --judge, draws judged samples from one or more logs, at random, with at least one of each outcome of the
    facets. Writes label.html and sheet.csv for annotators, who mark each answer of the judge as right or wrong, and
    key.csv.
    """
    samples, left_out = read_judged_samples(logs, score, anyway)
    form, out = (LABELS, out or Path("judge_labels")) if judge else (VOTES, out or Path("agreement"))
    count = count or (DEFAULT_SAMPLES if judge else DEFAULT_PAIRS)
    if judge:
        with_replies = [sample for sample in samples if has_replies(sample)]
        left_out["the judge's replies are not recorded or do not give the facets"] = len(samples) - len(with_replies)
        for reason, number in left_out.items():
            if number:
                say(f"Left out {plural(number, 'sample')}: {reason}")
        items = draw_samples(with_replies, count, seed)
    else:
        items = draw_pairs(samples, count, seed)
    write_sheet(form, items, out, force)
    if len(items) < count:
        say(f"The logs contain fewer than {count}. Using all of them.")
    say(
        f"Wrote {plural(len(items), form.item)} to {out}. Send {form.page} or {SHEET} to annotators. "
        f"Do not show them {KEY}."
    )


@agree.command()
@click.argument("votes", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option(
    "--key",
    "--scores",
    "key",
    type=click.Path(path_type=Path),
    help="The key.csv of the sheet, or for votes a CSV file with pair, hms_1 and hms_2.",
)
@click.option("--scores-from", multiple=True, metavar="PATH", help="Read HMS from a log or a folder of logs. Repeat.")
@click.option(
    "--score", default=SCORE_NAME, show_default=True, help="With --scores-from: name of the score in the logs."
)
@click.option("--anyway", is_flag=True, help="With --scores-from: accept logs whose scores were judged differently.")
@click.option("--json", "as_json", is_flag=True, help="Print every statistic as JSON.")
def votes(
    votes: tuple[Path, ...],
    key: Path | None,
    scores_from: tuple[str, ...],
    score: str,
    anyway: bool,
    as_json: bool,
) -> None:
    """Compute statistics from votes or labels. The columns of the files show which they are.

    Votes are CSV files with the columns pair, annotator and choice. HMS comes from --key, or with --scores-from, from
    logs. Prints the agreement of HMS with annotators.

    Labels are CSV files from a sheet that was drawn with --judge. Prints the accuracy of the judge in each step.
    """
    # Imports scipy and statsmodels, which takes seconds.
    from inspect_discoverybench.human_study.agreement import measure_accuracy, measure_agreement

    is_labels = any(path.is_dir() or has_labels(path) for path in votes)
    if is_labels and scores_from:
        raise InvalidArgument("--scores-from is for votes on pairs. For labels, pass --key.")
    if is_labels:
        statistics = measure_accuracy(read_labels([*votes, *([key] if key else [])]))
    elif key:
        samples = read_judged_samples(scores_from, score, anyway)[0] if scores_from else None
        statistics = measure_agreement(read_ballots(votes, key, samples))
    else:
        raise InvalidArgument("No HMS to compare the votes with. Pass --key FILE, the key.csv of the sheet.")
    if as_json:
        say(json.dumps([asdict(statistic) for statistic in statistics], indent=2))
    else:
        rows = [
            (
                one.name,
                one.note,
                str(one.number),
                _decimal(one.value),
                "" if one.low is None else f"{_decimal(one.low)} – {_decimal(one.high)}",
                "" if one.p is None else p_value(one.p),
                "" if one.paper is None else f"{one.paper:.2f}",
            )
            for one in statistics
        ]
        print_table("", ["statistic", "note"], ["number", "value", "95% CI", "p", "paper"], rows)
        if not is_labels:
            say(
                "A p-value above 0.05 does not show that the two rankings are the same. Report the confidence interval "
                "of the agreement."
            )


def _decimal(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
