"""The Python session through the tool, in the container of the real task, and the end of sessions in the local sandbox.

One eval runs every script, each in a sample of its own.
"""

import base64
import os
import re
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import ComposeConfig, SandboxEnvironmentSpec, store

from inspect_discoverybench import demo
from inspect_discoverybench.sandbox import shipped
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS, DEFAULT_OUTPUT_BYTES, SessionState
from inspect_discoverybench.session.tool import python
from tests import shared
from tests.session.kernel_client import kernels

pytestmark = pytest.mark.usefixtures("sweep")

LOST = "All variables are lost"
NEW = "[The previous session ended, so this call ran in a new one. All earlier variables are lost.]"

Samples = dict[str, EvalSample]
"""Samples by the names of their scripts."""


@dataclass(frozen=True)
class Script:
    """The code of each call of an agent, and the arguments of the tool."""

    cells: list[str]
    seconds: int = DEFAULT_CELL_SECONDS
    output_bytes: int = DEFAULT_OUTPUT_BYTES
    figures: bool = False


IGNORES_INTERRUPTS = """
import time
while True:
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        pass
"""

KILL_THE_CLIENT = """
import os, signal
open('ran', 'a').write('x')
for process in os.listdir('/proc'):
    if process.isdigit():
        try:
            command = open(f'/proc/{process}/cmdline').read()
            here = os.readlink(f'/proc/{process}/cwd') == os.getcwd()
        except OSError:
            continue
        if here and 'client.pyc\\0run' in command:
            os.kill(int(process), signal.SIGKILL)
"""

