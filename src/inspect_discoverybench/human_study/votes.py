"""Votes on pairs of predicted hypotheses: which one is closer to the gold hypothesis (paper §4.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, groupby
from pathlib import Path
from random import Random
from typing import Literal

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.judged_sample import JudgedSample
from inspect_discoverybench.human_study.sheet import Item, KeyRow, Mark, Score, majority, read_study

HMS_DECIMALS = 9
"""Two HMS are a tie if their difference, rounded to this number of decimals, is 0.

Both are products of three facet scores. Products that should be equal can differ in their last digits."""

Choice = Literal["1", "2", "equal"]
"""Which of two predicted hypotheses is closer to the gold hypothesis."""

CHOICES: tuple[Choice, ...] = ("1", "2", "equal")


class Vote(Mark):
    """An annotator's choice."""

    form = "vote"

    choice: Choice


class PairKeyRow(KeyRow):
    """A pair with HMS of both hypotheses.

    Attributes:
        gold: A digest of the gold hypothesis; empty in keys that people wrote.
    """

    gold: str = ""
    hms_1: Score
    hms_2: Score


@dataclass(frozen=True)
class Ballot:
    """All votes on one pair.

    Attributes:
        votes: Choices by annotator; empty if nobody voted.
        hms: The choice that HMS makes: the hypothesis with the higher HMS, or `equal`.
        cluster: The gold hypothesis. Pairs that share it are not independent, so they form a cluster. If the key has no
            gold hypotheses, the name of the pair, so that each pair is a cluster of its own.
    """

    votes: Mapping[str, Choice]
    hms: Choice
    cluster: str

    @property
    def majority(self) -> Choice | None:
        """The choice of more annotators than any other; None without votes and in a tie."""
        return majority(self.votes.values())


def draw_pairs(samples: Sequence[JudgedSample], count: int, seed: int) -> list[Item]:
    """Draw pairs at random. The two hypotheses of a pair differ, and are for the same sample and epoch.

    They must also be for the same task, goal and gold hypothesis. Samples with the same id can differ in these: a
    placebo has the ids of the original samples, and a goal or gold hypothesis may have been edited between two logs.

    If there are fewer pairs than `count`, all are drawn.

    Args:
        samples: The samples, ordered by their `id`, which has the id of the sample and its epoch.
        count: Number of pairs to draw.
        seed: Seed of the draw.

    Raises:
        InvalidArgument: There are no pairs.
    """
    pairs = []
    for _, group in groupby(samples, key=lambda sample: sample.id):
        for first, second in combinations(group, 2):
            # Hypotheses that differ only in white space are the same hypothesis.
            is_same_hypothesis = first.hypothesis.split() == second.hypothesis.split()
            is_same_question = (first.task, first.texts) == (second.task, second.texts)
            if is_same_question and not is_same_hypothesis:
                pairs.append((first, second))
    if not pairs:
        raise InvalidArgument(
            "No pairs can be drawn from these logs: no sample has different scored hypotheses in two of them, for the "
            "same goal and gold hypothesis. Pass logs of the same task by different agents or models, or --judge to "
            "check the judge."
        )
    drawn = Random(seed).sample(pairs, min(count, len(pairs)))
    return [_pair_item(first, second) for first, second in drawn]


def _pair_item(first: JudgedSample, second: JudgedSample) -> Item:
    """A pair as an item. Its name, and which hypothesis is hypothesis 1, depend only on the sample and the logs.

    So the item stays the same if another judge scores the logs again. Its votes can be compared with the new scores.
    """
    identity = repr((first.id, first.log, second.log))
    digest = sha256(identity.encode()).hexdigest()
    # Each of the two has the same chance to be hypothesis 1.
    if int(digest, 16) % 2:
        first, second = second, first
    return Item(
        # The letter keeps a spreadsheet from reading the name as a number.
        name=f"p{digest[:8]}",
        texts={**first.texts, "hypothesis_1": first.hypothesis, "hypothesis_2": second.hypothesis},
        key={
            **first.key_columns,
            "log_1": first.log,
            "log_2": second.log,
            "hms_1": str(first.values["hms"]),
            "hms_2": str(second.values["hms"]),
        },
    )


def read_ballots(tables: Sequence[Path], key: Path) -> list[Ballot]:
    """Read votes and the key of their sheet.

    Args:
        tables: CSV files with the columns `item`, `annotator` and `choice`.
        key: CSV file with the columns `item`, `hms_1`, `hms_2` and, if it comes from a sheet, `gold`.

    Returns:
        A ballot for each pair of the key, ordered by name.

    Raises:
        DataError: A file does not exist or is not a CSV file.
        InvalidArgument: A column is missing, a value is invalid or repeated, or a pair is not in the key.
    """
    study = read_study(Vote, PairKeyRow, tables, [key])
    return [_ballot(pair, votes) for pair, votes in study]


def _ballot(pair: PairKeyRow, votes: Mapping[str, Vote]) -> Ballot:
    return Ballot(
        votes={name: vote.choice for name, vote in votes.items()},
        hms=_choice_of_hms(pair),
        cluster=pair.gold or pair.item,
    )


def _choice_of_hms(pair: PairKeyRow) -> Choice:
    difference = round(pair.hms_1 - pair.hms_2, HMS_DECIMALS)
    if difference > 0:
        return "1"
    if difference < 0:
        return "2"
    return "equal"
