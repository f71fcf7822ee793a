"""Runs the kernel's client as the sandbox does: as a program."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from inspect_discoverybench.session import kernel


class Session:
    """A session in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / ".session").mkdir()
        (folder / ".session" / "kernel.py").write_text(Path(kernel.__file__).read_text("utf-8"), "utf-8")

    def client(self, name: str, owner: int = 0, request: str | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", "-S", ".session/kernel.py", name, ".session", str(owner)]
        return subprocess.run(
            command, cwd=self.folder, input=request, capture_output=True, text=True, timeout=60, check=False
        )

    def run(self, code: str, timeout: float = 20, max_output: int = 10_000, figures: bool = False) -> dict[str, Any]:
        request = json.dumps({"code": code, "timeout": timeout, "max_output": max_output, "figures": figures})
        process = self.client("run", request=request)
        assert process.returncode == 0, process.stderr
        reply: dict[str, Any] = json.loads(process.stdout)
        if not figures:
            assert reply.pop("figures") == []
        return reply
