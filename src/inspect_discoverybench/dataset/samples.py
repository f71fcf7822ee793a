"""Inspect samples of goals: task text, files for the sandbox, and metadata."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from inspect_ai.dataset import Sample
from pydantic import BaseModel, ConfigDict

from inspect_discoverybench.dataset.metadata import DataFile, locate
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.prompts.prompt import Prompt

FieldFilter = str | int | bool | list[str] | list[int] | None
"""One value, several values, or None for all."""

GOAL_FIELDS = (
    *("goal", "gold_hypothesis", "gold_workflow", "data_files", "data_checksums"),
    *("workflow_tags", "domain_knowledge"),
)
"""Metadata fields of a goal that come from the data. The other fields are derived from them."""


@dataclass(frozen=True)
class Hints:
    """Hints in the task text (paper §5.3).

    Attributes:
        domain_knowledge: Add the background of the study and of its data files.
        workflow_tags: Add the keywords of the gold workflow.
    """

    domain_knowledge: bool = False
    workflow_tags: bool = False


class SampleMetadata(BaseModel):
    """Metadata of a sample. The evaluated model sees only the goal, the data files and the requested hints.

    Attributes:
        split: Name of the split: `train`, `dev`, `test`, `demo` or `custom`.
        dataset: Folder of the data set.
        study: Study that the data set belongs to; see `study_of`. Logs of earlier versions lack it.
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
        domain_knowledge: Background of the study. That of a single data file is in its description.
        hints: Requested hints.
        missing_hints: Requested hints that the study does not have.
        solvable: Whether the target column has at least two distinct values; None if the target column is unknown.
        near_constant: Whether one value fills at least 95 % of a varying target column; None if unknown.
        predictors_present: Whether the data file has all other columns of the gold expression; None if unknown.
        gold_agreement: Agreement of the target column with the gold expression; None if unknown.
        gold_agreement_measure: `spearman` (rank correlation, −1 to 1) or `equal_labels` (share of rows, 0 to 1).
        duplicate_of: Id of the first sample of the split with the same question; None for the first one.
        variant: `easy` or `hard`, if the same question is asked of processed and of raw data (paper §4.1).
        variant_of: Id of the easy variant; None except for hard variants.
        reveals_gold: `goal` or `column` if the goal or the description of a column contains at least 80 % of the gold
            hypothesis's numbers and words with at least four letters.
        conflicting_gold: Whether samples of the split with the same question have different gold hypotheses.
    """

    model_config = ConfigDict(frozen=True)

    split: str
    dataset: str
    study: str | None = None
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
    workflow_bucket: Literal["s", "m", "l"] | None = None
    data_files: tuple[DataFile, ...]
    data_file_count: int
    data_checksums: dict[str, str] = {}
    workflow_tags: str
    domain_knowledge: str
    hints: tuple[str, ...] = ()
    missing_hints: tuple[str, ...] = ()
    solvable: bool | None = None
    near_constant: bool | None = None
    predictors_present: bool | None = None
    gold_agreement: float | None = None
    gold_agreement_measure: Literal["spearman", "equal_labels"] | None = None
    duplicate_of: str | None = None
    variant: Literal["easy", "hard"] | None = None
    variant_of: str | None = None
    reveals_gold: Literal["goal", "column"] | None = None
    conflicting_gold: bool = False

    @property
    def key(self) -> tuple[str, str, int, int]:
        """Split, study folder, metadata number and query id."""
        return self.split, self.dataset, self.metadata_number, self.query_id

    @property
    def sample_id(self) -> str:
        """`<split>/<study folder>/<metadata number>/<query id>`."""
        return "/".join(map(str, self.key))


def to_samples(
    source: str, goals: Sequence[tuple[Path, SampleMetadata]], hints: Hints, checksum: Callable[[Path], str]
) -> list[Sample]:
    """Make the Inspect samples of goals.

    Args:
        source: What the goals are from, for messages.
        goals: The goals, each with the folder of its study.
        hints: Hints to add to the task text.
        checksum: Returns the SHA-256 of a data file.

    Raises:
        InvalidArgument: No goal has a requested hint.
        DataError: A data file is missing, or its name is invalid.
    """
    requested = tuple(name for name, is_requested in asdict(hints).items() if is_requested)
    missing = [tuple(name for name in requested if not hint_texts(name, goal)) for _, goal in goals]
    for hint in requested:
        if all(hint in names for names in missing):
            raise InvalidArgument(f"{hint}=true: no sample of {source} has this hint. Remove the argument.")
    checksum = cache(checksum)  # many goals have the same data files
    samples = []
    for (folder, goal), missing_hints in zip(goals, missing, strict=True):
        files = {file.name: locate(folder, file.name) for file in goal.data_files}
        fields = {
            "hints": requested,
            "missing_hints": missing_hints,
            "data_checksums": {name: checksum(path) for name, path in files.items()},
        }
        samples.append(
            Sample(
                id=goal.sample_id,
                input=task_text(goal, hints),
                target=goal.gold_hypothesis,
                metadata=goal.model_copy(update=fields).model_dump(),
                files={name: str(path.resolve()) for name, path in files.items()},
            )
        )
    return samples


def task_text(metadata: SampleMetadata, hints: Hints, prompt: str = "task", columns: bool = True) -> str:
    """Render the input of the sample: data files, goal, hints and output contract.

    Args:
        metadata: Metadata of the goal.
        hints: Hints to add.
        prompt: Name of the prompt in `prompts/solvers`.
        columns: Whether to list the columns of the data files.
    """
    sections = {
        "Domain knowledge": metadata.domain_knowledge if hints.domain_knowledge else "",
        "Workflow tags": metadata.workflow_tags if hints.workflow_tags else "",
    }
    hint_prompt = Prompt.load("solvers/hint")
    return Prompt.load(f"solvers/{prompt}").render(
        data_files="\n\n".join(_description(file, hints, columns) for file in metadata.data_files),
        goal=metadata.goal,
        finish=Prompt.load("solvers/finish").render(),
        hints="".join(
            f"\n{hint_prompt.render(heading=heading, text=text)}\n" for heading, text in sections.items() if text
        ),
    )


def select(samples: Sequence[Sample], **filters: FieldFilter) -> list[Sample]:
    """Keep the samples that match every filter.

    Args:
        samples: Samples whose metadata has these fields.
        filters: Accepted values by metadata field.

    Raises:
        InvalidArgument: A value matches no sample, or no sample matches all filters.
    """
    accepted = {
        name: [_text(value) for value in (values if isinstance(values, list) else [values])]
        for name, values in filters.items()
        if values is not None
    }
    for name, values in accepted.items():
        possible = {_text(value) for sample in samples if (value := (sample.metadata or {})[name]) is not None}
        if unknown := [value for value in values if value not in possible]:
            choices = ", ".join(sorted(possible))
            raise InvalidArgument(f"{name}={unknown[0]} matches no sample. Possible values: {choices}.")
    selected = [
        s for s in samples if s.metadata and all(_text(s.metadata[n]) in values for n, values in accepted.items())
    ]
    if not selected:
        pairs = ", ".join(f"{name}={','.join(values)}" for name, values in accepted.items())
        raise InvalidArgument(f"No sample matches all of {pairs}. Remove one of these filters.")
    return selected


def data_checksum(samples: Iterable[Sample], fields: Sequence[str] = GOAL_FIELDS) -> str:
    """SHA-256 of the ids and metadata of samples, as hexadecimal digits. The order of the samples does not matter."""
    contents = sorted(
        json.dumps([sample.id, {name: (sample.metadata or {}).get(name) for name in fields}], sort_keys=True)
        for sample in samples
    )
    return hashlib.sha256("\n".join(contents).encode()).hexdigest()


def hint_texts(hint: str, goal: SampleMetadata) -> list[str]:
    """The texts of a hint: that of the study, and those of its data files."""
    return [text for part in (goal, *goal.data_files) if (text := getattr(part, hint, ""))]


def _description(file: DataFile, hints: Hints, columns: bool) -> str:
    contents = [file.description] if file.description else []
    if file.domain_knowledge and hints.domain_knowledge:
        contents.append(Prompt.load("solvers/file_hint").render(text=file.domain_knowledge))
    if columns and file.columns:
        described = (f"{column.name}: {' '.join(column.description.split())}" for column in file.columns)
        lines = "\n".join(f"- {text}".removesuffix(": ") for text in described)
        contents.append(Prompt.load("solvers/columns").render(columns=lines))
    elif not file.columns:
        contents.append(Prompt.load("solvers/without_columns").render(suffix=Path(file.name).suffix))
    return Prompt.load("solvers/data_file").render(name=file.name, contents="\n\n".join(contents))


def _text(value: object) -> str:
    """A value as a user types it on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)
