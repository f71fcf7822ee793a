"""The demo tasks: what the generator writes is what the package carries, in DB-SYNTH's form."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import inspect_discoverybench.dataset

DEMO = Path(inspect_discoverybench.dataset.__file__).parent / "demo"
GENERATOR = Path(__file__).parents[2] / "scripts" / "generate_demo.py"
FOLDERS = sorted(folder for folder in DEMO.iterdir() if folder.is_dir())


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of the demo tasks below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.glob("*_0_0/*"))}


def study_of(folder: Path) -> dict[str, Any]:
    study: dict[str, Any] = json.loads((folder / "metadata_0.json").read_text("utf-8"))
    return study


def test_the_generator_writes_the_same_bytes(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(GENERATOR), "--out", str(tmp_path)], check=True)
    assert contents(tmp_path) == contents(DEMO)


def test_the_demo_is_small() -> None:
    sizes = {name: len(body) for name, body in contents(DEMO).items()}
    assert len(FOLDERS) == 8
    assert len(sizes) == 16
    assert max(sizes.values()) <= 30_000
    assert sum(sizes.values()) <= 200_000


def test_goals_are_unlike_each_other() -> None:
    goals = [study_of(folder)["queries"][0] for folder in FOLDERS]
    assert len({goal["qid"] for goal in goals}) == 8
    assert {goal["difficulty"] for goal in goals} == {1, 2, 3, 4}
    assert len({goal["true_hypothesis"] for goal in goals}) == 8


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.name))
def test_each_task_has_the_form_of_db_synth(folder: Path) -> None:
    study = study_of(folder)
    (file,), (goal,) = study["datasets"], study["queries"]
    with (folder / file["name"]).open(encoding="utf-8", newline="") as opened:
        header, *rows = csv.reader(opened)
    assert set(study) == {"id", "domain", "datasets", "queries"}
    assert header == [column["name"] for column in file["columns"]]
    assert all(column["description"] for column in file["columns"])
    assert 6 <= len(header) <= 9
    assert 200 <= len(rows) <= 300
    assert any("" in row for row in rows)
    assert set(goal) == {
        "qid",
        "question",
        "question_type",
        "difficulty",
        "target_col",
        "true_hypothesis",
        "true_hypothesis_expr",
        "relevant_cols",
    }
    assert goal["question_type"] == "general"
    assert goal["target_col"] in goal["relevant_cols"]
    assert set(goal["relevant_cols"]) < set(header)
    assert all(
        f"df['{name}']" in goal["true_hypothesis_expr"] for name in set(goal["relevant_cols"]) - {goal["target_col"]}
    )
