"""The commands in the documentation, and processes that run them without loading Inspect each time."""

import multiprocessing
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PAGES = sorted([REPOSITORY / "README.md", *REPOSITORY.glob("docs/*.md")])
_BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.DOTALL | re.MULTILINE)

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["inspect_ai", "inspect_ai.analysis", "inspect_discoverybench._registry", __name__])


def commands_of(page: Path) -> list[str]:
    """Every command in the `bash` blocks of a page, each on one line and without its comment."""
    lines = "\n".join(_BLOCK.findall(page.read_text("utf-8"))).replace("\\\n", " ").splitlines()
    return [" ".join(re.sub(r"(^|\s+)# .*", "", line).split()) for line in lines if line and not line.startswith("#")]


def run_command(command: str, folder: Path, environment: Mapping[str, str]) -> tuple[int | None, str]:
    """Run `inspect` or `discoverybench` in a new process.

    Returns:
        The exit code and the output.
    """
    name, *arguments = shlex.split(command)
    expanded = [path for argument in arguments for path in _expand(argument, folder)]
    output = folder / "output.txt"
    process = _processes.Process(target=_run, args=(name, expanded, str(folder), dict(environment), str(output)))
    process.start()
    process.join(240)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode, output.read_text("utf-8", "replace")


def _expand(argument: str, folder: Path) -> list[str]:
    """Expand a file pattern as the shell does."""
    if "*" not in argument:
        return [argument]
    return sorted(str(path.relative_to(folder)) for path in folder.glob(argument)) or [argument]


def _run(name: str, arguments: Sequence[str], folder: str, environment: Mapping[str, str], output: str) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for descriptor in (1, 2):
        os.dup2(file, descriptor)
    [script] = entry_points(group="console_scripts", name=name)
    sys.argv = [name, *arguments]
    sys.exit(script.load()())
