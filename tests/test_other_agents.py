"""Every command of docs/other_agents.md, in containers with the real agents and a scripted provider."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.log import EvalSample, list_eval_logs, read_eval_log

from inspect_discoverybench.submission.submission import SCORE_NAME
from tests.documentation.commands import commands_of
from tests.endpoint import Answer, Request, question, serve, tool_call, truthful

REPOSITORY = Path(__file__).parents[1]
PROGRAMS = str(Path(sys.executable).parent)
PATH = os.pathsep.join([PROGRAMS, os.environ["PATH"]])
COMMANDS = commands_of(REPOSITORY / "docs" / "other_agents.md")
EVALS = [command for command in COMMANDS if command.startswith("inspect eval")]
HYPOTHESIS = "Between 3000 and 2000 BCE, the number of hoards rises with the number of monuments."
OBJECT = json.dumps({"hypothesis": HYPOTHESIS, "workflow": "I correlated both."})

LOOK = """wc -l < capital.csv; id -u; grep CapEff /proc/self/status; touch /opt/agent/x /opt/x
python -c 'import pandas, urllib.request as u; u.urlopen("http://1.1.1.1", timeout=2)' 2>&1 | tail -n 1"""
LOOK_IN_PYTHON = f"import subprocess\nprint(subprocess.getoutput({LOOK!r}))"
LOOKS = {
    "python": {"code": LOOK_IN_PYTHON},
    "Bash": {
        "command": LOOK,
        "description": "Look",
    },
    "bash": {"command": LOOK},
    "exec_command": {"cmd": LOOK},
}
"""Arguments of the agents' tools."""

SEEN = (
    # Lines of the data file, the user id, and no capabilities.
    "40\n1000\nCapEff:\t0000000000000000\n",
    "Read-only file system",
    "Network is unreachable",
)
"""What the output of each tool contains."""


def offered(request: Request) -> set[str]:
    """Names of the tools in a request."""
    tools = request.get("tools") or []
    return {tool["function"]["name"] for tool in tools}


def agent_and_judge(request: Request) -> Answer:
    """Look around with the agent's tool, then answer as the agent's tools allow."""
    if question(request):
        return truthful(request)
    tools = offered(request)
    roles = [message["role"] for message in request["messages"]]
    has_looked = "tool" in roles
    for name in tools:
        if name in LOOKS and not has_looked:
            return tool_call(name, **LOOKS[name])
    if "finish" in tools:  # Inspect's `basic_agent` with `submit_name=finish`
        return tool_call("finish", answer=HYPOTHESIS)
    if "submit" in tools:
        return tool_call("submit", hypothesis=HYPOTHESIS, workflow="I correlated both.")
    if tools == {"bash"}:
        # mini-swe-agent ends with this command. Its answer is the text of the message, and not the command's output.
        return tool_call("bash", OBJECT, command="echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")
    return OBJECT


@pytest.fixture(scope="module")
def agent_images(engine: None) -> None:
    """The images of the page, built by its commands."""
    beginnings = ("base", "folder", "docker")  # two variables of the shell, and the builds that use them
    builds = [command for command in COMMANDS if command.startswith(beginnings)]
    script = "\n".join(["set -e", *builds])
    environment = os.environ | {"PATH": PATH}
    subprocess.run(["bash", "-c", script], env=environment, check=True)


def output_of_look(sample: EvalSample) -> str:
    """The result of the first tool call in the conversation. mini-swe-agent shows it as JSON."""
    texts = [message.text for message in sample.messages if message.role == "tool"]
    return texts[0].replace(r"\n", "\n").replace(r"\t", "\t")


def agent_of(command: str) -> str:
    """The agent of a command."""
    [agent] = re.findall(r"(?:--solver |-T agent=)(\S+)", command)
    return str(agent)


@pytest.mark.parametrize("command", EVALS, ids=agent_of)
@pytest.mark.timeout(900)
def test_an_agent_is_confined_and_scored(command: str, agent_images: None, upstream: Path) -> None:
    # With `--checkpoint`, the first checkpoint would end a sample in Docker, if the tasks did not turn checkpoints off.
    options = "--model-role grader=openai/gpt-4o --limit 2 --checkpoint turn:1"
    words = shlex.split(f"{command} {options}")
    with serve(agent_and_judge) as endpoint:
        provider = {
            "PATH": PATH,
            "OPENAI_BASE_URL": endpoint.url,
            "OPENAI_API_KEY": "test",
        }
        environment = os.environ | provider
        subprocess.run(words, env=environment, cwd=REPOSITORY, check=True)

    # A search of the web by the model's provider would be a tool in the requests (docs/other_agents.md).
    for request in endpoint.agent_requests():
        names = " ".join(offered(request))
        assert "search" not in names.lower()

    logs = list_eval_logs(os.environ["INSPECT_LOG_DIR"])
    log = read_eval_log(logs[0].name)
    assert log.status == "success", log.error
    samples = log.samples or []
    assert len(samples) == 2
    for sample in samples:
        assert sample.scores
        score = sample.scores[SCORE_NAME]
        assert HYPOTHESIS in str(score.answer)
        # `HYPOTHESIS` is not the gold hypothesis, so the judge (`truthful`) gives 0 for every facet. If the judge had
        # not answered, the values would be NaN.
        values = score.as_dict()
        assert set(values.values()) == {0}
        if "@bridge" not in command:  # that example sends one request, without tools
            output = output_of_look(sample)
            for text in SEEN:
                assert text in output
