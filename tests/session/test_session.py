"""The Python session through the tool: in the container of the real task, and in the local sandbox.

In containers, one eval runs every script and every attack of a hostile agent, each in a container of its own. All
samples are scored, except the one whose container has no Python.
"""

import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import anyio
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.solver import Generate, Solver, TaskState, chain, solver
from inspect_ai.util import ComposeConfig, SandboxEnvironmentSpec, collect, store, store_as

from inspect_discoverybench import demo
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.sandbox.shipped_files import shipped
from inspect_discoverybench.session.state import SessionState
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.gold import gold
from tests import shared
from tests.session.attacks import ATTACKS, FILL, Script
from tests.session.kernel_client import kernels
from tests.solvers.scripted import score

pytestmark = pytest.mark.usefixtures("slow")

LOST = "All variables are lost"
NEW = "[The previous session ended, so this call ran in a new one. All earlier variables are lost.]"

Samples = dict[str, EvalSample]
"""Samples by the names of their scripts."""


REMOVE_FILES = "import glob, shutil; [folder] = glob.glob('/tmp/discoverybench-*'); shutil.rmtree(folder)"

IGNORES_INTERRUPTS = """
import time
while True:
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        pass
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
    "working folder": Script(["import os; os.listdir('.')"], output="['data.csv']"),
    # A file then stands where the session's folder was, so that the folder cannot be created there again.
    "folder removed": Script([f"{REMOVE_FILES}; open(folder, 'w').close()", "y = 2", "y"]),
    "folder removed and no room for another": Script(
        [f"{REMOVE_FILES}\nFOLDER = '/tmp'{FILL}", "'still ' + 'here'"], seconds=60, output="still here"
    ),
    "out of memory": Script(
        [
            "open('kept.txt', 'w').write('here')",
            "print('now')\ntext = b'x' * (5 << 30)",  # 5 GiB. The container has 4 GB (compose.yaml).
            "print(open('kept.txt').read())",
        ],
        seconds=60,
    ),
    "no access to the working folder": Script(["import os; os.chmod('.', 0); os._exit(1)", "1"]),
    "packages": Script([IMPORTS], seconds=120),
    "no python": Script(["1"]),
} | ATTACKS
"""Scripts by name."""


@solver
def follow_script() -> Solver:
    """Call the tool with each cell of the sample's script."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        script = SCRIPTS[str(state.sample_id)]
        tool = python(script.seconds)
        store().set("observations", [await tool(code=code) for code in script.cells])
        return state

    return solve


def without_python() -> SandboxEnvironmentSpec:
    """The task's container with a PATH without Python."""
    spec = demo(sandbox="docker").sandbox
    assert spec
    assert isinstance(spec.config, ComposeConfig)
    service = spec.config.services["default"]
    # In a compose file, `$$` stands for a dollar sign.
    links = "for file in /usr/bin/*; do case $$file in *python*) ;; *) /usr/bin/ln -s $$file /tmp/bin/ ;; esac; done"
    service.command = ["/bin/sh", "-c", f"/usr/bin/mkdir /tmp/bin && {links}; exec /usr/bin/sleep infinity"]
    service.environment = {"PATH": "/tmp/bin"}
    return spec


def run_scripts() -> str:
    """Run the scripts in one eval, submit the gold hypotheses, and return the path of the log."""
    task = demo(sandbox="docker")
    samples = {name: task.dataset[0].model_copy(update={"id": name}) for name in SCRIPTS}
    samples["no python"].sandbox = without_python()
    [log] = inspect_eval(
        task_with(task, dataset=MemoryDataset(list(samples.values()))),
        model="mockllm/model",
        solver=chain(follow_script(), gold()),
        fail_on_error=False,
        max_samples=6,
        # Attacks that wait for a time limit occupy one each.
        max_subprocesses=8,
        log_dir=str(shared.folder() / "session"),
    )
    assert log.status == "success", log.error
    return log.location


@pytest.fixture(scope="module")
def samples(engine: None) -> Samples:
    log = read_eval_log(shared.build_once("session", run_scripts), resolve_attachments=True)
    return {str(sample.id): sample for sample in log.samples or []}


def observations(sample: EvalSample) -> list[str]:
    """What the agent reads after each cell."""
    assert sample.error is None
    results: list[str] = sample.store["observations"]
    return results


