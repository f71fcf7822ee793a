"""Labels: whether annotators find the judge right in each step, and the HMS that follows (paper §4.3)."""

from collections.abc import Sequence
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Annotated, Literal

from pydantic import BeforeValidator, model_validator

from inspect_discoverybench.errors.exceptions import InvalidArgument, ReplyRejected
from inspect_discoverybench.human_study.judged_sample import JudgedSample
from inspect_discoverybench.human_study.sheet import Item, KeyRow, Mark, Score, Text, majority, read_study
from inspect_discoverybench.human_study.spreadsheet import read_header
from inspect_discoverybench.replies import ReplyT, parse_reply
from inspect_discoverybench.scorer.contexts import Contexts, Match
from inspect_discoverybench.scorer.facets import (
    FACET_KEYS,
    FACETS,
    RELATIONSHIP_SCORES,
    SCORE_KEYS,
    Relationship,
    Variables,
)
from inspect_discoverybench.scorer.hms import hypothesis_match_score
from inspect_discoverybench.scorer.hypothesis_pair import NO_WORKFLOW


class JudgeStep(StrEnum):
    """A step of judging a sample (paper §4.3). The first two extract contexts; the others decide a facet each."""

    GOLD_CONTEXT = "gold_context"
    PREDICTED_CONTEXT = "predicted_context"
    CONTEXT_MATCH = "context_match"
    VARIABLES = "variables"
    RELATIONSHIP = "relationship"


FACET_STEPS = {facet.key: JudgeStep(facet.question) for facet in FACETS}
"""The step that decides each facet."""


def _counts_or_none(text: str) -> object:
    """Read three numbers in one cell as a reply to the question about the variables; None if the cell is empty."""
    names = ("sizeA", "sizeB", "intersection")
    numbers = text.split()
    if not numbers:
        return None
    if len(numbers) != len(names):
        raise ValueError("write three numbers of variables, such as 4 3 2: in gold, in predicted, shared")
    return dict(zip(names, numbers, strict=True))


def _text_or_none(text: str) -> str | None:
    return text or None


RightOrWrong = Annotated[Literal["right", "wrong"] | None, BeforeValidator(_text_or_none)]
"""Whether the judge is right, in the words of annotators. An empty cell is None."""

Counts = Annotated[Variables | None, BeforeValidator(_counts_or_none)]


class Label(Mark):
    """An annotator's verdicts on the steps, and correct answers where the judge is wrong.

    The match of the contexts needs no correct answer. The judge says yes or no: if one is wrong, the other is correct.
    """

    form = "label"

    gold_context: RightOrWrong
    predicted_context: RightOrWrong
    context_match: RightOrWrong
    variables: RightOrWrong
    relationship: RightOrWrong
    true_variables: Counts = None
    true_relationship: Annotated[Literal["A", "B", "C"] | None, BeforeValidator(_text_or_none)] = None

    @model_validator(mode="after")
    def _check_answers(self) -> "Label":
        answers = {JudgeStep.VARIABLES: self.true_variables, JudgeStep.RELATIONSHIP: self.true_relationship}
        for step, answer in answers.items():
            if answer is not None and self.verdict(step) != "wrong":
                raise ValueError(f"true_{step} has an answer, but {step} is not wrong. Correct one of the two")
        return self

    def verdict(self, step: JudgeStep) -> RightOrWrong:
        """The annotator's verdict on a step of the judge."""
        verdict: RightOrWrong = getattr(self, step)
        return verdict

    def correct_score(self, facet: str) -> float | None:
        """The facet's score by the correct answer that the annotator gave; None if there is none."""
        if facet == "variables" and self.true_variables is not None:
            return self.true_variables.score
        if facet == "relationship" and self.true_relationship is not None:
            return RELATIONSHIP_SCORES[self.true_relationship]
        return None


class LabelKeyRow(KeyRow):
    """A judged sample with the judge's scores of HMS and the facets.

    `score` is the name of the score in the log. `gold` is a digest: samples that share it form a cluster.
    """

    log: Text
    sample_id: Text
    epoch: int
    score: Text
    gold: Text
    hms: Score
    context: Score
    variables: Score
    relationship: Score


class LabelledSample(LabelKeyRow):
    """A judged sample of a sheet, with its labels.

    Attributes:
        labels: The label of each annotator, by name; empty if nobody labelled the sample.
    """

    labels: dict[str, Label]

    def verdicts(self, step: JudgeStep) -> list[bool]:
        """Whether the judge is right in a step, by each annotator who gave a verdict on it."""
        verdicts = [label.verdict(step) for label in self.labels.values()]
        return [verdict == "right" for verdict in verdicts if verdict is not None]

    def is_judge_right(self, step: JudgeStep) -> bool | None:
        """Whether the judge is right, by the majority of annotators; None without a majority."""
        return majority(self.verdicts(step))

    @property
    def true_hms(self) -> float | None:
        """HMS from the correct answers, in [0, 1]; None if they do not determine it.

        They determine it if the score of every facet is known, or if one of them is 0.
        """
        scores: dict[str, float] = {}
        for facet in FACET_KEYS:
            score = self._true_score(facet)
            if score is not None:
                scores[facet] = score
        if 0 in scores.values():
            return 0.0
        if len(scores) < len(FACET_KEYS):
            return None
        return hypothesis_match_score(**scores)

    @property
    def is_incomplete(self) -> bool:
        """Whether there are labels, but they do not determine HMS."""
        return bool(self.labels) and self.true_hms is None

    def _true_score(self, facet: str) -> float | None:
        """The facet's score by the majority of annotators; None if their verdicts and answers do not determine it."""
        judged: float = getattr(self, facet)
        is_right = self.is_judge_right(FACET_STEPS[facet])
        if is_right is None:
            return None
        if is_right:
            return judged
        if facet == "context":
            return 1 - judged  # the score is 0 or 1, so if it is wrong, the other is right
        correct = [label.correct_score(facet) for label in self.labels.values()]
        return majority([score for score in correct if score is not None])


