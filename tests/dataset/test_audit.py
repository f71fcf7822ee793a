"""The audit of the release: every known count and irregularity."""

import json

import pytest
from click.testing import CliRunner

from inspect_discoverybench.cli.main import main
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.splits import REAL, SYNTH, released_samples
from inspect_discoverybench.dataset.task_text import Hints

pytestmark = pytest.mark.usefixtures("upstream", "sweep")

COUNTS = {
    "study folders": [4, 10, 230, 69, 75],
    "metadata files": [14, 144, 550, 153, 200],
    "goals": [25, 239, 550, 153, 200],
    "distinct gold hypotheses": [15, 117, 550, 152, 200],
    "goals with several data files": [4, 110, 0, 0, 0],
    "domains": [3, 6, 27, 8, 13],
    "question type: context": [3, 85, 0, 0, 0],
    "question type: relationship": [14, 134, 0, 0, 0],
    "question type: variables": [8, 20, 0, 0, 0],
    "difficulty: 1": [0, 0, 322, 88, 147],
    "difficulty: 4": [0, 0, 16, 4, 8],
    "described columns that are missing": [0, 82, 0, 0, 0],
    "duplicate questions": [0, 57, 0, 0, 0],
    "duplicates: hard variants": [0, 56, 0, 0, 0],
    "duplicates: different gold hypotheses": [0, 4, 0, 0, 0],
    "constant target columns": [0, 0, 141, 19, 52],
    "nearly constant target columns": [0, 0, 30, 8, 15],
    "questions that reveal the gold hypothesis": [3, 19, 16, 5, 7],
}
SPLITS = (*REAL, *SYNTH)


def test_the_audit_counts_known_irregularities() -> None:
    result = CliRunner().invoke(main, ["data", "audit", "--json"])
    assert result.exit_code == 0, result.output
    audits = json.loads(result.output)
    for column, split in enumerate(SPLITS):
        name = f"{split.benchmark}/{split.name}"
        audit = audits[name]
        for subject, numbers in COUNTS.items():
            fact = audit.get(subject, {"count": 0})
            assert fact["count"] == numbers[column], (name, subject)
    assert "meta science" in audits["real/test"]["domains"]["items"]


@pytest.mark.parametrize("column", range(5))
def test_the_recorded_properties_of_target_columns_are_those_that_the_audit_computes(column: int) -> None:
    split = SPLITS[column]
    samples = released_samples(split.benchmark, split.name, Hints())
    goals = [SampleMetadata.model_validate(sample.metadata) for sample in samples]
    assert len(goals) == COUNTS["goals"][column]
    constant = [goal for goal in goals if goal.solvable is False]
    assert len(constant) == COUNTS["constant target columns"][column]
    nearly_constant = [goal for goal in goals if goal.near_constant]
    assert len(nearly_constant) == COUNTS["nearly constant target columns"][column]
