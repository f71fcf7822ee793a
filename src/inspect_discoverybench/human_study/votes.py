"""Votes on pairs of predicted hypotheses: which one is closer to the gold hypothesis (paper §4.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, groupby
from pathlib import Path
from random import Random

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.judged_sample import JudgedSample
from inspect_discoverybench.human_study.sheet import Form, Item, Row, number, read_marks, word

VOTES = Form("vote", "pair", ("choice",))

HMS_DECIMALS = 9
"""HMS values that are equal when rounded are a tie: products of equal facets can differ by rounding."""

CHOICES = (1, -1, 0)
"""Which of two predicted hypotheses is closer to the gold hypothesis: the first, the second, or neither."""

_SPELLINGS = {"1": 1, "2": -1, **dict.fromkeys(("equal", "=", "tie", "0"), 0)}


@dataclass(frozen=True)
class Ballot:
    """All votes on one pair.

    Attributes:
        votes: Choices by annotator; empty if nobody voted.
        hms: The preference of HMS.
        cluster: The gold hypothesis, on which the pairs of a cluster depend; the pair if the key does not have it.
    """

    votes: Mapping[str, int]
    hms: int
    cluster: str


def draw_pairs(samples: Sequence[JudgedSample], count: int, seed: int) -> list[Item]:
    """Draw pairs of different hypotheses for one sample and epoch, their order and their sides at random.

    The samples are ordered by id and epoch. If there are fewer pairs than `count`, all are drawn.

    Raises:
        InvalidArgument: There are no pairs.
    """
    pairs = [
        pair
        for _, group in groupby(samples, key=lambda sample: sample.id)
        for pair in combinations(group, 2)
        if pair[0].hypothesis.split() != pair[1].hypothesis.split()
    ]
    if not pairs:
        raise InvalidArgument(
            "No pairs can be drawn from these logs: no sample has different scored hypotheses in two of them. Pass "
            "logs of the same task by different agents or models, or --judge to check the judge."
        )
    random = Random(seed)
    drawn = random.sample(pairs, min(count, len(pairs)))
    return [_item(f"p{place:03}", *random.sample(pair, 2)) for place, pair in enumerate(drawn, 1)]


def read_ballots(tables: Sequence[Path], key: Path, samples: Sequence[JudgedSample] | None = None) -> list[Ballot]:
    """Read votes and the key of their sheet.

    Args:
        tables: CSV files with the columns `pair`, `annotator` and `choice`.
        key: CSV file with the column `pair` and, if it comes from a sheet, `gold`. HMS is in the columns `hms_1` and
            `hms_2`, or in the samples to which `sample_id`, `epoch`, `log_1` and `log_2` refer.
        samples: The samples of the sheet's logs, or of copies that were scored again; None for HMS in the key.

    Returns:
        A ballot for each pair of the key, ordered by name.

    Raises:
        DataError: A file does not exist, is not a CSV file, or lacks a column.
        InvalidArgument: A value is invalid or repeated, a pair is not in the key, or a sample is missing.
    """
    columns = ("hms_1", "hms_2") if samples is None else ("sample_id", "epoch", "log_1", "log_2")
    scores = {(sample.log, *map(str, sample.id)): sample.judged.value("hms") for sample in samples or ()}
    ballots = []
    for pair, rows in read_marks(VOTES, tables, [key], columns):
        first, second = (
            pair.parse(f"hms_{side}", partial(number, 0, 1))
            if samples is None
            else _logged_hms(scores, pair, f"log_{side}")
            for side in "12"
        )
        difference = round(first - second, HMS_DECIMALS)
        gold = pair.values.get("gold")
        ballots.append(
            Ballot(
                votes={
                    name: row.parse("choice", partial(word, _SPELLINGS, "1, 2 or equal")) for name, row in rows.items()
                },
                hms=(difference > 0) - (difference < 0),
                cluster=f"gold {gold}" if gold else f"pair {pair.values['pair']}",
            )
        )
    return ballots


def _logged_hms(scores: Mapping[tuple[str, ...], float], key: Row, column: str) -> float:
    log, sample_id, epoch = (key.values[name] for name in (column, "sample_id", "epoch"))
    if (log, sample_id, epoch) not in scores:
        raise InvalidArgument(
            f"{key.location}: no log that was passed has HMS of sample {sample_id}, epoch {epoch}, in the run {log}. "
            "Pass the logs of the sheet, score them again, or remove this pair from the key and from the votes."
        )
    return scores[log, sample_id, epoch]


def _item(name: str, first: JudgedSample, second: JudgedSample) -> Item:
    texts = {**first.texts, "hypothesis_1": first.hypothesis, "hypothesis_2": second.hypothesis}
    hms = {"hms_1": str(first.judged.value("hms")), "hms_2": str(second.judged.value("hms"))}
    return Item(name, texts, {**first.key, "log_1": first.log, "log_2": second.log, **hms})
