"""The folder of a generated set: domains are added one by one, and an interrupted set can be continued."""

import csv
import io
import json
import os
import re
import shutil
from collections.abc import Mapping
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from pydantic import ValidationError

from inspect_discoverybench.dataset.answer_key import COLUMNS
from inspect_discoverybench.dataset.studies import absolute
from inspect_discoverybench.errors import DataCorrupt, InvalidArgument
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.synth.generated import DomainRecord, checksums
from inspect_discoverybench.synth.picture import page
from inspect_discoverybench.synth.replies import Domains
from inspect_discoverybench.synth.settings import SetSettings

SETTINGS_FILE = "settings.json"
DOMAINS_FILE = "domains.json"
RECORDS = "domains"
PARTIAL = ".partial"


class SetFolder:
    """The folder of a set.

    A domain is accepted when its record `domains/<slug>.json` exists, which is written last. `answer_key.csv`,
    `manifest.json` and `index.html` are rewritten after each domain; they depend only on the accepted domains.
    """

    def __init__(self, path: Path) -> None:
        """Set the path of the folder, which `open` creates."""
        self.path = absolute(path)
        # All records are summarized again after each domain. They never change, so they are read only once.
        self._known: dict[str, DomainRecord] = {}

    def open(self, settings: SetSettings) -> None:
        """Create the folder, or continue the set in it.

        Raises:
            InvalidArgument: The folder contains a set with different settings, or other files.
        """
        file = self.path / SETTINGS_FILE
        text = settings.model_dump_json(indent=2) + "\n"
        if file.is_file():
            if file.read_text("utf-8") != text:
                raise InvalidArgument(
                    f"out={self.path} contains a set with different settings (see {SETTINGS_FILE}). "
                    "Choose another folder."
                )
            return
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise InvalidArgument(
                f"out={self.path} is not empty and does not contain a generated set. Choose another folder."
            )
        self.path.mkdir(parents=True, exist_ok=True)
        _write(file, text.encode())

    def domains(self) -> Domains | None:
        """The domains that the author proposed; None if there are none yet."""
        file = self.path / DOMAINS_FILE
        return Domains.model_validate_json(file.read_text("utf-8")) if file.is_file() else None

    def keep_domains(self, domains: Domains) -> None:
        """Keep the proposed domains, so that an interrupted set continues with the same domains."""
        _write(self.path / DOMAINS_FILE, (domains.model_dump_json(indent=2) + "\n").encode())

    def record(self, slug: str) -> DomainRecord | None:
        """The record of a domain; None if it is not accepted yet.

        Raises:
            DataCorrupt: The record cannot be read.
        """
        file = self.path / RECORDS / f"{slug}.json"
        if not file.is_file():
            return None
        try:
            self._known[slug] = DomainRecord.model_validate_json(file.read_text("utf-8"))
        except ValidationError as error:
            raise DataCorrupt(f"{file} is damaged. Remove it to generate the domain again.") from error
        return self._known[slug]

    def accept(self, record: DomainRecord, contents: Mapping[str, bytes]) -> None:
        """Add a domain: its files first, its record last. Files of an interrupted attempt are replaced.

        Args:
            record: Its record.
            contents: Its files by path.
        """
        partial = self.path / PARTIAL / record.slug
        shutil.rmtree(partial, ignore_errors=True)
        for path, content in contents.items():
            _write(partial / path, content)
        for old in self._folders_of(record):
            shutil.rmtree(old)
        tasks, trees = self.path / record.split, self.path / "trees"
        for folder in (tasks, trees):
            folder.mkdir(exist_ok=True)
        for file in (partial / "trees").iterdir():
            file.replace(trees / file.name)
        for name in record.tasks:
            (partial / record.split / name).rename(tasks / name)
        shutil.rmtree(self.path / PARTIAL / record.slug)
        _write(self.path / RECORDS / f"{record.slug}.json", (record.model_dump_json(indent=2) + "\n").encode())
        self._summarize()
        if not any((self.path / PARTIAL).iterdir()):
            (self.path / PARTIAL).rmdir()

    def records(self) -> list[DomainRecord]:
        """The records of all accepted domains, in the order of the set."""
        paths = (self.path / RECORDS).glob("*.json")
        records = (self._known.get(path.stem) or self.record(path.stem) for path in paths)
        return sorted(
            (record for record in records if record is not None), key=lambda record: (record.number, record.slug)
        )

    def _folders_of(self, record: DomainRecord) -> list[Path]:
        """The folders of tasks that an interrupted attempt left behind."""
        folder = self.path / record.split
        names = re.compile(rf"{re.escape(record.slug)}_\d+_\d+")
        return [path for path in folder.glob(f"{record.slug}_*") if path.is_dir() and names.fullmatch(path.name)]

    def _summarize(self) -> None:
        records = self.records()
        buffer = io.StringIO(newline="")
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows((folder, 0, query, gold) for record in records for folder, query, gold in record.golds)
        pictures = [
            (record.domain, len(record.tasks), (self.path / "trees" / f"{record.slug}.svg").read_text("utf-8"))
            for record in records
        ]
        own = {"answer_key.csv": buffer.getvalue().encode(), "index.html": page("Semantic trees", pictures).encode()}
        for path, content in own.items():
            _write(self.path / path, content)
        manifest = {
            "format": 1,
            "generator": f"inspect-discoverybench {version('inspect-discoverybench')}",
            "settings": json.loads((self.path / SETTINGS_FILE).read_text("utf-8")),
            "prompts": prompt_fingerprints(),
            "domains": [record.model_dump(exclude={"files", "golds", "measures"}) for record in records],
            "files": {
                **checksums(own),
                **{path: digest for record in records for path, digest in record.files.items()},
            },
        }
        _write(self.path / "manifest.json", (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode())


def prompt_fingerprints() -> dict[str, str]:
    """The fingerprint of each prompt of the generator."""
    folder = files("inspect_discoverybench.prompts").joinpath("synth")
    names = sorted(file.name.removesuffix(".txt") for file in folder.iterdir() if file.name.endswith(".txt"))
    return {f"synth/{name}": Prompt.load(f"synth/{name}").fingerprint for name in names}


def _write(path: Path, content: bytes) -> None:
    """Write a file that appears only once it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    partial.write_bytes(content)
    partial.replace(path)