def test_a_cell_is_interrupted_at_its_time_limit(samples: Samples) -> None:
    # The cells: `x = 1`, an endless loop, `x`, a loop that ignores interrupts, and `x`.
    _, interruption, value, death, loss = observations(samples["time limit"])
    assert interruption == "on the way\n[Interrupted after the time limit of 2 s. The session keeps its variables.]"
    assert value == "1"
    assert death.startswith("[Killed after the time limit of 2 s")
    assert LOST in death
    assert loss.startswith(NEW)
    assert "NameError" in loss


def test_the_session_is_recreated_after_its_folder_is_removed(samples: Samples) -> None:
    # The cells: one that removes the folder, `y = 2`, and `y`.
    _, after, value = observations(samples["folder removed"])
    assert after.startswith(NEW)
    assert value == "2"


def test_running_out_of_memory_ends_only_the_session(samples: Samples) -> None:
    sample = samples["out of memory"]
    # The cells: one that writes `here` to a file, one that prints `now` and fills the memory, and one that prints the
    # file.
    _, death, after = observations(sample)
    assert death.startswith("now\n[The session died while running this code")
    assert LOST in death
    assert after == f"{NEW}\nhere"
    assert sample.store_as(SessionState).restarts == 1


def test_a_new_session_runs_although_code_has_removed_access_to_the_working_folder(samples: Samples) -> None:
    # The cells: one that removes the access and ends the process of the session, and `1`.
    ended, after = observations(samples["no access to the working folder"])
    assert LOST in ended
    assert after == f"{NEW}\n1"


def test_every_documented_package_can_be_imported(samples: Samples) -> None:
    [output] = observations(samples["packages"])
    # A package is printed once for each of its modules.
    assert list(dict.fromkeys(output.splitlines())) == PACKAGES


def test_a_sandbox_without_python_is_an_error(samples: Samples) -> None:
    error = samples["no python"].error
    assert error
    assert error.message.startswith("The sandbox cannot run a Python session (exit code 127: ")
    assert not samples["no python"].scores


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name != "no python"])
def test_every_sample_is_scored_and_its_last_cell_has_the_expected_output(samples: Samples, name: str) -> None:
    sample = samples[name]
    assert (sample.error, sample.limit) == (None, None)
    assert score(sample) == 1
    assert SCRIPTS[name].output in str(observations(sample)[-1])


@pytest.mark.parametrize("name", ["endless reply", "wrong types", "clients killed"])
def test_the_agent_reads_that_a_reply_is_forged_or_missing(samples: Samples, name: str) -> None:
    observation = observations(samples[name])[-1]
    assert "The session gave no valid result" in observation
    # The forged reply is not shown.
    assert len(observation) < 1000


def test_the_agent_reads_that_the_disk_is_full(samples: Samples) -> None:
    assert "No space left on device" in observations(samples["full disk"])[0]


@pytest.mark.parametrize("name", ["million files", "full disk", "full temporary folder"])
def test_what_code_can_write_is_bounded(samples: Samples, name: str) -> None:
    assert re.search(r"^bounded \d+$", observations(samples[name])[0], re.MULTILINE)


def wait_for(condition: Callable[[], bool], seconds: float) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


BUSY = """
from inspect_ai import eval as inspect_eval
from inspect_ai.solver import solver
from inspect_discoverybench import demo
from inspect_discoverybench.session.tool import python

@solver
def endless():
    async def solve(state, generate):
        await python()(code="open('busy', 'w').close()\\nwhile True: pass")
        return state
    return solve

inspect_eval(demo(), model="mockllm/model", solver=endless(), limit=2, max_subprocesses=2)
"""


@pytest.mark.usefixtures("command_line")
@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="there is no /proc here")
def test_no_kernel_is_left_however_a_local_eval_is_ended() -> None:
    # The path of pytest's `tmp_path` may be longer than `MAX_PARENT_LENGTH`, and the sessions would then create their
    # folders in `/tmp`.
    folder = Path(tempfile.mkdtemp(dir=shared.folder()))
    environment = os.environ | {"TMPDIR": str(folder)}
    # Each of the three evals has two samples, and so two kernels.
    evaluations = {
        number: subprocess.Popen([sys.executable, "-c", BUSY], env=environment)
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
    }
    try:
        wait_for(lambda: len(list(folder.glob("tmp*/busy"))) == 6, 120)
        assert len(kernels(folder)) == 6
        assert len(list(folder.glob("discoverybench-*/socket"))) == 6
        for number, evaluation in evaluations.items():
            evaluation.send_signal(number)
        for evaluation in evaluations.values():
            # Inspect waits up to 60 s, twice, for a process whose end asyncio has missed.
            evaluation.wait(150)
        wait_for(lambda: not kernels(folder) and not list(folder.glob("discoverybench-*/socket")), 20)
    finally:
        for process in [*(evaluation.pid for evaluation in evaluations.values()), *kernels(folder)]:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)


