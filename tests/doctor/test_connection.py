"""A model server that cannot be reached is named before anything is run."""

import socket
from pathlib import Path

import pytest

from tests.command_line import discoverybench, lab, refused
from tests.endpoint import tool_call
from tests.experiment.experiments import logs

STUDY = Path(__file__).parents[2] / "examples" / "lighthouses" / "metadata_0.json"
GOLD_GOAL = "How does the number of visitors depend on the height of the tower, on islands and on the mainland?"
ASK = f"ask --metadata {STUDY} --sandbox local --solver no_data_guess"
REMEDY = "Start it, or correct its address."


@pytest.fixture(autouse=True)
def key_and_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key for the provider `lab`, and no proxy, even if this machine has one: servers behind one are not asked."""
    monkeypatch.setenv("LAB_API_KEY", "test")
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def closed() -> str:
    """The address of a server that was stopped."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
    return f"http://127.0.0.1:{port}/v1"


@pytest.mark.parametrize("command", [f"{ASK} --goal Why", "try"])
def test_a_server_that_is_not_started_is_refused(command: str, closed: str) -> None:
    message = refused(f"{command} --model openai-api/lab/model --model-base-url {closed}")
    assert f"The server of openai-api/lab/model at {closed} refuses connections. {REMEDY}" in message
    assert not logs("logs")
    assert not logs("logs-try")


def test_a_wrong_host_is_refused() -> None:
    message = refused("try --model openai-api/lab/model --model-base-url http://models.invalid/v1")
    assert (
        f"The server of openai-api/lab/model at http://models.invalid/v1 has an unknown host name. {REMEDY}" in message
    )


def test_a_judge_whose_server_is_not_started_is_refused(closed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_BASE_URL", closed)
    options = "--model discoverybench/baseline --grader openai-api/lab/judge"
    message = refused(f"{ASK} --goal '{GOLD_GOAL}' {options}")
    assert f"The server of openai-api/lab/judge at {closed} refuses connections." in message

    message = refused("try --model discoverybench/baseline --judge openai-api/lab/judge")
    assert f"The server of openai-api/lab/judge at {closed} refuses connections. {REMEDY}" in message
    assert not logs("logs-try")


# The evaluated model and the critic are on one server, about which there should be one warning.
EXPERIMENT = """
name: one
tasks: discoverybench/demo
solvers: discoverybench/no_data_guess
models: {name: openai-api/lab/model, base_url: 'ADDRESS', config: {max_retries: 0}}
roles: {critic: {name: openai-api/lab/model, base_url: 'ADDRESS'}}
limits: {samples: 1}
options: {retry_attempts: 0}
log_dir: logs
"""


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(("command", "exit_code"), [("run one.yaml --dry-run", 0), ("run one.yaml", 1)])
def test_an_experiment_warns_once_and_goes_on(command: str, exit_code: int, closed: str) -> None:
    Path("one.yaml").write_text(EXPERIMENT.replace("ADDRESS", closed), "utf-8")
    result = discoverybench(command)
    assert result.exit_code == exit_code, result.output
    warning = (
        f"Warning: The server of openai-api/lab/model at {closed} refuses connections. {REMEDY} Until it responds, "
    )
    assert result.stderr.count(warning) == 1


def test_a_server_behind_a_proxy_is_not_asked(closed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Here, only `localhost` is reached without the proxy. The server's host is 127.0.0.1.
    monkeypatch.setenv("no_proxy", "localhost")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    Path("one.yaml").write_text(EXPERIMENT.replace("ADDRESS", closed), "utf-8")
    assert discoverybench("run one.yaml --dry-run").stderr == ""


def test_a_server_that_responds_and_models_without_a_server_are_not_mentioned() -> None:
    with lab(lambda _: tool_call("submit", hypothesis="y rises.", workflow="w")) as (model, endpoint):
        Path("one.yaml").write_text(EXPERIMENT.replace("ADDRESS", endpoint.url), "utf-8")
        assert discoverybench("run one.yaml --dry-run").stderr == ""
        assert discoverybench("run one.yaml --dry-run --model discoverybench/baseline").stderr == ""
        # `ask` also writes its progress to stderr. If it found a problem with the server, it would fail.
        assert discoverybench(f"{ASK} --goal Why --model {model}").exit_code == 0
