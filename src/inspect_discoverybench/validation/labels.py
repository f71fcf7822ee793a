"""Labels: whether annotators marked the judge as right in each step, and the HMS that follows from their answers."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.text import fold
from inspect_discoverybench.validation.answers import Answers, Step, opposite, parse_answer
from inspect_discoverybench.validation.spreadsheet import Row, read_header, read_rows, rows_by

KEY_COLUMNS = ("item", "log", "sample_id", "epoch", "score", "gold", "stratum", "weight", "hms", *Step)
LABEL_COLUMNS = ("item", "annotator", *Step)

_VERDICTS = {"right": True, "r": True, "1": True, "wrong": False, "w": False, "0": False}


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

    def right(self, step: Step) -> bool | None:
        """Whether the judge is right, by the majority of annotators; None without a majority."""
        verdicts = [label.right for label in self.labels[step].values() if label.right is not None]
        balance = 2 * sum(verdicts) - len(verdicts)
        return balance > 0 if balance else None

    @property
    def true(self) -> Answers:
        """The correct answers, by the majority of annotators. Those that they do not determine are empty."""
        return Answers({step: self._true(step) for step in Step})

    @property
    def true_hms(self) -> float | None:
        """HMS from the correct answers, in [0, 1]; None if they do not determine it."""
        # If the answers equal the judge's, HMS does too, regardless of rounding.
        same = all(self.true.texts[step] == self.judged.texts[step] for step in _FACET_STEPS)
        return self.hms if same else self.true.hms

    def _true(self, step: Step) -> str:
        judged, right = self.judged.texts[step], self.right(step)
        if judged and right is None:
            return ""
        if right:
            return judged
        if judged and step is Step.CONTEXT_MATCH:
            return opposite(judged)
        return _most_common([label.answer for label in self.labels[step].values() if label.answer and not label.right])


_FACET_STEPS = (Step.CONTEXT_MATCH, Step.VARIABLES, Step.RELATIONSHIP)


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
        DataMissing: A path does not exist.
        UnreadableTable: A file is not a CSV file, or has neither the columns of labels nor those of a key.
        InvalidArgument: A value is invalid, an item is not in a key, an annotator labelled an item twice, or no labels
            or no keys exist.
    """
    keys, tables = _sort(paths)
    where = ", ".join(map(str, paths))
    if not keys:
        raise InvalidArgument(f"{where}: no key.csv. Pass the key.csv that was written with the sheet.")
    judged = rows_by("item", (row for path in keys for row in read_rows(path, KEY_COLUMNS)))
    labelled: dict[str, dict[str, Row]] = {}
    names: dict[str, str] = {}
    for row in (row for path in tables for row in _label_rows(path)):
        item = row.nonempty("item")
        if item not in judged:
            raise InvalidArgument(
                f"{row.location}: item {item} is not in {', '.join(map(str, keys))}. Pass the key.csv that was written "
                "with this sheet."
            )
        name = " ".join(row.nonempty("annotator").split())
        by_annotator = labelled.setdefault(item, {})
        earlier = by_annotator.setdefault(names.setdefault(name.casefold(), name), row)
        if earlier is not row:
            raise InvalidArgument(
                f"{row.location}: {name} already labelled item {item} ({earlier.location}). Remove one of the two rows."
            )
    if not labelled:
        raise InvalidArgument(f"{where}: no labels. Expected one row per item and annotator.")
    samples = tuple(_sample(judged[item], labelled[item]) for item in sorted(labelled))
    return Labels(samples, len(judged) - len(samples))


def is_label_file(path: Path) -> bool:
    """Whether a CSV file contains labels or is the key of their sheet, judging by its columns.

    Raises:
        DataMissing: The file does not exist.
        UnreadableTable: The file is not a CSV file.
    """
    return "item" in read_header(path)


def _sort(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Separate keys from labels."""
    keys: list[Path] = []
    tables: list[Path] = []
    for path in paths:
        files = [file for file in sorted(path.glob("*.csv")) if is_label_file(file)] if path.is_dir() else [path]
        for file in files:
            (keys if "weight" in read_header(file) else tables).append(file)
    return keys, tables


def _label_rows(path: Path) -> Iterator[Row]:
    """The rows with labels. A sheet that was not filled in has none."""
    marks = [name for step in Step for name in (step.value, f"true_{step}")]
    for row in read_rows(path, LABEL_COLUMNS):
        if any(row.values.get(name) for name in marks):
            yield row


def _sample(key: Row, rows: Mapping[str, Row]) -> LabelledSample:
    judged = Answers({step: _answer(key, step, step) for step in Step})
    return LabelledSample(
        item=key.values["item"],
        log=key.nonempty("log"),
        sample_id=key.nonempty("sample_id"),
        epoch=int(_number(key, "epoch", 1)),
        score=key.nonempty("score"),
        gold=key.nonempty("gold"),
        stratum=key.values["stratum"],
        weight=_number(key, "weight", 1),
        hms=_number(key, "hms", 0, 1),
        judged=judged,
        labels={step: dict(_labels(step, judged.texts[step], rows)) for step in Step},
    )


def _labels(step: Step, judged: str, rows: Mapping[str, Row]) -> Iterator[tuple[str, Label]]:
    for annotator, row in rows.items():
        label = _label(row, step, judged)
        if label is not None:
            yield annotator, label


def _label(row: Row, step: Step, judged: str) -> Label | None:
    """What a row says about a step; None if it says nothing."""
    answer = _answer(row, step, f"true_{step}")
    right = _verdict(row, step)
    if not judged:
        if right is not None:
            raise InvalidArgument(
                f"{row.location}: {step} must be empty, got '{row.values[step]}': the judge has no answer. "
                f"Write the correct answer into true_{step}, or nothing."
            )
        return Label(None, answer) if answer else None
    if not answer:
        return None if right is None else Label(right, "")
    same = fold(answer) == fold(judged)
    if right is not None and right != same:
        raise InvalidArgument(
            f"{row.location}: {step} is '{row.values[step]}', but true_{step} is '{answer}' and the judge's answer is "
            f"'{judged}'. Correct one of the two."
        )
    return Label(same, answer)


def _verdict(row: Row, step: Step) -> bool | None:
    text = row.values[step]
    if text and text.casefold() not in _VERDICTS:
        raise InvalidArgument(f"{row.location}: {step} must be right or wrong, got '{text}'.")
    return _VERDICTS.get(text.casefold())


def _answer(row: Row, step: Step, column: str) -> str:
    text = row.values.get(column, "")
    try:
        return parse_answer(step, text)
    except ValueError as error:
        raise InvalidArgument(f"{row.location}: {column} must be {error}, got '{text}'.") from error


def _number(row: Row, column: str, low: float, high: float = float("inf")) -> float:
    try:
        number = float(row.values[column])
    except ValueError:
        number = float("nan")
    if not (isfinite(number) and low <= number <= high):
        bounds = f"from {low:g} to {high:g}" if isfinite(high) else f"of at least {low:g}"
        raise InvalidArgument(f"{row.location}: {column} must be a number {bounds}, got '{row.values[column]}'.")
    return number


def _most_common(answers: Sequence[str]) -> str:
    """The answer that is given more often than any other; empty if there is none."""
    ranking = Counter(answers).most_common(2)
    if not ranking or (len(ranking) == 2 and ranking[0][1] == ranking[1][1]):
        return ""
    return ranking[0][0]
