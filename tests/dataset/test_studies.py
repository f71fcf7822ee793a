"""The number of steps in a workflow, in the ways in which workflows are written, and the study of a data set."""

import re
from pathlib import Path

import pytest

from inspect_discoverybench.dataset.published_study import GUESSED_STUDIES, STUDIES, study_of
from inspect_discoverybench.dataset.workflow import length_category, workflow_length

WORKFLOWS = {
    "one step per line": ("1. Load.\n2. Fit.\n3. Test.", 3),
    "several steps on one line": ("1. Load it 2. Fit it 3. Test it.", 3),
    "notes between the steps": ("1. Load.\ne.g. Height\n  Income\nTransformation:\n2. Fit.", 2),
    "a missing number": ("1. Load.\n2. Fit.\n4. Test.", 3),
    "a list that starts again": ("1. Load.\n2. Fit.\nThen:\n1. Test.\n2. Report.", 4),
    "values in the text": ("1. Multiply by 0.453592 / 2.5 (see Table 3).\n2. Keep ages up to 2. Then fit.", 2),
    "a decimal at the start of a line": ("1. Keep rows above\n0.5 of the range.\n2. Fit.", 2),
    "not numbered": ("OLS regression of BMI\non DISSAVED", None),
}


@pytest.mark.parametrize(("workflow", "length"), WORKFLOWS.values(), ids=WORKFLOWS.keys())
def test_each_numbered_step_counts_once(workflow: str, length: int | None) -> None:
    assert workflow_length(workflow) == length


@pytest.mark.parametrize(("length", "name"), [(9, "s"), (10, "m"), (20, "m"), (21, "l")])
def test_lengths_are_grouped_as_in_figure_5c(length: int, name: str) -> None:
    assert length_category(length) == name


def test_the_study_of_each_data_set_is_that_of_the_documented_table() -> None:
    table = (Path(__file__).parents[2] / "docs" / "statistics.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)`( \(a guess\))? \|.*\| (.*) \|$", table, re.MULTILINE)
    assert {folder: study for study, _, folders in rows for folder in re.findall("`(.+?)`", folders)} == STUDIES
    assert {study for study, guess, _ in rows if guess} == GUESSED_STUDIES


def test_the_study_of_a_synthetic_data_set_is_its_domain() -> None:
    for dataset, domain in (("m-lltonnen_0_1", "Mülltonnen"), ("space-tourism_12_0", "space_tourism")):
        assert study_of({"dataset": dataset, "domain": domain}) == domain
        assert study_of({"dataset": dataset, "domain": "sociology"}) == dataset
