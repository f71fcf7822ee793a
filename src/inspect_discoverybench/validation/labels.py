"""Labels: whether annotators marked the judge as right in each step, and the HMS that follows from their answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.text import fold
from inspect_discoverybench.validation.answers import FACET_STEPS, Answers, Step, hms, parse_answer
from inspect_discoverybench.validation.sheet import Form, MarkedItem, majority, read_marks
from inspect_discoverybench.validation.spreadsheet import Row, number, read_header, word

LABELS = Form(
    name="label",
    item="item",
    columns=tuple(column for step in Step for column in (step.value, f"true_{step}")),
    optional=tuple(f"true_{step}" for step in Step),
)

KEY_COLUMNS = ("item", "log", "sample_id", "epoch", "score", "gold", "stratum", "weight", "hms", *Step)

_VERDICTS = {"": None, **dict.fromkeys(("right", "r", "1"), True), **dict.fromkeys(("wrong", "w", "0"), False)}


@dataclass(frozen=True)
class Label:
    """One annotator's label for one step of a sample.

    Attributes:
        right: Whether the judge's answer is right; None if the judge has no valid answer.
        answer: The correct answer; empty if the annotator did not give it.
    """

    right: bool | None
    answer: str


@dataclass(frozen=True)
class LabelledSample:
    """A judged sample that at least one annotator has labelled.

    Attributes:
        item: Name on the sheet.
        log: Id of the log's task (`eval.task_id`).
        sample_id: Id of the sample.
        epoch: Epoch, starting at 1.
        score: Name of the score.
        gold: Digest of the gold hypothesis. Samples that share it form a cluster.
        stratum: Outcome of the facets.
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
    stratum: str
    weight: float
    hms: float
    judged: Answers
    labels: Mapping[Step, Mapping[str, Label]]

    def verdicts(self, step: Step, annotator: str | None = None) -> list[bool]:
        """Whether the judge is right, by all annotators who say so or by one of them."""
        labels = self.labels[step].items()
        return [label.right for name, label in labels if label.right is not None and annotator in (None, name)]

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
        return self.hms if same else hms(true)

    def _true(self, step: Step) -> str:
        judged, right = self.judged[step], self.right(step)
        if judged and right is not False:
            return judged if right else ""
        if judged and step is Step.CONTEXT_MATCH:
            return "no" if judged == "yes" else "yes"
        answers = [label.answer for label in self.labels[step].values() if label.answer and not label.right]
        return majority(answers) or ""


@dataclass(frozen=True)
class Labels:
    """The labels of one or more sheets.

    Attributes:
        samples: Samples with at least one label, ordered by item.
        unlabelled: Number of samples of the sheets without a label.
    """

    samples: tuple[LabelledSample, ...]
    unlabelled: int

    @property
    def complete(self) -> tuple[LabelledSample, ...]:
        """The samples whose labels determine HMS."""
        return tuple(sample for sample in self.samples if sample.true_hms is not None)


def read_labels(paths: Sequence[Path]) -> Labels:
    """Read labels and the keys of their sheets.

    Args:
        paths: CSV files with labels, and the `key.csv` of each sheet, in any order. They are recognised by their
            columns. For a folder, all labels and keys in it are read.

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
    items = read_marks(LABELS, tables, keys, KEY_COLUMNS)
    samples = tuple(_sample(item) for item in items if item.rows)
    return Labels(samples, len(items) - len(samples))


def has_labels(path: Path) -> bool:
    """Whether a CSV file contains labels or is the key of their sheet, judging by its columns.

    Raises:
        DataError: The file does not exist or is not a CSV file.
    """
    return LABELS.item in read_header(path)


def _sample(item: MarkedItem) -> LabelledSample:
    key = item.key
    judged = {step: key.parse(step, partial(parse_answer, step)) for step in Step}
    return LabelledSample(
        item=key.values["item"],
        log=key.nonempty("log"),
        sample_id=key.nonempty("sample_id"),
        epoch=int(key.parse("epoch", number(1, 1_000_000))),
        score=key.nonempty("score"),
        gold=key.nonempty("gold"),
        stratum=key.values["stratum"],
        weight=key.parse("weight", number(1, 1_000_000)),
        hms=key.parse("hms", number(0, 1)),
        judged=judged,
        labels={
            step: {name: label for name, row in item.rows.items() if (label := _label(row, step, judged[step]))}
            for step in Step
        },
    )


def _label(row: Row, step: Step, judged: str) -> Label | None:
    """What a row says about a step; None if it says nothing."""
    answer = row.parse(f"true_{step}", partial(parse_answer, step))
    right = row.parse(step, word(_VERDICTS, "right or wrong"))
    if right is not None and not judged:
        raise InvalidArgument(
            f"{row.location}: {step} must be empty, got '{row.values[step]}': the judge has no answer. "
            f"Write the correct answer into true_{step}, or nothing."
        )
    if not answer:
        return None if right is None else Label(right, "")
    if not judged:
        return Label(None, answer)
    same = fold(answer) == fold(judged)
    if right not in (None, same):
        raise InvalidArgument(
            f"{row.location}: {step} is '{row.values[step]}', but true_{step} is '{answer}' and the judge's answer is "
            f"'{judged}'. Correct one of the two."
        )
    return Label(same, answer)
