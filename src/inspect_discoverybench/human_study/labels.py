"""Labels: the judge's answer in each step, whether annotators find it right, and the HMS that follows (§4.3)."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from inspect_discoverybench.errors.exceptions import InvalidArgument, ReplyRejected
from inspect_discoverybench.human_study.judged_sample import JudgedSample
from inspect_discoverybench.human_study.sheet import (
    CORRECT,
    Form,
    Item,
    Row,
    majority,
    nonempty,
    number,
    read_header,
    read_marks,
    word,
)
from inspect_discoverybench.replies import Reply, parse_reply
from inspect_discoverybench.scorer.contexts import Contexts, Match
from inspect_discoverybench.scorer.facets import FACET_KEYS, Relationship, Variables
from inspect_discoverybench.scorer.hypothesis_pair import NOT_PUBLIC, NOT_SUBMITTED
from inspect_discoverybench.submission.text import normalize_case_and_spaces


class Step(StrEnum):
    """A step of judging a sample (paper §4.3). The first two extract contexts; the others decide a facet each."""

    GOLD_CONTEXT = "gold_context"
    PREDICTED_CONTEXT = "predicted_context"
    CONTEXT_MATCH = "context_match"
    VARIABLES = "variables"
    RELATIONSHIP = "relationship"


FACET_STEPS = {"context": Step.CONTEXT_MATCH, "variables": Step.VARIABLES, "relationship": Step.RELATIONSHIP}
"""The step that decides each facet that people label."""

Answers = Mapping[Step, str]
"""Answers as texts by step; empty where there is no valid answer.

Contexts are free text. The match is `yes` or `no`. Variables are the numbers in the gold hypothesis, in the
predicted hypothesis and in both, such as `4 3 2`. The relationship is `A`, `B` or `C` (paper, Listing 4).
"""


@dataclass(frozen=True)
class _Format:
    """How answers are written: the question in records, the type of the reply, and what people write."""

    question: str
    reply: type[Reply]
    expected: str
    fields: Callable[[str], Any]

    def parse(self, text: str) -> Reply:
        try:
            return self.reply.model_validate(self.fields(text))
        except ValueError as error:
            raise ValueError(self.expected) from error


def _context(text: str) -> dict[str, Any]:
    return {"hypothesis": [{"context": text}]}


_WORDS = {"yes": True, "no": False}
_COUNTS = "the number of variables in the gold hypothesis, in the predicted hypothesis and in both, such as '4 3 2'"

_FORMATS = {
    Step.GOLD_CONTEXT: _Format("context of the gold hypothesis", Contexts, "a text", _context),
    Step.PREDICTED_CONTEXT: _Format("context of the predicted hypothesis", Contexts, "a text", _context),
    Step.CONTEXT_MATCH: _Format(
        "match of the contexts", Match, "yes or no", lambda text: {"match": _WORDS.get(text.casefold())}
    ),
    Step.VARIABLES: _Format(
        "variables",
        Variables,
        _COUNTS,
        lambda text: dict(zip(("sizeA", "sizeB", "intersection"), re.split(r"[\s,;/]+", text.strip()), strict=True)),
    ),
    Step.RELATIONSHIP: _Format("relationship", Relationship, "A, B or C", lambda text: {"answer": text}),
}


def _judge_answers(sample: JudgedSample) -> dict[str, dict[str, str]]:
    """The judge's answer and its reason in each step; empty where no valid reply is recorded with the score."""
    texts = sample.judged.metadata.get("replies") or {}
    replies: dict[Step, Reply] = {}
    for step, form in _FORMATS.items():
        with suppress(KeyError, ReplyRejected):
            replies[step] = parse_reply(str(texts[form.question][-1]), form.reply)
    gold, predicted = replies.get(Step.GOLD_CONTEXT), replies.get(Step.PREDICTED_CONTEXT)
    if isinstance(gold, Contexts) and isinstance(predicted, Contexts) and gold.equals(predicted):
        replies[Step.CONTEXT_MATCH] = Match(match=True)  # the judge was not asked
    return {step: {"value": _text(replies.get(step)), "reason": _reason(replies.get(step))} for step in Step}


def _text(reply: Reply | None) -> str:
    """The answer in a reply; empty without a reply."""
    match reply:
        case Contexts(joined=contexts):
            return contexts
        case Match(match=match):
            return "yes" if match else "no"
        case Variables(sizeA=gold, sizeB=predicted, intersection=shared):
            return f"{gold} {predicted} {shared}"
        case Relationship(answer=answer):
            return answer
    return ""


def _reason(reply: Reply | None) -> str:
    """The judge's reason; may be empty."""
    if isinstance(reply, Contexts):
        return "\n".join(filter(None, (part.explanation for part in reply.hypothesis)))
    return str(getattr(reply, "explanation", ""))


