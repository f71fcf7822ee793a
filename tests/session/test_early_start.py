"""The kernel starts while the model thinks about its first step."""

import os
import signal
from pathlib import Path

import anyio
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalSample
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox, store

from inspect_discoverybench import demo
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.session.state import SessionState
from inspect_discoverybench.session.tool import python
from tests.session.kernel_client import kernels

pytestmark = pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="there is no /proc here")


async def wait_for_kernel(folder: Path) -> bool:
    """Wait until a kernel runs in this folder and has loaded a library before its first cell."""
    with anyio.move_on_after(30):
        while not any(has_library(process) for process in kernels(folder)):  # noqa: ASYNC110 - another process
            await anyio.sleep(0.05)
        return True
    return False


def has_library(process: int) -> bool:
    return "numpy" in Path(f"/proc/{process}/maps").read_text("utf-8")


@solver
def start_and_end_as_the_id_says() -> Solver:
    """Start a session early; then call `python`, end at once, or end when the kernel runs."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        folder = Path((await sandbox().exec(["pwd"])).stdout.strip())
        store().set("folder", str(folder))
        session = PythonSession()
        if state.sample_id == "early start failed":
            # The early start fails, because its working folder does not exist.
            await anyio.Path(folder).rename(f"{folder}-away")
            session.start_early()
            await session.stop()  # waits for the start
            await anyio.Path(f"{folder}-away").rename(folder)
        else:
            session.start_early()
        if state.sample_id in ("call after a while", "kernel killed", "no call"):
            store().set("kernel_started", await wait_for_kernel(folder))
        if state.sample_id == "kernel killed":
            for process in kernels(folder):
                os.kill(process, signal.SIGKILL)
        if state.sample_id not in ("no call", "end at once"):
            await python()(code="x = 41")
            store().set("output", await python()(code="x + 1"))
        return state

    return solve


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, EvalSample]:
    names = ["call after a while", "call at once", "kernel killed", "no call", "end at once", "early start failed"]
    task = demo()
    copies = [task.dataset[0].model_copy(update={"id": name}) for name in names]
    [log] = inspect_eval(
        task_with(task, dataset=MemoryDataset(copies), scorer=[]),
        model="mockllm/model",
        solver=start_and_end_as_the_id_says(),
        log_dir=str(tmp_path_factory.mktemp("logs")),
    )
    assert log.status == "success", log.error
    return {str(sample.id): sample for sample in log.samples or []}


@pytest.mark.parametrize(
    ("name", "installations"),
    [
        ("call after a while", 1),
        ("call at once", 1),
        ("kernel killed", 1),
        ("early start failed", 2),
    ],
)
def test_the_first_call_uses_the_kernel_of_the_early_start_or_starts_another(
    samples: dict[str, EvalSample], name: str, installations: int
) -> None:
    session = samples[name].store_as(SessionState)
    assert samples[name].store["output"] == "42"
    assert session.installations == installations
    assert session.restarts == 0  # before the first cell, there were no variables to lose


def test_no_sample_leaves_a_kernel_even_if_it_has_called_no_tool(samples: dict[str, EvalSample]) -> None:
    # The kernel of the sample without a call was running when the sample ended.
    assert samples["no call"].store["kernel_started"]
    for sample in samples.values():
        assert sample.error is None
        assert kernels(Path(sample.store["folder"])) == []
