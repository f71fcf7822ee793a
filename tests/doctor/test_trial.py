"""`discoverybench try` with models on a loopback server."""

import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from inspect_discoverybench.doctor.trial import AgentTrial
from tests.command_line import completed, discoverybench, failed, lab, refused
from tests.endpoint import Answer, Request, question, tool_call, truthful
from tests.experiment.experiments import logs
from tests.typed_results import results

ANSWER = {"hypothesis": "In all rows, y rises with x.", "workflow": "1. load"}
CRITIC = json.dumps({"answered": False, "progress": True, "next": "coder", "instruction": "count"})


def calling(request: Request) -> Answer:
    """A model that calls tools, and judges by comparing texts."""
    if question(request):
        return truthful(request)
    tools = [tool["function"]["name"] for tool in request.get("tools", [])]
    if not tools or request["tool_choice"] == "none":
        return CRITIC
    roles = [message["role"] for message in request["messages"]]
    if tools == ["submit"] or "tool" in roles:
        return tool_call("submit", **ANSWER)
    return tool_call("python", code="print(6 * 7)")


def writing(request: Request) -> Answer:
    """A model that only writes text."""
    system, *_, last = [str(message["content"]) for message in request["messages"]]
    if "You are the critic" in system:
        return CRITIC
    if "The code printed" in last or "one JSON object and nothing else" in last:
        return json.dumps(ANSWER)
    return "```python\nprint(6 * 7)\n```"


@dataclass(frozen=True)
class Numbers:
    """The first numbers of a row, in the order of the columns; all are numbers of samples."""

    samples: int
    acted: int = 0
    submitted_by_call: int = 0
    as_one_object: int = 0
    quoted: int = 0


def rows(output: str) -> dict[str, Numbers]:
    """The rows of the table by task, agent and form."""
    table = {}
    for line in output.splitlines():
        words = line.split()
        labels = " ".join(words[:3])
        if labels.startswith("discoverybench/"):
            table[labels] = Numbers(*map(int, words[3:8]))
    return table


