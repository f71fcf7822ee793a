"""`discoverybench status`: how far an experiment is, before, while and after it runs."""

import itertools
import re
import threading
import time
from pathlib import Path

import pytest

from inspect_discoverybench.experiment.eval_set import build_eval_set
from inspect_discoverybench.experiment.experiment_file import ExperimentFile
from inspect_discoverybench.experiment.log_lock import is_locked, locked
from inspect_discoverybench.experiment.progress import ShardState, read_progress
from inspect_discoverybench.experiment.shard import Shard
from tests import inspect_command
from tests.command_line import completed, discoverybench, failed, lab, refused
from tests.endpoint import Answer, Request, question, tool_call
from tests.experiment.experiments import logs, start, wait_until

HYPOTHESIS = tool_call("submit", hypothesis="y rises with x.", workflow="1. load")
NO_DATA_GUESS = "--set solvers=[discoverybench/no_data_guess]"
TWO = """
name: two
tasks: [discoverybench/demo]
solvers: [discoverybench/no_data_guess]
models: [MODEL]
log_dir: logs/small
limits: {samples: 2}
options: {max_samples: 1}
"""


def counts(output: str) -> list[str]:
    """The numbers of each row: samples, finished, unscored, errors and missing."""
    return [" ".join(row.split()) for row in re.findall(r"((?: +\d+){5}) *$", output, re.MULTILINE)]


def test_before_the_first_run_everything_is_missing_and_nothing_is_written() -> None:
    output = failed("status small.yaml --set epochs=3")
    # Two samples in three epochs, in each of four runs.
    assert counts(output) == ["6 0 0 0 6"] * 4
    assert "To continue, run: discoverybench run small.yaml --set epochs=3\n" in output
    assert "A process is running it." not in output
    assert not Path("logs").exists()


def test_a_finished_experiment_exits_with_0_and_with_a_higher_limit_its_samples_are_missing() -> None:
    completed("run small.yaml")
    output = completed("status small.yaml")
    assert counts(output) == ["2 2 0 0 0"] * 4
    assert "To make a report, run: discoverybench report logs/small" in output
    output = failed("status small.yaml --limit 3")
    assert counts(output) == ["3 2 0 0 1"] * 4
    assert "To continue, run: discoverybench run small.yaml --limit 3\n" in output


@pytest.mark.usefixtures("command_line")
def test_a_running_experiment_is_read_while_it_runs() -> None:
    may_finish = threading.Event()
    numbers = itertools.count(1)

    def answer(_: Request) -> Answer:
        if next(numbers) == 2:  # the request of the second sample, after the first one is finished
            may_finish.wait(240)
        return HYPOTHESIS

    with lab(answer) as (model, _):
        process = start(TWO, model)
        wait_until(lambda: [sample for log in logs() for sample in log.samples or []], process)
        while_running = failed("status experiment.yaml")
        may_finish.set()
        process.communicate(timeout=240)
        afterwards = completed("status experiment.yaml")
    assert counts(while_running) == ["2 1 0 0 1"]
    assert "A process is running it." in while_running
    assert "To continue" not in while_running
    assert counts(afterwards) == ["2 2 0 0 0"]


@pytest.mark.usefixtures("slow")
def test_unscored_samples_and_errors_are_counted() -> None:
    def answer(request: Request) -> Answer:
        if question(request):
            return "I would rather not say."
        return 400 if "ferry" in str(request["messages"]) else HYPOTHESIS

    with lab(answer) as (model, _):
        options = f"{NO_DATA_GUESS} --model {model} --set grader={model} --limit 8"
        discoverybench(f"run small.yaml {options} --set options.fail_on_error=false")
        output = failed(f"status small.yaml {options}")
    # One of the eight studies is about a ferry. Samples, finished, unscored, errors and missing.
    assert counts(output) == ["8 0 7 1 0"]


