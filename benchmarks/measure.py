"""What every benchmark needs: folders of its own, a fresh process, and one printed table."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import psutil  # type: ignore[import-untyped]
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the package `tests`

P = ParamSpec("P")
T = TypeVar("T")

DATA = "DISCOVERYBENCH_DATA_DIR"
FOREIGN = ("INSPECT_EVAL_MODEL", "INSPECT_EVAL_MODEL_ROLE", "OPENAI_API_KEY", "OPENAI_BASE_URL")
"""What a developer's environment may hold and a benchmark must not use."""


@contextmanager
def own_folders() -> Iterator[Path]:
    """Logs, caches and the working folder of this run, removed at the end; no key of the developer is used."""
    before = dict(os.environ)
    here = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="discoverybench-benchmark-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        for variable in FOREIGN:
            os.environ.pop(variable, None)
        if data := os.environ.get(DATA):
            os.environ[DATA] = str(Path(data).absolute())
        os.environ |= {
            "INSPECT_CACHE_DIR": str(folder / "cache"),
            "INSPECT_LOG_DIR": str(folder / "logs"),
            "INSPECT_DISPLAY": "none",
            # Local sandboxes, and archives of data files; an eval that is ended at a time limit leaves them behind.
            "TMPDIR": name,
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(here)
            os.environ.clear()
            os.environ.update(before)


def in_fresh_process(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What a function of a benchmark's own file returns in a new interpreter; that file imports nothing heavy."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *args, **kwargs).result()


def processes_in(folder: Path) -> list[psutil.Process]:
    """Other processes that work in a folder of a benchmark, such as the kernels of local sandboxes."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.pid != os.getpid() and Path(process.cwd()).is_relative_to(folder):
                found.append(process)
    return found


def require_data() -> None:
    """End with one line if the released data are not named: a download would be measured otherwise."""
    if not os.environ.get(DATA):
        sys.exit(f"{DATA} is not set; name a folder that holds the released data.")


def require_engine() -> None:
    """End with one line if there is no Docker engine."""
    try:
        subprocess.run(["docker", "info"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        sys.exit("No Docker engine answers. Start it, or measure something else.")


def require_success(log: "EvalLog") -> "list[EvalSample]":
    """The samples of an eval; end with one line if it failed."""
    if log.status != "success":
        sys.exit(f"The eval of {log.eval.task} ended with {log.status}: {log.error and log.error.message}")
    return log.samples or []


def show(title: str, columns: Mapping[str, str], rows: Sequence[Sequence[object]], *notes: str) -> None:
    """Print the table.

    Args:
        title: Its title.
        columns: The format of the numbers of each column by its name; of the first column, whose values are texts, too.
        rows: Numbers, and texts that are printed as they are.
        notes: Sentences below the table.
    """
    today = datetime.now(UTC).date()
    python = sys.version.split()[0]
    table = Table(
        title=f"{title} ({today}, {os.cpu_count()} cores, Python {python})",
        title_justify="left",
        caption="\n".join(notes),
        caption_justify="left",
    )
    for name in columns:
        table.add_column(name, justify="right" if table.columns else "left")
    for row in rows:
        cells = []
        for value, form in zip(row, columns.values(), strict=True):
            cells.append(value if isinstance(value, str) else format(value, form))
        table.add_row(*cells)

    width = None if sys.stdout.isatty() else 118
    Console(width=width).print(table)
