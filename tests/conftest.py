"""Shared fixtures: isolation between tests, and the resources that some tests need.

A test that needs a resource requests its fixture, and the marker of the same row below follows from that. Locally, a
missing resource skips the test and names what is missing. With `CI` set it is a failure, unless the environment
variable `DISCOVERYBENCH_WITHOUT` lists the marker (for example `docker` on a machine that cannot run containers).
"""

import functools
import gc
import importlib.metadata
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextvars import copy_context
from importlib.metadata import packages_distributions
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, NoReturn

import pytest
import tenacity
from hypothesis import settings

from tests import shared

# Inspect and the package are imported in the fixtures below: pytest-xdist starts its workers only after the controller
# has imported this file.

# Deadlines per example would fail on a busy machine.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")

REPOSITORY = Path(__file__).parents[1]
UV = str(Path(sys.executable).with_name("uv"))
MARKERS = {
    "engine": "docker",
    "chromium": "browser",
    "package_index": "wheel",
    "upstream": "data",
    "authors_repository": "authors",
    "cluster": "slurm",
    "slow": "slow",
    "command_line": "process",
    "documented": "documented",
    "agent_images": "agents",
    "helm": "kubernetes",
}
"""Fixtures and the markers that they imply."""

HIDDEN = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "INSPECT_EVAL_MODEL",
    "INSPECT_EVAL_MODEL_ROLE",
    "DISCOVERYBENCH_IMAGE",
)
"""The developer's variables that tests do not see."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are cores: many tests wait for containers, processes and time limits."""
    return int(os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS", (os.cpu_count() or 1) + 1))


def pytest_configure(config: pytest.Config) -> None:
    """Create the folder of this test run, with Inspect's caches and data; workers inherit the variables."""
    # A shell disables Ctrl-C for background jobs, and so for the processes that the tests end by SIGINT. Here
    # Ctrl-C is enabled again, also for the tests themselves.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # For the log of each task, Inspect lists the files of all installed packages. It is imported later.
    pytest.MonkeyPatch().setattr(importlib.metadata, "packages_distributions", functools.cache(packages_distributions))

    if not hasattr(config, "workerinput"):
        # Paths of sockets in it must have at most 104 characters: too few in macOS's own temporary folder.
        parent = "/tmp" if sys.platform == "darwin" else None
        folder = tempfile.mkdtemp(prefix="discoverybench-tests-", dir=parent)
        os.environ[shared.VARIABLE] = folder
        # For evals in fixtures of a wider scope than `isolated`.
        os.environ["INSPECT_CACHE_DIR"] = f"{folder}/cache"
        # Inspect's traces, sockets and databases, which are otherwise among those of the developer's own evals.
        os.environ["XDG_DATA_HOME"] = f"{folder}/data"
        # Several processes share the cores, and Inspect starts a control server for each eval.
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        os.environ["INSPECT_EVAL_CTL_SERVER"] = "false"
        # For other displays, even for "none", Inspect renders tables and tracebacks, which takes seconds.
        os.environ["INSPECT_DISPLAY"] = "log"


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the folder when all workers are done. It is not a folder of pytest's, which keeps those of three runs."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(shared.VARIABLE), ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Derive markers from fixtures, before `-m` selects by them."""
    for item in items:
        for fixture in MARKERS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(MARKERS[fixture])


def pytest_collection_finish() -> None:
    """Exempt what is loaded by now from garbage collection, and make full collections rare: each one takes 0.1 s."""
    gc.freeze()
    youngest, middle, _ = gc.get_threshold()
    gc.set_threshold(youngest, middle, 100)


def _missing(marker: str, reason: str) -> NoReturn:
    """Skip a test, or fail it where its resource must be there."""
    waived = os.environ.get("DISCOVERYBENCH_WITHOUT", "").split(",")
    if os.environ.get("CI") and marker not in waived:
        pytest.fail(f"{reason}, and CI must not skip tests marked {marker}.")
    pytest.skip(reason)


def _program(marker: str, *names: str) -> str:
    """The path of the first of these programs that is installed."""
    for name in names:
        path = shutil.which(name)
        if path is not None:
            return path
    _missing(marker, f"{names[0]} is not installed")


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own working folder, logs and caches, and hide the developer's keys."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg-cache"))
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))
    for variable in HIDDEN:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session", autouse=True)
def log_display() -> None:
    """Let Inspect create its display before any test runs.

    Inspect creates one display for the whole process, of the kind that the first eval requests. `ask` and `doctor`
    request "none". If one of them ran first, Inspect would render tables in all later evals of this worker.
    """
    from inspect_ai.util import display_counter

    display_counter("tests", "started")