def test_a_task_without_a_score_is_finished() -> None:
    study = Path(__file__).parents[2] / "examples/lighthouses/metadata_0.json"
    # The study does not have this goal, so there is no gold hypothesis, and no score.
    task = f"{{name: discoverybench/custom, args: {{path: {study}, goal: Why, sandbox: local}}}}"
    options = f"{NO_DATA_GUESS} --model discoverybench/baseline --set 'tasks=[{task}]'"
    completed(f"run small.yaml {options}")
    # Samples, finished, unscored, errors and missing.
    assert counts(completed(f"status small.yaml {options}")) == ["1 1 0 0 0"]


def test_a_shard_that_has_no_log_yet_is_found_by_its_folder() -> None:
    with locked("logs/small/shard-2-of-4"):
        output = failed("status small.yaml")
    assert "Shards running: 2 (of 4)\nShards missing: 1,3,4 (of 4)\n" in output
    assert "To continue, run: discoverybench run small.yaml --shard 1/4\n" in output


@pytest.mark.parametrize(
    "name",
    [
        "shard-1-of-x",
        "shard-old-of-4",
        "shard-1-of-2-copy",
        "shard-1-of-1000000000",  # more than `MAX_SHARDS`
        # The number of a shard has as many digits as their count: 01-of-10, and 1-of-4.
        "shard-1-of-10",
        "shard-001-of-4",
    ],
)
def test_another_folder_among_the_logs_is_no_shard(name: str) -> None:
    with locked(f"logs/small/{name}"):
        output = failed("status small.yaml")
    assert "Shards" not in output


def test_a_shard_that_ends_while_the_logs_are_read_is_running() -> None:
    folder = "logs/small/shard-2-of-4"
    log = Path(folder, "2026-01-01T00-00-00+00-00_demo_unfinished.eval")
    is_prepared = threading.Event()

    def run_shard() -> None:
        with locked(folder):
            log.write_bytes(b"PK")
            is_prepared.set()
            # `read_progress` tries for 2 s to read the incomplete log. So it is still reading when the shard ends, and
            # it succeeds because the log is removed.
            time.sleep(1)
            log.unlink()

    eval_set = build_eval_set(ExperimentFile(Path("small.yaml")))
    shard = threading.Thread(target=run_shard)
    shard.start()
    is_prepared.wait()
    progress = read_progress(eval_set)
    shard.join()
    assert not is_locked(folder)
    assert progress.shards[Shard(2, 4)] is ShardState.RUNNING
    assert progress.is_running


def test_logs_of_another_experiment_are_refused() -> None:
    completed("run gold.yaml")
    assert "does not belong to this experiment" in refused(f"status gold.yaml {NO_DATA_GUESS}")
    assert "does not belong to this experiment" in refused("status gold.yaml --set limits.messages=9")


def test_a_log_of_inspect_eval_whose_metadata_has_a_run_is_refused() -> None:
    command = "eval discoverybench/demo --model discoverybench/baseline --solver discoverybench/gold --limit 1"
    inspect_command.invoke(*command.split(), "--metadata", "run=3", "--log-dir", "logs/small")
    assert "does not belong to this experiment" in refused("status gold.yaml")


@pytest.mark.usefixtures("slow")
def test_the_last_attempt_of_a_sample_counts() -> None:
    is_out = True

    def answer(_: Request) -> Answer:
        return 502 if is_out else HYPOTHESIS

    with lab(answer) as (model, _):
        # Inspect repeats a failed request until the timeout: here for a second.
        options = f"{NO_DATA_GUESS} --model {model} --set options.retry_attempts=0 --set options.timeout=1"
        failed(f"run small.yaml {options} --set options.continue_on_fail=true")
        assert counts(failed(f"status small.yaml {options}")) == ["2 0 0 2 0"]
        is_out = False
        completed(f"run small.yaml {options}")
        assert counts(completed(f"status small.yaml {options}")) == ["2 2 0 0 0"]
    # Inspect removed the log of the first run after the second run had repeated the failed samples.
    assert len(logs()) == 1
