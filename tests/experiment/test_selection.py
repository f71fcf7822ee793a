"""The samples that an experiment plans are those that Inspect runs."""

from pathlib import Path

import pytest
from inspect_ai import Task, task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample

from inspect_discoverybench.experiment.change import Change
from inspect_discoverybench.experiment.eval_set import build_eval_set
from inspect_discoverybench.experiment.experiment_file import ExperimentFile
from inspect_discoverybench.experiment.options import eval_arguments
from tests.command_line import refused

ONE = "demo/ferry-operations_0_0/0/3"


@task
def unnamed_samples() -> Task:
    """Twelve samples without ids. Inspect numbers them from 1 to 12, and compares numbers with leading zeros."""
    return Task(dataset=[Sample(input=text) for text in "abcdefghijkl"])


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    "changes",
    [
        ("limits={}",),
        ("limits.samples=3",),
        ("limits.samples=99",),
        ("options.sample_shuffle=7",),
        ("options.sample_shuffle=7", "limits={}"),
        ("options.sample_shuffle=0",),  # Inspect does not shuffle with this seed
        (f"options.sample_id={ONE}", "limits={}", "tasks=[discoverybench/demo]"),
        ("options.sample_id=[demo/b*, '*/6']", "limits={}", "tasks=[discoverybench/demo]"),
        ("options.sample_id=['discoverybench/demo:demo/b*', '2']", "limits={}"),
        ("options.sample_id='1'", "limits={}", "tasks=[unnamed_samples]"),
        ("options.sample_id=['*1', '007']", "limits={}", "tasks=[unnamed_samples]"),
        ("options.sample_id=2", "limits={}", "tasks=[unnamed_samples]"),
        ("options.sample_id=[2, 11]", "limits={}", "tasks=[unnamed_samples]"),
        # Names of tasks are compared without case.
        ("options.sample_id=['DiscoveryBench/Demo:demo/b*', 'UNNAMED_SAMPLES:*1']", "limits={}"),
        ("options.sample_shuffle=3", "limits.samples=4"),
    ],
)
def test_planned_samples_are_those_that_inspect_runs(changes: tuple[str, ...]) -> None:
    first = ("tasks=[discoverybench/demo, unnamed_samples]", "solvers=[discoverybench/goal_echo]")
    all_changes = tuple(Change.parse(change) for change in (*first, *changes))
    eval_set = build_eval_set(ExperimentFile(Path("gold.yaml"), all_changes))
    logs = inspect_eval(
        [run.task for run in eval_set.runs], run_samples=False, log_dir="dry", **eval_arguments(eval_set.arguments)
    )
    for run, log in zip(eval_set.runs, logs, strict=True):
        assert [*run.samples] == log.eval.dataset.sample_ids


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ("options.sample_id=x", "options.sample_id and limits.samples exclude each other. Omit one."),
        (
            "limits={} options.sample_id=x options.sample_shuffle=7",
            "options.sample_id and options.sample_shuffle exclude each other. Omit one.",
        ),
        ("limits={} options.sample_id=[x,y]", "options.sample_id: no sample of discoverybench/demo matches x, y."),
        # Inspect compares the numbers of these samples with 20 digits, so all begin with 0.
        ("limits={} options.sample_id=1* tasks=[unnamed_samples]", "no sample of unnamed_samples matches 1*."),
    ],
)
@pytest.mark.parametrize("command", ["run", "run --shard 1/2", "run --dry-run", "status"])
def test_selections_that_are_not_possible_are_refused(command: str, changes: str, message: str) -> None:
    options = " ".join(f"--set {change}" for change in changes.split())
    assert message in refused(f"{command} gold.yaml {options}")
    assert not Path("logs").exists()