@pytest.mark.usefixtures("engine")
def test_a_model_that_calls_tools_is_to_act_by_calls_and_is_audited_as_a_judge(
    upstream: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", str(upstream))
    options = "-M 'default_headers={x-lab: yes we can}' --max-tokens 700 --max-connections 5"
    with lab(calling) as (model, endpoint):
        output = completed(f"try --model {model} --judge {model} {options}")
    for request in endpoint.agent_requests():
        assert request["max_tokens"] == 700
    first, *_ = endpoint.headers
    assert first["x-lab"] == "yes we can"
    assert rows(output) == {
        "discoverybench/demo react calls": Numbers(3, acted=3, submitted_by_call=3),
        # Without tools, this model writes no submission, so the judge quotes its text.
        "discoverybench/demo react text": Numbers(3, quoted=3),
        "discoverybench/demo codegen calls": Numbers(3, acted=3, submitted_by_call=3),
        "discoverybench/demo datavoyager calls": Numbers(3, acted=3, submitted_by_call=3),
        "discoverybench/demo reflexion calls": Numbers(3, acted=3, submitted_by_call=3),
        "discoverybench/demo no_data_guess calls": Numbers(3, submitted_by_call=3),
        "discoverybench/real react calls": Numbers(2, acted=2, submitted_by_call=2),
    }
    # The audit has ten pairs, four texts and one claim. As a judge, the model compares texts: it quotes the whole of a
    # text, which is never right, and finds all variables in common or none. That is right for three pairs: with
    # identical hypotheses, with an empty one, and with gibberish. It says yes to the claim, which is one.
    assert "15 of 15 samples had valid replies at the first try" in output
    assert "reading: right in 0 of 4" in output
    assert "variables: right in 3 of 10" in output
    assert "claim: right in 1 of 1" in output
    assert "The model acts by calls" in output
    assert "Left out" not in output
    sandboxes = {log.eval.sandbox.type for log in logs("logs-try") if log.eval.sandbox}
    assert sandboxes == {"docker"}


@pytest.fixture
def without_docker(docker_command: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")


@pytest.mark.usefixtures("without_docker", "slow")
def test_a_model_that_only_writes_text_is_to_act_in_text() -> None:
    with lab(writing) as (model, _):
        result = discoverybench(f"try --model {model}")
    output = result.output
    assert result.exit_code == 0, output
    assert rows(output) == {
        "discoverybench/demo react calls": Numbers(3, quoted=3),
        "discoverybench/demo react text": Numbers(3, acted=3, as_one_object=3),
        "discoverybench/demo codegen text": Numbers(3, acted=3, as_one_object=3),
        "discoverybench/demo datavoyager text": Numbers(3, acted=3, as_one_object=3),
        "discoverybench/demo reflexion text": Numbers(3, acted=3, as_one_object=3),
        "discoverybench/demo no_data_guess text": Numbers(3, as_one_object=3),
    }
    assert "pass `-T 'agent_args={actions: text}'` with `-T agent`" in output
    assert "Left out: DB-REAL in Docker. The demo's code ran on this machine. Docker does not respond" in output
    assert "Left out: the judge audit. Name a judge" in output

    # Inspect's panels would bury the table.
    title, *_, hint = result.stdout.splitlines()
    assert title.strip() == f"{model}: random samples (seed 2)"
    assert hint == "Logs: logs-try. To read them, run: inspect view --log-dir logs-try"
    assert "HMS" not in output
    assert "Trying datavoyager with actions=text on 3 samples of discoverybench/demo …\n" in result.stderr


@pytest.mark.usefixtures("without_docker", "slow")
def test_a_server_that_refuses_all_requests_is_reported_without_advice_on_the_model() -> None:
    with lab(lambda _: 403) as (model, _):
        output = failed(f"try --model {model} --actions text")
    assert "Error: The agent's model" in output
    assert "Try -M emulate_tools" not in output  # advice for a model that replies, and does not act


@pytest.mark.usefixtures("without_docker", "slow")
def test_a_model_that_does_not_act_is_reported_with_advice() -> None:
    with lab(lambda _: "I would rather talk.") as (model, _):
        output = failed(f"try --model {model} --actions text")
    assert "The model ran no code." in output
    assert "Try -M emulate_tools" in output


@pytest.mark.usefixtures("without_docker", "slow")
def test_an_interrupted_trial_prints_what_it_has() -> None:
    def interrupting(request: Request) -> Answer:
        if "You are the critic" in str(request["messages"]):  # DataVoyager's, after ReAct and CodeGen
            os.kill(os.getpid(), signal.SIGTERM)
        return writing(request)

    with lab(interrupting) as (model, _):
        output = failed(f"try --model {model} --actions text")
    assert rows(output) == {
        "discoverybench/demo react text": Numbers(3, acted=3, as_one_object=3),
        "discoverybench/demo codegen text": Numbers(3, acted=3, as_one_object=3),
    }
    assert "Error: Interrupted. The rest was not tried." in output


@pytest.mark.usefixtures("without_docker")
def test_a_trial_that_is_interrupted_before_its_first_result_prints_no_table() -> None:
    def interrupting(_: Request) -> Answer:
        os.kill(os.getpid(), signal.SIGTERM)
        return "I would rather talk."

    with lab(interrupting) as (model, _):
        output = failed(f"try --model {model} --actions text")
    assert "random samples" not in output  # the title
    assert "Error: Interrupted. The rest was not tried." in output


REFUSED = {
    "--model openai/gpt-4o": "OPENAI_API_KEY",
    "--model discoverybench/baseline -M 'a=[1'": "-M a:1: ",
    "--model discoverybench/baseline -M emulate_tools": "-M emulate_tools: expected NAME=VALUE",
    "--model gpt-4o": "gpt-4o lacks its provider. Pass PROVIDER/MODEL, such as openai/gpt-4o.",
    "--model discoverybench/baseline --judge openai/gpt-4o": "The judge openai/gpt-4o cannot be called: Unable",
    "--model discoverybench/baseline --judge gpt-4o": "gpt-4o lacks its provider. Pass PROVIDER/MODEL, such as openai/",
    "--model discoverybench/baseline --judge nowhere/judge": "The judge nowhere/judge cannot be called",
    "--model discoverybench/baseline --log-dir /dev/null/logs": "with logs in /dev/null/logs",
    "--model openai-api/lab/a -M api_key=test --model-base-url https://me:portlike/7731@localhost/v1": "[password]",
}
"""Options, and what the refusal says."""


@pytest.mark.parametrize("options", REFUSED)
def test_what_cannot_be_tried_is_refused_by_its_name(options: str) -> None:
    message = refused(f"try {options}")
    assert REFUSED[options] in message


def test_seconds_of_short_samples_add_up() -> None:
    trial = AgentTrial("demo", "react", "calls", results({"a": 1.0, "b": 0.5, "c": 0.0}, seconds=0.4))
    assert trial.numbers["seconds"] == 1
