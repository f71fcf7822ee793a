"""The pairs of the judge audit, and the expected answers for each."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from importlib.resources import files
from statistics import fmean
from string import Template
from typing import Any

import yaml
from inspect_ai.dataset import Sample
from pydantic import BaseModel, ConfigDict, TypeAdapter

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.context import NO_CONTEXT
from inspect_discoverybench.scorer.pair import HypothesisPair
from inspect_discoverybench.scorer.relationship import SCORES, RelationshipAnswer
from inspect_discoverybench.text import fold

PAIR = TypeAdapter(HypothesisPair)
"""Reads and writes a pair as metadata of a sample."""

PAIR_FIELDS = (
    *("kind", "expected", "goal", "data_files"),
    *("gold_hypothesis", "gold_workflow", "predicted_hypothesis", "predicted_workflow"),
)
"""Metadata of a pair that its verdict depends on."""

F1_TOLERANCE = 0.005
"""Largest difference from an expected F1 that counts as correct."""

ContextWords = tuple[str, ...] | None
"""Words that an extracted context must contain; () if it must be "None"; None if the text leaves the context open."""


class Expected(BaseModel):
    """The expected answers, and the reason for them: accepted F1 and letters, several if the texts leave them open.

    No extracted context may contain the words of the finding.
    """

    model_config = ConfigDict(frozen=True)

    gold_context: ContextWords = None
    predicted_context: ContextWords = None
    finding: tuple[str, ...] = ()
    context: bool | None
    variables: tuple[float, ...]
    relationship: str
    why: str

    def rate(self, answers: Mapping[str, Any]) -> dict[str, float]:
        """Accuracy of the judge on each question, NaN where the texts leave the answer open, and error of F1.

        Args:
            answers: The scores of the facets, and both contexts; None or empty without a valid reply.
        """
        contexts = zip(answers["context_extraction"], (self.gold_context, self.predicted_context), strict=True)
        extracted = [self._is_met(fold(context), words) for context, words in contexts if words is not None]
        f1 = answers["variables"]
        error = 1.0 if f1 is None else min(abs(f1 - accepted) for accepted in self.variables)
        relationships = [SCORES[RelationshipAnswer(letter)] for letter in self.relationship]
        return {
            "context_extraction": fmean(extracted) if extracted else math.nan,
            "context_match": math.nan if self.context is None else float(answers["context_match"] == self.context),
            "variables": float(error <= F1_TOLERANCE),
            "relationship": float(answers["relationship"] in relationships),
            "f1_error": error,
        }

    def _is_met(self, context: str, words: tuple[str, ...]) -> bool:
        """Whether a context has every required word and none of the finding."""
        if not words or not context:
            return context == fold(NO_CONTEXT) and not words
        return all(_contains(context, word) for word in words) and not any(
            _contains(context, word) for word in self.finding
        )


def invented() -> Iterator[Sample]:
    """Build every kind of change for every invented study."""
    content = yaml.safe_load(files(__package__).joinpath("audit_pairs.yaml").read_text("utf-8"))
    for study in content["studies"]:
        phrases = {"injection": content["injection"], **study["phrases"]}
        phrases |= {name.capitalize(): text[0].upper() + text[1:] for name, text in study["phrases"].items()}
        for kind in content["kinds"]:
            yield _invented(study, phrases, content["usual"] | kind)


def _invented(study: dict[str, Any], phrases: dict[str, str], kind: dict[str, Any]) -> Sample:
    gold, predicted, workflow = (Template(kind[name]).substitute(phrases) for name in ("gold", "predicted", "workflow"))
    columns = [{"name": name, "description": text} for name, text in study["data_file"]["columns"].items()]
    words = {None: None, "": (), **study["words"]}
    pair = HypothesisPair(
        goal=phrases["goal"],
        data_files=(DataFile.model_validate({**study["data_file"], "columns": columns}),),
        gold_hypothesis=gold,
        gold_workflow=study["workflow"],
        predicted_hypothesis=predicted,
        predicted_workflow=workflow,
    )
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


def released(goals: Sequence[SampleMetadata]) -> Iterator[Sample]:
    """Pair gold hypotheses of published studies, in DB-REAL train, with themselves and with one from another domain."""
    same = Expected(context=True, variables=(1.0,), relationship="A", why="the same text")
    different = Expected(
        context=None,
        variables=(0.0,),
        relationship="BC",
        why="a finding from another domain; both may lack a context and have the same form of relationship",
    )
    for number, goal in enumerate(goals):
        others = [other for other in goals if other.domain != goal.domain]
        for kind, predicted, expected in (
            ("released identical", goal.gold_hypothesis, same),
            ("released other study", others[number % len(others)].gold_hypothesis, different),
        ):
            pair = HypothesisPair(
                goal=goal.goal,
                data_files=goal.data_files,
                gold_hypothesis=goal.gold_hypothesis,
                gold_workflow=goal.gold_workflow,
                predicted_hypothesis=predicted,
                predicted_workflow="",
            )
            yield _sample(goal.sample_id, kind, goal.dataset, pair, expected)


def _sample(name: str, kind: str, study: str, pair: HypothesisPair, expected: Expected) -> Sample:
    prompt = Prompt.load("judge/audit")
    return Sample(
        id=f"{name}/{kind.replace(' ', '_')}",
        input=prompt.render(goal=pair.goal, gold=pair.gold_hypothesis, predicted=pair.predicted_hypothesis),
        target=expected.model_dump_json(include={"context", "variables", "relationship", "why"}),
        metadata={"kind": kind, "study": study, "expected": expected.model_dump(), **PAIR.dump_python(pair)},
    )


def _contains(text: str, word: str) -> bool:
    """Whether a text contains a word that starts with one of the spellings in `word`, separated by "|"."""
    return re.search(rf"\b({'|'.join(map(re.escape, word.split('|')))})", text) is not None
