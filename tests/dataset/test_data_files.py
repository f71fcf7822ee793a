"""Data that change between the build of a task and the start of a sample are an error that names the file."""

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from inspect_ai import Task, eval_retry, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import sandbox, store

from inspect_discoverybench import custom, demo, real
from tests.dataset.studies import study, write_study

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
            damages.pop()()
        output = ModelOutput.for_tool_call(self.model_name, "submit", {"hypothesis": "y rises.", "workflow": ""})
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output


@solver
def read_back() -> Solver:
    """Store what is in the sandbox, then answer in words."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        listing = await sandbox().exec(["find", ".", "-type", "f"])
        store().set("files", sorted(listing.stdout.split("\n")))
        return await generate(state, tool_calls="none")

    return solve


def write_studies(root: Path, folders: Iterable[str]) -> Path:
    for folder in folders:
        write_study(root / folder, table="x,y\n" + "".join(f"{n},{2 * n}\n" for n in range(20)))
    return root


def run(task: Task, solver: Solver | None = None) -> EvalLog:
    judge = {"grader": "discoverybench/lexical"}
    [log] = inspect_eval(
        task, model="vandal/model", model_roles=judge, solver=solver, max_samples=1, fail_on_error=False
    )
    return read_eval_log(log.location)


def errors(log: EvalLog) -> dict[str, str]:
    """Messages of the samples that ended in an error."""
    assert log.samples is not None
    return {str(s.id): s.error.message for s in log.samples if s.error}


def scored(log: EvalLog) -> list[EvalSample]:
    return [sample for sample in log.samples or [] if sample.scores and not sample.error]


def to_folder(path: Path) -> None:
    path.unlink()
    (path / "inner").mkdir(parents=True)
    (path / "inner" / "b.csv").write_text("x,y\n", "utf-8")


def one_character(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"38", b"39"))


DAMAGES: dict[str, Callable[[Path], None]] = {
    "file_removed": Path.unlink,
    "one_character": one_character,
    "folder": to_folder,
}


def test_damaged_files_are_named_and_a_retry_completes_the_eval(tmp_path: Path) -> None:
    root = write_studies(tmp_path / "studies", ["0_first", *DAMAGES, "z_last"])
    shutil.copytree(root, tmp_path / "backup")

    def damage() -> None:
        for folder, change in DAMAGES.items():
            change(root / folder / "a.csv")

    damages.append(damage)
    log = run(custom(path=str(root), sandbox="local"))
    messages = errors(log)
    assert set(messages) == {f"custom/{folder}/0/0" for folder in DAMAGES}
    for sample_id, message in messages.items():
        assert f"{sample_id.split('/')[1]}/a.csv " in message
        assert "inspect eval-retry" in message
    assert len(scored(log)) == 2
    for sample in log.samples or []:
        assert bool(sample.error) != bool(sample.model_usage), "the error comes before the first model call"

    shutil.rmtree(root)
    shutil.copytree(tmp_path / "backup", root, symlinks=True)
    retried = read_eval_log(eval_retry(log)[0].location)
    assert retried.status == "success"
    assert len(scored(retried)) == len(DAMAGES) + 2
    assert not errors(retried)


def test_files_keep_their_names_in_the_sandbox_and_the_log_has_no_paths_of_this_machine(tmp_path: Path) -> None:
    names = ["a.csv", "tables/b c.csv", "tables/größe.csv", "-rf.csv", "d.CSV", f"{'long' * 30}.csv"]
    folder = write_study(tmp_path / "wide", study(*names))
    (folder / "tables").mkdir()
    for name in names:
        (folder / name).write_text("x,y\n1,2\n", "utf-8")
    log = run(custom(path=str(folder), sandbox="local"), read_back())
    assert not errors(log)
    assert log.samples
    assert log.samples[0].store["files"] == ["", *sorted(f"./{name}" for name in names)]
    assert list(log.samples[0].metadata["data_checksums"]) == names
    assert "inspect_discoverybench/verify_data_files" in [step.solver for step in log.plan.steps]
    assert str(folder) not in log.model_dump_json(exclude={"eval": {"task_args", "task_args_passed"}})


@pytest.mark.usefixtures("upstream")
def test_samples_of_two_tasks_have_their_data() -> None:
    task = real(split="train", dataset="nls_bmi", sandbox="local")
    log = run(task_with(task, dataset=MemoryDataset([task.dataset[0], demo().dataset[0]])), read_back())
    assert log.status == "success", log.error
    files = sorted(sample.store["files"][1] for sample in log.samples or [])
    assert files == ["./data.csv", "./nls_bmi_processed.csv"]
