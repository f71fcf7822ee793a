"""The audit of the release: every known count and irregularity."""

import csv
import json
from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspect_discoverybench.cli.main import main
from inspect_discoverybench.dataset.table_file import Table

pytestmark = pytest.mark.usefixtures("upstream", "slow")

COUNTS = {
    "real/train": {
        "distinct gold hypotheses": 15,
        "domains": 3,
        "goals with several data files": 4,
        "goals": 25,
        "metadata files": 14,
        "question type: context": 3,
        "question type: relationship": 14,
        "question type: variables": 8,
        "questions that reveal the gold hypothesis": 3,
        "study folders": 4,
    },
    "real/test": {
        "described columns that are missing": 82,
        "distinct gold hypotheses": 117,
        "domains": 6,
        "duplicate questions": 57,
        "duplicates: different gold hypotheses": 4,
        "duplicates: hard variants": 56,
        "goals with several data files": 110,
        "goals": 239,
        "metadata files": 144,
        "question type: context": 85,
        "question type: relationship": 134,
        "question type: variables": 20,
        "questions that reveal the gold hypothesis": 19,
        "study folders": 10,
    },
    "synth/train": {
        "constant target columns": 141,
        "difficulty: 1": 322,
        "difficulty: 2": 150,
        "difficulty: 3": 62,
        "difficulty: 4": 16,
        "distinct gold hypotheses": 550,
        "domains": 27,
        "goals": 550,
        "metadata files": 550,
        "nearly constant target columns": 30,
        "question type: general": 550,
        "questions that reveal the gold hypothesis": 16,
        "study folders": 230,
    },
    "synth/dev": {
        "constant target columns": 19,
        "difficulty: 1": 88,
        "difficulty: 2": 43,
        "difficulty: 3": 18,
        "difficulty: 4": 4,
        "distinct gold hypotheses": 152,
        "domains": 8,
        "goals": 153,
        "metadata files": 153,
        "nearly constant target columns": 8,
        "question type: general": 153,
        "questions that reveal the gold hypothesis": 5,
        "study folders": 69,
    },
    "synth/test": {
        "constant target columns": 52,
        "difficulty: 1": 147,
        "difficulty: 2": 36,
        "difficulty: 3": 9,
        "difficulty: 4": 8,
        "distinct gold hypotheses": 200,
        "domains": 13,
        "goals": 200,
        "metadata files": 200,
        "nearly constant target columns": 15,
        "question type: general": 200,
        "questions that reveal the gold hypothesis": 7,
        "study folders": 75,
    },
}


@pytest.fixture(scope="module")
def audits() -> dict[str, Any]:
    result = CliRunner().invoke(main, ["data", "audit", "--json"])
    assert result.exit_code == 0, result.output
    audits: dict[str, Any] = json.loads(result.output)
    return audits


@pytest.mark.parametrize("name", COUNTS)
def test_the_audit_counts_known_irregularities(name: str, audits: dict[str, Any]) -> None:
    counts = {kind: len(items) for kind, items in audits[name].items()}
    assert counts == COUNTS[name]


MISSING = ("", "nan", "NaN", "NA")


def measured(row: Mapping[str, str], upstream: Path) -> tuple[int, str]:
    """Number of different values of a target column, and the share of the most common one with four digits."""
    folder = upstream / "discoverybench" / "synth" / row["split"] / row["folder"]
    [file] = folder.glob("*.csv")
    table = Table.read(file)
    counts = Counter(values.get(row["target_column"], "") for values in table.rows.values())
    for missing in MISSING:
        del counts[missing]
    largest = max(counts.values(), default=0)
    return len(counts), f"{largest / max(1, counts.total()):.4f}"


def test_the_recorded_properties_of_target_columns_are_those_of_the_released_files(upstream: Path) -> None:
    recorded = files("inspect_discoverybench.dataset").joinpath("synth_targets.csv").read_text("utf-8")
    for row in csv.DictReader(recorded.splitlines()):
        values, share = measured(row, upstream)
        assert values == int(row["distinct_values"]), row
        assert float(share) == float(row["top_share"]), row