PLOTS = """
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.figure()
plt.bar([1, 2], [3, 4])
print('drawn')
"""
NOISE = """
import numpy as np, matplotlib.pyplot as plt
for n in range(6):
    plt.figure(figsize=(30, 30)).figimage(np.random.default_rng(n).random((720, 720, 3)))
"""
SLOW_TO_DRAW = """
import time, matplotlib.pyplot as plt
class Slow(plt.Line2D):
    def draw(self, renderer): time.sleep(30)
plt.gca().add_line(Slow([0], [0]))
kept = 5
"""
TIGHT = """
plt.rcParams['savefig.bbox'] = 'tight'
plt.plot([1])
plt.text(1e5, 1e5, 'far away', clip_on=False)
kept
"""
PACKAGES = [
    re.split(r"[=<>~!]", line)[0]
    for line in shipped("sandbox/requirements.in").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
IMPORTS = f"""
import importlib, importlib.metadata
modules = importlib.metadata.packages_distributions()
for name in {PACKAGES}:
    for module, owners in modules.items():
        if name in map(str.lower, owners) and not module.startswith("_"):
            importlib.import_module(module)
            print(name)
"""

SCRIPTS = {
    "time limit": Script(
        ["x = 1", "print('on the way')\nwhile True: pass", "x", IGNORES_INTERRUPTS, "x"],
        seconds=2,
    ),
    "folder removed": Script(["x = 1", "import shutil\nx = 1\nshutil.rmtree('.session')", "y = 2", "y"]),
    "output limit": Script(["print('A' * 100 + 'B' * 1_000_000 + 'C' * 99)"], output_bytes=200),
    "client killed": Script([KILL_THE_CLIENT, "open('ran').read()"]),
    "folder replaced by a file": Script(
        ["import os, shutil; shutil.rmtree('.session'); open('.session', 'w').close()", "1", "x = 2", "x"]
    ),
    "client removed": Script(
        ["import os; os.remove('.session/client.pyc'); os.chmod('.session', 0)", "1", "x = 2", "x"]
    ),
    "out of memory": Script(
        [
            "open('kept.txt', 'w').write('here')",
            "print('now')\ntext = b'x' * (5 << 30)",
            "print(open('kept.txt').read())",
        ]
    ),
    # The second cell is one that runs when nothing is open.
    "figures": Script([PLOTS, "import base64, io, json"], figures=True),
    "large, many and broken figures": Script(
        [NOISE, "plt.title('$' + chr(92) + 'frac{1}$'); print('before')"], figures=True
    ),
    "slow figure": Script([SLOW_TO_DRAW, "kept", "plt.plot([1])\nwhile True: pass", TIGHT], seconds=10, figures=True),
    "folder closed": Script(["import os; os.chmod('.', 0); os._exit(1)", "1"]),
    "packages": Script([IMPORTS]),
    "no python": Script(["1"]),
}
"""Scripts by name."""


@solver
def follow_script() -> Solver:
    """Call the tool with each cell of the sample's script."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        script = SCRIPTS[str(state.sample_id)]
        tool = python(script.seconds, script.output_bytes, script.figures)
        store().set("observations", [await tool(code=code) for code in script.cells])
        return state

    return solve


def without_python() -> SandboxEnvironmentSpec:
    """The task's container with a PATH without Python."""
    spec = demo(sandbox="docker").sandbox
    assert spec
    assert isinstance(spec.config, ComposeConfig)
    service = spec.config.services["default"]
    links = "for file in /usr/bin/*; do case $$file in *python*) ;; *) /usr/bin/ln -s $$file /tmp/bin/ ;; esac; done"
    service.command = ["/bin/sh", "-c", f"/usr/bin/mkdir /tmp/bin && {links}; exec /usr/bin/sleep infinity"]
    service.environment = {"PATH": "/tmp/bin"}
    return spec


def run_scripts() -> str:
    """Run the scripts in one eval and return the path of its log."""
    task = demo(sandbox="docker")
    samples = [task.dataset[0].model_copy(update={"id": name}) for name in SCRIPTS]
    samples[-1].sandbox = without_python()
    [log] = inspect_eval(
        task_with(task, dataset=MemoryDataset(samples), scorer=[]),
        model="mockllm/model",
        solver=follow_script(),
        fail_on_error=False,
        max_samples=4,
        log_dir=str(shared.folder() / "session"),
    )
    assert log.status == "success", log.error
    return log.location


@pytest.fixture(scope="module")
def samples(engine: None) -> Samples:
    log = read_eval_log(shared.once("session", run_scripts), resolve_attachments=True)
    return {str(sample.id): sample for sample in log.samples or []}


def observations(sample: EvalSample) -> list[Any]:
    """What the agent reads after each cell: a text, or a text and images."""
    assert sample.error is None
    results: list[Any] = sample.store["observations"]
    return results


def png_size(figure: dict[str, str]) -> tuple[int, int]:
    """Width and height in pixels of a returned figure."""
    content = base64.b64decode(figure["image"].removeprefix("data:image/png;base64,"))
    assert content.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def test_a_cell_is_interrupted_at_its_time_limit(samples: Samples) -> None:
    _, interruption, value, death, loss = observations(samples["time limit"])
    assert interruption == "on the way\n[Interrupted after the time limit of 2 s. The session keeps its variables.]"
    assert value == "1"
    assert death.startswith("[Killed after the time limit of 2 s")
    assert LOST in death
    assert loss.startswith(NEW)
    assert "NameError" in loss


def test_the_session_is_recreated_after_its_folder_is_removed(samples: Samples) -> None:
    _, first, after, value = observations(samples["folder removed"])
    assert first == "[No output.]"
    assert after.startswith(NEW)
    assert value == "2"


def test_output_is_truncated(samples: Samples) -> None:
    [output] = observations(samples["output limit"])
    assert output == "A" * 100 + "\n[... 1000000 bytes of output omitted ...]\n" + "C" * 99


def test_running_out_of_memory_ends_only_the_session(samples: Samples) -> None:
    sample = samples["out of memory"]
    _, death, after = observations(sample)
    assert death.startswith("now\n[The session died while running this code")
    assert "ran out of memory" in death
    assert LOST in death
    assert after == f"{NEW}\nhere"
    assert sample.store_as(SessionState).restarts == 1


def test_open_figures_are_shown_once_beside_the_text(samples: Samples) -> None:
    first, second = observations(samples["figures"])
    text, *figures = first
    assert text["text"] == "drawn"
    assert [figure["type"] for figure in figures] == ["image", "image"]
    assert all(max(png_size(figure)) <= 720 for figure in figures)
    assert second == "[No output.]"


def test_large_numerous_and_broken_figures_are_reported(samples: Samples) -> None:
    many, none = observations(samples["large, many and broken figures"])
    assert many[0]["text"] == "Only the first 4 of 6 figures are shown."
    assert len(many) == 5
    assert sum(len(figure["image"]) for figure in many[1:]) > 4_000_000
    assert none.startswith("before\n")
    assert "Figure 1 could not be drawn: ValueError" in none


def test_a_slow_figure_does_not_delay_later_cells(samples: Samples) -> None:
    plot, after, interruption, figure = observations(samples["slow figure"])
    assert plot.startswith("[Interrupted after the time limit of 10 s. The session keeps its variables.]")
    assert after == "5"
    assert "keeps its variables" in interruption
    assert figure[0]["text"] == "5"
    assert max(png_size(figure[-1])) <= 720


def test_the_session_is_lost_if_code_closes_its_folder(samples: Samples) -> None:
    closed, after = observations(samples["folder closed"])
    assert LOST in closed
    assert LOST in after


def test_every_documented_package_can_be_imported(samples: Samples) -> None:
    assert len(PACKAGES) > 10
    [output] = observations(samples["packages"])
    assert list(dict.fromkeys(output.splitlines())) == PACKAGES


def test_a_sandbox_without_python_is_an_error(samples: Samples) -> None:
    error = samples["no python"].error
    assert error
    assert error.message.startswith("The sandbox cannot run a Python session (exit code 127: ")
    assert "python3" in error.message
    assert not samples["no python"].scores


def test_a_cell_runs_at_most_once(samples: Samples) -> None:
    """The client of the first cell is killed. Whether the cell ran is then unknown, so it is not run again."""
    death, value = observations(samples["client killed"])
    assert LOST in death
    assert value == "'x'"


@pytest.mark.parametrize("harm", ["folder replaced by a file", "client removed"])
def test_a_session_survives_changes_to_its_files(samples: Samples, harm: str) -> None:
    assert observations(samples[harm])[3] == "2"


WRITE_NOTE = "import os\nwith open({!r}, 'w') as file: _ = file.write(os.getcwd())"
"""Writes the working folder to a file."""


def noted(note: Path) -> list[int]:
    """Kernels in the folder that a cell wrote into this file."""
    return kernels(Path(note.read_text("utf-8")))


ENDINGS = ["success", "limit", "failure"]


@solver
def end_in_every_way(folder: Path) -> Solver:
    """Run a cell that writes its working folder to a note, count the kernels there, and end as the sample's id says."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        note = folder / str(state.sample_id)
        endless = "while True: pass" if state.sample_id == "limit" else ""
        try:
            await python()(code=f"{WRITE_NOTE.format(str(note))}\n{endless}")
            if state.sample_id == "failure":
                raise RuntimeError("the solver fails")
        finally:
            store().set("kernels", len(noted(note)))
        return state

    return solve


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Path]:
    """A folder of notes; kernels that are left in the noted folders are killed."""
    folder = tmp_path / "notes"
    folder.mkdir()
    yield folder
    for note in filter(Path.is_file, folder.rglob("*")):
        for pid in noted(note):
            os.kill(pid, signal.SIGKILL)


KILLED = """
import sys
from inspect_ai import eval as inspect_eval
from inspect_ai.solver import solver
from inspect_discoverybench import demo
from inspect_discoverybench.session.tool import python
from tests.session.test_session import WRITE_NOTE

@solver
def endless():
    async def solve(state, generate):
        note = sys.argv[1] + "/" + str(state.sample_id).replace("/", "-")
        await python()(code=WRITE_NOTE.format(note))
        await python()(code="while True: pass")
        return state
    return solve

inspect_eval(demo(), model="mockllm/model", solver=endless(), limit=2, max_subprocesses=2)
"""


def wait_for(condition: Callable[[], bool], seconds: float) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.usefixtures("command_line")
@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="there is no /proc here")
def test_no_kernel_is_left_however_a_local_eval_is_ended(notes: Path) -> None:
    evaluations = {}
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        folder = notes / number.name
        folder.mkdir()
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
        evaluations[number] = subprocess.Popen([sys.executable, "-c", KILLED, folder], env=environment)

    def running() -> list[int]:
        return [len(noted(note)) for note in notes.glob("*/*") if note.read_text("utf-8")]

    try:
        wait_for(lambda: running() == [1] * 6, 120)
        for number, evaluation in evaluations.items():
            evaluation.send_signal(number)
        for evaluation in evaluations.values():
            # Inspect waits up to 60 s, twice, for a process whose end asyncio has missed.
            evaluation.wait(150)
    finally:
        for evaluation in evaluations.values():
            evaluation.kill()
            evaluation.wait()
    wait_for(lambda: running() == [0] * 6, 20)


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="there is no /proc here")
def test_no_kernel_is_left_when_a_local_sample_ends(notes: Path) -> None:
    task = demo()
    dataset = MemoryDataset([task.dataset[0].model_copy(update={"id": ending}) for ending in ENDINGS])
    [log] = inspect_eval(
        task_with(task, dataset=dataset, scorer=[]),
        model="mockllm/model",
        solver=end_in_every_way(notes),
        time_limit=5,
        fail_on_error=False,
    )
    # An idle kernel would exit only after ten seconds.
    wait_for(lambda: not any(noted(notes / ending) for ending in ENDINGS), 1)
    endings = {str(s.id): (bool(s.limit), bool(s.error), s.store["kernels"]) for s in log.samples or []}
    assert endings == {"success": (False, False, 1), "limit": (True, False, 1), "failure": (False, True, 1)}
