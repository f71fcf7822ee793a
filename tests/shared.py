"""Resources that are built once per test run and shared by the workers of pytest-xdist."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from filelock import FileLock

VARIABLE = "DISCOVERYBENCH_TEST_FOLDER"


def folder() -> Path:
    """The folder of this test run. `conftest.py` creates it before the workers start and removes it at the end."""
    return Path(os.environ[VARIABLE])


def build_once(name: str, build: Callable[[], Any]) -> Any:
    """Return what `build` returned in the first worker that called it.

    Other workers wait until the first one is done. The result must be JSON-serializable.

    Args:
        name: Identifies the resource in this test run.
        build: Builds the resource. If it raises, the next caller tries again.
    """
    result = folder() / f"{name}.json"
    with FileLock(f"{result}.lock"):
        if not result.exists():
            result.write_text(json.dumps(build()), "utf-8")
        return json.loads(result.read_text("utf-8"))
