"""The settings and the folder of a set. Domains are added one by one, and an interrupted set can be continued."""

import csv
import io
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, FailFast, Field, ValidationError

from inspect_discoverybench.dataset.absolute_path import absolute_path
from inspect_discoverybench.dataset.answer_key import ANSWER_KEY_COLUMNS
from inspect_discoverybench.dataset.cached_file import write_whole
from inspect_discoverybench.dataset.synth_folder import slug_of
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.errors.file_failures import system_errors
from inspect_discoverybench.errors.invalid_values import first_reason
from inspect_discoverybench.generator.tree import Tree
from inspect_discoverybench.generator.tree_task import Rejection
from inspect_discoverybench.replies import Reply

MAX_DOMAINS = 1_000
"""Query ids are unique in a set of up to this many domains."""

SETTINGS_FILE = "settings.json"
DOMAINS_FILE = "domains.json"


class SetSettings(BaseModel):
    """Everything that determines a generated set, except the names of its domains and the author's replies.

    Attributes:
        domains: Number of domains.
        seed: Seed of all random choices.
        height: Height of the trees.
        rows: Rows of each data file.
        noise_share: Probability that noise is added to a number.
        noise_scale: Standard deviation of the noise, in standard deviations of the column.
        missing: Probability that a value is missing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    domains: int = Field(ge=1, le=MAX_DOMAINS)
    seed: int
    height: int = Field(ge=1, le=4)
    rows: int = Field(ge=100, le=10_000)
    noise_share: float = Field(ge=0, le=1)
    noise_scale: float = Field(ge=0, le=1)
    missing: float = Field(ge=0, le=0.1)

    @classmethod
    def of(cls, **arguments: object) -> "SetSettings":
        """Check the settings that a user gave.

        Raises:
            InvalidArgument: A setting is invalid.
        """
        try:
            return cls.model_validate(arguments)
        except ValidationError as error:
            raise InvalidArgument(first_reason(error)) from error


class Domain(Reply):
    """A domain. The description is the author's, and empty if the user named the domain."""

    name: str
    description: str = ""


class Domains(Reply):
    """The domains that the author proposes, which the file `domains.json` keeps."""

    domains: Annotated[tuple[Domain, ...], FailFast()]
    """Only the first invalid one is reported: messages for a million domains would take gigabytes."""


class GoldRow(NamedTuple):
    """A row of the answer key: an accepted task and its gold hypothesis."""

    folder: str
    metadata_number: int
    query_id: int
    hypothesis: str


class DomainRecord(Reply):
    """The record of an accepted domain, `domains/<slug>.json` in the folder of the set.

    Attributes:
        number: Number of the domain in the set.
        domain: Name of the domain.
        golds: Answer key of the accepted tasks.
        rejected: Rejected nodes and tasks.
        author: Model that wrote what is not written by hand.
        reviewer: Model that reviewed what the author wrote.
    """

    number: int
    domain: str
    golds: tuple[GoldRow, ...]
    rejected: tuple[Rejection, ...]
    author: str
    reviewer: str


