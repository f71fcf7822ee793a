"""A second run of an experiment: it continues the first, and never drops a finished sample."""

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog

from tests.command_line import discoverybench, lab
from tests.endpoint import Answer, Raw, Request, question, tool_call, truthful
from tests.experiment.experiments import SMALL, logs

pytestmark = pytest.mark.usefixtures("sweep")

COMMAND = Path(sys.executable).with_name("discoverybench")
SLOW = """
name: small
tasks: [discoverybench/demo]
solvers: [discoverybench/no_data_guess]
models: [MODEL, {name: MODEL, config: {temperature: 0.5}}]
log_dir: logs/small
limits: {samples: 4}
options: {max_samples: 1}
"""
CONTAINER = """
name: small
tasks: [{name: discoverybench/demo, args: {sandbox: docker}}]
solvers: [discoverybench/react]
models: [MODEL]
log_dir: logs/small
limits: {samples: 1}
"""


def finished(logs: list[EvalLog]) -> Counter[str | None]:
    """Samples that have ended, by the id that Inspect gives to each run of a sample."""
    return Counter(sample.uuid for log in logs for sample in log.samples or [] if sample.scores)


@pytest.mark.usefixtures("command_line")
def test_a_killed_run_is_completed_without_repeating_samples(tmp_path: Path) -> None:
    def answer(_: Request) -> Answer:
        time.sleep(0.8)
        return tool_call("submit", hypothesis="y rises with x.", workflow="1. load")

    with lab(answer) as (model, _):
        (tmp_path / "small.yaml").write_text(SLOW.replace("MODEL", model), "utf-8")
        process = subprocess.Popen(
            [str(COMMAND), "run", "small.yaml"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + 120
        before: Counter[str | None] = Counter()
        while len(before) < 2:
            assert process.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.2)
            with suppress(ValueError):  # a log that is just being written
                before = finished(logs())
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        before = finished(logs())
        assert 2 <= len(before) < 8

        result = discoverybench("run small.yaml")
        assert result.exit_code == 0, result.output
        complete = [log for log in logs() if log.status == "success"]
        assert len(complete) == 2
        after = finished(complete)
        assert len(after) == 8
        assert set(before) <= set(after)
        assert all(log.stats.model_usage[model].total_tokens >= 4 * 15 for log in complete)

        # Only Inspect notices, in the process of the dry run.
        rejected = discoverybench("run small.yaml --set limits={} --set options.sample_id=[nowhere]")
        assert rejected.exit_code == 2
        [line] = rejected.output.splitlines()
        assert line.startswith("Error: small.yaml: No matches in dataset")


@pytest.mark.usefixtures("command_line", "engine")
def test_a_terminated_run_removes_its_containers_and_exits_with_1(tmp_path: Path) -> None:
    containers: list[str] = []

    def answer(request: Request) -> Answer:
        results = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        if not results:
            return tool_call("python", code="import os; os.uname().nodename")
        containers.append(results[0].strip("'"))
        return tool_call("python", code="import time; time.sleep(600)")

    with lab(answer) as (model, _):
        (tmp_path / "small.yaml").write_text(CONTAINER.replace("MODEL", model), "utf-8")
        process = subprocess.Popen(
            [str(COMMAND), "run", "small.yaml", "--retries", "0"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 240
        while not containers:
            assert process.poll() is None, "it ended before it could be ended"
            assert time.monotonic() < deadline
            time.sleep(0.2)
        time.sleep(3)  # until the cell runs
        process.send_signal(signal.SIGTERM)
        try:
            _, errors = process.communicate(timeout=200)
        finally:
            process.kill()
    assert process.returncode == 1, errors
    assert "Interrupted. Finished samples are in the logs. Repeat the command to continue." in errors
    lookup = subprocess.run(["docker", "inspect", containers[0]], capture_output=True, check=False)
    assert lookup.returncode, "the container is still there"


@pytest.mark.parametrize(("role", "fault"), [("agent", Raw(None)), ("judge", 502)])
def test_an_outage_leaves_no_zero_and_the_next_run_completes(role: str, fault: Answer, tmp_path: Path) -> None:
    is_out = True

    def answer(request: Request) -> Answer:
        if is_out and (question(request) is not None) == (role == "judge"):
            return fault
        if question(request):
            return truthful(request)
        return tool_call("submit", hypothesis="y rises with x.", workflow="w")

    with lab(answer) as (model, _):
        text = SMALL.replace("discoverybench/gold, ", "")
        text = re.sub("models: .*", f"models: [{model}]\ngrader: {model}", text)
        (tmp_path / "small.yaml").write_text(f"{text}options: {{continue_on_fail: true, timeout: 1}}\n", "utf-8")
        first = discoverybench("run small.yaml --retries 0")
        assert first.exit_code == 1, first.output
        assert not finished(logs())
        is_out = False
        result = discoverybench("run small.yaml --retries 0")
        assert result.exit_code == 0, result.output
    [log] = logs()
    assert (log.status, len(finished([log]))) == ("success", 2)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A log directory with space for a few samples."""
    if sys.platform != "linux" or os.geteuid():
        pytest.skip("only root can mount a small file system")
    folder = tmp_path / "logs" / "small"
    folder.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=60k", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@pytest.mark.usefixtures("command_line")
def test_a_full_disk_is_reported_and_the_next_run_completes(tmp_path: Path, small_disk: Path) -> None:
    text = SMALL.replace("gold, discoverybench/no_data_guess", "gold").replace("samples: 2", "samples: 8")
    (tmp_path / "small.yaml").write_text(text, "utf-8")

    full = subprocess.run([str(COMMAND), "run", "small.yaml"], capture_output=True, text=True, check=False)
    assert full.returncode == 2, full.stderr
    message = full.stderr.splitlines()[-1]
    assert "No space left on device. Remove the cause, then repeat the command. Finished samples are kept." in message
    before = finished(logs())

    subprocess.run(["mount", "-o", "remount,size=50m", small_disk], check=True)
    result = discoverybench("run small.yaml")
    assert result.exit_code == 0, result.output
    assert "2 of 2 runs are complete." in result.output
    assert set(before) <= set(finished(logs()))


@pytest.fixture
def complete(tmp_path: Path) -> str:
    """An experiment with two of eight samples in two epochs, complete."""
    text = SMALL.replace("gold, discoverybench/no_data_guess", "gold").replace("temperature", "top_p")
    (tmp_path / "small.yaml").write_text(text + "epochs: 2\n", "utf-8")
    result = discoverybench("run small.yaml")
    assert result.exit_code == 0, result.output
    return "small.yaml"


def test_changes_that_would_drop_finished_samples_are_rejected(complete: str) -> None:
    before = finished(logs())
    sample_id = "demo/ferry-operations_0_0/0/3"
    for changes, line in (
        ("--limit 1", "small.yaml: 2 samples of "),
        ("--limit 1 --set epochs=3", "small.yaml: 2 samples of "),
        (f"--set limits={{}} --set options.sample_id=[{sample_id}]", "small.yaml: 4 samples of "),
        ("--set options.sample_shuffle=7", "small.yaml: 4 samples of "),
        ("--set models.0=mockllm/x", "does not belong to this experiment in its current form"),
        ("--set epochs=1", "would be dropped, because epochs, limits.samples, options.sample_id"),
    ):
        result = discoverybench(f"run {complete} {changes}")
        assert result.exit_code == 2, result.output
        assert line in result.output
        assert len(result.output.splitlines()) == 1
    assert finished(logs()) == before


def test_a_truncated_log_is_reported_with_the_remedy(complete: str) -> None:
    log = next(Path("logs/small").glob("*.eval"))
    log.write_bytes(log.read_bytes()[:-100])
    result = discoverybench(f"run {complete}")
    assert result.exit_code == 2, result.output
    assert re.search(rf"small.yaml: \S*logs/small/{log.name} cannot be read: ", result.output)
    assert "inspect log recover" in result.output
    assert len(result.output.splitlines()) == 1
