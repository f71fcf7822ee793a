"""Goals: the number of steps in a gold workflow, in the ways in which the released workflows are written."""

import pytest

from inspect_discoverybench.dataset.goals import workflow_bucket, workflow_length


@pytest.mark.parametrize(
    ("workflow", "length"),
    [
        pytest.param("1. Load.\n2. Fit.\n3. Test.", 3, id="on lines"),
        pytest.param("1. Load it 2. Fit it 3. Test it.", 3, id="on one line"),
        pytest.param("1. Multiply by 0.453592 / 2.5 (see Table 3).\n2. Keep ages up to 2. Then fit.", 2, id="values"),
        pytest.param("OLS regression of BMI\non DISSAVED", None, id="not numbered"),
    ],
)
def test_each_numbered_step_counts_once(workflow: str, length: int | None) -> None:
    assert workflow_length(workflow) == length


@pytest.mark.parametrize(("length", "name"), [(9, "s"), (10, "m"), (20, "m"), (21, "l")])
def test_lengths_are_grouped_as_in_figure_5c(length: int, name: str) -> None:
    assert workflow_bucket(length) == name
