"""The cell of the session check."""

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample

from inspect_discoverybench.doctor.session import one_cell


def test_the_cell_works_in_an_image_of_other_origin() -> None:
    [log] = inspect_eval(Task(dataset=[Sample(input="?")], solver=one_cell(), sandbox="local"), model="none")
    assert log.samples
    assert log.samples[0].output.completion.split() == ["42", "none"]
