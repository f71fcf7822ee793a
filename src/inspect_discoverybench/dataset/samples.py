"""Metadata to Inspect samples: the task text, the files that enter the sandbox, and what stays outside."""

import hashlib
import io
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.dataset import Sample
from pydantic import BaseModel, ConfigDict

from inspect_discoverybench.dataset.metadata import AnswerKey, DataFile, Goal, Study, metadata_number
from inspect_discoverybench.dataset.source import cache_folder
from inspect_discoverybench.errors import DataMissing, InvalidArgument, InvalidMetadata
from inspect_discoverybench.prompts import Prompt

ARCHIVE = "data_files.tar"
# Inspect copies files one by one, 0.3 s each into a container.
MOST_SINGLE_FILES = 3


@dataclass(frozen=True)
class Hints:
    """What the task text gives away beyond the goal (paper §5.3); both off by default."""

    domain_knowledge: bool = False
    workflow_tags: bool = False


class SampleMetadata(BaseModel):
    """What a sample knows beside its text. None of it reaches the evaluated model or its sandbox.

    Attributes:
        split: `train` or `test` of DB-REAL, or `demo`.
        dataset: Folder of the study.
        metadata_number: Number in the metadata file's name.
        query_id: Number of the goal in its metadata file.
        domain: Field of study.
        question_type: Facet that the goal asks for, or `general` (DB-SYNTH's form).
        difficulty: 1 to 4 where the form has it.
        goal: The discovery goal.
        gold_hypothesis: The gold hypothesis; goals that share it form one cluster of the standard error.
        gold_workflow: How it was reached, where that is public.
        data_files: The described data files.
        workflow_tags: Keywords of the gold workflow.
        domain_knowledge: Background of the study.
    """

    model_config = ConfigDict(frozen=True)

    split: str
    dataset: str
    metadata_number: int
    query_id: int
    domain: str
    question_type: str
    difficulty: int | None
    goal: str
    gold_hypothesis: str
    gold_workflow: str | None
    data_files: tuple[DataFile, ...]
    workflow_tags: str
    domain_knowledge: str


def study_samples(split: str, path: Path, answer_key: AnswerKey | None, hints: Hints) -> list[Sample]:
    """One sample for each goal of a metadata file.

    Args:
        split: Name of the split, the first part of the sample id.
        path: The metadata file; its data files stand beside it.
        answer_key: Gold hypotheses of a test split; otherwise they stand in the metadata.
        hints: What to add to the task text.

    Raises:
        DataError: The metadata do not follow their form, or a data file is missing.
    """
    study, folder, number = Study.read(path), path.parent.name, metadata_number(path)
    files, setup = _sandbox_files([path.parent / file.name for file in study.data_files])
    samples = []
    for goal in study.goals:
        gold = answer_key.gold(folder, number, goal.query_id) if answer_key else goal.true_hypothesis
        if not gold:
            raise InvalidMetadata(f"{path}: query {goal.query_id} has no true_hypothesis, and there is no answer key.")
        metadata = SampleMetadata(
            split=split,
            dataset=folder,
            metadata_number=number,
            query_id=goal.query_id,
            domain=study.domain,
            question_type=goal.question_type,
            difficulty=goal.difficulty,
            goal=goal.question,
            gold_hypothesis=gold,
            gold_workflow=study.workflow or None,
            data_files=study.data_files,
            workflow_tags=study.workflow_tags,
            domain_knowledge=study.domain_knowledge,
        )
        samples.append(
            Sample(
                id=f"{split}/{folder}/{number}/{goal.query_id}",
                input=task_text(study, goal, hints),
                target=gold,
                metadata=metadata.model_dump(),
                files=files,
                setup=setup,
            )
        )
    return samples


def task_text(study: Study, goal: Goal, hints: Hints) -> str:
    """What the evaluated model reads: data files, goal, hints and output contract."""
    given = [("Domain knowledge", study.domain_knowledge)] if hints.domain_knowledge else []
    given += [("Workflow tags", study.workflow_tags)] if hints.workflow_tags else []
    return Prompt.load("solvers/task").render(
        data_files="\n\n".join(_described(file) for file in study.data_files),
        goal=goal.question,
        hints="".join(
            f"\n{Prompt.load('solvers/hint').render(heading=heading, text=text)}\n" for heading, text in given if text
        ),
    )


def select(samples: Sequence[Sample], **wanted: str | list[str] | None) -> list[Sample]:
    """Keep the samples whose metadata fields have one of the wanted values.

    Raises:
        InvalidArgument: A value occurs in no sample, or no sample has all of them.
    """
    fields = {name: [values] if isinstance(values, str) else list(values) for name, values in wanted.items() if values}
    for name, values in fields.items():
        possible = sorted({str(sample.metadata[name]) for sample in samples if sample.metadata})
        for value in values:
            if value not in possible:
                raise InvalidArgument(f"{name}={value} selects no sample; possible are: {', '.join(possible)}.")
    kept = [s for s in samples if s.metadata and all(str(s.metadata[n]) in values for n, values in fields.items())]
    if not kept:
        asked = ", ".join(f"{name}={','.join(values)}" for name, values in fields.items())
        raise InvalidArgument(f"No sample has all of {asked}; drop one of them.")
    return kept


def _described(file: DataFile) -> str:
    columns = "\n".join(f"- {c.name}: {' '.join(c.description.split())}" for c in file.columns)
    return Prompt.load("solvers/data_file").render(name=file.name, description=file.description, columns=columns)


def _sandbox_files(paths: list[Path]) -> tuple[dict[str, str], str | None]:
    """Files of a sample by their name in the sandbox, and the script that unpacks them, if one is needed."""
    for path in paths:
        if not path.is_file():
            raise DataMissing(f"{path}: the metadata describe this data file, but it is not there.")
    if len(paths) <= MOST_SINGLE_FILES:
        return {path.name: str(path.resolve()) for path in paths}, None
    return {ARCHIVE: str(_archive(paths))}, f"tar -xf {ARCHIVE} && rm {ARCHIVE}"


def _archive(paths: list[Path]) -> Path:
    """One tar file of these files, kept in the cache under a name made of its contents."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path in sorted(paths):
            member = tarfile.TarInfo(path.name)
            member.size, member.mode = path.stat().st_size, 0o644
            with path.open("rb") as file:
                tar.addfile(member, file)
    content = buffer.getvalue()
    archive = cache_folder().parent / "archives" / f"{hashlib.sha256(content).hexdigest()[:16]}.tar"
    if not archive.is_file():
        archive.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=archive.parent, delete=False) as partial:
            partial.write(content)
        Path(partial.name).replace(archive)
    return archive
