"""The kernel starts while the model thinks about its first step."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import anyio
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import sandbox, store

from inspect_discoverybench import demo
from inspect_discoverybench.session import kernel
from inspect_discoverybench.session.session import PythonSession, SessionState
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.codegen import codegen
from tests.session.kernel_client import kernels

WAIT_SECONDS = 30


def has_kernel(folder: Path, library: str) -> bool:
    """Whether a kernel runs in this folder and has loaded a library."""
    maps = ""
    with suppress(OSError):  # the kernel has ended
        maps = "".join(Path(f"/proc/{process}/maps").read_text("utf-8") for process in kernels(folder))
    return bool(maps) and library in maps


async def kernel_of(folder: Path, library: str = "") -> bool:
    """Wait until a kernel runs in this folder and has loaded a library."""
    with anyio.move_on_after(WAIT_SECONDS):
        while not has_kernel(folder, library):  # noqa: ASYNC110 - another process
            await anyio.sleep(0.05)
        return True
    return False


async def working_folder() -> Path:
    return Path((await sandbox().exec(["pwd"])).stdout.strip())


@solver
def start_and_end_as_the_id_says() -> Solver:
    """Start a session early; then call `python`, end at once, or end when the kernel runs."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        folder = await working_folder()
        store().set("folder", str(folder))
        if state.sample_id == "broken":
            (folder / ".session").write_text("in the way", "utf-8")
        PythonSession().start_early()
        if state.sample_id in ("call after a while", "no call", "kernel lost"):
            store().set("early", await kernel_of(folder, "" if state.sample_id == "no call" else "numpy"))
        if state.sample_id == "kernel lost":
            for process in kernels(folder):
                os.kill(process, signal.SIGKILL)
        if state.sample_id not in ("no call", "end at once"):
            cells = [await python()(code=code) for code in ("import os; x = os.getpid()", "x == os.getpid()")]
            store().set("seen", cells[-1])
        return state

    return solve


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, EvalSample]:
    names = ["call after a while", "call at once", "no call", "end at once", "broken", "kernel lost"]
    task = demo()
    first = task.dataset[0]
    [log] = inspect_eval(
        task_with(task, dataset=MemoryDataset([first.model_copy(update={"id": name}) for name in names]), scorer=[]),
        model="mockllm/model",
        solver=start_and_end_as_the_id_says(),
        log_dir=str(tmp_path_factory.mktemp("logs")),
        display="none",
    )
    assert log.status == "success", log.error
    return {str(sample.id): sample for sample in log.samples or []}


pytestmark = pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="there is no /proc here")


@pytest.mark.parametrize(
    ("name", "early", "installations"),
    [("call after a while", True, 1), ("call at once", None, 1), ("broken", None, 2), ("kernel lost", True, 1)],
)
def test_the_first_call_uses_the_kernel_or_starts_another(
    samples: dict[str, EvalSample], name: str, early: bool | None, installations: int
) -> None:
    """If a kernel is lost before the first call, no variables had been defined yet, so none were lost."""
    sample, session = samples[name], samples[name].store_as(SessionState)
    assert (sample.store.get("early"), sample.store["seen"]) == (early, "True")
    assert (session.installations, session.restarts) == (installations, 0)


def test_a_sample_without_a_call_leaves_no_kernel(samples: dict[str, EvalSample]) -> None:
    assert samples["no call"].store["early"]
    for sample in samples.values():
        assert sample.error is None
        assert kernels(Path(sample.store["folder"])) == []


def test_an_agent_starts_the_session_before_its_first_model_call() -> None:
    states: list[bool] = []

    async def think(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        if not states:
            states.append(await kernel_of(await working_folder()))
        output = ModelOutput.from_content("mockllm/model", "Hypothesis: none.")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = get_model("mockllm/model", custom_outputs=think, memoize=False)
    [log] = inspect_eval(task_with(demo(), scorer=[]), model=model, solver=codegen(), limit=1)
    assert log.status == "success", log.error
    assert states == [True]


WARM_UP = """
import socket, sys
sys.path.insert(0, sys.argv[1])
import kernel
with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
    server.bind("socket")
    server.listen()
    client.connect("socket")
    kernel.warm_up(server)
    print("pandas" in sys.modules)
    server.accept()
    kernel.warm_up(server)
    print(kernel.WARM_UP[0] in sys.modules, "matplotlib" in sys.modules)
"""


@pytest.mark.usefixtures("sweep")
def test_an_idle_kernel_imports_libraries_until_a_client_calls(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-c", WARM_UP, str(Path(kernel.__file__).parent)]
    process = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (process.stdout, process.stderr) == ("False\nTrue False\n", "")
