"""Metadata of samples."""

import hashlib
import json
from typing import Any, Literal

from inspect_ai.solver import TaskState
from pydantic import BaseModel, ConfigDict, ValidationError

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.errors.invalid_values import first_reason


class Fingerprints(BaseModel):
    """What a sample is made of, as the first 12 hexadecimal digits of a SHA-256 each.

    They are short, because Inspect removes long values from the summaries of the samples in a log. Two samples with one
    id are the same task only if these are equal (`results/sample_inputs.py`).

    Attributes:
        gold_hypothesis: Of the gold hypothesis.
        gold_workflow: Of the gold workflow.
        task_text: Of the input of the sample, with its hints.
        data_files: Of the names and checksums of all data files together.
    """

    model_config = ConfigDict(frozen=True)

    gold_hypothesis: str
    gold_workflow: str
    task_text: str
    data_files: str


def fingerprint(value: Any) -> str:
    """The first 12 hexadecimal digits of the SHA-256 of a JSON value. The order of keys does not matter."""
    content = json.dumps(value, sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:12]


class SampleMetadata(BaseModel):
    """Metadata of a sample. The evaluated model sees only the goal, the data files and the requested hints.

    Attributes:
        split: Name of the split: `train`, `dev`, `test`, `demo` or `custom`.
        dataset: Folder of the data set.
        metadata_number: Number in the name of the metadata file.
        query_id: Id of the goal within its metadata file.
        domain: Field of study.
        question_type: Facet that the goal asks for; `general` for DB-SYNTH.
        difficulty: Difficulty from 1 to 4; None for DB-REAL.
        tree_level: Level of the hypothesis below the root of its semantic tree; None except for DB-SYNTH.
        goal: Discovery goal, as a question.
        gold_hypothesis: Gold hypothesis; samples that share it form one cluster of the standard error.
        gold_workflow: Gold workflow; None if it is not public.
        workflow_length: Number of steps of the gold workflow (paper §4.1); None if it is not public or not numbered.
        workflow_bucket: Category of the workflow length: `s` (below 10), `m` (10 to 20) or `l` (above; Figure 5c).
        data_files: Descriptions of the data files.
        data_checksums: SHA-256 of each data file by name, computed when the task is built.
        fingerprints: Of the gold hypothesis, gold workflow, task text and data files; None in logs of earlier versions.
        workflow_tags: Keywords of the gold workflow.
        domain_knowledge: Background of the study. The background of a single data file is in `data_files`.
        hints: Requested hints.
        framing: What the task text says about null results: `neutral`, `null_allowed` or `pressure`.
        solvable: Whether the target column has at least two distinct values; None if the target column is unknown.
        near_constant: Whether one value fills at least 95 % of a varying target column; None if unknown.
        duplicate_of: Id of the first sample of the split with the same question; None for the first one.
        variant: `easy` or `hard`, if the same question is asked of processed and of raw data (paper §4.1).
        reveals_gold: `goal` if the goal contains at least 80 % of the gold hypothesis's numbers and words with at least
            four letters.
        placebo: Seed of the permutation of every column; None for the original data.
        unpermuted_files: Data files of a placebo that stay as they are, because they are texts and not tables.
        survives_permutation: Whether the gold hypothesis also holds in a placebo, so that a claim there may be true.
        conflicting_gold: Whether samples of the split with the same question have different gold hypotheses.
    """

    model_config = ConfigDict(frozen=True)

    split: str
    dataset: str
    metadata_number: int
    query_id: int
    domain: str
    question_type: str
    difficulty: int | None
    tree_level: int | None = None
    goal: str
    gold_hypothesis: str
    gold_workflow: str | None
    workflow_length: int | None = None
    workflow_bucket: str | None = None
    data_files: tuple[DataFile, ...]
    data_checksums: dict[str, str] = {}
    fingerprints: Fingerprints | None = None
    workflow_tags: str
    domain_knowledge: str
    hints: tuple[str, ...] = ()
    framing: str = "neutral"
    solvable: bool | None = None
    near_constant: bool | None = None
    duplicate_of: str | None = None
    variant: Literal["easy", "hard"] | None = None
    reveals_gold: str | None = None
    placebo: int | None = None
    unpermuted_files: tuple[str, ...] = ()
    survives_permutation: bool = False
    conflicting_gold: bool = False

    @property
    def sample_id(self) -> str:
        """`<split>/<study folder>/<metadata number>/<query id>`."""
        return f"{self.split}/{self.dataset}/{self.metadata_number}/{self.query_id}"

    @classmethod
    def of(cls, state: TaskState, needed_by: str) -> "SampleMetadata":
        """Read the metadata of a sample from its state.

        Args:
            state: The sample.
            needed_by: The solver or scorer that needs them, for the message.

        Raises:
            InvalidArgument: The sample is of another package's task.
        """
        try:
            # `state.metadata_as` raises an untyped error if there is no metadata.
            return cls.model_validate(state.metadata or {})
        except ValidationError as error:
            raise InvalidArgument(
                f"{needed_by} cannot run on the sample {state.sample_id}: {first_reason(error)} "
                f"Use {needed_by} only with the tasks of inspect-discoverybench."
            ) from error
