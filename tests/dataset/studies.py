"""Studies that tests write, and one sample of each study for tests that do not need a whole split."""

import json
from pathlib import Path
from typing import Any

from inspect_ai import Task


def study(*file_names: str, **fields: Any) -> dict[str, Any]:
    """The contents of a metadata file, by default with the data file `a.csv`."""
    columns = [{"name": "x", "description": "X."}, {"name": "y", "description": "Y."}]
    query = {"qid": 0, "question": "Why?", "question_type": "general", "true_hypothesis": "Because y rises with x."}
    files = [{"name": name, "columns": columns} for name in file_names or ("a.csv",)]
    return {"domain": "art", "datasets": files, "queries": [query], **fields}


def write_study(folder: Path, metadata: dict[str, Any] | bytes | None = None, table: str = "x,y\n1,2\n3,4\n") -> Path:
    """Write a metadata file and the table `a.csv`."""
    folder.mkdir(parents=True, exist_ok=True)
    content = metadata if isinstance(metadata, bytes) else json.dumps(metadata or study()).encode()
    (folder / "metadata_0.json").write_bytes(content)
    (folder / "a.csv").write_text(table, "utf-8")
    return folder


def first_of_each_study(task: Task) -> list[str]:
    """Ids of the first sample of each study."""
    ids: dict[str, str] = {}
    for sample in task.dataset:
        assert sample.metadata
        ids.setdefault(sample.metadata["dataset"], str(sample.id))
    return list(ids.values())
