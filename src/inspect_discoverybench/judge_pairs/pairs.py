"""Pairs of hypotheses with known verdicts, which a judge is audited with."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from importlib.resources import files
from string import Template
from typing import Any

import yaml
from inspect_ai.dataset import Sample
from pydantic import BaseModel, ConfigDict, TypeAdapter

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.scorer.facets import RELATIONSHIP_SCORES
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair

PAIR = TypeAdapter(HypothesisPair)
"""Reads and writes a pair as metadata of a sample."""

AUDIT_FIELDS = (
    "kind",
    "expected",
    "goal",
    "data_files",
    "gold_hypothesis",
    "gold_workflow",
    "predicted_hypothesis",
    "predicted_workflow",
)
"""Metadata fields that determine the judge's verdict on a pair, or whether the verdict is right.

The checksum in the audit's log is computed from them and from the ids of the samples. Texts and claims have only the
first three fields."""

F1_TOLERANCE = 0.005
"""Largest difference from an expected F1 that counts as correct."""


class Expected(BaseModel):
    """The right verdicts on a pair, and the reason for them.

    Attributes:
        context: Whether the contexts match; None if that is open.
        variables: The right F1; two values if the context may count as a variable.
        relationship: The right letter; several letters, such as `AB`, if the wording of the judge's question leaves it
            open which of them is right.
        why: The reason, for readers of the log.
    """

    model_config = ConfigDict(frozen=True)

    context: bool | None
    variables: tuple[float, ...]
    relationship: str
    why: str

    def rate(self, scores: Mapping[str, float]) -> dict[str, float]:
        """Accuracy of the judge on each facet whose right verdict is not open.

        Args:
            scores: The judge's scores of the facets, without those that it did not decide.

        Returns:
            1 for a right verdict and 0 for a wrong one, by question. A facet that the judge did not decide is wrong.
        """
        f1 = scores.get("variables", math.inf)  # infinity is near no accepted value
        is_right = {"variables": any(abs(f1 - accepted) <= F1_TOLERANCE for accepted in self.variables)}
        if self.context is not None:
            is_right["context_match"] = scores.get("context") == float(self.context)
        if len(self.relationship) == 1:
            is_right["relationship"] = scores.get("relationship") == RELATIONSHIP_SCORES[self.relationship]
        return {name: float(value) for name, value in is_right.items()}


def _read_pairs() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(files(__package__).joinpath("audit_pairs.yaml").read_text("utf-8"))
    return content


def read_studies() -> list[dict[str, Any]]:
    """The invented studies of `audit_pairs.yaml`: name, data file, workflow, and phrases by name.

    The phrase `goal` is the goal. Hypotheses are made of the others.
    """
    studies: list[dict[str, Any]] = _read_pairs()["studies"]
    return studies


def invented_pairs() -> Iterator[Sample]:
    """Build a pair for each invented study and each kind of change.

    The predicted hypothesis of the pair differs from the gold hypothesis of the study by this change.
    """
    content = _read_pairs()
    for study in content["studies"]:
        # Some kinds of change add an instruction against the judge, `$injection`.
        phrases = {"injection": content["injection"], **study["phrases"]}
        # `$Context` is the phrase `$context` at the beginning of a sentence.
        for name, phrase in study["phrases"].items():
            phrases[name.capitalize()] = phrase[0].upper() + phrase[1:]
        for kind in content["kinds"]:
            yield _invented_sample(study, phrases, content["usual"] | kind)  # `usual` has what the kind leaves out


def _invented_sample(study: dict[str, Any], phrases: dict[str, str], kind: dict[str, Any]) -> Sample:
    """The pair of a study and a kind of change, as a sample.

    Args:
        study: The study in `audit_pairs.yaml`: its name, data file and workflow.
        phrases: Its phrases, with which the templates of the kind are filled.
        kind: The kind in `audit_pairs.yaml`: its name, its templates of hypotheses and workflow, and the right
            verdicts.
    """

    def fill(name: str) -> str:
        return Template(kind[name]).substitute(phrases)

    data_file = DataFile.model_validate(study["data_file"])
    pair = HypothesisPair(
        goal=phrases["goal"],
        data_files=(data_file,),
        gold_hypothesis=fill("gold"),
        gold_workflow=study["workflow"],
        predicted_hypothesis=fill("predicted"),
        predicted_workflow=fill("workflow"),
    )
    expected = Expected(
        context=kind["match"],
        variables=tuple(float(Fraction(f1)) for f1 in kind["variables"]),  # such as 6/7
        relationship=kind["relationship"],
        why=kind["why"],
    )
    return _sample(pair, expected, kind=kind["name"], study=study["name"], id_prefix=study["name"])


IDENTICAL = Expected(context=True, variables=(1.0,), relationship="A", why="the same text")

OTHER_STUDY = Expected(
    context=None,
    variables=(0.0,),
    relationship="C",
    why="a finding from another domain; both may lack a context",
)


def released_pairs(goals: Sequence[SampleMetadata]) -> Iterator[Sample]:
    """Pair each distinct gold hypothesis of DB-REAL train with itself, and with one from another domain."""
    golds: set[str] = set()
    for number, goal in enumerate(goals):
        if goal.gold_hypothesis in golds:
            continue
        golds.add(goal.gold_hypothesis)
        others = [other.gold_hypothesis for other in goals if other.domain != goal.domain]
        # The goal's number chooses among the hypotheses of the other domains, so that the pairs use many of them.
        other_gold = others[number % len(others)]
        yield _released_sample(goal, "released identical", goal.gold_hypothesis, IDENTICAL)
        yield _released_sample(goal, "released other study", other_gold, OTHER_STUDY)


def _released_sample(goal: SampleMetadata, kind: str, predicted: str, expected: Expected) -> Sample:
    pair = HypothesisPair(
        goal=goal.goal,
        data_files=goal.data_files,
        gold_hypothesis=goal.gold_hypothesis,
        gold_workflow=goal.gold_workflow,
        predicted_hypothesis=predicted,
        predicted_workflow="",  # as in the invented pairs, except those of the kind "order in the workflow"
    )
    return _sample(pair, expected, kind=kind, study=goal.dataset, id_prefix=goal.sample_id)


def _sample(pair: HypothesisPair, expected: Expected, *, kind: str, study: str, id_prefix: str) -> Sample:
    """Build the sample of a pair. `id_prefix` tells the pair from the others of its kind."""
    prompt = Prompt.load("judge_audit/audit").render(
        goal=pair.goal,
        gold=pair.gold_hypothesis,
        predicted=pair.predicted_hypothesis,
    )
    return Sample(
        id=f"{id_prefix}/{kind.replace(' ', '_')}",
        input=prompt,
        target=expected.model_dump_json(),
        metadata={"kind": kind, "study": study, "expected": expected.model_dump(), **PAIR.dump_python(pair)},
    )
