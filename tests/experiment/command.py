"""Running `discoverybench` in this process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log

from inspect_discoverybench.cli.main import main
from tests.endpoint import Answer, Endpoint, Request, serve

MATRIX = """\
name: small
tasks: [discoverybench/demo]
solvers: [discoverybench/gold, discoverybench/no_data_guess]
models: [discoverybench/baseline, {name: discoverybench/baseline, config: {temperature: 0.5}}]
log_dir: logs/small
limits: {samples: 2}
"""


def invoke(*arguments: str) -> Result:
    """`discoverybench`, in this process."""
    return CliRunner().invoke(main, list(arguments))


def run(*arguments: str) -> Result:
    """`discoverybench run`."""
    return invoke("run", *arguments)


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
