"""`discoverybench agree`: do HMS and the judge agree with human annotators (paper §4.3)?"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspect_discoverybench.cli.terminal import plural, print_table, say
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.judged_sample import read_judged_samples
from inspect_discoverybench.human_study.labels import Label, draw_samples, is_labels, judge_answers, read_labels
from inspect_discoverybench.human_study.sheet import KEY, SHEET, Mark, page_name, write_sheet
from inspect_discoverybench.human_study.votes import Vote, draw_pairs, read_ballots
from inspect_discoverybench.submission.submission import SCORE_NAME

# The module imports scipy, which takes seconds. The command imports it when it runs.
if TYPE_CHECKING:
    from inspect_discoverybench.human_study.statistic import Statistic


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
    default=100,
    show_default=True,
    help="Number of pairs or samples to draw.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("sheet"),
    show_default=True,
    help="Output folder.",
)
@click.option("--score", default=SCORE_NAME, show_default=True, help="Name of the score in the logs.")
@click.option("--anyway", is_flag=True, help="Accept logs whose scores were judged differently.")
@click.option("--seed", default=0, show_default=True, help="Random seed of the draw.")
def sheet(
    logs: tuple[str, ...],
    judge: bool,
    count: int,
    out: Path,
    score: str,
    anyway: bool,
    seed: int,
) -> None:
    """Draw pairs of predicted hypotheses from two or more logs of the same task, or folders of logs.

    Writes vote.html and sheet.csv for annotators, and key.csv, which maps each pair back to the logs and their scores.
    Do not show key.csv to annotators.

    With --judge, draws judged samples from one or more logs. Writes label.html and sheet.csv for annotators, who mark
    each answer of the judge as right or wrong, and key.csv.
    """
    samples, left_out = read_judged_samples(logs, score, anyway)
    mark: type[Mark] = Label if judge else Vote
    if judge:
        complete = [sample for sample in samples if judge_answers(sample)]
        left_out["a reply of the judge is not recorded"] = len(samples) - len(complete)
        items = draw_samples(complete, score, count, seed)
    else:
        items = draw_pairs(samples, count, seed)
    write_sheet(mark, items, out)

    for reason, number in left_out.items():
        if number:
            say(f"Left out {plural(number, 'sample')}: {reason}")
    if len(items) < count:
        say(f"The logs contain fewer than {count}. Using all of them.")
    say(
        f"Wrote {plural(len(items), 'item')} to {out}. Send {page_name(mark)} or {SHEET} to annotators. "
        f"Do not show them {KEY}."
    )


@agree.command()
@click.argument("marks", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option("--key", type=click.Path(path_type=Path), help="The key.csv of the sheet.")
def votes(marks: tuple[Path, ...], key: Path | None) -> None:
    """Compute statistics from votes or labels. The columns of the files show which they are.

    Votes are CSV files with the columns item, annotator and choice. Prints the agreement of HMS with annotators. To
    check another judge with the same votes, score the logs again, draw all of their pairs with `agree sheet`, and pass
    the key of that sheet.

    Labels are CSV files from a sheet that was drawn with --judge, or a folder with them. Prints the accuracy of the
    judge in each step.
    """
    # Imports scipy, which takes seconds.
    from inspect_discoverybench.human_study.label_statistics import measure_judge
    from inspect_discoverybench.human_study.vote_statistics import measure_agreement

    if any(is_labels(path) for path in marks):
        # Labels and their key are read together. Without --key, the key is among the files and folders with the labels.
        files = [*marks, key] if key else [*marks]
        statistics = measure_judge(read_labels(files))
    elif key:
        statistics = measure_agreement(read_ballots(marks, key))
    else:
        raise InvalidArgument("No HMS to compare the votes with. Pass --key FILE, the key.csv of the sheet.")

    rows = [_row(statistic) for statistic in statistics]
    print_table("", ["statistic", "note"], ["number", "value", "95% CI", "paper"], rows)


def _row(statistic: "Statistic") -> list[str]:
    return [
        statistic.name,
        statistic.note,
        str(statistic.number),
        "" if statistic.value is None else f"{statistic.value:.3f}",
        "" if statistic.low is None else f"{statistic.low:.3f} – {statistic.high:.3f}",
        "" if statistic.paper is None else f"{statistic.paper:.2f}",
    ]
