"""CodeGen: its requests, the program that runs, and the correctness of its worked demonstration."""

import re
import shutil
from pathlib import Path

import pytest
from inspect_ai.model import ChatMessageUser

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.solvers.codegen import codegen
from tests.session.kernel_client import Session
from tests.solvers.scripted import FORMS, calls, observations, play, python, submission, submit, with_calls

ANSWER = submit(hypothesis="h", workflow="w")


def test_each_of_two_generations_must_call_its_tool() -> None:
    sample = play([with_calls(python("2 + 2"), python("never")), ANSWER, python("never")], codegen())
    requests = [(call.tool_choice, [tool.name for tool in call.tools]) for call in calls(sample)]
    assert requests == [("any", ["python"]), ("any", ["submit"])]
    assert [message.role for message in sample.messages] == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert observations(sample) == ["4"]
    assert submission(sample)


def test_two_generations_in_text() -> None:
    sample = play([python("2 + 2"), ANSWER], codegen(actions="text"))
    assert [message.role for message in sample.messages] == ["system", "user", "assistant", "user", "assistant"]
    assert observations(sample) == ["4"]
    assert submission(sample)


@pytest.mark.parametrize("form", FORMS)
def test_a_model_without_a_program_is_asked_to_submit(form: str) -> None:
    sample = play(["Rain raises yield, I think.", ANSWER], codegen(actions=form))
    messages = [message.text for message in sample.messages if isinstance(message, ChatMessageUser)]
    assert messages[1].startswith("No program was run, and none can be run now.")
    assert len(messages) == 2
    assert submission(sample)


def test_the_demonstration_shows_the_actual_output(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parents[1] / "fixtures" / "codegen" / "tram_days.csv", tmp_path)
    prompt = Prompt.load("solvers/codegen").text
    [(program, output)] = re.findall(r"```python\n(.*?)\n```.*?```\n(.*?)\n```", prompt, re.DOTALL)
    session = Session(tmp_path)
    try:
        assert session.run(program, timeout=120)["output"].rstrip() == output
    finally:
        session.client("stop")
