"""The list of samples: the commands that show their transcripts."""

import shlex

import pytest

from inspect_discoverybench.report.sample_list import SampleList
from tests.typed_results import contents, results


@pytest.mark.parametrize(
    ("log", "folder"),
    [
        ("logs/a.eval", "logs"),
        ("a.eval", "."),
        ("my logs/a.eval", "my logs"),
        ("Anna's runs/$(ls)/a.eval", "Anna's runs/$(ls)"),
        ("s3://bucket/runs/a.eval", "s3://bucket/runs"),
    ],
)
def test_a_shell_reads_the_folder_of_the_command_as_it_is(log: str, folder: str) -> None:
    shown = contents(results({"a": 1.0}, log=log))
    [sample] = SampleList(shown.samples, shown.results)
    assert shlex.split(sample.command) == ["inspect", "view", "--log-dir", folder]
