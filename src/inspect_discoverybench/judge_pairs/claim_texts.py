"""Hypotheses with known answers to the question whether they claim a relationship."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

import yaml
from inspect_ai.dataset import Sample
from pydantic import BaseModel, ConfigDict

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.judge_pairs.pairs import read_studies
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair

CLAIM = "claim"
"""Key of the accuracy on these hypotheses. The paper has no accuracy to compare it with, because its judge is not asked
this question."""

NULL_RESULTS = {("evolution_freshwater_fish", 2), ("immigration_offshoring_effect_on_employment", 1)}
"""Studies and metadata files of DB-REAL train whose gold hypothesis is that there is no relationship."""


class ClaimText(BaseModel):
    """A hypothesis, and whether it claims a relationship.

    Attributes:
        kind: The kind of text, such as `claim: no evidence`.
        study: Name of the invented study, or folder of the released one.
        goal: The goal that the hypothesis answers.
        data_files: Descriptions of the study's data files.
        hypothesis: The hypothesis.
        claim: Whether it claims a relationship; None if that is open, and the text then counts nowhere.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    study: str
    goal: str
    data_files: tuple[DataFile, ...]
    hypothesis: str
    claim: bool | None

    @property
    def pair(self) -> HypothesisPair:
        """The hypothesis in the form in which the judge is asked about claims. That needs no gold hypothesis."""
        return HypothesisPair(
            goal=self.goal,
            data_files=self.data_files,
            gold_hypothesis="",
            gold_workflow=None,
            predicted_hypothesis=self.hypothesis,
            predicted_workflow="",
        )

    def sample(self, name: str) -> Sample:
        """The Inspect sample with this id."""
        target = {True: "a claim", False: "no claim", None: "open"}[self.claim]
        return Sample(
            id=name,
            input=Prompt.load("judge_audit/audit_claim").render(goal=self.goal, hypothesis=self.hypothesis),
            target=target,
            # All samples of the audit have these keys. The task, its checksum and its metrics read them.
            metadata={
                "kind": self.kind,
                "study": self.study,
                "goal": self.goal,
                "expected": self.model_dump(),  # the whole `ClaimText`, which `audit.py` reads from this key
            },
        )


def is_claim_text(metadata: Mapping[str, Any]) -> bool:
    """Whether a sample of the audit was made from a `ClaimText`."""
    # The key `expected` has the fields of a `ClaimText`, of an `Expected` (pairs) or of an `AnswerText` (texts that the
    # judge reads). Only a `ClaimText` has a field `claim`.
    return "claim" in metadata["expected"]


def invented_claims() -> Iterator[Sample]:
    """Build the hypotheses of `claim_texts.yaml` about the invented studies."""
    studies = {study["name"]: study for study in read_studies()}
    content = yaml.safe_load(files(__package__).joinpath("claim_texts.yaml").read_text("utf-8"))
    for group in content:
        kind = group["kind"]
        for name, hypothesis in group["texts"].items():
            study = studies[name]
            data_file = DataFile.model_validate(study["data_file"])
            text = ClaimText(
                kind=f"claim: {kind}",
                study=name,
                goal=study["phrases"]["goal"],
                data_files=(data_file,),
                hypothesis=hypothesis,
                claim=group["claim"],
            )
            yield text.sample(f"claim/{name}/{kind.replace(' ', '_')}")


def released_claims(goals: Sequence[SampleMetadata]) -> Iterator[Sample]:
    """Build two samples for each distinct gold hypothesis of DB-REAL train.

    One asks the judge about the gold hypothesis, the other about its goal. A goal claims nothing, because it is a
    question.
    """
    golds: set[str] = set()
    for goal in goals:
        if goal.gold_hypothesis in golds:
            continue
        golds.add(goal.gold_hypothesis)
        is_null = (goal.dataset, goal.metadata_number) in NULL_RESULTS
        kind = "released null result" if is_null else "released gold"
        yield _released_sample(goal, kind, goal.gold_hypothesis, claim=not is_null)
        yield _released_sample(goal, "released goal", goal.goal, claim=False)


def _released_sample(goal: SampleMetadata, kind: str, hypothesis: str, claim: bool) -> Sample:
    text = ClaimText(
        kind=f"claim: {kind}",
        study=goal.dataset,
        goal=goal.goal,
        data_files=goal.data_files,
        hypothesis=hypothesis,
        claim=claim,
    )
    return text.sample(f"claim/{goal.sample_id}/{kind.replace(' ', '_')}")
