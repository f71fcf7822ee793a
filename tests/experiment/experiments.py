"""Experiments of the tests, and the logs that they leave."""

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

SMALL = """\
name: small
tasks: [discoverybench/demo]
solvers: [discoverybench/gold, discoverybench/no_data_guess]
models: [discoverybench/baseline, {name: discoverybench/baseline, config: {temperature: 0.5}}]
log_dir: logs/small
limits: {samples: 2}
"""
GOLD = """\
name: small
tasks: [discoverybench/demo]
solvers: [discoverybench/gold]
models: [discoverybench/baseline]
log_dir: logs/small
limits: {samples: 2}
"""

BASELINE = "--model discoverybench/baseline"


def logs(folder: str = "logs/small") -> list[EvalLog]:
    """Every log of a folder."""
    if not Path(folder).is_dir():
        return []
    return [read_eval_log(info) for info in list_eval_logs(folder)]


def metadata(log: EvalLog) -> dict[str, Any]:
    """What a log records of its experiment."""
    assert log.eval.metadata is not None
    return log.eval.metadata


def start(text: str, model: str) -> subprocess.Popen[str]:
    """Run an experiment in a process group of its own."""
    Path("experiment.yaml").write_text(text.replace("MODEL", model), "utf-8")
    return subprocess.Popen(
        [
            Path(sys.executable).with_name("discoverybench"),
            "run",
            "experiment.yaml",
            "--set",
            "options.retry_attempts=0",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 240
    while True:
        with suppress(ValueError):  # a log that is just being written
            if condition():
                return
        assert process.poll() is None, "it ended by itself"
        assert time.monotonic() < deadline
        time.sleep(0.2)
