"""One domain of a generated set: its tree, its tasks in DB-SYNTH's format, and what was rejected."""

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from inspect_discoverybench.synth.gate import Measures
from inspect_discoverybench.synth.picture import tree_picture
from inspect_discoverybench.synth.tree import Tree
from inspect_discoverybench.synth.variant import Variant

DATA_FILE = "data.csv"
METADATA_FILE = "metadata_0.json"
MAX_DOMAINS = 1_000
"""Query ids are unique in a set of up to this many domains."""


class DomainRecord(BaseModel):
    """The record of an accepted domain, `domains/<slug>.json` in the folder of the set.

    Attributes:
        number: Number of the domain in the set.
        slug: Name of the domain in folder names.
        domain: Name of the domain.
        split: Subfolder of its tasks; empty if the set is not split.
        tasks: Folders of the accepted tasks.
        golds: Answer key: folder, query id and gold hypothesis of each task.
        measures: Measures of each accepted task.
        rejected: Rejected nodes and tasks with their reasons, by gate.
        sent_back: Number of replies that were sent back.
        author: Model that wrote the trees and goals; None if they were written by hand.
        reviewer: Model that reviewed the goals; None if they were written by hand.
        versions: Versions of Python and numpy in the sandbox that drew the rows.
        files: SHA-256 of each file by path.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    number: int
    slug: str
    domain: str
    split: str = ""
    tasks: tuple[str, ...]
    golds: tuple[tuple[str, int, str], ...]
    measures: tuple[Measures, ...]
    rejected: tuple[tuple[str, str, str], ...]
    sent_back: int
    author: str | None
    reviewer: str | None
    versions: Mapping[str, str] = {}
    files: Mapping[str, str]


@dataclass(frozen=True)
class GeneratedTask:
    """An accepted task.

    Attributes:
        variant: The task.
        goal: The goal.
        gold: The gold hypothesis.
        measures: Its measures.
    """

    variant: Variant
    goal: str
    gold: str
    measures: Measures

    def folder(self, slug: str, number: int) -> str:
        """Folder of the task: as in DB-SYNTH, the last number is the level below the root."""
        return f"{slug}_{number}_{self.variant.level}"

    def metadata(self, tree: Tree, query_id: int) -> dict[str, Any]:
        """The metadata file."""
        descriptions = {column.name: column.description for column in tree.columns()}
        handwritten = self.variant.length == 1 and self.variant.node.goal is not None
        return {
            "id": 0,
            "domain": tree.domain,
            "datasets": [
                {
                    "name": DATA_FILE,
                    "description": tree.description,
                    "columns": [{"name": name, "description": descriptions[name]} for name in self.variant.columns],
                }
            ],
            "queries": [
                {
                    "qid": query_id,
                    "question": self.goal,
                    "question_type": "general" if handwritten else self.variant.masked.value,
                    "difficulty": self.variant.difficulty,
                    "target_col": self.variant.node.name,
                    "true_hypothesis": self.gold,
                    "true_hypothesis_expr": self.variant.expression.text,
                    "relevant_cols": [*self.variant.predictors, self.variant.node.name],
                }
            ],
        }


def domain_files(
    number: int, tree: Tree, tasks: Sequence[GeneratedTask], columns: Mapping[str, Sequence[str]], split: str = ""
) -> tuple[dict[str, bytes], tuple[tuple[str, int, str], ...]]:
    """The files of a domain by path, and its answer key.

    Args:
        number: Number of the domain in the set.
        tree: The tree.
        tasks: The accepted tasks.
        columns: The values of every column as text.
        split: Subfolder of the tasks; empty if the set is not split.
    """
    picture = tree_picture(tree)
    files = {f"trees/{tree.slug}.json": tree.to_json().encode(), f"trees/{tree.slug}.svg": picture.encode()}
    golds = []
    for index, task in enumerate(tasks):
        folder, query_id = task.folder(tree.slug, index), number + MAX_DOMAINS * index
        metadata = json.dumps(task.metadata(tree, query_id), indent=4, ensure_ascii=False) + "\n"
        path = f"{split}/{folder}" if split else folder
        files[f"{path}/{METADATA_FILE}"] = metadata.encode()
        files[f"{path}/{DATA_FILE}"] = _csv(task.variant.columns, columns)
        golds.append((folder, query_id, task.gold))
    return files, tuple(golds)


def checksums(files: Mapping[str, bytes]) -> dict[str, str]:
    """SHA-256 of each file by path."""
    return {path: hashlib.sha256(content).hexdigest() for path, content in sorted(files.items())}


def _csv(names: Sequence[str], columns: Mapping[str, Sequence[str]]) -> bytes:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(zip(*(columns[name] for name in names), strict=True))
    return buffer.getvalue().encode()
