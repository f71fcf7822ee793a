"""Data files: which may be copied into a sandbox, and that those in the sandbox are the ones that were checked."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import Task, eval_retry, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import sandbox, store

from inspect_discoverybench import custom, demo, real
from inspect_discoverybench.errors.exceptions import DataError
from tests.dataset.studies import load, study, write_study


@pytest.mark.parametrize("name", ["./x.csv", "a table é.csv", "X.CSV", "deep/er/x.csv", "-x.csv"])
def test_a_data_file_keeps_its_relative_path(tmp_path: Path, name: str) -> None:
    folder = write_study(tmp_path, study(name))
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x,y\n1,2\n", "utf-8")
    [sample] = load(folder)
    assert sample.files == {name: str(path.resolve())}
    assert name in str(sample.input)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files and links of every kind."""
    folder = tmp_path / "mine"
    (folder / "folder").mkdir(parents=True)
    (folder / "link.csv").symlink_to("metadata_0.json")
    (folder / "keys.csv").symlink_to("/proc/self/environ")
    (folder / "loop.csv").symlink_to("loop.csv")
    (folder / "dangling.csv").symlink_to("nowhere.csv")
    os.mkfifo(folder / "pipe.csv")
    (folder / "a:b.csv").write_text("x,y\n1,2\n", "utf-8")
    (folder / "key.csv").write_text("dataset,metadataid,query_id,gold_hypo\nmine,0,0,So.\n", "utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../a.csv", r"'\.\./a\.csv' is not inside the folder .*relative path"),
        ("/etc/hostname", "'/etc/hostname' is not inside the folder"),
        ("keys.csv", "'keys.csv' .* a link to a file outside"),
        ("loop.csv", "'loop.csv' cannot be found"),
        ("a:b.csv", r"has a reserved name, or ':' .* Rename it"),
        ("./.session/a.csv", "reserved name"),
        ("trial-2/a.csv", "reserved name"),
        ("folder", "'folder' does not exist, or is not a regular file"),
        ("pipe.csv", "'pipe.csv' does not exist, or is not a regular file"),
        ("dangling.csv", "'dangling.csv' does not exist, or is not a regular file"),
        ("metadata_0.json", "is a metadata file, which the agent must not see"),
        ("link.csv", "is a metadata file, which the agent must not see"),
        ("hard.csv", "is a metadata file, which the agent must not see"),
        ("key.csv", r"key\.csv.*the answer key.*the agent must not see"),
    ],
)
def test_a_file_that_must_not_be_copied_to_a_sandbox_is_refused(folder: Path, name: str, message: str) -> None:
    write_study(folder, study(name))
    (folder / "hard.csv").hardlink_to(folder / "metadata_0.json")
    key = folder / "key.csv"
    with pytest.raises(DataError, match=message):
        load(folder, key)


damages: list[Callable[[], None]] = []
"""What the model does to the data folder at its first call."""


@modelapi(name="vandal")
class Vandal(ModelAPI):
    """Damages the data at its first call; submits at every call. Made anew by its name when an eval is retried."""

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - the name in Inspect's interface
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        while damages:
            damage = damages.pop()
            damage()
        arguments = {"hypothesis": "y rises.", "workflow": ""}
        output = ModelOutput.for_tool_call(self.model_name, "submit", arguments)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output


@solver
def read_back() -> Solver:
    """Store what is in the sandbox, then answer in words."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        listing = await sandbox().exec(["find", ".", "-type", "f"])
        files = listing.stdout.split("\n")
        store().set("files", sorted(files))
        return await generate(state, tool_calls="none")

    return solve


def run(task: Task, solver: Solver | None = None) -> EvalLog:
    judge = {"grader": "discoverybench/lexical"}
    [log] = inspect_eval(
        task, model="vandal/model", model_roles=judge, solver=solver, max_samples=1, fail_on_error=False
    )
    return read_eval_log(log.location)


def samples_of(log: EvalLog, with_error: bool) -> list[EvalSample]:
    return [sample for sample in log.samples or [] if bool(sample.error) == with_error]


def to_folder(path: Path) -> None:
    path.unlink()
    (path / "inner").mkdir(parents=True)


def one_character(path: Path) -> None:
    path.write_text("x,y\n1,2\n3,5\n", "utf-8")


DAMAGES: dict[str, Callable[[Path], None]] = {
    "file_removed": Path.unlink,
    "one_character": one_character,
    "folder": to_folder,
}


def test_damaged_files_are_named_and_a_retry_completes_the_eval(tmp_path: Path) -> None:
    root = tmp_path / "studies"
    for folder in ("0_first", *DAMAGES, "z_last"):
        write_study(root / folder)
    shutil.copytree(root, tmp_path / "backup")

    def damage() -> None:
        for folder, change in DAMAGES.items():
            change(root / folder / "a.csv")

    damages.append(damage)
    log = run(custom(path=str(root), sandbox="local"))
    failed = samples_of(log, with_error=True)
    assert {sample.metadata["dataset"] for sample in failed} == DAMAGES.keys()
    for sample in failed:
        dataset = sample.metadata["dataset"]
        assert sample.error
        message = sample.error.message
        assert f"{dataset}/a.csv " in message
        assert "inspect eval-retry" in message
        assert not sample.model_usage, "the error comes before the first model call"
    assert len(samples_of(log, with_error=False)) == 2

    shutil.rmtree(root)
    shutil.copytree(tmp_path / "backup", root)
    [retried] = eval_retry(log)
    assert retried.status == "success"
    samples = read_eval_log(retried.location).samples or []
    assert len(samples) == len(DAMAGES) + 2
    for sample in samples:
        assert sample.scores
        assert not sample.error


def test_files_keep_their_names_in_the_sandbox_and_the_log_has_no_paths_of_this_machine(tmp_path: Path) -> None:
    names = ["a.csv", "tables/b c.csv", "tables/größe.csv", "-rf.csv", "d.CSV", f"{'long' * 30}.csv"]
    folder = write_study(tmp_path / "wide", study(*names))
    (folder / "tables").mkdir()
    for name in names:
        (folder / name).write_text("x,y\n1,2\n", "utf-8")
    task = custom(path=str(folder), sandbox="local")
    log = run(task, read_back())
    [sample] = log.samples or []
    assert not sample.error
    in_sandbox = [name.removeprefix("./") for name in sample.store["files"]]
    assert in_sandbox == ["", *sorted(names)]
    assert list(sample.metadata["data_checksums"]) == names
    arguments = {"eval": {"task_args", "task_args_passed"}}
    assert str(folder) not in log.model_dump_json(exclude=arguments)


@pytest.mark.usefixtures("upstream")
def test_samples_of_two_tasks_have_their_data() -> None:
    task = real(split="train", dataset="nls_bmi", sandbox="local")
    samples = [task.dataset[0], demo().dataset[0]]
    both = task_with(task, dataset=MemoryDataset(samples))
    log = run(both, read_back())
    assert log.status == "success", log.error
    files = [sample.store["files"][1] for sample in log.samples or []]
    assert sorted(files) == ["./data.csv", "./nls_bmi_processed.csv"]
