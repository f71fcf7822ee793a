"""A second run of an experiment: it continues the first, and never drops a finished sample."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from inspect_ai.log import EvalLog, write_eval_log

from inspect_discoverybench.results.frame import read_results
from tests import inspect_command
from tests.command_line import completed, discoverybench, failed, lab, refused
from tests.endpoint import CONNECTION_RESET, Answer, Request, question, tool_call, truthful
from tests.experiment.experiments import logs, start, wait_until

pytestmark = pytest.mark.usefixtures("slow")

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
"""Inspect repeats a failed request until the timeout: here for a second."""

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


@pytest.mark.usefixtures("command_line")
def test_a_killed_run_is_completed_without_repeating_samples() -> None:
    def answer(_: Request) -> Answer:
        time.sleep(0.8)  # so that there is time to kill the run between its second and its last sample
        return HYPOTHESIS

    with lab(answer) as (model, _):
        process = start(SLOW, model)
        wait_until(lambda: len(finished(logs())) >= 2, process)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        before = finished(logs())
        assert 2 <= len(before) < 6
        completed("run experiment.yaml")
        # An id that no sample has would also drop all finished samples. The message names the id.
        message = refused("run experiment.yaml --set limits={} --set options.sample_id=[nowhere]")
    assert "options.sample_id: no sample of discoverybench/demo matches nowhere." in message
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
    assert "Interrupted. Finished samples are kept. Repeat the command to continue." in errors
    lookup = subprocess.run(["docker", "inspect", containers[0]], capture_output=True, check=False)
    assert lookup.returncode != 0, "the container is still there"


@pytest.mark.parametrize(("role", "fault"), [("agent", CONNECTION_RESET), ("judge", 502)])
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
        # Each sample counts in its two epochs. With a limit of 1, one of the two samples would be dropped; with another
        # selected sample or another order, both.
        ("--limit 1", "twice.yaml: 2 of the samples of "),
        ("--limit 1", "would be dropped, because limits.samples is now 1 (--limit 1). Undo the change, or use another"),
        ("--limit 1 --set epochs=3", "because limits.samples is now 1 (--limit 1)."),
        ("--set limits.samples=1", "because limits.samples is now 1 (--set limits.samples=1)."),
        ("--set limits={} --set options.sample_id=[demo/ferry-operations_0_0/0/3]", "twice.yaml: 4 of the samples of "),
        ("--set options.sample_shuffle=7", "twice.yaml: 4 of the samples of "),
        ("--set models.0=mockllm/x", "does not belong to this experiment in its current form"),
        # If the limit is not the only reason, the message lists all settings that can be one.
        ("--limit 1 --set epochs=1", "would be dropped, because epochs, limits.samples, options.sample_id"),
        ("--set epochs=1", "would be dropped, because epochs, limits.samples, options.sample_id"),
    ):
        assert message in refused(f"run twice.yaml {changes}")
    assert finished(logs()) == before
    # Without a limit, all samples run in any order.
    completed("run twice.yaml --set limits={} --set options.sample_shuffle=7")


def test_an_unchanged_limit_is_not_named_as_the_only_reason_when_the_order_of_the_samples_changes() -> None:
    Path("twice.yaml").write_text(TWICE, "utf-8")
    completed("run twice.yaml --set options.sample_shuffle=7")
    message = refused("run twice.yaml")  # in file order, the limit selects other samples
    assert "would be dropped, because epochs, limits.samples, options.sample_id or sample_shuffle" in message
    assert "limits.samples is now" not in message


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


STUDY = Path(__file__).parents[2] / "examples" / "lighthouses"
CUSTOM = """
name: custom
tasks: [{name: discoverybench/custom, args: {path: study}}]
solvers: [discoverybench/gold]
models: [discoverybench/baseline]
grader: discoverybench/lexical
sandbox: local
log_dir: logs/small
"""


@pytest.fixture
def study() -> Path:
    """An experiment with a copy of a study."""
    Path("custom.yaml").write_text(CUSTOM, "utf-8")
    shutil.copytree(STUDY, "study")
    return Path("study")


def edit_gold(study: Path) -> None:
    metadata = study / "metadata_0.json"
    content = json.loads(metadata.read_text("utf-8"))
    content["queries"][0]["true_hypothesis"] = "Another gold hypothesis."
    metadata.write_text(json.dumps(content), "utf-8")


def edit_data(study: Path) -> None:
    [table, *_] = sorted(study.glob("*.csv"))
    lines = table.read_text("utf-8").splitlines(keepends=True)
    table.write_text("".join(lines[:-1]), "utf-8")


def edit_goal_text(study: Path) -> None:
    metadata = study / "metadata_0.json"
    content = json.loads(metadata.read_text("utf-8"))
    content["queries"][0]["question"] += " Why?"
    metadata.write_text(json.dumps(content), "utf-8")


@pytest.mark.parametrize(
    ("edit", "change"),
    [(edit_gold, "gold hypothesis"), (edit_data, "data file "), (edit_goal_text, "task text")],
)
@pytest.mark.parametrize("shards", [("", ""), ("--shard 1/2", "--shard 2/2")])
def test_samples_that_were_made_of_other_data_are_refused(
    study: Path, edit: Callable[[Path], None], change: str, shards: tuple[str, str]
) -> None:
    first, second = shards
    completed(f"run custom.yaml {first}")
    before = finished(logs())
    edit(study)
    for command in (f"run custom.yaml {second}", "status custom.yaml", "run custom.yaml --dry-run"):
        if first and command.endswith("--dry-run"):
            continue  # a dry run shows the whole experiment, and is refused because the logs are those of a shard
        message = refused(command)
        assert "sample custom/study/0/0 was run with another " in message
        assert change in message
        assert "Undo the change, or use another log_dir: --set log_dir=FOLDER." in message
    assert finished(logs()) == before


def test_after_a_retry_by_inspect_with_an_edited_study_nothing_is_pooled_and_the_experiment_is_refused(
    study: Path,
) -> None:
    completed("run custom.yaml --limit 1 --set epochs=2")
    [log] = logs()
    log.samples = (log.samples or [])[:1]
    log.status = "error"
    write_eval_log(log, log.location)
    edit_gold(study)
    retry = inspect_command.invoke("eval-retry", log.location, "--log-dir", "logs/small")
    assert retry.exit_code == 0, retry.output

    for command in ("run", "status"):
        message = refused(f"{command} custom.yaml --limit 1 --set epochs=2")
        assert "sample custom/study/0/0 was run with another gold hypothesis. Undo the change, " in message
    completed("report logs/small --out report")
    # One goal was selected. As it was before the change and after it, it counts as two tasks.
    assert list(pd.read_csv("report/tables/hms.csv").tasks) == [2]
    notice = "samples that were run again after a change: 1, such as custom/study/0/0 (gold hypothesis)."
    assert notice in Path("report/report.html").read_text("utf-8")


def test_an_agent_whose_file_changed_is_refused() -> None:
    agent = Path("mine.py")
    agent.write_text(
        "from inspect_ai.solver import generate, solver\n\n\n@solver\ndef mine():\n    return generate()\n", "utf-8"
    )
    experiment = "run gold.yaml --limit 1 --set 'solvers=[mine.py@mine]'"
    completed(experiment)
    completed(experiment)  # the file has not changed
    agent.write_text(agent.read_text("utf-8") + "# changed\n", "utf-8")
    assert "the file of the agent mine.py@mine changed." in refused(experiment)


@pytest.mark.parametrize(
    "change",
    [
        "limits.messages=9",
        "grader={name: discoverybench/lexical, config: {temperature: 0.5}}",
        "options.temperature=0.5",
        "tasks.0={name: discoverybench/demo, args: {aggregation: released}}",
    ],
)
@pytest.mark.parametrize("shards", [("", ""), ("--shard 1/2", "--shard 2/2")])
def test_another_setting_is_refused_also_in_another_shard(change: str, shards: tuple[str, str]) -> None:
    first, second = shards
    completed(f"run gold.yaml {first}")
    assert "does not belong to this experiment" in refused(f"run gold.yaml {second} --set '{change}'")
    # Settings that change no results may differ.
    completed(f"run gold.yaml {second} --set options.max_connections=3 --set options.max_samples=1")


def test_a_retry_by_inspect_runs_the_same_agent_and_the_experiment_goes_on() -> None:
    is_out = True
    requests = iter(range(99))

    def answer(_: Request) -> Answer:
        number = next(requests)
        return 400 if is_out and number > 0 else HYPOTHESIS  # the first sample gets its answer

    with lab(answer) as (model, _):
        one_attempt = "--set 'options={retry_attempts: 0, max_samples: 1}'"
        options = f"--set solvers=[discoverybench/no_data_guess] --model {model} {one_attempt}"
        failed(f"run small.yaml {options}")
        [log] = logs()
        is_out = False
        retry = inspect_command.invoke("eval-retry", log.location, "--log-dir", "logs/small")
        assert retry.exit_code == 0, retry.output
        completed(f"run small.yaml {options}")
    samples = read_results(["logs/small"]).samples
    assert set(samples.agent) == {"no_data_guess"}
    assert len(samples) == 2
