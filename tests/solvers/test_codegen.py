"""CodeGen: its requests, the program that runs, and the correctness of its worked demonstration."""

import re
import shutil
from pathlib import Path

from inspect_ai.model import ChatMessageUser
from inspect_ai.tool import ToolFunction

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.solvers.codegen import codegen
from tests.session.kernel_client import Session
from tests.solvers.scripted import calls, observations, play, python, submission, submit, with_calls

HANDED_IN = submit(hypothesis="h", workflow="w")


def test_each_of_two_generations_must_call_its_tool() -> None:
    sample = play([with_calls(python("2 + 2"), python("never")), HANDED_IN, python("never")], codegen())
    assert [(call.tool_choice, [tool.name for tool in call.tools]) for call in calls(sample)] == [
        (ToolFunction(name="python"), ["python"]),
        (ToolFunction(name="submit"), ["submit"]),
    ]
    assert [message.role for message in sample.messages] == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert observations(sample) == ["4"]
    assert submission(sample)


def test_a_model_without_a_program_is_asked_to_submit() -> None:
    sample = play(["Rain raises yield, I think.", HANDED_IN], codegen())
    messages = [message.text for message in sample.messages if isinstance(message, ChatMessageUser)][1:]
    assert messages == [Prompt.load("solvers/codegen_no_program").render()]
    assert submission(sample)


def test_the_demonstration_shows_the_actual_output(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parents[1] / "fixtures" / "codegen" / "tram_days.csv", tmp_path)
    prompt = Prompt.load("solvers/codegen").render()
    [(program, output)] = re.findall(r"```python\n(.*?)\n```.*?```\n(.*?)\n```", prompt, re.DOTALL)
    session = Session(tmp_path)
    try:
        assert session.run(program, timeout=120)["output"].rstrip() == output
    finally:
        session.client("stop")
