"""The Python session through the tool, in the sandboxes of the real task: local, and the container."""

import base64
import os
import re
import signal
import struct
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import ComposeConfig, store

from inspect_discoverybench import demo
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS, DEFAULT_OUTPUT_BYTES, SessionState
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.shipped import shipped

LOST = "All variables are lost"
NEW = "[The previous session ended, so this call ran in a new one. All earlier variables are lost.]"


@solver
def cells(
    *codes: str, seconds: int = DEFAULT_CELL_SECONDS, most: int = DEFAULT_OUTPUT_BYTES, figures: bool = False
) -> Solver:
    """Run these cells one after the other, as an agent that calls the tool does."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        tool = python(seconds, most, figures)
        store().set("observations", [await tool(code=code) for code in codes])
        return state

    return solve


def played(runs: Solver, sandbox: str = "local", **options: Any) -> EvalLog:
    """The log of one demo sample, solved by these cells."""
    return inspect_eval(demo(sandbox=sandbox), model="mockllm/model", solver=runs, limit=1, **options)[0]


def sample_of(log: EvalLog) -> EvalSample:
    assert log.status == "success", log.error
    assert log.samples
    return log.samples[0]


def observe(*codes: str, sandbox: str = "local", **settings: int) -> list[str]:
    """What the agent reads after each of these cells."""
    return [str(o) for o in sample_of(played(cells(*codes, **settings), sandbox)).store["observations"]]


def kernels(folder: Path) -> list[int]:
    """Processes that serve a session in this folder, also when it has been removed."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().decode().split("\0")
            working = (process / "cwd").readlink().as_posix()
        except OSError:
            continue  # it has ended, or is a zombie
        if command[1:3] == [".session/kernel.py", "serve"] and working.removesuffix(" (deleted)") == str(folder):
            found.append(int(process.name))
    return found


def noted(note: Path) -> list[int]:
    """Kernels in the folder that a cell has noted in this file."""
    return kernels(Path(note.read_text("utf-8")))


