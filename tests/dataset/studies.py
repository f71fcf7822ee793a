"""Studies that tests write."""

import json
from pathlib import Path
from typing import Any

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.custom import custom_samples
from inspect_discoverybench.dataset.task_text import Hints

COLUMNS = [
    {"name": "x", "description": "X."},
    {"name": "y", "description": "Y."},
]
QUERY = {
    "qid": 0,
    "question": "Why?",
    "question_type": "general",
    "true_hypothesis": "Because y rises with x.",
}


Metadata = dict[str, Any]
"""The contents of a metadata file."""

CHANCE = 0.4
"""A correlation in 60 rows that two columns without association exceed in 2 of 1000 cases (t = 3.3)."""


def study(*file_names: str, **fields: Any) -> Metadata:
    """The contents of a metadata file, by default with the data file `a.csv`."""
    names = file_names or ("a.csv",)
    files = [{"name": name, "columns": COLUMNS} for name in names]
    return {"domain": "art", "datasets": files, "queries": [QUERY], **fields}


def write_study(folder: Path, metadata: Metadata | None = None, table: str = "x,y\n1,2\n3,4\n") -> Path:
    """Write a metadata file and the table `a.csv`."""
    folder.mkdir(parents=True, exist_ok=True)
    content = json.dumps(metadata or study())
    (folder / "metadata_0.json").write_text(content, "utf-8")
    (folder / "a.csv").write_text(table, "utf-8")
    return folder


def load(path: Path, answer_key: Path | None = None) -> list[Sample]:
    """The samples of custom studies, without hints."""
    return custom_samples(path, answer_key, Hints())
