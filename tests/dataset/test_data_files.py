"""Data that change between the build of a task and the start of a sample are an error that names the file."""

import csv
import json
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry, task_with
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
from inspect_discoverybench.solvers.gold import gold
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.reflexion import reflexion

ROLES = {"grader": "discoverybench/lexical"}
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
def text_only() -> Solver:
    """A third-party solver that uses neither tools nor the sandbox."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await generate(state, tool_calls="none")

    return solve


@solver
def read_back() -> Solver:
    """Store what is in the sandbox, then answer in words."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        listing = await sandbox().exec(["find", ".", "-type", "f"])
        store().set("files", sorted(listing.stdout.split("\n")))
        return await generate(state, tool_calls="none")

    return solve


def write_study(folder: Path, names: tuple[str, ...] = ("a.csv",)) -> None:
    columns = [{"name": "x", "description": "X."}, {"name": "y", "description": "Y."}]
    query = {"qid": 0, "question": "Why?", "question_type": "general", "true_hypothesis": "Because y rises with x."}
    metadata = {
        "domain": "art",
        "datasets": [{"name": name, "columns": columns} for name in names],
        "queries": [query],
    }
    folder.mkdir(parents=True)
    (folder / "metadata_0.json").write_text(json.dumps(metadata), "utf-8")
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["x", "y"], *([n, 2 * n] for n in range(20))])


@pytest.fixture
def studies(tmp_path: Path) -> Path:
    """Three studies; the first is running when the data are damaged."""
    return write_studies(tmp_path / "studies", ["study_0", "study_1", "study_2"])


def write_studies(root: Path, folders: Iterable[str]) -> Path:
    for folder in folders:
        write_study(root / folder)
    return root


def run(path: Path, solver: Solver | None = None, **options: object) -> EvalLog:
    log = inspect_eval(
        custom(path=str(path), sandbox="local"),
        model="vandal/model",
        model_roles=ROLES,
        solver=solver,
        max_samples=1,
        **{"fail_on_error": False, **options},  # type: ignore[arg-type]
    )[0]
    return read_eval_log(log.location)


def errors(log: EvalLog) -> dict[str, str]:
    """Messages of the samples that ended in an error."""
    assert log.samples is not None
    return {str(s.id): s.error.message for s in log.samples if s.error}


def scored(log: EvalLog) -> list[EvalSample]:
    return [sample for sample in log.samples or [] if sample.scores and not sample.error]


def remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def to_folder(path: Path) -> None:
    path.unlink()
    (path / "inner").mkdir(parents=True)
    (path / "inner" / "b.csv").write_text("x,y\n", "utf-8")


def to_empty_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def to_loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def one_character(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"38", b"39"))


DAMAGES: dict[str, Callable[[Path], None]] = {
    "file_removed": remove,
    "study_removed": lambda file: remove(file.parent),
    "cut_off": lambda file: os.truncate(file, 20),
    "emptied": lambda file: os.truncate(file, 0),
    "one_character": one_character,
    "folder": to_folder,
    "empty_folder": to_empty_folder,
    "link_to_itself": to_loop,
}


def test_damaged_files_are_named_and_a_retry_completes_the_eval(tmp_path: Path) -> None:
    root = write_studies(tmp_path / "studies", ["0_first", *DAMAGES, "z_last"])
    shutil.copytree(root, tmp_path / "backup")

    def damage() -> None:
        for folder, change in DAMAGES.items():
            change(root / folder / "a.csv")

    damages.append(damage)
    log = run(root)
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


def test_a_missing_data_folder_is_an_error(studies: Path) -> None:
    damages.append(lambda: remove(studies))
    log = run(studies, fail_on_error=True)
    assert log.status == "error"
    assert log.error
    assert "study_1/a.csv " in log.error.message


@pytest.mark.parametrize("agent", [text_only(), gold(), no_data_guess(), reflexion(trials=2)])
def test_data_are_checked_for_every_solver(studies: Path, agent: Solver) -> None:
    task = custom(path=str(studies), sandbox="local")
    one_character(studies / "study_2" / "a.csv")
    log = inspect_eval(task, model="vandal/model", model_roles=ROLES, solver=agent, fail_on_error=False)[0]
    log = read_eval_log(log.location)
    assert list(errors(log)) == ["custom/study_2/0/0"]
    assert len(scored(log)) == 2


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """One study with several files, some in folders or with unusual names."""
    names = ("a.csv", "tables/b c.csv", "tables/größe.csv", "-rf.csv", "d.CSV", f"{'long' * 30}.csv")
    write_study(tmp_path / "many" / "wide", names)
    return tmp_path / "many"


def test_many_files_keep_their_names_in_the_sandbox(many: Path) -> None:
    log = run(many, read_back())
    assert not errors(log)
    assert log.samples
    assert log.samples[0].store["files"] == [
        "",
        "./-rf.csv",
        "./a.csv",
        "./d.CSV",
        f"./{'long' * 30}.csv",
        "./tables/b c.csv",
        "./tables/größe.csv",
    ]


def test_the_log_has_no_paths_of_this_machine(many: Path) -> None:
    log = run(many, text_only())
    assert str(many / "wide") not in log.model_dump_json(exclude={"eval": {"task_args", "task_args_passed"}})


def test_the_log_contains_checksums_of_the_data(studies: Path) -> None:
    log = run(studies, text_only())
    assert "inspect_discoverybench/verify_data_files" in [step.solver for step in log.plan.steps]
    assert log.samples
    checksums = log.samples[0].metadata["data_checksums"]
    assert list(checksums) == ["a.csv"]
    assert len(checksums["a.csv"]) == 64


def test_samples_of_two_tasks_have_their_data(upstream: Path) -> None:
    task = real(split="train", dataset="nls_bmi", sandbox="local")
    samples = [task.dataset[0], demo().dataset[0]]
    mixed = task_with(task, dataset=MemoryDataset(samples))
    [log] = inspect_eval(mixed, model="vandal/model", model_roles=ROLES, solver=read_back())
    assert log.status == "success", log.error
    files = sorted(sample.store["files"][1] for sample in log.samples or [])
    assert files == ["./data.csv", "./nls_bmi_processed.csv"]


@pytest.mark.usefixtures("upstream")
def test_released_files_are_compared_with_the_released_checksums(
    upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that changes after it was verified and before its sample starts."""
    root = tmp_path / "copy"
    shutil.copytree(upstream / "discoverybench/real/train", root / "discoverybench/real/train")
    for path in [root, *root.rglob("*")]:
        path.chmod(0o755)
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", str(root))
    task = real(split="train", dataset="nls_bmi", sandbox="local")
    file = root / "discoverybench/real/train/nls_bmi/nls_bmi_processed.csv"
    file.write_bytes(file.read_bytes().replace(b"MALE", b"male", 1))
    log = inspect_eval(task, model="vandal/model", model_roles=ROLES, limit=1, fail_on_error=False)[0]
    [message] = errors(read_eval_log(log.location)).values()
    assert "nls_bmi/nls_bmi_processed.csv " in message

    shutil.rmtree(root)
    log = inspect_eval(task, model="vandal/model", model_roles=ROLES, limit=1, fail_on_error=False)[0]
    [message] = errors(read_eval_log(log.location)).values()
    assert f"DISCOVERYBENCH_DATA_DIR={root} is not a folder that contains `discoverybench/`." in message
    assert "repeat `discoverybench run`" in message
