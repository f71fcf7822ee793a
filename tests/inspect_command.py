"""Running `inspect` in this process: a process of its own takes six seconds of CPU.

The import is private, as is that of `benchmarks/imports.py`: the entry point of the command is a function that reads
`sys.argv` and ends the process, so that no test can call it. No other test imports private modules of Inspect.
"""

from click.testing import CliRunner, Result
from inspect_ai._cli.main import inspect


def invoke(*arguments: str) -> Result:
    """`inspect`."""
    return CliRunner().invoke(inspect, list(arguments), auto_envvar_prefix="INSPECT")
