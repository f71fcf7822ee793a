"""Metadata to Inspect samples: the task text, the files that enter the sandbox, and what stays outside."""

import hashlib
import io
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from inspect_ai.dataset import Sample
from pydantic import BaseModel, ConfigDict

from inspect_discoverybench.dataset.data_path import ARCHIVE
from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.dataset.source import cache_folder
from inspect_discoverybench.dataset.target import Measure
from inspect_discoverybench.dataset.workflow import Bucket
from inspect_discoverybench.prompts import Prompt

# Inspect copies files one by one, 0.3 s each into a container.
MOST_SINGLE_FILES = 3


@dataclass(frozen=True)
class Hints:
    """What the task text gives away beyond the goal (paper §5.3); both off by default."""

    domain_knowledge: bool = False
    workflow_tags: bool = False


@dataclass(frozen=True)
class SandboxFiles:
    """Data files on their way into the sandbox.

    Attributes:
        files: Absolute paths by their names in the sandbox; by path, so that no contents land in the log.
        setup: Script that unpacks them there, if one is needed.
        checksums: SHA-256 of every data file by its name in the sandbox.
    """

    files: Mapping[str, str]
    setup: str | None
    checksums: Mapping[str, str]

    @classmethod
    def of(cls, paths: Mapping[str, Path], checksum: Callable[[Path], str]) -> "SandboxFiles":
        """Up to three files by themselves, more as one archive.

        Args:
            paths: Data files by their names in the sandbox.
            checksum: Gives the SHA-256 of a file as it was checked.

        Raises:
            DataMissing: A file cannot be read.
        """
        checksums = {name: checksum(path) for name, path in paths.items()}
        if len(paths) <= MOST_SINGLE_FILES:
            return cls({name: str(path.resolve()) for name, path in paths.items()}, None, checksums)
        # Files that a damaged archive lacks are found by `verify_data_files`, whose error names them.
        return cls({ARCHIVE: str(_archive(paths))}, f"tar -xf {ARCHIVE}; rm {ARCHIVE}", checksums)


class SampleMetadata(BaseModel):
    """What a sample knows. The model reads goal and data files, and hints if they are asked for; nothing else of it.

    Attributes:
        split: `train`, `dev` or `test`; `demo`; `custom`.
        dataset: Folder of the study.
        metadata_number: Number in the metadata file's name.
        query_id: Number of the goal in its metadata file.
        domain: Field of study.
        question_type: Facet that the goal asks for, or `general` (DB-SYNTH's form).
        difficulty: 1 to 4, the height of the hypothesis above the columns in the data (DB-SYNTH's form).
        tree_level: Level of the hypothesis below the root of its semantic tree (DB-SYNTH).
        goal: The discovery goal.
        gold_hypothesis: The gold hypothesis; goals that share it form one cluster of the standard error.
        gold_workflow: How it was reached, where that is public.
        workflow_length: Number of its unit steps (paper §4.1).
        workflow_bucket: `s` below 10 steps, `m` from 10 to 20, `l` above (paper, Figure 5c).
        data_files: The described data files.
        data_file_count: How many.
        data_checksums: SHA-256 of each data file by its name, as it was when the task was built.
        workflow_tags: Keywords of the gold workflow.
        domain_knowledge: Background of the study.
        missing_hints: Hints that were asked for and that this study has not.
        solvable: Whether the target column varies; None where no target column is known.
        near_constant: Whether it varies in fewer than 5 % of the rows; None where no target column is known.
        predictors_present: Whether the data have every other column of the gold expression; None where it is not known
            (DB-SYNTH's form).
        gold_agreement: How well the gold expression reproduces the target column; None where that is not known.
        gold_agreement_measure: `spearman` (rank correlation) or `equal_labels` (share of equal labels).
        duplicate_of: Id of the first sample of the split that asks the same question.
        variant: `easy` or `hard` where the same question is asked of processed and of raw data (paper §4.1).
        variant_of: Id of the easy variant of a hard goal.
        conflicting_gold: Another sample of the split asks the same and has another gold hypothesis.
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
    """The Inspect sample of one goal."""
    missing = tuple(name for name, requested in asdict(hints).items() if requested and not getattr(metadata, name))
    return Sample(
        id=metadata.sample_id,
        input=task_text(metadata, hints),
        target=metadata.gold_hypothesis,
        metadata=metadata.model_copy(
            update={"missing_hints": missing, "data_checksums": dict(files.checksums)}
        ).model_dump(),
        files=dict(files.files),
        setup=files.setup,
    )


def task_text(metadata: SampleMetadata, hints: Hints) -> str:
    """What the evaluated model reads: data files, goal, hints and output contract."""
    sections = [("Domain knowledge", metadata.domain_knowledge)] if hints.domain_knowledge else []
    sections += [("Workflow tags", metadata.workflow_tags)] if hints.workflow_tags else []
    return Prompt.load("solvers/task").render(
        data_files="\n\n".join(_described(file) for file in metadata.data_files),
        goal=metadata.goal,
        hints="".join(
            f"\n{Prompt.load('solvers/hint').render(heading=heading, text=text)}\n"
            for heading, text in sections
            if text
        ),
    )


def _described(file: DataFile) -> str:
    columns = "\n".join(f"- {c.name}: {' '.join(c.description.split())}" for c in file.columns)
    return Prompt.load("solvers/data_file").render(name=file.name, description=file.description, columns=columns)


def _archive(paths: Mapping[str, Path]) -> Path:
    """One tar file of these files, kept in the cache under a name made of its contents."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, path in sorted(paths.items()):
            content = path.read_bytes()
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o644
            tar.addfile(member, io.BytesIO(content))
    archive_content = buffer.getvalue()
    archive = cache_folder().parent / "archives" / f"{hashlib.sha256(archive_content).hexdigest()[:16]}.tar"
    # One that was damaged since is replaced.
    if not archive.is_file() or archive.read_bytes() != archive_content:
        archive.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=archive.parent, delete=False) as partial:
            partial.write(archive_content)
        Path(partial.name).replace(archive)
    return archive
