"""Data files: which may be copied into a sandbox, and that those in the sandbox are the ones that were checked."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import Task, eval_retry
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.solver import Generate, Solver, SolverSpec, TaskState, solver
from inspect_ai.util import sandbox, store

from inspect_discoverybench import custom
from inspect_discoverybench.errors.exceptions import DataError
from tests.dataset.studies import load, study, write_study


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files and links of every kind."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "link.csv").symlink_to("metadata_0.json")
    (folder / "keys.csv").symlink_to("/proc/self/environ")
    (folder / "loop.csv").symlink_to("loop.csv")
    os.mkfifo(folder / "pipe.csv")
    (folder / "a:b.csv").write_text("x,y\n1,2\n", "utf-8")
    (folder / "key.csv").write_text("dataset,metadataid,query_id,gold_hypo\nmine,0,0,So.\n", "utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../a.csv", r"'\.\./a\.csv' is not inside the folder .*relative path"),
        ("keys.csv", "'keys.csv' .* a link to a file outside"),
        ("loop.csv", "'loop.csv' cannot be found"),
        ("a:b.csv", r"has a reserved name, or ':' .* Rename it"),
        ("./trial-2/a.csv", "reserved name"),  # the folder that the solver reflexion creates for its second trial
        ("pipe.csv", "'pipe.csv' does not exist, or is not a regular file"),
        ("metadata_0.json", "is a metadata file, which the agent must not see"),
        ("link.csv", "is a metadata file, which the agent must not see"),
        ("hard.csv", "is a metadata file, which the agent must not see"),
        ("tables/hard.csv", "is a metadata file, which the agent must not see"),
        ("key.csv", r"key\.csv.*the answer key.*the agent must not see"),
    ],
)
def test_a_file_that_must_not_be_copied_to_a_sandbox_is_refused(folder: Path, name: str, message: str) -> None:
    write_study(folder, study(name))
    (folder / "tables").mkdir()
    for link in ("hard.csv", "tables/hard.csv"):
        (folder / link).hardlink_to(folder / "metadata_0.json")
    key = folder / "key.csv"
    with pytest.raises(DataError, match=message):
        load(folder, key)


@solver
def list_files() -> Solver:
    """Store the names of the files in the sandbox."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        listing = await sandbox().exec(["find", ".", "-type", "f"])
        files = listing.stdout.splitlines()
        store().set("files", sorted(files))
        return state

    return solve


def run(task: Task, solver: Solver | SolverSpec) -> EvalLog:
    judge = {"grader": "discoverybench/lexical"}
    [log] = inspect_eval(task, model="none", model_roles=judge, solver=solver, fail_on_error=False)
    return read_eval_log(log.location)


def to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def change(path: Path) -> None:
    path.write_text("x,y\n1,2\n3,5\n", "utf-8")


DAMAGES: dict[str, Callable[[Path], None]] = {
    "removed": Path.unlink,
    "changed": change,
    "folder": to_folder,
}


def test_damaged_files_are_named_and_a_retry_completes_the_eval(tmp_path: Path) -> None:
    root = tmp_path / "studies"
    for folder in ("intact", *DAMAGES):
        write_study(root / folder)
    backup = shutil.copytree(root, tmp_path / "backup")
    task = custom(path=str(root), sandbox="local")
    for folder, damage in DAMAGES.items():
        damage(root / folder / "a.csv")

    log = run(task, SolverSpec("discoverybench/gold"))
    errors = {}
    for sample in log.samples or []:
        if sample.error:
            errors[sample.metadata["dataset"]] = sample.error.message
    assert errors.keys() == DAMAGES.keys()
    for folder, message in errors.items():
        assert f"{folder}/a.csv " in message
        assert "inspect eval-retry" in message

    shutil.rmtree(root)
    shutil.copytree(backup, root)
    [retried] = eval_retry(log)
    assert retried.status == "success"
    assert retried.results
    assert retried.results.completed_samples == len(DAMAGES) + 1


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which programs are found. It has a shell, and no program that computes checksums."""
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "sh").symlink_to("/bin/sh")
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.mark.usefixtures("programs")
def test_if_a_sandbox_cannot_compute_checksums_the_error_says_so(tmp_path: Path) -> None:
    """The error does not say that the data file has changed."""
    task = custom(path=str(write_study(tmp_path / "mine")), sandbox="local")
    log = run(task, SolverSpec("discoverybench/gold"))
    [sample] = log.samples or []
    assert sample.error
    assert "cannot be checked in the sandbox (exit code 127): neither sha256sum nor shasum" in sample.error.message
    assert "The sandbox needs `sh` and `sha256sum`." in sample.error.message


def test_checksums_are_computed_with_the_program_of_macos(tmp_path: Path, programs: Path) -> None:
    sha256sum = shutil.which("sha256sum", path=os.defpath)
    # macOS has no sha256sum. Its shasum computes SHA-256 if it is called with these arguments.
    shasum = programs / "shasum"
    shasum.write_text(f'#!/bin/sh\n[ "$*" = "-a 256" ] && exec {sha256sum}\n', "utf-8")
    shasum.chmod(0o755)
    task = custom(path=str(write_study(tmp_path / "mine")), sandbox="local")
    log = run(task, SolverSpec("discoverybench/gold"))
    [sample] = log.samples or []
    assert not sample.error


def test_files_keep_their_names_in_the_sandbox_and_the_log_has_no_paths_of_this_machine(tmp_path: Path) -> None:
    # With a space, with letters beyond ASCII, like an option of a program, with another case, and long.
    names = ["a.csv", "tables/b c.csv", "tables/größe.csv", "-rf.csv", "d.CSV", f"{'long' * 30}.csv"]
    folder = write_study(tmp_path / "mine", study(*names))
    (folder / "tables").mkdir()
    for name in names:
        (folder / name).write_text("x,y\n1,2\n", "utf-8")

    task = custom(path=str(folder), sandbox="local")
    log = run(task, list_files())
    [sample] = log.samples or []
    assert not sample.error
    in_sandbox = [name.removeprefix("./") for name in sample.store["files"]]
    assert in_sandbox == sorted(names)
    assert list(sample.metadata["data_checksums"]) == names
    # The log has the path only as the argument that was passed to the task.
    arguments = {"eval": {"task_args", "task_args_passed"}}
    assert str(folder) not in log.model_dump_json(exclude=arguments)
