"""Pairs of hypotheses with known verdicts, which a judge is audited with."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from importlib.resources import files
from statistics import fmean
from string import Template
from typing import Any

import yaml
from inspect_ai.dataset import Sample
from pydantic import BaseModel, ConfigDict, TypeAdapter

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.scorer.contexts import NO_CONTEXT
from inspect_discoverybench.scorer.facets import SCORES
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair

PAIR = TypeAdapter(HypothesisPair)
"""Reads and writes a pair as metadata of a sample."""

PAIR_FIELDS = (
    "kind",
    "expected",
    "goal",
    "data_files",
    "gold_hypothesis",
    "gold_workflow",
    "predicted_hypothesis",
    "predicted_workflow",
)
"""Metadata of a pair that its verdict depends on."""

F1_TOLERANCE = 0.005
"""Largest difference from an expected F1 that counts as correct."""

ContextWords = tuple[str, ...] | None
"""Words that an extracted context must contain; () if it must be "None"; None if the text leaves the context open."""


class PairAnswers(BaseModel):
    """The judge's answers about a pair: contexts, and scores of the facets; None without a valid reply."""

    model_config = ConfigDict(frozen=True)

    gold_context: str | None
    predicted_context: str | None
    context: float | None
    variables: float | None
    relationship: float | None


class Expected(BaseModel):
    """The right answers about a pair, and the reason for them.

    Attributes:
        gold_context: Words of the gold context.
        predicted_context: Words of the predicted context.
        finding: Words of the finding, which no extracted context may contain.
        context: Whether the contexts match; None if that is open.
        variables: F1; two values if the context may count as a variable.
        relationship: The right letter; several if the listing leaves it open which of them is right.
        why: The reason, for readers of the log.
    """

    model_config = ConfigDict(frozen=True)

    gold_context: ContextWords = None
    predicted_context: ContextWords = None
    finding: tuple[str, ...] = ()
    context: bool | None
    variables: tuple[float, ...]
    relationship: str
    why: str

    def rate(self, answers: PairAnswers) -> dict[str, float]:
        """Accuracy of the judge on each question, without those whose right answer is open."""
        accuracy = {"variables": float(self._is_f1_right(answers.variables))}
        contexts = ((answers.gold_context, self.gold_context), (answers.predicted_context, self.predicted_context))
        extracted = [self._is_extracted(context, words) for context, words in contexts if words is not None]
        if extracted:
            accuracy["context_extraction"] = fmean(extracted)
        if self.context is not None:
            accuracy["context_match"] = float(answers.context == self.context)
        if len(self.relationship) == 1:
            accuracy["relationship"] = float(answers.relationship == SCORES[self.relationship])
        return accuracy

    def _is_f1_right(self, f1: float | None) -> bool:
        return f1 is not None and any(abs(f1 - accepted) <= F1_TOLERANCE for accepted in self.variables)

    def _is_extracted(self, context: str | None, words: tuple[str, ...]) -> bool:
        """Whether a context has every required word and none of the finding."""
        if context is None or not words:
            return context == NO_CONTEXT and not words
        has_words = all(_has_word(context, word) for word in words)
        return has_words and not any(_has_word(context, word) for word in self.finding)


def _has_word(context: str, word: str) -> bool:
    """Whether a context contains a word in one of its spellings, which are separated by "|"."""
    return any(spelling in context.casefold() for spelling in word.split("|"))


def invented_pairs() -> Iterator[Sample]:
    """Build every kind of change for every invented study."""
    content = yaml.safe_load(files(__package__).joinpath("audit_pairs.yaml").read_text("utf-8"))
    for study in content["studies"]:
        phrases = {"injection": content["injection"], **study["phrases"]}
        for name, text in study["phrases"].items():
            phrases[name.capitalize()] = text[0].upper() + text[1:]
        for kind in content["kinds"]:
            yield _invented(study, phrases, content["usual"] | kind)


def _invented(study: dict[str, Any], phrases: dict[str, str], kind: dict[str, Any]) -> Sample:
    texts = {name: Template(kind[name]).substitute(phrases) for name in ("gold", "predicted", "workflow")}
    columns = [{"name": name, "description": text} for name, text in study["data_file"]["columns"].items()]
    pair = HypothesisPair(
        goal=phrases["goal"],
        data_files=(DataFile.model_validate({**study["data_file"], "columns": columns}),),
        gold_hypothesis=texts["gold"],
        gold_workflow=study["workflow"],
        predicted_hypothesis=texts["predicted"],
        predicted_workflow=texts["workflow"],
    )
    words = {None: None, "": (), **study["words"]}
    expected = Expected(
        gold_context=words[kind["gold_context"]],
        predicted_context=words[kind["predicted_context"]],
        finding=study["finding_words"],
        context=kind["match"],
        variables=tuple(float(Fraction(f1)) for f1 in kind["variables"]),
        relationship=kind["relationship"],
        why=kind["why"],
    )
    return _sample(study["name"], kind["name"], study["name"], pair, expected)


SAME = Expected(context=True, variables=(1.0,), relationship="A", why="the same text")

OTHER_STUDY = Expected(
    context=None,
    variables=(0.0,),
    relationship="C",
    why="a finding from another domain; both may lack a context",
)


def released_pairs(goals: Sequence[SampleMetadata]) -> Iterator[Sample]:
    """Pair each gold hypothesis of DB-REAL train, once, with itself and with one from another domain."""
    golds: set[str] = set()
    for number, goal in enumerate(goals):
        if goal.gold_hypothesis in golds:
            continue
        golds.add(goal.gold_hypothesis)
        others = [other.gold_hypothesis for other in goals if other.domain != goal.domain]
        other = others[number % len(others)]
        yield _released(goal, "released identical", goal.gold_hypothesis, SAME)
        yield _released(goal, "released other study", other, OTHER_STUDY)


def _released(goal: SampleMetadata, kind: str, predicted: str, expected: Expected) -> Sample:
    pair = HypothesisPair(
        goal=goal.goal,
        data_files=goal.data_files,
        gold_hypothesis=goal.gold_hypothesis,
        gold_workflow=goal.gold_workflow,
        predicted_hypothesis=predicted,
        predicted_workflow="",
    )
    return _sample(goal.sample_id, kind, goal.dataset, pair, expected)


def _sample(name: str, kind: str, study: str, pair: HypothesisPair, expected: Expected) -> Sample:
    prompt = Prompt.load("judge/audit")
    return Sample(
        id=f"{name}/{kind.replace(' ', '_')}",
        input=prompt.render(goal=pair.goal, gold=pair.gold_hypothesis, predicted=pair.predicted_hypothesis),
        target=expected.model_dump_json(include={"context", "variables", "relationship", "why"}),
        metadata={"kind": kind, "study": study, "expected": expected.model_dump(), **PAIR.dump_python(pair)},
    )
