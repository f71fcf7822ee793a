"""The list of samples: the commands that show their transcripts."""

import shlex

import pytest

from inspect_discoverybench.report.page import render_page
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


def test_a_line_has_the_beginning_of_a_long_hypothesis_and_the_opened_row_has_all_of_it() -> None:
    hypothesis = "The larger the factor, the larger the outcome. " * 20
    shown = contents(results({"a": 1.0}, hypothesis=hypothesis))
    html = render_page(shown).decode()
    assert html.count(hypothesis) == 1
    assert f"<span>{hypothesis[:160]}</span>" in html

    # Without a hypothesis, there is a dash.
    silent = contents(results({"a": 0.0}))
    [sample] = SampleList(silent.samples, silent.results)
    assert sample.predicted_beginning == "–"
