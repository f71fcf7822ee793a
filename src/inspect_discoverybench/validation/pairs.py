"""The pairs of the judge audit, and the expected answers for each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from string import Template
from typing import Annotated

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict

from inspect_discoverybench.dataset.metadata import Column, DataFile
from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.scorer.pair import HypothesisPair

ContextWords = tuple[str, ...] | None
"""Words that an extracted context must contain; () if it must be "None"; None if the text leaves the context open."""

F1 = Annotated[float, BeforeValidator(lambda text: float(Fraction(text)))]


class Expected(BaseModel):
    """The expected answers, and the reason for them.

    Attributes:
        gold_context: Words that the extracted context of the gold hypothesis must contain.
        predicted_context: The same for the predicted hypothesis.
        finding: Words of the finding, which no extracted context may contain.
        context: Whether the contexts match; None if the texts leave it open.
        variables: Accepted F1 of the variables. Several if a judge may or may not count the context as a variable.
        relationship: Accepted letters. Several if the listing leaves the answer open.
        why: The reason for the expected answers, for readers of the log.
    """

    model_config = ConfigDict(frozen=True)

    gold_context: ContextWords = None
    predicted_context: ContextWords = None
    finding: tuple[str, ...] = ()
    context: bool | None
    variables: tuple[float, ...]
    relationship: str
    why: str


@dataclass(frozen=True)
class AuditPair:
    """A pair of hypotheses with expected answers.

    Attributes:
        name: Sample id.
        kind: The kind of change between the gold and the predicted hypothesis.
        study: The study of the gold hypothesis. Pairs of one study form a cluster.
        comparison: The pair, as shown to the judge.
        expected: The expected answers.
    """

    name: str
    kind: str
    study: str
    comparison: HypothesisPair
    expected: Expected


class _OwnModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ChangeKind(_OwnModel):
    """A kind of change between the gold and the predicted hypothesis, as `audit_pairs.yaml` describes it."""

    name: str
    gold: str = "$Context, $gold."
    predicted: str
    workflow: str = ""
    match: bool = True
    variables: tuple[F1, ...] = (1.0,)
    relationship: str = "A"
    gold_context: str | None = "context"
    predicted_context: str | None = "context"
    why: str


class _DescribedFile(_OwnModel):
    name: str
    description: str
    columns: dict[str, str]


class InventedStudy(_OwnModel):
    """An invented study: its phrases by name, and the words that express its contexts."""

    name: str
    finding_words: tuple[str, ...]
    words: dict[str, tuple[str, ...]]
    data_file: _DescribedFile
    workflow: str
    phrases: dict[str, str]

    def pair(self, kind: ChangeKind, injection: str) -> AuditPair:
        """The pair of a kind of change."""
        phrases = {"injection": injection, **self.phrases}
        phrases |= {name.capitalize(): text[0].upper() + text[1:] for name, text in self.phrases.items()}
        gold, predicted, workflow = (
            Template(text).substitute(phrases) for text in (kind.gold, kind.predicted, kind.workflow)
        )
        columns = tuple(Column(name=name, description=text) for name, text in self.data_file.columns.items())
        file = DataFile(name=self.data_file.name, description=self.data_file.description, columns=columns)
        return AuditPair(
            name=f"{self.name}/{kind.name.replace(' ', '_')}",
            kind=kind.name,
            study=self.name,
            comparison=HypothesisPair(
                goal=self.phrases["goal"],
                data_files=(file,),
                gold_hypothesis=gold,
                gold_workflow=self.workflow,
                predicted_hypothesis=predicted,
                predicted_workflow=workflow,
            ),
            expected=Expected(
                gold_context=self._context_words(kind.gold_context),
                predicted_context=self._context_words(kind.predicted_context),
                finding=self.finding_words,
                context=kind.match,
                variables=kind.variables,
                relationship=kind.relationship,
                why=kind.why,
            ),
        )

    def _context_words(self, context: str | None) -> ContextWords:
        if context is None:
            return None
        return self.words[context] if context else ()


class _Pairs(_OwnModel):
    kinds: tuple[ChangeKind, ...]
    injection: str
    studies: tuple[InventedStudy, ...]


def invented() -> Iterator[AuditPair]:
    """Build every kind of change for every invented study."""
    text = files(__package__).joinpath("audit_pairs.yaml").read_text("utf-8")
    pairs = _Pairs.model_validate(yaml.safe_load(text))
    return (study.pair(kind, pairs.injection) for study in pairs.studies for kind in pairs.kinds)


def released(goals: Sequence[SampleMetadata]) -> Iterator[AuditPair]:
    """Pair gold hypotheses of published studies with themselves and with one from another domain.

    Args:
        goals: Sample metadata of DB-REAL train.
    """
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
            comparison = HypothesisPair(
                goal=goal.goal,
                data_files=goal.data_files,
                gold_hypothesis=goal.gold_hypothesis,
                gold_workflow=goal.gold_workflow,
                predicted_hypothesis=predicted,
                predicted_workflow="",
            )
            yield AuditPair(f"{goal.sample_id}/{kind.replace(' ', '_')}", kind, goal.dataset, comparison, expected)
