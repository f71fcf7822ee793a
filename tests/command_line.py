"""Running `discoverybench` in this process, with models on a loopback server."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from click.testing import CliRunner, Result

from inspect_discoverybench.cli.main import main
from tests.endpoint import Answer, Endpoint, Request, serve


def discoverybench(line: str) -> Result:
    """Run `discoverybench` in this process, with the words of a command line."""
    words = shlex.split(line)
    return CliRunner().invoke(main, words)


def completed(line: str) -> str:
    """The output of a command that ends well."""
    result = discoverybench(line)
    assert result.exit_code == 0, result.output
    return result.output


def failed(line: str, exit_code: int = 1) -> str:
    """The output of a command that finds something wrong."""
    result = discoverybench(line)
    assert result.exit_code == exit_code, result.output
    return result.output


def refused(line: str) -> str:
    """The message with which a command refuses its input: one line, after those that say what it waits for."""
    result = discoverybench(line)
    assert result.exit_code == 2, result.output
    lines = result.output.strip().splitlines()
    [message] = [text for text in lines if not text.endswith(" …")]
    return message


def without_layout(output: str) -> str:
    """The words of an output with single spaces, wherever lines and columns of tables begin."""
    words = output.split()
    return " ".join(words)


@contextmanager
def lab(answer: Callable[[Request], Answer]) -> Iterator[tuple[str, Endpoint]]:
    """A model on a loopback server. Its name is new each time, because Inspect keeps the models it has made."""
    with serve(answer) as endpoint, pytest.MonkeyPatch.context() as environment:
        environment.setenv("LAB_API_KEY", "test")
        environment.setenv("LAB_BASE_URL", endpoint.url)
        address = endpoint.url.removesuffix("/v1")
        port = address.split(":")[-1]
        yield f"openai-api/lab/{port}", endpoint
