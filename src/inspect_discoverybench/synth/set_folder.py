"""The settings and the folder of a set. Domains are added one by one, and an interrupted set can be continued."""

import csv
import hashlib
import io
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from inspect_discoverybench.dataset.answer_key import COLUMNS
from inspect_discoverybench.dataset.paths import absolute
from inspect_discoverybench.dataset.synth_folder import slug_of
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.errors.file_failures import file_errors
from inspect_discoverybench.prompts.prompt import Prompt, prompt_names
from inspect_discoverybench.replies import Reply
from inspect_discoverybench.synth.tree_task import Rejection

SETTINGS_FILE = "settings.json"


class SetSettings(BaseModel):
    """Everything that determines a generated set, except the author's replies.

    Attributes:
        seed: Seed of all random choices.
        height: Height of the trees.
        rows: Rows of each data file.
        noise_share: Probability that noise is added to a number. A column of a tree can have its own noise.
        noise_scale: Standard deviation of the noise, in standard deviations of the column.
        disturbance: Standard deviation of influences outside the tree on computed values, in standard deviations of the
            column. The nodes above follow from the disturbed values.
        missing: Probability that a value is missing. A column of a tree can have its own.
        splits: Subfolders that the domains are assigned to in turn; empty if the set is not split.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = 0
    height: int = Field(default=4, ge=1, le=4)
    rows: int = Field(default=500, ge=50, le=10_000)
    noise_share: float = Field(default=0.1, ge=0, le=1)
    noise_scale: float = Field(default=0.3, ge=0, le=1)
    disturbance: float = Field(default=0.3, ge=0, le=1)
    missing: float = Field(default=0.01, ge=0, le=0.5)
    splits: tuple[Annotated[str, Field(pattern="^[a-z][a-z0-9-]{0,30}$")], ...] = ()

    @field_validator("splits")
    @classmethod
    def _check_splits(cls, splits: tuple[str, ...]) -> tuple[str, ...]:
        if taken := {"trees", "domains"} & set(splits):
            raise ValueError(f"{min(taken)} is a folder of every set; choose another name")
        return splits

    def split(self, number: int) -> str:
        """The split of a domain; empty without splits. Tasks of one domain share columns, so they share a split."""
        return self.splits[number % len(self.splits)] if self.splits else ""

    @classmethod
    def of(cls, **arguments: object) -> "SetSettings":
        """Check the settings that a user gave.

        Raises:
            InvalidArgument: A setting is invalid.
        """
        try:
            return cls.model_validate(arguments)
        except ValidationError as error:
            first = error.errors()[0]
            raise InvalidArgument(f"{first['loc'][0]}={first['input']} is invalid: {first['msg']}.") from error


class Domain(Reply):
    """A domain. If the user named it, the author did not describe it."""

    name: str
    description: str = Field(default="", max_length=600)


class DomainRecord(Reply):
    """The record of an accepted domain, `domains/<slug>.json` in the folder of the set.

    Attributes:
        number: Number of the domain in the set.
        domain: Name of the domain.
        split: Subfolder of its tasks; empty if the set is not split.
        tasks: Folders of the accepted tasks.
        golds: Answer key: folder, query id and gold hypothesis of each task.
        rejected: Rejected nodes and tasks.
        author: Model that wrote the trees and goals; None if they were written by hand.
        reviewer: Model that reviewed the goals; None if that was the author itself, or if they were written by hand.
        versions: Versions of Python and numpy in the sandbox that drew the rows.
        files: SHA-256 of each file by path.
    """

    number: int
    domain: str
    split: str = ""
    tasks: tuple[str, ...]
    golds: tuple[tuple[str, int, str], ...]
    rejected: tuple[Rejection, ...]
    author: str | None
    reviewer: str | None
    versions: Mapping[str, str] = {}
    files: Mapping[str, str]


class SetFolder:
    """The folder of a set.

    A domain is accepted when its record `domains/<slug>.json` exists, which is written last. `answer_key.csv`
    and `manifest.json` are rewritten after each domain; they depend only on the accepted domains.
    """

    def __init__(self, path: Path) -> None:
        """Set the path of the folder, which `open` creates."""
        self.path = absolute(path)

    @file_errors()
    def open(self, settings: SetSettings) -> None:
        """Create the folder, or continue the set in it.

        Raises:
            InvalidArgument: The folder contains a set with different settings, or other files.
        """
        file = self.path / SETTINGS_FILE
        text = json_file(settings.model_dump())
        if file.is_file():
            if file.read_bytes() != text:
                raise InvalidArgument(
                    f"out={self.path} contains a set with different settings (see {SETTINGS_FILE}). "
                    "Choose another folder."
                )
        elif self.path.exists() and (not self.path.is_dir() or self._others()):
            raise InvalidArgument(
                f"out={self.path} is not empty and does not contain a generated set. Choose another folder."
            )
        else:
            self._write(SETTINGS_FILE, text)

    def _others(self) -> bool:
        """Whether the folder has more than what is left of an interrupted start."""
        return any(not path.name.startswith(f".{SETTINGS_FILE}.") for path in self.path.iterdir())

    def domains(self) -> Sequence[Domain]:
        """The domains that the author proposed; empty if there are none yet."""
        file = self.path / "domains.json"
        return [*map(Domain.model_validate, json.loads(file.read_bytes())["domains"])] if file.is_file() else []

    def keep_domains(self, domains: Iterable[Domain]) -> None:
        """Keep the proposed domains, so that an interrupted set continues with the same domains."""
        self._write("domains.json", json_file({"domains": [domain.model_dump() for domain in domains]}))

    def record(self, slug: str) -> DomainRecord | None:
        """The record of a domain; None if it is not accepted yet."""
        file = self.path / "domains" / f"{slug}.json"
        return DomainRecord.model_validate_json(file.read_bytes()) if file.is_file() else None

    def accept(self, record: DomainRecord, contents: Mapping[str, bytes]) -> None:
        """Add a domain: its files in the given order, its record last. What an interrupted attempt left is removed."""
        slug = slug_of(record.domain)
        for folder in (self.path / record.split).glob(f"{slug}_*"):
            shutil.rmtree(folder)
        for path, content in contents.items():
            self._write(path, content)
        self._write(f"domains/{slug}.json", json_file(record.model_dump(mode="json")))
        self._summarize()

    def records(self) -> list[DomainRecord]:
        """The records of all accepted domains, in the order of the set."""
        records = (self.record(path.stem) for path in (self.path / "domains").glob("*.json"))
        return sorted(filter(None, records), key=lambda record: (record.number, record.domain))

    def _summarize(self) -> None:
        records = self.records()
        rows = [(folder, 0, query, gold) for record in records for folder, query, gold in record.golds]
        own = {"answer_key.csv": csv_file([COLUMNS, *rows])}
        manifest = {
            "format": 1,
            "generator": f"inspect-discoverybench {version('inspect-discoverybench')}",
            "settings": json.loads((self.path / SETTINGS_FILE).read_bytes()),
            "prompts": {name: Prompt.load(name).fingerprint for name in prompt_names("synth")},
            "domains": [record.model_dump(exclude={"files", "golds"}) for record in records],
            "files": checksums(own) | {path: digest for record in records for path, digest in record.files.items()},
        }
        for path, content in {**own, "manifest.json": json_file(manifest)}.items():
            self._write(path, content)

    def _write(self, path: str, content: bytes) -> None:
        """Write a file that appears only once it is complete."""
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_name(f".{file.name}.{os.getpid()}")
        partial.write_bytes(content)
        partial.replace(file)


def checksums(files: Mapping[str, bytes]) -> dict[str, str]:
    """SHA-256 of each file by path."""
    return {path: hashlib.sha256(content).hexdigest() for path, content in sorted(files.items())}


def csv_file(rows: Iterable[Iterable[object]]) -> bytes:
    """The content of a CSV file."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue().encode()


def json_file(content: object, indent: int = 2) -> bytes:
    """The content of a JSON file."""
    return f"{json.dumps(content, indent=indent, ensure_ascii=False)}\n".encode()