def _parse_answer(step: Step, text: str) -> str:
    """Normalise an answer that a person wrote.

    Raises:
        ValueError: It is not an answer to this step. The message says what was expected.
    """
    return _text(_FORMATS[step].parse(text)) if text else ""


def _facet_scores(answers: Answers) -> dict[str, float]:
    """Scores of the facets that are known, in [0, 1]."""
    scores = {}
    for facet, step in FACET_STEPS.items():
        match _FORMATS[step].parse(answers[step]) if answers[step] else None:
            case Match(match=score) | Variables(score=score) | Relationship(score=score):
                scores[facet] = float(score)
    return scores


def _hms(answers: Answers) -> float | None:
    """HMS, in [0, 1]; None if it is not determined. It is determined if every facet is known, or if any is 0."""
    scores = _facet_scores(answers)
    if 0 in scores.values():
        return 0.0
    return math.prod(scores.values()) if len(scores) == len(FACET_KEYS) else None


LABELS = Form("label", "item", tuple(column for step in Step for column in (step.value, f"{CORRECT}{step}")))

KEY_COLUMNS = ("item", "log", "sample_id", "epoch", "score", "gold", "stratum", "weight", "hms", *Step)

_VERDICTS = {"": None, **dict.fromkeys(("right", "r", "1"), True), **dict.fromkeys(("wrong", "w", "0"), False)}


class Label(NamedTuple):
    """One annotator's label for one step: whether the judge is right, if it has an answer, and the correct answer."""

    right: bool | None
    answer: str


@dataclass(frozen=True)
class LabelledSample:
    """A judged sample of a sheet.

    Attributes:
        item: Name on the sheet.
        log: Id of the log's task (`eval.task_id`).
        gold: Digest of the gold hypothesis. Samples that share it form a cluster.
        weight: Number of judged samples that this one represents.
        hms: HMS by the judge, in [0, 1].
        judged: The judge's answers.
        labels: Labels by step and annotator. A step that nobody labelled has none.
    """

    item: str
    log: str
    sample_id: str
    epoch: int
    score: str
    gold: str
    weight: float
    hms: float
    judged: Answers
    labels: Mapping[Step, Mapping[str, Label]]

    def verdicts(self, step: Step) -> list[bool]:
        """Whether the judge is right, by all annotators who say so."""
        return [label.right for label in self.labels[step].values() if label.right is not None]

    def right(self, step: Step) -> bool | None:
        """Whether the judge is right, by the majority of annotators; None without a majority."""
        return majority(self.verdicts(step))

    @property
    def true(self) -> Answers:
        """The correct answers, by the majority of annotators. Those that they do not determine are empty."""
        return {step: self._true(step) for step in Step}

    @property
    def true_hms(self) -> float | None:
        """HMS from the correct answers, in [0, 1]; None if they do not determine it."""
        true = self.true
        # If the answers equal the judge's, HMS does too, regardless of rounding.
        same = all(true[step] == self.judged[step] for step in FACET_STEPS.values())
        return self.hms if same else _hms(true)

    def _true(self, step: Step) -> str:
        judged, right = self.judged[step], self.right(step)
        if judged and right is not False:
            return judged if right else ""
        if judged and step is Step.CONTEXT_MATCH:
            return "no" if judged == "yes" else "yes"
        answers = [label.answer for label in self.labels[step].values() if label.answer and not label.right]
        return majority(answers) or ""


def has_replies(sample: JudgedSample) -> bool:
    """Whether the judge's replies are recorded, and the facets that were scored follow from them."""
    recorded = sample.judged.metadata.get("facets") or {}
    return bool(recorded) and _facets(sample) == {facet: recorded[facet] for facet in FACET_STEPS if facet in recorded}


def draw_samples(samples: Sequence[JudgedSample], count: int, seed: int) -> list[Item]:
    """Draw samples with replies at random, at least one of each outcome of the facets, and their order.

    Raises:
        InvalidArgument: There are no samples, or `count` is smaller than the number of outcomes.
    """
    if unlabelled := FACET_KEYS[len(FACET_STEPS) :]:
        raise InvalidArgument(
            f"People cannot label {', '.join(unlabelled)} yet. Add the step to human_study/labels.py."
        )
    if not samples:
        raise InvalidArgument("No sample of these logs was judged. Pass logs with scored submissions.")
    random = Random(seed)
    shuffled = random.sample(samples, len(samples))
    strata = [_stratum(sample) for sample in shuffled]
    firsts = {strata.index(stratum) for stratum in strata}
    if count < len(firsts):
        raise InvalidArgument(
            f"--samples must be at least {len(firsts)}, got {count}: the judged samples have {len(firsts)} different "
            "outcomes, and at least one sample of each is drawn."
        )
    drawn = sorted(range(len(shuffled)), key=lambda place: place not in firsts)[:count]
    random.shuffle(drawn)
    sizes, drawn_sizes = Counter(strata), Counter(strata[place] for place in drawn)
    # Items of different sheets have different names. The letter keeps a spreadsheet from reading one as a number.
    identity = [(shuffled[place].log, shuffled[place].score, shuffled[place].key) for place in drawn]
    digest = sha256(repr(identity).encode()).hexdigest()[:6]
    return [
        _item(f"j{digest}-{number:03}", shuffled[place], stratum, sizes[stratum] / drawn_sizes[stratum])
        for number, place in enumerate(drawn, 1)
        if (stratum := strata[place])
    ]