class SetFolder:
    """The folder of a set.

    A domain is accepted when its record `domains/<slug>.json` exists. The record is written after all other files of
    the domain. `answer_key.csv` depends only on the records, and is rewritten after each domain.
    """

    def __init__(self, path: Path) -> None:
        """Set the path of the folder, which `open` creates."""
        self.path = absolute_path(path)

    @system_errors()
    def open(self, settings: SetSettings) -> None:
        """Create the folder, or continue the set in it.

        Raises:
            InvalidArgument: The folder contains a set with different settings, or other files.
        """
        file = self.path / SETTINGS_FILE
        content = encode_json(settings.model_dump())
        if not file.exists() and any(self.path.glob("*")):
            raise InvalidArgument(
                f"out={self.path} is not empty and does not contain a generated set. Choose another folder."
            )
        if file.exists() and file.read_bytes() != content:
            raise InvalidArgument(
                f"out={self.path} contains a set with different settings (see settings.json). Choose another folder."
            )
        write_whole(file, content)

    @system_errors()
    def require_same_domains(self, names: Sequence[str]) -> None:
        """Check that the domains that are already accepted are those of the set, in the same order.

        The tasks of another domain would stay in the folder, and new tasks could have the same query ids.

        Args:
            names: Names that the user or the trees give; empty if the author proposes them.

        Raises:
            InvalidArgument: A domain differs.
        """
        proposal = self.domains()
        if not names and proposal is not None:
            names = [domain.name for domain in proposal.domains]
        slugs = {number: slug_of(name) for number, name in enumerate(names)}
        for record in self._records():
            if slugs.get(record.number) != slug_of(record.domain):
                raise InvalidArgument(
                    f"out={self.path} contains the tasks of other domains: domain {record.number + 1} is "
                    f"{record.domain!r}. Choose another folder."
                )

    @system_errors()
    def require_same_trees(self, trees: Iterable[Tree]) -> None:
        """Check that the domains that are already accepted were created from these hand-written trees.

        They are not created again, so a tree that was edited since then would have the tasks of its earlier version.

        Raises:
            InvalidArgument: A tree differs.
        """
        for tree in trees:
            slug = slug_of(tree.domain)
            path = tree_path(slug)
            if self.record(slug) is not None and (self.path / path).read_bytes() != encode_tree(tree):
                raise InvalidArgument(
                    f"out={self.path} contains the tasks of another tree of the domain {tree.domain!r} (see {path}). "
                    "Choose another folder."
                )

    def domains(self) -> Domains | None:
        """Read the domains that the author proposed; None if it was not asked for them yet."""
        file = self.path / DOMAINS_FILE
        if not file.is_file():
            return None
        return Domains.model_validate_json(file.read_bytes())

    def keep_domains(self, domains: Domains) -> None:
        """Keep the proposed domains, so that an interrupted set continues with the same domains."""
        write_whole(self.path / DOMAINS_FILE, encode_json(domains.model_dump()))

    def record(self, slug: str) -> DomainRecord | None:
        """Read the record of a domain; None if the domain is not accepted yet."""
        file = self.path / "domains" / f"{slug}.json"
        if not file.is_file():
            return None
        return DomainRecord.model_validate_json(file.read_bytes())

    def accept(self, record: DomainRecord, contents: Mapping[str, bytes]) -> None:
        """Write the files of a domain in the given order, then its record.

        Task folders that an interrupted attempt left are removed first.
        """
        slug = slug_of(record.domain)
        for folder in self.path.glob(f"{slug}_*"):
            shutil.rmtree(folder)
        for path, content in contents.items():
            write_whole(self.path / path, content)
        write_whole(self.path / f"domains/{slug}.json", encode_json(record.model_dump(mode="json")))

    def write_answer_key(self) -> None:
        """Write the answer key of all accepted domains, in the order of their numbers."""
        rows: list[Sequence[object]] = [ANSWER_KEY_COLUMNS]
        for record in self._records():
            rows += record.golds
        write_whole(self.path / "answer_key.csv", encode_csv(rows))

    def _records(self) -> list[DomainRecord]:
        """The records of all accepted domains, in the order of their numbers."""
        files = (self.path / "domains").glob("*.json")
        records = [DomainRecord.model_validate_json(file.read_bytes()) for file in files]
        return sorted(records, key=attrgetter("number"))


def tree_path(slug: str) -> str:
    """The path of a domain's tree in the folder of the set."""
    return f"trees/{slug}.json"


def encode_tree(tree: Tree) -> bytes:
    """Encode a tree as the content of its file."""
    return encode_json(tree.model_dump(exclude_defaults=True))


def encode_csv(rows: Iterable[Iterable[object]]) -> bytes:
    """Encode rows as CSV, with the same line ends on every system."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue().encode()


def encode_json(content: object, indent: int = 2) -> bytes:
    """Encode a value as JSON that people can read and compare."""
    text = json.dumps(content, indent=indent, ensure_ascii=False)
    return f"{text}\n".encode()
