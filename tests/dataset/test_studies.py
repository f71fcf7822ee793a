"""The number of steps in a workflow, in the ways in which workflows are written."""

import pytest

from inspect_discoverybench.dataset.studies import bucket, workflow_length

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
    assert bucket(length) == name
