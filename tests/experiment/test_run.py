"""Running experiments: killed in the middle, they go on where they were; what cannot run fails before anything runs."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextvars import copy_context
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from inspect_discoverybench.cli.main import main
from tests.endpoint import serve, tool_call

STUDY = Path(__file__).parents[2] / "examples" / "lighthouses" / "metadata_0.json"
COMMAND = Path(sys.executable).with_name("discoverybench")
MATRIX = """
name: small
tasks: [discoverybench/demo]
solvers: [discoverybench/codegen, discoverybench/react, discoverybench/no_data_guess]
models: [discoverybench/baseline, {name: discoverybench/baseline, config: {temperature: 0.5}}]
log_dir: logs/small
"""


def invoke(*arguments: str) -> Result:
    """In a context of its own: `eval_set` leaves its model behind, which later tests would find."""
    return copy_context().run(CliRunner().invoke, main, ["run", *arguments])


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "small.yaml").write_text(MATRIX, "utf-8")
    return "small.yaml"


def logs() -> list[EvalLog]:
    """Every log of the folder that can be read."""
    return [read_eval_log(info) for info in list_eval_logs("logs/small")]


def finished(found: list[EvalLog]) -> Counter[str | None]:
    """Samples that have ended, by the id that Inspect gives to each run of a sample."""
    return Counter(sample.uuid for log in found for sample in log.samples or [] if sample.scores)


def test_killed_in_the_middle_it_goes_on_and_runs_nothing_twice(file: str, tmp_path: Path) -> None:
    sandboxes = tmp_path / "sandboxes"
    sandboxes.mkdir()
    process = subprocess.Popen(
        [str(COMMAND), "run", file],
        env=os.environ | {"TMPDIR": str(sandboxes)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    before: Counter[str | None] = Counter()
    while len(before) < 10:
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.5)
        before = finished(logs()) if Path("logs/small").is_dir() else before
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    shutil.rmtree(sandboxes)  # the sessions that it left behind end with their folders
    before = finished(logs())
    assert 10 <= len(before) < 48

    done = subprocess.run([str(COMMAND), "run", file], capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    complete = [log for log in logs() if log.status == "success"]
    assert len(complete) == 6
    after = finished(complete)
    assert len(after) == 48
    # A sample that had ended is taken over, with the id of the run that ended it.
    assert set(before) <= set(after)

    again = invoke(file)
    assert again.exit_code == 0, again.output
    assert "6 of 6 runs are complete." in again.output
    assert finished([log for log in logs() if log.status == "success"]) == after


def test_a_dry_run_shows_the_matrix_and_runs_nothing(file: str) -> None:
    done = invoke(file, "--dry-run", "--limit", "3")
    assert done.exit_code == 0
    assert "small: logs in logs/small" in done.output
    assert "6 runs" in done.output
    assert not Path("logs/small").exists()


def test_the_estimate_is_arithmetic_on_the_measured_averages(file: str, tmp_path: Path) -> None:
    import json

    (tmp_path / "prices.toml").write_text('"discoverybench/baseline" = [1000000, 0]\n', "utf-8")
    changes = ["--set", "epochs=2", "--limit", "3", "--prices", "prices.toml"]
    done = invoke(file, "--dry-run", "--json", *changes)
    assert done.exit_code == 0, done.output
    runs = json.loads(done.output)["runs"]
    codegen = next(run for run in runs if run["solver"]["name"] == "discoverybench/codegen")
    assert (codegen["samples"], codegen["calls"], codegen["judge_calls"]) == (6, 12, 30)
    assert codegen["cost"] == codegen["read"] == 6 * 4744


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--set", "solvers=[discoverybench/genius]"], "small.yaml:4: solver discoverybench/genius: "),
        (["--set", "tasks=[discoverybench/genius]"], "small.yaml:3: task discoverybench/genius: "),
        (
            ["--set", "tasks=[{name: discoverybench/demo, args: {colour: red}}]"],
            "small.yaml:3: task discoverybench/demo: ",
        ),
        (
            ["--set", "tasks=[{name: discoverybench/demo, args: {sandbox: x}}]"],
            "small.yaml:3: sandbox=x is not a sandbox",
        ),
        (
            ["--set", "solvers=[{name: discoverybench/react, args: {turns: 0}}]"],
            "small.yaml:4: turns=0 is not possible",
        ),
        (["--model", "openai/gpt-4o"], "small.yaml:5: model openai/gpt-4o cannot be called: "),
        (["--set", "grader=openai/gpt-4o"], "model openai/gpt-4o cannot be called: "),
        (
            ["--set", "models=[{name: discoverybench/baseline, config: {heat: 1}}]"],
            "small.yaml:5: model discoverybench/",
        ),
        (["--set", "nmae=x"], "there is no such key; did you mean name?"),
        (
            ["--set", "limits.cost=1", "--set", "roles={critic: mockllm/x}"],
            "not so: discoverybench/baseline, mockllm/x. Limit tokens instead.",
        ),
        (["--prices", "nowhere.toml"], "--prices nowhere.toml cannot be read"),
    ],
)
def test_what_cannot_run_fails_before_anything_runs(file: str, arguments: list[str], line: str) -> None:
    done = invoke(file, *arguments)
    assert done.exit_code == 2
    assert line in done.output
    assert len(done.output.strip().splitlines()) == 1
    assert not Path("logs").exists()


@pytest.mark.data
@pytest.mark.usefixtures("upstream")
def test_a_default_judge_without_a_key_fails_before_anything_runs(file: str) -> None:
    done = invoke(file, "--set", "tasks=[{name: discoverybench/real, args: {sandbox: local}}]")
    assert done.exit_code == 2
    assert "small.yaml:2: no grader is named, and the default one cannot be called: " in done.output
    assert not Path("logs").exists()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    done = invoke("nowhere.yaml", "--check")
    assert done.exit_code == 2
    assert "nowhere.yaml cannot be read" in done.output


def test_check_says_what_could_be_run(file: str) -> None:
    done = invoke(file, "--check")
    assert done.exit_code == 0
    assert done.output == "small.yaml: 6 runs of 48 samples can be run.\n"


def test_a_limit_of_cost_over_http(file: str) -> None:
    with serve(lambda _: tool_call("submit", hypothesis="y rises with x.", workflow="1. load")) as endpoint:
        changes = ["--set", "limits.cost=1", "--set", "solvers=[discoverybench/no_data_guess]", "--limit", "1"]
        done = subprocess.run(
            [str(COMMAND), "run", file, *changes, "--model", "openai/gpt-4o-mini"],
            env=os.environ | {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "test"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    [log] = logs()
    assert log.eval.config.cost_limit == 1
    assert log.stats.model_usage["openai/gpt-4o-mini"].total_cost


def test_a_folder_of_other_logs_is_one_line(file: str) -> None:
    Path("logs/small").mkdir(parents=True)
    changes = ["--set", "solvers=[discoverybench/no_data_guess]", "--limit", "1"]
    first = subprocess.run([str(COMMAND), "run", file, *changes], capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stdout + first.stderr
    other = ["--set", "tasks=[{name: discoverybench/judge_audit, args: {released: false}}]", "--limit", "1"]
    done = subprocess.run([str(COMMAND), "run", file, *other], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Error: small.yaml: " in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_samples_with_errors_leave_it_incomplete(file: str) -> None:
    # The pairs of an audit are no tasks for an agent, so every sample is an error.
    changes = ["--set", "tasks=[{name: discoverybench/judge_audit, args: {released: false}}]", "--limit", "1"]
    done = invoke(file, *changes, "--set", "solvers=[discoverybench/no_data_guess]", "--retries", "0")
    assert done.exit_code == 1
    assert "0 of 2 runs are complete." in done.output


PLAIN = """
name: plain
tasks: [discoverybench/demo]
solvers: [{name: discoverybench/react, args: {turns: 9}}]
models: [{name: discoverybench/baseline, config: {temperature: 0.5}}]
grader: discoverybench/lexical
limits: {samples: 1, messages: 40}
tags: [one]
log_dir: logs/plain
"""


@pytest.mark.parametrize("form", ["commands", "run-config", "flow"])
def test_a_cell_runs_in_plain_inspect(tmp_path: Path, form: str) -> None:
    (tmp_path / "plain.yaml").write_text(PLAIN, "utf-8")
    printed = invoke("plain.yaml", "--print", form)
    assert printed.exit_code == 0, printed.output
    if form == "commands":
        [line] = printed.output.splitlines()
        words = shlex.split(line)
        assert words[:2] == ["inspect", "eval"]
    elif form == "flow":
        (tmp_path / "flow.yaml").write_text(printed.output, "utf-8")
        words = ["flow", "run", "flow.yaml"]
    else:
        (tmp_path / "run.yaml").write_text(printed.output, "utf-8")
        words = ["inspect", "eval", "--run-config", "run.yaml", "--log-dir", "logs/plain"]
    # A home of its own for what inspect-flow remembers, and the folder of `uv`, which it calls.
    environment = os.environ | {"HOME": str(tmp_path), "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [str(COMMAND.with_name(words[0])), *words[1:]],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [info] = list_eval_logs("logs/plain")
    log = read_eval_log(info)
    assert log.status == "success"
    assert log.samples
    assert len(log.samples) == 1
    last = log.plan.steps[-1]
    assert (last.solver, last.params_passed) == ("inspect_discoverybench/react", {"turns": 9})
    assert log.eval.model_generate_config.temperature == 0.5 or log.plan.config.temperature == 0.5
    assert log.eval.config.message_limit == 40
    assert sorted(log.eval.tags or []) == ["one", "plain"]
    assert log.eval.metadata
    assert log.eval.metadata["experiment"] == "plain"


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            "tasks=[{name: discoverybench/custom, args: {path: X, goal: 'a, b?', sandbox: local}}]",
            "-T goal=a, b? would not",
        ),
        ("models.0.config.stop_seqs=[x]", "stop_seqs=['x'] has no place in a command"),
        (
            "grader={name: discoverybench/lexical, base_url: 'http://127.0.0.1:1'}",
            "role grader: base_url and args have no",
        ),
    ],
)
def test_a_command_refuses_what_would_not_arrive(tmp_path: Path, change: str, line: str) -> None:
    (tmp_path / "plain.yaml").write_text(PLAIN, "utf-8")
    done = invoke("plain.yaml", "--print", "commands", "--set", change.replace("X", str(STUDY)))
    assert done.exit_code == 2, done.output
    assert line in done.output
    assert "use --print run-config." in done.output


def test_models_that_differ_in_their_address_alone_are_refused(file: str) -> None:
    lab = '{name: discoverybench/baseline, base_url: "http://127.0.0.1:1"}'
    done = invoke(file, "--check", "--set", f"models=[discoverybench/baseline, {lab}]")
    assert done.exit_code == 2
    assert "(a base_url makes no difference)" in done.output


def test_the_packages_own_experiments_have_names() -> None:
    done = invoke("demo", "--check")
    assert done.exit_code == 0, done.output
    assert "3 runs of 24 samples" in done.output


ONE = ["--metadata", str(STUDY), "--model", "discoverybench/baseline", "--sandbox", "local", "--solver", "codegen"]


def test_one_goal_with_a_gold_hypothesis_is_scored() -> None:
    import json

    goal = json.loads(STUDY.read_text("utf-8"))["queries"][0]["question"]
    task = ["--task", "discoverybench/custom", "--grader", "discoverybench/lexical"]
    done = invoke(*ONE, *task, "--goal", f" {goal.upper()}\n")
    assert done.exit_code == 0, done.output
    assert "Hypothesis: " in done.output
    assert "Workflow: Rule-based baseline" in done.output
    assert "HMS " in done.output
    assert "= context" in done.output


def test_one_goal_in_words_of_ones_own_is_answered_and_not_scored() -> None:
    done = invoke(*ONE, "--goal", "How do visitors depend on the height of the tower?")
    assert done.exit_code == 0, done.output
    assert "Hypothesis: " in done.output
    assert "HMS" not in done.output
    [info] = list_eval_logs("logs")
    log = read_eval_log(info)
    assert log.samples
    assert log.samples[0].target == ""
    assert log.samples[0].scores in (None, {})


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "Name a FILE; or --metadata, --goal and one --model."),
        ([*ONE, "--goal", "  "], "goal is empty; ask something of the data."),
        (
            [*ONE, "--goal", "Why?", "--metadata", "nowhere.json"],
            "path=nowhere.json: with a goal of your own, name one",
        ),
        ([*ONE, "--goal", "Why?", "--solver", "genius"], "discoverybench/genius"),
        ([*ONE, "--goal", "Why?", "--sandbox", "chroot"], "sandbox=chroot is not a sandbox of this task"),
        (
            ["small.yaml", "--goal", "Why?"],
            "--goal is for one goal without a FILE; a FILE says it itself, or --set does.",
        ),
    ],
)
def test_one_goal_that_cannot_be_asked(file: str, arguments: list[str], line: str) -> None:
    done = invoke(*arguments)
    assert done.exit_code == 2, done.output
    assert line in done.output
    assert "Traceback" not in done.output
