"""The demo tasks: the trees in examples/trees give them, without a model."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from inspect_ai import eval as inspect_eval

import inspect_discoverybench.dataset
from inspect_discoverybench import synth_generate

DEMO = Path(inspect_discoverybench.dataset.__file__).parent / "demo"
TREES = Path(__file__).parents[2] / "examples" / "trees"
FOLDERS = sorted(folder for folder in DEMO.iterdir() if folder.is_dir())
SETTINGS: dict[str, Any] = {
    "seed": 20240703,
    "rows": 260,
    "noise_share": 0.0,  # the trees have their own noise
    "missing": 0.0,
    "min_reproduction": 0.5,
}


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of the demo tasks below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.glob("*_0_0/*"))}


def study_of(folder: Path) -> dict[str, Any]:
    study: dict[str, Any] = json.loads((folder / "metadata_0.json").read_text("utf-8"))
    return study


def test_the_generator_writes_the_same_bytes(tmp_path: Path) -> None:
    """To accept a change of the demo, see CONTRIBUTING.md on golden files."""
    out = tmp_path / "demo"
    [log] = inspect_eval(synth_generate(out=str(out), trees=str(TREES), sandbox="local", **SETTINGS), model="none")
    assert log.status == "success", log.error
    if os.environ.get("DISCOVERYBENCH_ACCEPT_GOLDEN"):
        for name, body in contents(out).items():
            (DEMO / name).parent.mkdir(exist_ok=True)
            (DEMO / name).write_bytes(body)
    assert contents(out) == contents(DEMO)
    shutil.rmtree(out)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.name))
def test_the_data_show_the_gold_expression(folder: Path) -> None:
    """The target is a linear function of the gold expression with slope 1, so the numbers of the hypothesis hold."""
    [goal] = study_of(folder)["queries"]
    df = pd.read_csv(folder / "data.csv").dropna(subset=goal["relevant_cols"])
    gold = eval(goal["true_hypothesis_expr"], {"df": df, "np": np})
    slope, _ = np.polyfit(gold.astype(float), df[goal["target_col"]], 1)
    assert slope == pytest.approx(1, abs=0.08)
