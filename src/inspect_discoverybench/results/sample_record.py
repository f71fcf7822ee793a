"""What a log records about a sample besides its scores: which goal it asks, and what it used."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from inspect_ai.log import EvalSample

from inspect_discoverybench.dataset.published_study import study_of
from inspect_discoverybench.results.agent_record import AgentRecord
from inspect_discoverybench.results.recorded_settings import Settings, as_settings
from inspect_discoverybench.results.sample_inputs import recorded_inputs
from inspect_discoverybench.results.usage import agent_cost, agent_tokens, judge_usage, total_cost, total_tokens


@dataclass(frozen=True)
class GoalRecord:
    """Columns that are fields of the sample's metadata (`SampleMetadata`). Older logs lack some."""

    split: str | None
    domain: str | None
    difficulty: int | None
    tree_level: int | None
    workflow_tags: str | None
    workflow_bucket: str | None
    goal: str | None
    gold_hypothesis: str | None
    gold_workflow: str | None
    solvable: bool | None
    reveals_gold: str | None
    survives_permutation: bool | None


@dataclass(frozen=True)
class SampleRecord(GoalRecord):
    """Columns with one value per sample and epoch; docs/analysis.md describes them.

    Attributes:
        inputs: What the metadata records of the sample's inputs, for `changed_inputs`; no column.
    """

    uuid: str
    id: str
    epoch: int
    agent: str
    agent_arguments: Settings
    study: str | None
    goal_type: str | None
    target: str
    data_files: str
    tokens: int
    judge_tokens: int | None
    cost: float | None
    judge_cost: float | None
    seconds: float | None
    cells: int | None
    completed_at: str | None
    limit: str | None
    inputs: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, sample: EvalSample, agent: AgentRecord) -> "SampleRecord":
        """Read the record of a sample that this agent ran."""
        metadata = sample.metadata
        of_judge = judge_usage(sample)
        return cls(
            **_goal(metadata),
            uuid=sample.uuid or "",
            id=str(sample.id),
            epoch=sample.epoch,
            agent=agent.name,
            agent_arguments=as_settings(agent.arguments),
            # No log records the study. It is found by the name of the data set in the metadata.
            study=study_of(metadata),
            goal_type=metadata.get("question_type"),
            target=str(sample.target),
            data_files=str(metadata.get("data_checksums") or ""),
            tokens=agent_tokens(sample),
            judge_tokens=None if of_judge is None else total_tokens(of_judge),
            cost=agent_cost(sample),
            judge_cost=None if of_judge is None else total_cost(of_judge),
            seconds=sample.total_time,
            cells=sample.store.get("SessionState:cells"),
            completed_at=sample.completed_at,
            limit=None if sample.limit is None else sample.limit.type,
            inputs=recorded_inputs(metadata),
        )


def _goal(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {column.name: metadata.get(column.name) for column in fields(GoalRecord)}