@pytest.fixture(autouse=True)
def no_retry_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry soon: Inspect waits at least three seconds before it repeats a failed model call, by this class."""
    monkeypatch.setattr(tenacity.wait_exponential_jitter, "__call__", lambda *_: 0.1)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Run each test in a context of its own: `eval_set` leaves its model and roles active, for later tasks as well."""
    if isinstance(item, pytest.Function) and not iscoroutinefunction(item.obj):
        item.obj = _in_own_context(item.obj)


def _in_own_context(test: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(test)
    def run(**arguments: Any) -> None:
        copy_context().run(test, **arguments)

    return run


@pytest.fixture(autouse=True)
def no_early_start(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start a session at its first call: in most tests agents run no code, and a kernel costs 0.2 s of CPU.

    Not in the tests of sessions and in those with containers, in which everything is as for users.
    """
    from inspect_discoverybench.session.session import PythonSession

    is_session_test = request.path.is_relative_to(REPOSITORY / "tests" / "session")
    if "engine" not in request.fixturenames and not is_session_test:
        monkeypatch.setattr(PythonSession, "start_early", lambda _: None)


def _named_folder(marker: str, variable: str) -> Path:
    """The folder that an environment variable names."""
    folder = os.environ.get(variable, "")
    if not folder:
        _missing(marker, f"{variable} is not set")
    return Path(folder)


@pytest.fixture(scope="session")
def upstream() -> Path:
    """The released data."""
    return _named_folder("data", "DISCOVERYBENCH_DATA_DIR")


@pytest.fixture(scope="session")
def authors_repository() -> Path:
    """The git directory of a copy of the authors' repository."""
    return _named_folder("authors", "DISCOVERYBENCH_AUTHORS_REPOSITORY")


@pytest.fixture(scope="session")
def engine() -> None:
    """A running Docker engine that has the sandbox image."""
    from inspect_discoverybench.sandbox.engine import image_exists
    from inspect_discoverybench.sandbox.image import image
    from inspect_discoverybench.sandbox.shipped_files import shipped

    docker = _program("docker", "docker")
    if subprocess.run([docker, "info"], capture_output=True, check=False).returncode != 0:
        _missing("docker", "no Docker engine is running")

    def build() -> None:
        name = image()
        if not image_exists(name):
            subprocess.run([docker, "build", "--quiet", "--tag", name, str(shipped("sandbox"))], check=True)

    shared.build_once("image", build)


@pytest.fixture
def docker_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command `docker`, also on a machine without Docker. It is not called: checks only ask whether it exists."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "docker"
    command.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    command.chmod(0o755)
    # At the end, so that a real one takes precedence.
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}{os.pathsep}{folder}")


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a system Chromium."""
    return _program("browser", "chromium", "google-chrome")


@pytest.fixture(scope="session")
def helm() -> str:
    """Path of Helm, which renders the chart of inspect-k8s-sandbox."""
    return _program("kubernetes", "helm")


@pytest.fixture(scope="session")
def package_index() -> None:
    """A package index that uv can reach."""

    def reachable() -> bool:
        command = [UV, "pip", "compile", "--quiet", "--no-deps", "--refresh", "-"]
        lookup = subprocess.run(command, input=b"inspect-ai", capture_output=True, timeout=60, check=False)
        return lookup.returncode == 0

    if not shared.build_once("package_index", reachable):
        _missing("wheel", "no package index can be reached")


@pytest.fixture(scope="session")
def installed_wheel(package_index: None) -> Path:
    """The `bin` folder of a new environment that holds pip, the wheel and what it requires, nothing else."""

    def install() -> str:
        dist = shared.folder() / "dist"
        venv = shared.folder() / "venv"
        scripts = venv / "bin"
        uv("build", "--wheel", "--out-dir", dist, REPOSITORY)
        uv("venv", "--seed", "--python", sys.executable, venv)
        [wheel] = dist.glob("*.whl")
        uv("pip", "install", "--python", scripts / "python", wheel)
        return str(scripts)

    def uv(*arguments: str | Path) -> None:
        subprocess.run([UV, "--quiet", *arguments], check=True)

    return Path(shared.build_once("wheel", install))


@pytest.fixture(scope="session")
def cluster() -> None:
    """A Slurm cluster whose nodes share the file system of this machine."""
    if not os.environ.get("DISCOVERYBENCH_SLURM"):
        _missing("slurm", "DISCOVERYBENCH_SLURM is not set")


@pytest.fixture
def slow() -> None:
    """Requested by tests that take more than two seconds for all parameters; `make test-quick` leaves them out."""


@pytest.fixture
def command_line() -> None:
    """Requested by tests that start `inspect` or `discoverybench` as a process, which takes seconds."""
