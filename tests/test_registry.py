"""Names of tasks, solvers and scorers on the command line and in logs."""

import pkgutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry, eval_set, task_with
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.solver import SolverSpec
from inspect_ai.util import registry_create, registry_info

import inspect_discoverybench
from inspect_discoverybench import demo, gold
from inspect_discoverybench.errors.exceptions import InvalidArgument

TASKS = Path(inspect_discoverybench.__file__).with_name("tasks.py")
GOLD = SolverSpec("discoverybench/gold")

FORMS: dict[str, Callable[[], Any]] = {
    "short name": lambda: "discoverybench/demo",
    "long name": lambda: "inspect_discoverybench/demo",
    "file": lambda: f"{TASKS}@demo",
    "function": lambda: demo,
    "task": demo,
}


def run(task: Any, **options: Any) -> EvalLog:
    [log] = inspect_eval(task, model="none", solver=GOLD, limit=1, **options)
    assert log.status == "success", log.error
    return log


def test_no_module_has_the_name_of_a_task() -> None:
    """Python binds a submodule to its name on the first import, in place of the task."""
    modules = {module.name for module in pkgutil.iter_modules(inspect_discoverybench.__path__)}
    assert modules.isdisjoint(inspect_discoverybench.__all__)


@pytest.mark.usefixtures("slow")
def test_solvers_and_the_scorer_are_imported_on_first_use() -> None:
    program = (
        "import sys; import inspect_discoverybench; "
        "assert 'inspect_discoverybench.solvers.codegen' not in sys.modules; "
        "assert 'inspect_discoverybench.scorer.scorer' not in sys.modules; "
        "from inspect_discoverybench import *; "
        "assert all(callable(globals()[name]) for name in inspect_discoverybench.__all__)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_misspelled_name_is_an_import_error() -> None:
    with pytest.raises(ImportError, match="cannot import name 'other_agent'"):
        exec("from inspect_discoverybench import other_agent")


def test_imported_solvers_run(tmp_path: Path) -> None:
    [log] = inspect_eval(task_with(demo(), solver=gold()), model="none", limit=1)
    assert log.status == "success"
    assert log.plan.steps[-1].solver == "inspect_discoverybench/gold"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.usefixtures("slow")
def test_a_task_has_the_same_name_however_it_is_created(form: str) -> None:
    log = run(FORMS[form]())
    assert log.eval.task == "discoverybench/demo"
    assert log.eval.task_display_name == "DiscoveryBench demo"
    [again] = eval_retry(log)
    assert again.status == "success"
    assert again.eval.task == "discoverybench/demo"
    assert again.eval.task_id == log.eval.task_id


def test_an_eval_set_can_be_resumed_under_an_alias(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    for form in ("short name", "long name", "function"):
        task = FORMS[form]()
        complete, _ = eval_set(task, str(folder), model="none", solver=GOLD, limit=1, retry_attempts=0)
        assert complete
    logs = list(folder.glob("*.eval"))
    assert len(logs) == 1


@pytest.mark.parametrize("package", ["discoverybench", "inspect_discoverybench"])
def test_solvers_and_the_scorer_have_both_names(package: str) -> None:
    scorer = registry_create("scorer", f"{package}/hms")
    assert registry_info(scorer).name == "inspect_discoverybench/HMS"
    solver = SolverSpec(f"{package}/gold")
    [log] = inspect_eval(
        demo(),
        model="none",
        solver=solver,
        limit=1,
    )
    assert log.eval.solver == f"{package}/gold"
    # The registered name, whichever name the user wrote.
    assert log.plan.steps[-1].solver == "inspect_discoverybench/gold"


@pytest.mark.parametrize("package", ["discoverybench", "inspect_discoverybench"])
def test_unknown_arguments_of_a_solver_are_refused_with_the_nearest_name(package: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        registry_create("solver", f"{package}/react", turs=3)
    assert refusal.value.message == (
        "react has no argument turs. Did you mean turns? Possible arguments: turns, actions, cell_seconds."
    )


@pytest.mark.usefixtures("command_line")
def test_a_log_can_be_retried_from_an_empty_folder(tmp_path: Path) -> None:
    """The log is of an eval in Python, in which Inspect knows the task only by its long name."""
    log = run(demo())
    folder = tmp_path / "empty"
    folder.mkdir()
    logs = tmp_path / "again"
    command = [sys.executable, "-m", "inspect_ai", "eval-retry", log.location, "--log-dir", str(logs)]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    [file] = logs.iterdir()
    again = read_eval_log(str(file), header_only=True)
    assert again.status == "success"
    assert again.eval.task == "discoverybench/demo"
    assert again.eval.task_id == log.eval.task_id
    assert not list(folder.iterdir())
