"""Inspect samples of goals: task text, files for the sandbox, and metadata."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from inspect_ai.dataset import Sample
from pydantic import BaseModel, ConfigDict

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.dataset.target import Measure
from inspect_discoverybench.dataset.workflow import Bucket
from inspect_discoverybench.prompts import Prompt


@dataclass(frozen=True)
class Hints:
    """Hints in the task text (paper §5.3).

    Attributes:
        domain_knowledge: Add the background of the study.
        workflow_tags: Add the keywords of the gold workflow.
    """

    domain_knowledge: bool = False
    workflow_tags: bool = False


@dataclass(frozen=True)
class SandboxFiles:
    """The data files of a sample.

    Attributes:
        paths: Absolute paths on this machine, by name in the sandbox.
        checksums: SHA-256 of each data file by name in the sandbox.
    """

    paths: Mapping[str, str]
    checksums: Mapping[str, str]

    @classmethod
    def of(cls, paths: Mapping[str, Path], checksum: Callable[[Path], str]) -> "SandboxFiles":
        """Resolve and check data files.

        Args:
            paths: Data files by name in the sandbox.
            checksum: Returns the SHA-256 of a file.

        Raises:
            DataMissing: A file cannot be read.
        """
        return cls(
            {name: str(path.resolve()) for name, path in paths.items()},
            {name: checksum(path) for name, path in paths.items()},
        )


class SampleMetadata(BaseModel):
    """Metadata of a sample. The evaluated model sees only the goal, the data files and the requested hints.

    Attributes:
        split: Name of the split: `train`, `dev`, `test`, `demo` or `custom`.
        dataset: Folder of the study.
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
        data_file_count: Number of data files.
        data_checksums: SHA-256 of each data file by name, computed when the task is built.
        workflow_tags: Keywords of the gold workflow.
        domain_knowledge: Background of the study.
        missing_hints: Requested hints that the study does not have.
        solvable: Whether the target column has at least two distinct values; None if the target column is unknown.
        near_constant: Whether one value fills at least 95 % of a varying target column; None if unknown.
        predictors_present: Whether the data file has all other columns of the gold expression; None if unknown.
        gold_agreement: Agreement of the target column with the gold expression; None if unknown.
        gold_agreement_measure: `spearman` (rank correlation, −1 to 1) or `equal_labels` (share of rows, 0 to 1).
        duplicate_of: Id of the first sample of the split with the same question; None for the first one.
        variant: `easy` or `hard`, if the same question is asked of processed and of raw data (paper §4.1).
        variant_of: Id of the easy variant; None except for hard variants.
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
    workflow_bucket: Bucket | None = None
    data_files: tuple[DataFile, ...]
    data_file_count: int
    data_checksums: dict[str, str] = {}
    workflow_tags: str
    domain_knowledge: str
    missing_hints: tuple[str, ...] = ()
    solvable: bool | None = None
    near_constant: bool | None = None
    predictors_present: bool | None = None
    gold_agreement: float | None = None
    gold_agreement_measure: Measure | None = None
    duplicate_of: str | None = None
    variant: Literal["easy", "hard"] | None = None
    variant_of: str | None = None
    conflicting_gold: bool = False

    @property
    def sample_id(self) -> str:
        """`<split>/<study folder>/<metadata number>/<query id>`."""
        return f"{self.split}/{self.dataset}/{self.metadata_number}/{self.query_id}"


def to_sample(metadata: SampleMetadata, hints: Hints, files: SandboxFiles) -> Sample:
    """Make the Inspect sample of a goal.

    Args:
        metadata: Metadata of the goal.
        hints: Hints to add to the task text.
        files: Data files of the study.
    """
    missing = tuple(name for name, requested in asdict(hints).items() if requested and not getattr(metadata, name))
    sample_metadata = metadata.model_copy(update={"missing_hints": missing, "data_checksums": dict(files.checksums)})
    return Sample(
        id=metadata.sample_id,
        input=task_text(metadata, hints),
        target=metadata.gold_hypothesis,
        metadata=sample_metadata.model_dump(),
        files=dict(files.paths),
    )


def task_text(metadata: SampleMetadata, hints: Hints) -> str:
    """Render the input of the sample: data files, goal, hints and output contract."""
    sections = {
        "Domain knowledge": metadata.domain_knowledge if hints.domain_knowledge else "",
        "Workflow tags": metadata.workflow_tags if hints.workflow_tags else "",
    }
    hint_prompt = Prompt.load("solvers/hint")
    return Prompt.load("solvers/task").render(
        data_files="\n\n".join(_description(file) for file in metadata.data_files),
        goal=metadata.goal,
        without_tools=Prompt.load("solvers/without_tools").render(),
        hints="".join(
            f"\n{hint_prompt.render(heading=heading, text=text)}\n" for heading, text in sections.items() if text
        ),
    )


def _description(file: DataFile) -> str:
    columns = "\n".join(f"- {column.name}: {' '.join(column.description.split())}" for column in file.columns)
    return Prompt.load("solvers/data_file").render(name=file.name, description=file.description, columns=columns)
