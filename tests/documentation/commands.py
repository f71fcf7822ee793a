"""The commands in the documentation, and processes that run them without loading Inspect each time."""

import glob
import multiprocessing
import os
import re
import shlex
import signal
import sys
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PAGES = sorted([REPOSITORY / "README.md", *REPOSITORY.glob("docs/*.md")])
_BLOCK = re.compile(r"(?ms)^```bash\n(.*?)^```$")
_COMMENT = re.compile(r"(^|\s+)# .*")

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(["inspect_ai", "inspect_ai.analysis", "inspect_discoverybench._registry", __name__])


def commands_of(page: Path) -> list[str]:
    """Every command in the `bash` blocks of a page, each on one line and without its comment."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    blocks = "".join(_BLOCK.findall(text))
    commands = []
    for line in blocks.splitlines():
        command = _COMMENT.sub("", line)
        words = command.split()
        if words:
            commands.append(" ".join(words))
    return commands


def run_command(command: str, folder: Path, environment: Mapping[str, str]) -> tuple[int | None, str]:
    """Run `inspect` or `discoverybench` in a new process.

    Returns:
        The exit code and the output.
    """
    output = folder / "output.txt"
    arguments = (command, folder, dict(environment), output)
    process = _processes.Process(target=_run, args=arguments)
    process.start()
    process.join()
    text = output.read_text("utf-8", "replace")
    return process.exitcode, text


def _run(command: str, folder: Path, environment: dict[str, str], output: Path) -> None:
    signal.alarm(240)  # ends a command that does not end
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(file, 1)
    os.dup2(file, 2)

    name, *arguments = shlex.split(command)
    sys.argv = [name]
    for argument in arguments:
        # The shell expands file patterns, and keeps those that match nothing.
        files = sorted(glob.glob(argument))  # noqa: PTH207 - relative paths, as typed
        sys.argv += files or [argument]
    [script] = entry_points(group="console_scripts", name=name)
    main = script.load()
    sys.exit(main())