def after_a_moment(note: Path) -> list[int]:
    """Kernels that are still there after a second; an idle one would leave by itself only after ten."""
    deadline = time.monotonic() + 1
    while (left := noted(note)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return left


@pytest.fixture(params=["local", pytest.param("docker", marks=pytest.mark.docker)])
def sandbox(request: pytest.FixtureRequest) -> str:
    if request.param == "docker":
        request.getfixturevalue("engine")
    return str(request.param)


def test_variables_are_kept(sandbox: str) -> None:
    seen = observe(
        "import pandas as pd\ndata = pd.read_csv('data.csv')", "rows = len(data)", "rows > 100", sandbox=sandbox
    )
    assert seen == ["[No output.]", "[No output.]", "True"]


def test_a_cell_beyond_its_limit(sandbox: str) -> None:
    stubborn = "import time\nwhile True:\n    try:\n        time.sleep(60)\n    except KeyboardInterrupt:\n        pass"
    seen = observe("x = 1", "print('on the way')\nwhile True: pass", "x", stubborn, "x", sandbox=sandbox, seconds=2)
    assert seen[1] == "on the way\n[Interrupted after the time limit of 2 s. The session keeps its variables.]"
    assert seen[2] == "1"
    assert seen[3].startswith("[Killed after the time limit of 2 s.")
    assert LOST in seen[3]
    assert seen[4].startswith(NEW)
    assert "NameError" in seen[4]


def test_an_agent_that_removes_the_sessions_folder(sandbox: str) -> None:
    remove = "import shutil\nx = 1\nshutil.rmtree('.session')"
    seen = observe("x = 1", remove, "y = 2", "y", sandbox=sandbox)
    assert seen[1] == "[No output.]"
    assert seen[2].startswith(NEW)
    assert seen[3] == "2"


def test_output_is_capped(sandbox: str) -> None:
    seen = observe("print('A' * 100 + 'B' * 1_000_000 + 'C' * 99)", sandbox=sandbox, most=200)[0]
    assert seen == "A" * 100 + "\n[... 1000000 bytes of output omitted ...]\n" + "C" * 99


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
def test_out_of_memory_ends_the_session_and_not_the_container() -> None:
    mark = "open('kept.txt', 'w').write('here')"
    log = played(cells(mark, "print('now')\ntext = b'x' * (5 << 30)", "print(open('kept.txt').read())"), "docker")
    seen = sample_of(log).store["observations"]
    assert seen[1].startswith("now\n[The session died while running this code")
    assert "ran out of memory" in seen[1]
    assert LOST in seen[1]
    assert seen[2] == f"{NEW}\nhere"
    assert sample_of(log).store_as(SessionState).restarts == 1


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
def test_figures_can_be_made() -> None:
    plot = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig('figure.png')"
    assert observe(plot, "open('figure.png', 'rb').read(4)", sandbox="docker") == ["[No output.]", r"b'\x89PNG'"]


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
def test_open_figures_are_shown_once_beside_the_text() -> None:
    plot = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.figure()\nplt.bar([1, 2], [3, 4])\nprint('drawn')"
    images = "import base64, io, json"  # what a later cell does, when nothing is open
    log = played(cells(plot, images, figures=True), "docker")
    first, second = sample_of(log).store["observations"]
    text, *figures = first
    assert text["text"] == "drawn"
    assert [figure["type"] for figure in figures] == ["image", "image"]
    for figure in figures:
        content = base64.b64decode(figure["image"].removeprefix("data:image/png;base64,"))
        assert content.startswith(b"\x89PNG")
        assert max(struct.unpack(">II", content[16:24])) <= 720
    assert second == "[No output.]"
    assert observe(plot, sandbox="docker") == ["drawn"]


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
def test_figures_that_are_large_many_or_broken() -> None:
    noise = """
        import numpy as np, matplotlib.pyplot as plt
        for n in range(6):
            plt.figure(figsize=(30, 30)).figimage(np.random.default_rng(n).random((720, 720, 3)))
    """
    broken = "plt.title('$' + chr(92) + 'frac{1}$'); print('before')"
    log = played(cells(textwrap.dedent(noise), broken, figures=True), "docker")
    many, none = sample_of(log).store["observations"]
    assert many[0]["text"] == "Only the first 4 of 6 figures are shown."
    assert len(many) == 5
    assert sum(len(figure["image"]) for figure in many[1:]) > 4_000_000
    assert none.startswith("before\n")
    assert "Figure 1 could not be drawn: ValueError" in none


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
def test_a_figure_that_cannot_be_drawn_in_time_is_in_nobodys_way() -> None:
    slow = textwrap.dedent("""
        import time, matplotlib.pyplot as plt
        class Slow(plt.Line2D):
            def draw(self, renderer): time.sleep(30)
        plt.gca().add_line(Slow([0], [0]))
        kept = 5
    """)
    endless = "import matplotlib.pyplot as plt\nplt.plot([1])\nwhile True: pass"
    tight = (
        "import matplotlib.pyplot as plt\nplt.rcParams['savefig.bbox'] = 'tight'\nplt.plot([1])\n"
        "plt.text(1e5, 1e5, 'far away', clip_on=False)\nkept"
    )
    log = played(cells(slow, "kept", endless, tight, seconds=3, figures=True), "docker")
    drawn, after, interrupted, figure = sample_of(log).store["observations"]
    assert drawn.startswith("[Interrupted after the time limit of 3 s. The session keeps its variables.]")
    assert after == "5"
    assert "keeps its variables" in interrupted
    assert figure[0]["text"] == "5"
    content = base64.b64decode(figure[-1]["image"].removeprefix("data:image/png;base64,"))
    assert max(struct.unpack(">II", content[16:24])) <= 720


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
def test_a_folder_that_the_code_has_closed_is_the_agents_own_fault() -> None:
    seen = observe("import os; os.chmod('.', 0); os._exit(1)", "1", sandbox="docker")
    assert LOST in seen[0]
    assert LOST in seen[1]


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
def test_every_promised_package_can_be_imported() -> None:
    lines = shipped("sandbox/requirements.in").read_text("utf-8").splitlines()
    names = [re.split(r"[=<>~!]", line)[0] for line in lines if line and not line.startswith("#")]
    assert len(names) > 10
    code = f"""
        import importlib, importlib.metadata
        modules = importlib.metadata.packages_distributions()
        for name in {names}:
            for module, owners in modules.items():
                if name in map(str.lower, owners) and not module.startswith("_"):
                    importlib.import_module(module)
                    print(name)
    """
    seen = observe("if True:" + code, sandbox="docker")[0]
    assert list(dict.fromkeys(seen.splitlines())) == names


@solver
def watched(*codes: str, note: Path, fails: bool) -> Solver:
    """Run cells that note their folder, and remember how many kernels are there when that ends in whatever way."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        try:
            await cells(*codes)(state, generate)
            if fails:
                raise RuntimeError("the solver fails")
        finally:
            store().set("kernels", len(noted(note)))
        return state

    return solve


@pytest.fixture
def note(tmp_path: Path) -> Iterator[Path]:
    """A file in which a cell notes its folder; a kernel that is left there is ended, lest it burn on."""
    path = tmp_path / "folder.txt"
    yield path
    for left in noted(path):
        os.kill(left, signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="there is no /proc here")
@pytest.mark.parametrize("before", [[], ["1"]], ids=["first cell", "later cell"])
@pytest.mark.parametrize("ending", ["done", "limit", "failure"])
def test_no_kernel_is_left_when_a_local_sample_ends(note: Path, before: list[str], ending: str) -> None:
    last = f"import os\nwith open({str(note)!r}, 'w') as file: _ = file.write(os.getcwd())"
    last += "\nwhile True: pass" if ending == "limit" else ""
    runs = watched(*before, last, note=note, fails=ending == "failure")
    sample = sample_of(played(runs, time_limit=5, fail_on_error=False))
    assert (sample.limit is not None) == (ending == "limit")
    assert (sample.error is not None) == (ending == "failure")
    assert sample.store["kernels"] == 1
    assert after_a_moment(note) == []


@pytest.mark.docker
@pytest.mark.usefixtures("engine")
def test_a_sandbox_without_python_is_an_error_and_no_zero() -> None:
    task = demo(sandbox="docker")
    assert task.sandbox
    assert isinstance(task.sandbox.config, ComposeConfig)
    service = task.sandbox.config.services["default"]
    # Inspect names its own programs by their whole path.
    service.command = "/usr/bin/sleep infinity"
    service.environment = {"PATH": "/nowhere"}
    log = inspect_eval(task, model="mockllm/model", solver=cells("1"), limit=1)[0]
    assert log.status == "error"
    assert log.error
    assert log.error.message.startswith("The sandbox cannot run a Python session (exit code 127): ")
    assert "python3" in log.error.message
    assert not log.samples or not log.samples[0].scores


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
        if here and 'kernel.py\\0run' in command:
            os.kill(int(process), signal.SIGKILL)
"""


def test_a_cell_runs_once_at_most(sandbox: str) -> None:
    """Its client is killed, so nobody knows whether it has run: it is not run again."""
    seen = observe(KILL_THE_CLIENT, "open('ran').read()", sandbox=sandbox)
    assert LOST in seen[0]
    assert seen[1] == "'x'"


@pytest.mark.parametrize(
    "harm",
    [
        "import os, shutil; shutil.rmtree('.session'); open('.session', 'w').close()",
        "open('.session/kernel.py', 'w').write('print(1)')",
        "import os; os.remove('.session/kernel.py'); os.chmod('.session', 0)",
    ],
)
def test_what_agents_do_to_the_sessions_files_is_their_affair(sandbox: str, harm: str) -> None:
    seen = observe(harm, "1", "x = 2", "x", sandbox=sandbox)
    assert seen[3] == "2"
