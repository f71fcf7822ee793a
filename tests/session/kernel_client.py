"""Runs the session's client as the sandbox does: as a program."""

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from inspect_discoverybench.session import client, kernel


class Session:
    """A session in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / ".session").mkdir()
        for name, program in (("client.py", client), ("kernel.py", kernel)):
            (folder / ".session" / name).write_text(inspect.getsource(program), "utf-8")

    def command(self, name: str, *arguments: str, owner: int = 0) -> list[str]:
        return [sys.executable, "-I", "-S", ".session/client.py", name, ".session", str(owner), *arguments]

    def client(self, name: str, *arguments: str, owner: int = 0, code: str = "") -> subprocess.CompletedProcess[bytes]:
        command = self.command(name, *arguments, owner=owner)
        source = code.encode("utf-8", "surrogatepass")
        return subprocess.run(command, cwd=self.folder, input=source, capture_output=True, timeout=60, check=False)

    def start(self, code: str) -> subprocess.Popen[bytes]:
        """Run a cell with a limit of 60 s without waiting for it."""
        client = subprocess.Popen(
            self.command("run", "60", "10", "0"),
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
        )
        assert client.stdin
        client.stdin.write(code.encode())
        client.stdin.close()
        return client

    def run(self, code: str, timeout: float = 20, max_output: int = 10_000, figures: bool = False) -> dict[str, Any]:
        process = self.client("run", str(timeout), str(max_output), str(int(figures)), code=code)
        assert process.returncode == 0, process.stderr
        reply: dict[str, Any] = json.loads(process.stdout)
        if not figures:
            assert reply.pop("figures") == []
        return reply


def kernels(folder: Path) -> list[int]:
    """Processes that serve a session in this folder, even if the folder was removed."""
    pids = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().decode().split("\0")
            working = (process / "cwd").readlink().as_posix()
        except OSError:
            continue  # ended, or a zombie
        if ".session/kernel.pyc" in command and working.removesuffix(" (deleted)") == str(folder):
            pids.append(int(process.name))
    return pids
