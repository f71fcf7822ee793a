"""Exit codes of errors, in commands whose exit code 1 has a meaning of its own."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from inspect_discoverybench.errors import DiscoveryBenchError, DiskFull


@contextmanager
def exit_with_2() -> Iterator[None]:
    """Print an error of this package and exit with 2; with 1 after a full disk, which a second run continues from."""
    try:
        yield
    except DiscoveryBenchError as error:
        error.show()
        raise click.exceptions.Exit(1 if isinstance(error, DiskFull) else 2) from error
