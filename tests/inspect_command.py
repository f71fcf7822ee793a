"""Running `inspect` in this process: a process of its own takes six seconds of CPU."""

from click.testing import CliRunner, Result
from inspect_ai._cli.main import inspect


def invoke(*arguments: str) -> Result:
    """`inspect`."""
    return CliRunner().invoke(inspect, list(arguments), auto_envvar_prefix="INSPECT")
