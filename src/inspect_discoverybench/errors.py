"""The exception tree.

```
DiscoveryBenchError            one line: what, the value, what is expected or how to mend it
├── InvalidArgument            a task or command argument outside its possible values
├── InvalidExperiment      an experiment file that cannot be read or does not follow the form
├── DataError
│   ├── DataMissing            a folder or file of the released data is not there
│   ├── DataCorrupt            a file is there but is not the released one
│   ├── DownloadFailed         the archive could not be fetched
│   ├── UnreadableTable        a data file cannot be read to its end
│   └── InvalidMetadata        a metadata file or answer key that does not follow its form
├── JudgeUnavailable           the role `grader` has no model that can be called
├── JudgeFailed                the judge's provider failed while it was asked
├── ReplyRejected              a judge's reply outside its contract (asked again, then unscored)
├── ReplyMissing               a provider's reply has no choices
└── SessionFailed              the sandbox did not run the Python session
```

The root is a `click.ClickException`: Inspect's command line and ours are click programs, so an
error raised while a task is being built reaches the user as one line instead of a traceback.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click
from rich.errors import MarkupError
from rich.markup import render
from tenacity import RetryError


class DiscoveryBenchError(click.ClickException):
    """Root of every error this package raises on purpose."""


class InvalidArgument(DiscoveryBenchError):
    """An argument outside its possible values."""


class InvalidExperiment(DiscoveryBenchError):
    """An experiment file cannot be read, or does not follow the form."""


class DataError(DiscoveryBenchError):
    """The data cannot be used as they are."""


class DataMissing(DataError):
    """A folder or file of the released data is not there."""


class DataCorrupt(DataError):
    """A file differs from the released one."""


class DownloadFailed(DataError):
    """The archive of the released data could not be fetched."""


class UnreadableTable(DataError):
    """A data file cannot be read as a table to its end."""


class InvalidMetadata(DataError):
    """A metadata file or an answer key does not follow its form."""


class JudgeUnavailable(DiscoveryBenchError):
    """The role `grader` has no model that can be called."""


class ReplyRejected(DiscoveryBenchError):
    """A judge's reply is outside its contract; the message is shown to the judge when it is asked again."""


class ReplyMissing(DiscoveryBenchError):
    """A provider's reply has no choices: a fault of the provider, never of the agent."""


class JudgeFailed(DiscoveryBenchError):
    """The provider of the judge failed while it was asked: the sample is an error and never a zero."""


class SessionFailed(DiscoveryBenchError):
    """The sandbox could not run the Python session: a fault of the infrastructure, never of the agent."""


def first_cause(error: BaseException) -> BaseException:
    """The error that came first: task groups, retries and requests wrap it."""
    while True:
        match error:
            case BaseExceptionGroup():
                inner: BaseException | None = error.exceptions[0]
            case RetryError():
                inner = error.last_attempt.exception()
            case _:
                inner = error.__cause__
        if inner is None:
            return error
        error = inner


def one_line(error: BaseException) -> str:
    """What an error of somebody else's says, in one line and without Inspect's colours."""
    said = " ".join(str(getattr(error, "message", error)).split()) or type(error).__name__
    with suppress(MarkupError):  # it may have brackets of its own
        said = render(said).plain
    return said.removeprefix("ERROR: ")[:500].rstrip(".")


@contextmanager
def inspect_errors(raised: type[DiscoveryBenchError], where: str) -> Iterator[None]:
    """Turn whatever Inspect and its providers raise in this block into one line of ours.

    Inspect's errors for a missing key, package, file or name are of many types, and most of them are not public.

    Args:
        raised: The error to raise instead.
        where: What was being done, or `file:line`. It comes before the message.
    """
    try:
        yield
    except DiscoveryBenchError as error:
        raise raised(f"{where}: {error.message}") from error
    except Exception as error:
        raise raised(f"{where}: {one_line(error)}.") from error


def require_positive(name: str, value: object) -> None:
    """Check that the argument `name` is a positive integer.

    Raises:
        InvalidArgument: It is not.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidArgument(f"{name} must be a positive integer, got {value}.")
