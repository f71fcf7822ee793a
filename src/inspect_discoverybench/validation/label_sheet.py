"""The sheet on which annotators mark the judge's answers as right or wrong (paper §4.3, first study)."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.scorer.context import Contexts, ContextVerdict, Match
from inspect_discoverybench.scorer.exchange import ParseFailure
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.scorer.relationship import Relationship, RelationshipAnswer
from inspect_discoverybench.scorer.variables import Variables
from inspect_discoverybench.validation.answers import Step
from inspect_discoverybench.validation.judged import JudgedLog, JudgedSample
from inspect_discoverybench.validation.page import Card, page
from inspect_discoverybench.validation.scored_log import check_distinct_runs
from inspect_discoverybench.validation.sheet import KEY, SHEET, gold_digest, write_files
from inspect_discoverybench.validation.spreadsheet import to_csv
from inspect_discoverybench.validation.strata import allocate, stratum

LABEL_PAGE = "label.html"
NOT_ASKED = "Not asked, because the contexts do not match."
NO_CONTEXTS = "Not asked, because a context is missing."
RELATIONSHIPS = {
    RelationshipAnswer.SIMILAR: "very similar",
    RelationshipAnswer.MORE_GENERAL: "similar, but the predicted one is more general",
    RelationshipAnswer.DIFFERENT: "different",
}


@dataclass(frozen=True)
class LabelItem:
    """A judged sample on the sheet.

    Attributes:
        name: Name of the item. It contains a digest of the sheet, so that items of different sheets do not collide.
        sample: The judged sample.
        stratum: Its outcome.
        weight: Number of judged samples that it represents: the size of its stratum / the number drawn from it.
    """

    name: str
    sample: JudgedSample
    stratum: str
    weight: float

    @property
    def texts(self) -> dict[str, str]:
        """The texts that the judge saw."""
        return {
            "item": self.name,
            "goal": self.sample.goal,
            "gold_hypothesis": self.sample.gold_hypothesis,
            "gold_workflow": self.sample.gold_workflow,
            "predicted_hypothesis": self.sample.predicted_hypothesis,
            "predicted_workflow": self.sample.predicted_workflow,
        }

    @property
    def card(self) -> dict[str, Any]:
        """The card on the page."""
        texts = self.sample.answers.texts
        steps = {}
        for step in Step:
            answer, reason = describe(self.sample, step)
            steps[step] = {"answer": answer, "reason": reason, "decided": bool(texts[step]), "value": texts[step]}
        return {**self.texts, "steps": steps}

    @property
    def sheet_row(self) -> dict[str, str]:
        """The row of `sheet.csv`, with empty cells for one annotator."""
        judge = {f"judge_{step}": "\n".join(filter(None, describe(self.sample, step))) for step in Step}
        labels = {name: "" for step in Step for name in (step.value, f"true_{step}")}
        return {**self.texts, **judge, "annotator": "", **labels}

    @property
    def key_row(self) -> dict[str, str]:
        """The row of `key.csv`: the sample, its weight, and the judge's answers."""
        sample = self.sample
        return {
            "item": self.name,
            "log": sample.task_id,
            "sample_id": sample.sample_id,
            "epoch": str(sample.epoch),
            "score": sample.score,
            "gold": gold_digest(sample.gold_hypothesis),
            "stratum": self.stratum,
            "weight": str(self.weight),
            "hms": str(sample.hms),
            **{step.value: text for step, text in sample.answers.texts.items()},
        }


def draw_items(logs: Sequence[JudgedLog], count: int, seed: int) -> list[LabelItem]:
    """Draw judged samples at random, stratified by facet outcome, in random order.

    Args:
        logs: Logs of different runs.
        count: Number of samples. All are drawn if there are fewer.
        seed: Random seed.

    Raises:
        InvalidArgument: Two logs are of the same run, no sample was judged, or `count` is smaller than the number of
            strata.
    """
    check_distinct_runs(logs)
    strata: dict[str, list[JudgedSample]] = defaultdict(list)
    for sample in (sample for log in logs for sample in log.samples):
        strata[stratum(sample.answers)].append(sample)
    if not strata:
        raise InvalidArgument(
            f"No sample of {', '.join(log.path for log in logs)} was judged. Pass logs with scored submissions."
        )
    sizes = {name: len(strata[name]) for name in sorted(strata)}
    random = Random(seed)
    drawn = [
        (sample, name, sizes[name] / number)
        for name, number in allocate(sizes, count).items()
        for sample in random.sample(strata[name], number)
    ]
    random.shuffle(drawn)
    identity = repr([(sample.task_id, sample.sample_id, sample.epoch, sample.score) for sample, _, _ in drawn])
    digest = sha256(identity.encode()).hexdigest()[:6]
    # The letter keeps a spreadsheet from reading a name such as 12e456-001 as a number.
    return [LabelItem(f"j{digest}-{number:03}", *fields) for number, fields in enumerate(drawn, 1)]


def write_items(items: Sequence[LabelItem], folder: Path, force: bool = False) -> None:
    """Write `sheet.csv` and `label.html` for annotators, and `key.csv`, which is needed to read the labels.

    Raises:
        InvalidArgument: One of the files exists and `force` is false.
    """
    contents = {
        SHEET: to_csv([item.sheet_row for item in items]),
        LABEL_PAGE: page(Card.LABEL, [item.card for item in items]),
        KEY: to_csv([item.key_row for item in items]),
    }
    write_files(contents, folder, force)


def describe(sample: JudgedSample, step: Step) -> tuple[str, str]:
    """The judge's answer in a step and its reason, in words. The reason may be empty."""
    context, variables, relationship = (sample.verdict.facets.get(key) for key in FACET_KEYS)
    assert isinstance(context, ContextVerdict)
    replies: dict[Step, object] = {
        Step.GOLD_CONTEXT: context.gold,
        Step.PREDICTED_CONTEXT: context.predicted,
        Step.CONTEXT_MATCH: context.match,
        Step.VARIABLES: variables,
        Step.RELATIONSHIP: relationship,
    }
    match reply := replies[step]:
        case Contexts():
            return reply.joined, "\n".join(filter(None, (part.explanation for part in reply.hypothesis)))
        case Match():
            answer = "The contexts match." if reply.match else "The contexts do not match."
            return answer, "They are identical, so the judge was not asked." if context.identical else ""
        case Variables():
            counts = f"{reply.sizeA} in the gold hypothesis, {reply.sizeB} in the predicted hypothesis"
            return f"{counts}, {reply.intersection} shared (F1 {reply.score:.2f})", reply.explanation
        case Relationship():
            return f"{reply.answer}) {RELATIONSHIPS[reply.answer]}", reply.explanation
        case ParseFailure():
            return "No valid reply.", f"The last reply was rejected: {reply.reason}"
        case _:
            return NO_CONTEXTS if step is Step.CONTEXT_MATCH else NOT_ASKED, ""