def read_labels(paths: Sequence[Path]) -> list[LabelledSample]:
    """Read labels and the keys of their sheets.

    Args:
        paths: CSV files with labels, and the `key.csv` of each sheet, in any order. They are recognised by their
            columns. For a folder, all labels and keys in it are read.

    Returns:
        The samples of the sheets, ordered by item. Those that nobody labelled have no labels.

    Raises:
        DataError: A file does not exist, is not a CSV file, or lacks a column.
        InvalidArgument: A value is invalid, an item is not in a key, an annotator labelled an item twice, or no labels
            or no keys exist.
    """
    keys: list[Path] = []
    tables: list[Path] = []
    for path in paths:
        for file in filter(has_labels, sorted(path.glob("*.csv"))) if path.is_dir() else [path]:
            (keys if "weight" in read_header(file) else tables).append(file)
    if not keys:
        where = ", ".join(map(str, paths))
        raise InvalidArgument(f"{where}: no key.csv. Pass the key.csv that was written with the sheet.")
    return [_sample(key, rows) for key, rows in read_marks(LABELS, tables, keys, KEY_COLUMNS)]


def has_labels(path: Path) -> bool:
    """Whether a CSV file contains labels or is the key of their sheet, judging by its columns."""
    return LABELS.item in read_header(path)


def _facets(sample: JudgedSample) -> dict[str, float]:
    return _facet_scores({Step(step): answer["value"] for step, answer in _judge_answers(sample).items()})


def _stratum(sample: JudgedSample) -> str:
    """The outcome of each facet: 0, partial or 1; a dash if the judge was not asked about it."""
    scores = _facets(sample)
    names = {None: "–", 0.0: "0", 1.0: "1"}
    return ", ".join(names.get(scores.get(facet), "partial") for facet in FACET_KEYS)


def _item(name: str, sample: JudgedSample, stratum: str, weight: float) -> Item:
    answers = _judge_answers(sample)
    texts = {
        **sample.texts,
        "gold_workflow": sample.judged.sample.metadata["gold_workflow"] or NOT_PUBLIC,
        "predicted_hypothesis": sample.hypothesis,
        "predicted_workflow": sample.judged.metadata.get("workflow") or NOT_SUBMITTED,
    }
    origin = {"log": sample.log, "score": sample.score, **sample.key, "stratum": stratum, "weight": str(weight)}
    values = {step: answer["value"] for step, answer in answers.items()}
    return Item(name, texts, {**origin, "hms": str(sample.judged.value("hms")), **values}, answers)


def _sample(key: Row, rows: Mapping[str, Row]) -> LabelledSample:
    judged = {step: key.parse(step, partial(_parse_answer, step)) for step in Step}
    return LabelledSample(
        item=key.values["item"],
        log=key.parse("log", nonempty),
        sample_id=key.parse("sample_id", nonempty),
        epoch=int(key.parse("epoch", partial(number, 1, 1_000_000))),
        score=key.parse("score", nonempty),
        gold=key.parse("gold", nonempty),
        weight=key.parse("weight", partial(number, 1, 1_000_000)),
        hms=key.parse("hms", partial(number, 0, 1)),
        judged=judged,
        labels={
            step: {name: label for name, row in rows.items() if (label := _label(row, step, judged[step]))}
            for step in Step
        },
    )


def _label(row: Row, step: Step, judged: str) -> Label | None:
    """What a row says about a step; None if it says nothing."""
    answer = row.parse(f"{CORRECT}{step}", partial(_parse_answer, step))
    right = row.parse(step, partial(word, _VERDICTS, "right or wrong"))
    same = normalize_case_and_spaces(answer) == normalize_case_and_spaces(judged) if answer and judged else right
    if right is not None and (not judged or right is not same):
        raise InvalidArgument(
            f"{row.location}: {step} is '{row.values[step]}', but the judge's answer is '{judged}' and {CORRECT}{step} "
            f"is '{answer}'. Correct one of the two."
        )
    return Label(same, answer) if answer or right is not None else None
