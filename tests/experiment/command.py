"""Running `discoverybench` in this process."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from inspect_discoverybench.cli.main import main
from tests.endpoint import Answer, Endpoint, Request, serve

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


def discoverybench(line: str) -> Result:
    """Run `discoverybench` in this process, with the words of a command line."""
    return CliRunner().invoke(main, shlex.split(line))


def logs(folder: str = "logs/small") -> list[EvalLog]:
    """Every log of a folder."""
    return [read_eval_log(info) for info in list_eval_logs(folder)] if Path(folder).is_dir() else []


@contextmanager
def lab(answer: Callable[[Request], Answer]) -> Iterator[tuple[str, Endpoint]]:
    """A model on a loopback server. Its name is new each time, because Inspect keeps the models it has made."""
    with serve(answer) as endpoint, pytest.MonkeyPatch.context() as environment:
        environment.setenv("LAB_API_KEY", "test")
        environment.setenv("LAB_BASE_URL", endpoint.url)
        yield f"openai-api/lab/{endpoint.url.split(':')[-1].removesuffix('/v1')}", endpoint


def price(amount: float) -> dict[str, float]:
    """The price of a model, in US dollars for a million tokens that are read or written."""
    return {"input": amount, "output": amount, "input_cache_write": 0, "input_cache_read": 0}


def logs_of(solver: str) -> list[EvalLog]:
    """The logs of the runs of a solver."""
    return [log for log in logs() if log.eval.metadata and solver in log.eval.metadata["run"]["solver"]]
