"""CodeGen: its requests, the program that runs, and the correctness of its worked demonstration."""

import re
import shutil
from pathlib import Path

import pytest
from inspect_ai.model import ModelOutput

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.solvers.codegen import codegen
from tests.session.kernel_client import Session
from tests.solvers.scripted import (
    BOTH_FORMS,
    calls,
    observations,
    offered,
    play,
    python,
    submission,
    submit,
    submitted,
    with_calls,
)

ANSWER = submit(hypothesis="h", workflow="w")


def test_each_of_two_generations_must_call_its_tool() -> None:
    # Only the first program runs: not the second one in the same message, and none in the message with the answer.
    two_programs = with_calls(python("2 + 2"), python("never"))
    answer_last = with_calls(python("too late"), ANSWER)
    sample = play([two_programs, answer_last], codegen())
    first, second = calls(sample)
    assert first.tool_choice == "any"
    assert offered(first) == ["python"]
    assert second.tool_choice == "any"
    assert offered(second) == ["submit"]
    assert observations(sample) == ["4"]
    assert submission(sample)


@BOTH_FORMS
def test_a_model_is_asked_for_its_program_once_more_and_then_to_submit(form: str) -> None:
    sample = play(["Rain raises yield.", "I think.", ANSWER], codegen(actions=form))
    texts = [message.text for message in sample.messages]
    _system_prompt, _task, _first_reply, asked_again, _second_reply, asked_to_submit, *_ = texts
    assert asked_again.startswith("No program was run. Write the whole program now")
    assert asked_to_submit.startswith("No program was run, and none can be run now.")
    assert submission(sample)


@pytest.mark.parametrize("tool", ["submit", "browse"])
def test_a_call_of_another_tool_in_place_of_the_program_is_no_program(tool: str) -> None:
    # Some servers ignore which tools are offered, and that a call is required.
    other_call = ModelOutput.for_tool_call("mockllm/model", tool, {"hypothesis": "guess"})
    sample = play([other_call, python("2 + 2"), ANSWER], codegen())
    assert calls(sample)[1].input[-1].text.startswith("No program was run. Write the whole program now")
    assert observations(sample) == ["4"]
    assert submitted(sample).hypothesis == "h"


@BOTH_FORMS
def test_a_program_with_notebook_commands_runs_without_them(form: str) -> None:
    program = "%matplotlib inline\n!pip install seaborn\nif True:\n    %time x = 1\nprint('shown')"
    sample = play([python(program), ANSWER], codegen(actions=form))
    last_request = calls(sample)[-1].input[-1].text
    assert "[Left out: line 1, line 2, line 4. Notebook commands, which begin with % or !" in last_request
    assert "not available.]\nshown" in last_request


def test_the_demonstration_shows_the_actual_output(tmp_path: Path) -> None:
    data = Path(__file__).parents[1] / "fixtures" / "codegen" / "tram_days.csv"
    shutil.copy(data, tmp_path)
    prompt = Prompt.load("solvers/codegen").text
    blocks = re.search(r"```python\n(.*?)\n```.*?```\n(.*?)\n```", prompt, re.DOTALL)
    assert blocks
    program, output = blocks.groups()
    session = Session(tmp_path)
    try:
        reply = session.run(program, timeout=120)  # it imports pandas and statsmodels
        assert reply["output"].rstrip() == output
    finally:
        session.stop()
