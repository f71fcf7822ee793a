"""A set of the baseline author beside the released DB-SYNTH train; benchmarks/generator.py prints the whole table."""

import json
from collections import Counter
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from inspect_discoverybench.dataset.text_file import read_text
from tests.synth.authoring import BASELINE, generate

pytestmark = pytest.mark.usefixtures("sweep")


class GeneratedTask(NamedTuple):
    """A goal and its data file."""

    query: dict[str, Any]
    table: pd.DataFrame

    @property
    def target(self) -> str:
        return str(self.query["target_col"])

    @property
    def gold(self) -> list[str]:
        return [name for name in self.query["relevant_cols"] if name != self.target]


def read(path: Path) -> GeneratedTask:
    return GeneratedTask(json.loads(read_text(path))["queries"][0], pd.read_csv(path.with_name("data.csv")))


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> list[GeneratedTask]:
    out = tmp_path_factory.mktemp("sets") / "set"
    generate(out, BASELINE, domains=8, height=4, rows=500)
    return [read(path) for path in sorted(out.glob("*/metadata_*.json"))]


def explained(outcome: "pd.Series[float]", columns: pd.DataFrame) -> float:
    """The share of the variance that a linear model with squares explains."""
    numbers = columns.select_dtypes("number")
    scaled = ((numbers - numbers.mean()) / numbers.std()).fillna(0)
    design = np.column_stack([np.ones(len(scaled)), scaled, scaled**2])
    residual = outcome - design @ np.linalg.lstsq(design, outcome, rcond=None)[0]
    return float(1 - residual.var() / outcome.var())


def explained_by(task: GeneratedTask, names: list[str]) -> float:
    outcome = task.table[task.target]
    return explained(outcome.fillna(outcome.mean()), task.table[names])


def test_sizes_and_difficulties_are_those_of_the_release(tasks: list[GeneratedTask], upstream: Path) -> None:
    released = [read(path) for path in sorted(upstream.glob("discoverybench/synth/train/*/metadata_*.json"))]
    columns = [median(task.table.shape[1] for task in some) for some in (tasks, released)]
    assert columns[0] == pytest.approx(columns[1], rel=0.25)
    missing = [mean(task.table.isna().to_numpy().mean() for task in some) for some in (tasks, released)]
    assert missing[0] == pytest.approx(missing[1], abs=0.005)
    # Twice the limit of the benchmark, whose sets are larger.
    for level in range(1, 5):
        shares = [mean(task.query["difficulty"] == level for task in some) for some in (tasks, released)]
        assert shares[0] == pytest.approx(shares[1], abs=0.1), level


def test_the_target_stands_anywhere(tasks: list[GeneratedTask]) -> None:
    positions = [list(task.table).index(task.target) / (task.table.shape[1] - 1) for task in tasks]
    assert mean(positions) == pytest.approx(0.5, abs=0.1)
    assert mean(position == 1 for position in positions) < 0.1


def test_no_other_column_explains_the_target(tasks: list[GeneratedTask]) -> None:
    shares = []
    for task in tasks:
        others = [str(name) for name in task.table if name not in task.query["relevant_cols"]]
        shares.append(explained_by(task, others))
    assert median(shares) <= 0.25


def test_names_do_not_tell_which_columns_are_gold(tasks: list[GeneratedTask]) -> None:
    copied: Counter[bool] = Counter()
    originals: Counter[bool] = Counter()
    for task in tasks:
        for name in task.table:
            if name != task.target and not str(name).endswith("_2"):
                originals[name in task.gold] += 1
                copied[name in task.gold] += f"{name}_2" in task.table
    assert copied[True] / copied.total() == pytest.approx(originals[True] / originals.total(), abs=0.05)


def test_longer_paths_are_harder(tasks: list[GeneratedTask]) -> None:
    """A model of single columns explains the less of a target, the more steps are hidden."""
    shares = [
        mean(explained_by(task, task.gold) for task in tasks if task.query["difficulty"] == level)
        for level in range(1, 4)
    ]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] - shares[-1] > 0.2
