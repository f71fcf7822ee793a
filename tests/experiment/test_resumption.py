"""A second run of an experiment: it continues the first, and never drops a finished sample."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog

from tests.command_line import completed, discoverybench, lab, refused
from tests.endpoint import Answer, Raw, Request, question, tool_call, truthful
from tests.experiment.experiments import logs

pytestmark = pytest.mark.usefixtures("sweep")

SLOW = """
name: slow
tasks: [discoverybench/demo]
solvers: [discoverybench/no_data_guess]
models: [MODEL]
log_dir: logs/small
limits: {samples: 6}
options: {max_samples: 1}
"""
CONTAINER = """
name: container
tasks: [{name: discoverybench/demo, args: {sandbox: docker}}]
solvers: [discoverybench/react]
models: [MODEL]
log_dir: logs/small
limits: {samples: 1}
"""
OUTAGE = """
name: outage
tasks: [discoverybench/demo]
solvers: [discoverybench/no_data_guess]
models: [MODEL]
grader: MODEL
log_dir: logs/small
limits: {samples: 2}
options: {continue_on_fail: true, timeout: 1, retry_attempts: 0}
"""
TWICE = """
name: twice
tasks: [discoverybench/demo]
solvers: [discoverybench/gold]
models: [discoverybench/baseline]
log_dir: logs/small
limits: {samples: 2}
epochs: 2
"""
HYPOTHESIS = tool_call("submit", hypothesis="y rises with x.", workflow="1. load")


def finished(logs: list[EvalLog]) -> set[str | None]:
    """Samples that have ended, by the id that Inspect gives to each run of a sample."""
    ids = set()
    for log in logs:
        ids |= {sample.uuid for sample in log.samples or [] if sample.scores}
    return ids


def start(text: str, model: str) -> subprocess.Popen[str]:
    """Run an experiment in a process group of its own."""
    Path("experiment.yaml").write_text(text.replace("MODEL", model), "utf-8")
    return subprocess.Popen(
        [
            Path(sys.executable).with_name("discoverybench"),
            "run",
            "experiment.yaml",
            "--set",
            "options.retry_attempts=0",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 240
    while True:
        with suppress(ValueError):  # a log that is just being written
            if condition():
                return
        assert process.poll() is None, "it ended by itself"
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.mark.usefixtures("command_line")
def test_a_killed_run_is_completed_without_repeating_samples() -> None:
    def answer(_: Request) -> Answer:
        time.sleep(0.8)
        return HYPOTHESIS

    with lab(answer) as (model, _):
        process = start(SLOW, model)
        wait_until(lambda: len(finished(logs())) >= 2, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        before = finished(logs())
        assert 2 <= len(before) < 6
        completed("run experiment.yaml")
        # Only Inspect notices, in the process of the dry run.
        message = refused("run experiment.yaml --set limits={} --set options.sample_id=[nowhere]")
    assert message.startswith("Error: experiment.yaml: No matches in dataset")
    [log] = [log for log in logs() if log.status == "success"]
    after = finished([log])
    assert len(after) == 6
    assert before <= after


@pytest.mark.usefixtures("command_line", "engine")
def test_a_terminated_run_removes_its_containers_and_exits_with_1() -> None:
    containers: list[str] = []

    def answer(request: Request) -> Answer:
        last = request["messages"][-1]
        if last["role"] != "tool":
            return tool_call("python", code="import os; os.uname().nodename")
        containers.append(last["content"].strip("'"))
        return tool_call("python", code="import time; time.sleep(600)")

    with lab(answer) as (model, _):
        process = start(CONTAINER, model)
        wait_until(lambda: containers, process)
        time.sleep(3)  # until the cell runs
        process.send_signal(signal.SIGTERM)
        try:
            _, errors = process.communicate(timeout=200)
        finally:
            process.kill()
    assert process.returncode == 1, errors
    assert "Interrupted. Finished samples are in the logs. Repeat the command to continue." in errors
    lookup = subprocess.run(["docker", "inspect", containers[0]], capture_output=True, check=False)
    assert lookup.returncode != 0, "the container is still there"


@pytest.mark.parametrize(("role", "fault"), [("agent", Raw(None)), ("judge", 502)])
def test_an_outage_leaves_no_zero_and_the_next_run_completes(role: str, fault: Answer) -> None:
    is_out = True

    def answer(request: Request) -> Answer:
        asker = "judge" if question(request) else "agent"
        if is_out and asker == role:
            return fault
        return truthful(request) if asker == "judge" else HYPOTHESIS

    with lab(answer) as (model, _):
        Path("outage.yaml").write_text(OUTAGE.replace("MODEL", model), "utf-8")
        first = discoverybench("run outage.yaml")
        assert first.exit_code == 1, first.output
        assert not finished(logs())
        is_out = False
        completed("run outage.yaml")
    [log] = logs()
    assert log.status == "success"
    assert len(finished([log])) == 2


@pytest.fixture
def complete() -> None:
    """An experiment with two of eight samples in two epochs, complete."""
    Path("twice.yaml").write_text(TWICE, "utf-8")
    completed("run twice.yaml")


@pytest.mark.usefixtures("complete")
def test_changes_that_would_drop_finished_samples_are_refused() -> None:
    before = finished(logs())
    for changes, message in (
        ("--limit 1", "twice.yaml: 2 samples of "),
        ("--limit 1 --set epochs=3", "twice.yaml: 2 samples of "),
        ("--set limits={} --set options.sample_id=[demo/ferry-operations_0_0/0/3]", "twice.yaml: 4 samples of "),
        ("--set options.sample_shuffle=7", "twice.yaml: 4 samples of "),
        ("--set models.0=mockllm/x", "does not belong to this experiment in its current form"),
        ("--set epochs=1", "would be dropped, because epochs, limits.samples, options.sample_id"),
    ):
        assert message in refused(f"run twice.yaml {changes}")
    assert finished(logs()) == before
    # Without a limit, all samples run in any order.
    completed("run twice.yaml --set limits={} --set options.sample_shuffle=7")


@pytest.mark.usefixtures("complete")
def test_settings_of_the_connection_may_change_between_runs() -> None:
    models = "models=[{name: discoverybench/baseline, config: {max_connections: 5}}]"
    output = completed(f"run twice.yaml --set '{models}'")
    assert "1 of 1 runs are complete." in output


@pytest.mark.usefixtures("complete")
def test_a_truncated_log_is_named_with_the_remedy() -> None:
    [log] = Path("logs/small").glob("*.eval")
    log.write_bytes(log.read_bytes()[:-100])
    message = refused("run twice.yaml")
    assert f"logs/small/{log.name} cannot be read: " in message
    assert "inspect log recover" in message