@solver
def run_a_cell() -> Solver:
    """Run a cell, which never ends in the sample `limit`."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        code = "while True: pass" if state.sample_id == "limit" else "1"
        observation = await python()(code=code)
        store().set("observation", observation)
        return state

    return solve


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="there is no /proc here")
def test_no_kernel_is_left_when_a_local_sample_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    task = demo()
    samples = [task.dataset[0].model_copy(update={"id": name}) for name in ("limit", "success")]
    [log] = inspect_eval(
        task_with(task, dataset=MemoryDataset(samples), scorer=[]),
        model="mockllm/model",
        solver=run_a_cell(),
        time_limit=5,
        # Inspect's limit of processes does not apply to cells. Otherwise, the endless cell of `limit` would block the
        # cell of `success`, and the last assertion would fail.
        max_subprocesses=1,
    )
    # The end of a sample ends its kernel at once. The guard of the kernel would end it only after a second.
    wait_for(lambda: not kernels(tmp_path), 0.5)
    assert log.samples
    ended = {sample.id: sample for sample in log.samples}
    assert ended["limit"].limit
    assert ended["success"].store["observation"] == "1"


@solver
def run_cells_in_parallel() -> Solver:
    """Run several cells at the same time, the first ones of the sample, and then one that uses what they defined."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await collect(*[python()(code=f"x{number} = {number}") for number in range(3)])
        store().set("observation", await python()(code="x0, x1, x2"))
        return state

    return solve


def test_agents_that_work_in_parallel_share_a_session() -> None:
    [log] = inspect_eval(
        task_with(demo(), scorer=[]),
        model="mockllm/model",
        solver=run_cells_in_parallel(),
        limit=1,
    )
    [sample] = log.samples or []
    assert sample.error is None
    assert sample.store["observation"] == "(0, 1, 2)"
    assert sample.store_as(SessionState).installations == 1


@pytest.mark.parametrize("size", [0, -5, 20.5])
def test_a_maximum_output_that_is_no_positive_integer_is_refused(size: int) -> None:
    with pytest.raises(InvalidArgument, match=rf"^output_bytes must be a positive integer, got {size}\.$"):
        python(output_bytes=size)


@solver
def look_around() -> Solver:
    """Record what a cell sees in the working folder, and the path and the permissions of the session's own folder."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        seen = await python()(code="import os; os.listdir('.')")
        [folder] = store_as(SessionState).temporary_folders
        status = await anyio.Path(folder).stat()
        store().set("seen", (seen, folder, stat.filemode(status.st_mode)))
        return state

    return solve


@pytest.mark.parametrize(("length", "is_used"), [(5, True), (200, False)])
def test_the_files_of_a_local_session_are_in_a_temporary_folder_of_its_own(
    length: int, is_used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is in `TMPDIR`, or in /tmp if the path of `TMPDIR` is too long: the path of a socket is limited."""
    parent = Path(tempfile.mkdtemp(dir=shared.folder())) / ("x" * length)
    parent.mkdir()
    monkeypatch.setenv("TMPDIR", str(parent))
    task = demo()
    [log] = inspect_eval(task_with(task, scorer=[]), model="mockllm/model", solver=look_around(), limit=3)
    folders = set()
    for sample in log.samples or []:
        assert sample.error is None
        seen, folder, mode = sample.store["seen"]
        assert seen == "['data.csv']"
        assert folder.startswith(str(parent) if is_used else "/tmp/")
        assert len(f"{folder}/socket") <= 100  # the system's limit is 103 on macOS and 107 on Linux
        assert mode == "drwx------"
        assert not Path(folder).exists()
        folders.add(folder)
    assert len(folders) == 3