def judge_answers(sample: JudgedSample) -> dict[str, dict[str, str]] | None:
    """The judge's answer in each step, with its reason; None if not all replies are recorded with the score."""
    try:
        gold = _reply(sample, "context of the gold hypothesis", Contexts)
        predicted = _reply(sample, "context of the predicted hypothesis", Contexts)
        match = Match(match=True)  # the judge is not asked about equal contexts
        if not gold.equals(predicted):
            match = _reply(sample, "match of the contexts", Match)
        variables = _reply(sample, "variables", Variables)
        relationship = _reply(sample, "relationship", Relationship)
    except (KeyError, ReplyRejected):
        return None
    counts = f"{variables.sizeA} {variables.sizeB} {variables.intersection}"
    return {
        JudgeStep.GOLD_CONTEXT: {"value": gold.joined},
        JudgeStep.PREDICTED_CONTEXT: {"value": predicted.joined},
        JudgeStep.CONTEXT_MATCH: {"value": "yes" if match.match else "no"},
        JudgeStep.VARIABLES: {"value": counts, "reason": variables.explanation},
        JudgeStep.RELATIONSHIP: {"value": relationship.answer, "reason": relationship.explanation},
    }


def _reply(sample: JudgedSample, question: str, reply_type: type[ReplyT]) -> ReplyT:
    """Read the judge's last reply to a question. If a reply was valid, it is the last one.

    Raises:
        KeyError: The reply is not recorded.
        ReplyRejected: The reply is not valid. Another version of this package may have recorded it.
    """
    replies = sample.record.get("replies") or {}
    all_tries = replies[question]
    return parse_reply(all_tries[-1], reply_type)


def draw_samples(samples: Sequence[JudgedSample], score: str, count: int, seed: int) -> list[Item]:
    """Draw judged samples at random, and make an item of each. If there are fewer than `count`, all are drawn.

    Args:
        samples: Samples of which all replies of the judge are recorded.
        score: Name of the score in the logs. It is written to the key of the sheet.
        count: Number of samples to draw.
        seed: Seed of the draw.

    Raises:
        InvalidArgument: There are no samples.
    """
    if not samples:
        raise InvalidArgument("No sample of these logs was judged. Pass logs with scored submissions.")
    drawn = Random(seed).sample(samples, min(count, len(samples)))
    return [_sample_item(sample, score) for sample in drawn]


def _sample_item(sample: JudgedSample, score: str) -> Item:
    """A judged sample as an item. Its name is a digest of the log, the score, the sample and its epoch.

    So a sample that is drawn for two sheets has the same name on both, and `read_labels` refuses to read them together.
    """
    answers = judge_answers(sample)
    assert answers is not None  # the samples of a sheet are those with all replies of the judge
    identity = repr((sample.log, score, sample.id))  # the id has the epoch, too
    digest = sha256(identity.encode()).hexdigest()
    scores = {key: str(sample.values[key]) for key in SCORE_KEYS}
    return Item(
        # The letter keeps a spreadsheet from reading the name as a number.
        name=f"j{digest[:8]}",
        texts={
            **sample.texts,
            "gold_workflow": sample.gold_workflow or NO_WORKFLOW,
            "predicted_hypothesis": sample.hypothesis,
            "predicted_workflow": sample.workflow or NO_WORKFLOW,
        },
        key={"log": sample.log, "score": score, **sample.key_columns, **scores},
        answers=answers,
    )


def read_labels(paths: Sequence[Path]) -> list[LabelledSample]:
    """Read labels and the keys of their sheets.

    Args:
        paths: CSV files with labels, and the `key.csv` of each sheet, in any order. They are recognised by their
            columns. For a folder, all CSV files in it are read.

    Returns:
        The samples of the sheets, ordered by item. Those that nobody labelled have no labels.

    Raises:
        DataError: A file does not exist or is not a CSV file.
        InvalidArgument: A column is missing, a value is invalid, an item is not in a key, an annotator labelled an item
            twice, or no labels or no keys exist.
    """
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            files += sorted(path.glob("*.csv"))
        else:
            files.append(path)
    # Only a key has the judge's score: annotators do not see it, so their tables lack this column.
    keys = [file for file in files if "hms" in read_header(file)]
    tables = [file for file in files if file not in keys]
    if not keys:
        names = ", ".join(map(str, paths))
        raise InvalidArgument(f"{names}: no key.csv. Pass the key.csv that was written with the sheet.")
    study = read_study(Label, LabelKeyRow, tables, keys)
    return [LabelledSample(**key.model_dump(), labels=labels) for key, labels in study]


def is_labels(path: Path) -> bool:
    """Whether a file contains labels and not votes, judging by its columns.

    A folder is taken to contain labels, because votes are not read from folders.
    """
    return path.is_dir() or JudgeStep.CONTEXT_MATCH in read_header(path)
