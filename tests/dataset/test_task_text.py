"""The framing of the task text, which every agent sees."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval

from inspect_discoverybench import custom, demo, real, synth
from inspect_discoverybench.dataset.task_text import FRAMINGS
from inspect_discoverybench.errors.exceptions import InvalidArgument
from tests.dataset.studies import write_study

PARAGRAPH = "Find the hypothesis that answers this goal and is supported by the data."


def texts(task: Task) -> list[str]:
    return [str(sample.input) for sample in task.dataset]


def paragraphs(task: Task) -> list[str]:
    return texts(task)[0].split("\n\n")


def changed(task: Task, other: Task) -> list[tuple[str, str]]:
    """The paragraphs of the first sample that differ."""
    pairs = zip(paragraphs(task), paragraphs(other), strict=True)
    return [pair for pair in pairs if pair[0] != pair[1]]


@pytest.mark.parametrize("framing", [framing for framing in FRAMINGS if framing != "neutral"])  # the default
def test_a_framing_changes_one_paragraph(tmp_path: Path, framing: str) -> None:
    write_study(tmp_path)
    study = str(tmp_path)
    for task, framed in ((demo(), demo(framing=framing)), (custom(study), custom(study, framing=framing))):
        [(before, after)] = changed(task, framed)
        assert before == PARAGRAPH
        assert after.startswith(f"{PARAGRAPH} ")


@pytest.mark.usefixtures("upstream")
@pytest.mark.parametrize("task", [real, synth])
def test_the_released_tasks_have_framings(task: Any) -> None:
    assert len(changed(task(), task(framing="pressure"))) == 1
    assert texts(task()) == texts(task(framing="neutral"))


def test_each_framing_has_a_wording_of_its_own() -> None:
    assert "valid answer" in texts(demo(framing="null_allowed"))[0]
    assert "clear and significant" in texts(demo(framing="pressure"))[0]


def test_a_guess_without_data_is_framed_too() -> None:
    task = demo(framing="pressure", agent="discoverybench/no_data_guess")
    [log] = inspect_eval(task, model="discoverybench/baseline", limit=1)
    assert log.samples
    assert any("clear and significant" in message.text for message in log.samples[0].messages)
    assert (log.samples[0].metadata or {})["framing"] == "pressure"


def test_an_unknown_framing_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"^framing must be one of neutral, null_allowed, pressure, got rude"):
        demo(framing="rude")


def test_the_demo_has_a_placebo() -> None:
    task = demo(placebo=2)
    [log] = inspect_eval(task, model="discoverybench/baseline", limit=2)
    assert log.eval.task == "discoverybench/demo_placebo"
    assert log.results
    # The offline analyst reports the strongest correlation, whatever the data.
    assert log.results.scores[0].metrics["false_claim_rate"].value == 1
