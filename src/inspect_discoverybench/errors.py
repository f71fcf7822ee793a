"""The exception hierarchy.

```
DiscoveryBenchError            base class; the message is one line: what is wrong, the value, the remedy
├── InvalidArgument            a task or command argument is invalid
├── InvalidExperiment          an experiment file cannot be read or is invalid
├── DiskFull                   there is no space left to write a log
├── DataError
│   ├── DataMissing            a file or folder does not exist or cannot be read
│   ├── DataCorrupt            a file differs from the released file
│   ├── DownloadFailed         the released data could not be downloaded
│   ├── UnreadableTable        a data file is empty, truncated or malformed
│   ├── UnreadableLog          a log is damaged
│   └── InvalidMetadata        a metadata file or answer key is invalid
├── JudgeUnavailable           the judge's model cannot be called
├── JudgeFailed                the judge's provider failed
├── ReplyRejected              a reply of the judge or author is invalid (sent back with the error)
├── ReplyMissing               a provider's reply has no choices
├── AuthorFailed               the author's replies stay invalid (the step is rejected with the reason)
├── ExpressionRefused          an expression of a semantic tree is not on the allow-list
├── InvalidTree                a semantic tree cannot be read or is invalid
├── SessionFailed              the sandbox could not run the Python session
└── SandboxLost                the sandbox ended or cannot be reached, and the agent's code is not the cause
```

The base class is a `click.ClickException`. Inspect's command line and ours are click programs, so an error that is
raised while a task is built is printed as one line instead of a traceback.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click
from rich.errors import MarkupError
from rich.markup import render
from tenacity import RetryError


class DiscoveryBenchError(click.ClickException):
    """Base class of the errors of this package."""


class InvalidArgument(DiscoveryBenchError):
    """A task or command argument is invalid."""


class InvalidExperiment(DiscoveryBenchError):
    """An experiment file cannot be read or is invalid."""


class DiskFull(DiscoveryBenchError):
    """There is no space left to write a log."""


class DataError(DiscoveryBenchError):
    """The data cannot be used."""


class DataMissing(DataError):
    """A file or folder does not exist or cannot be read."""


class DataCorrupt(DataError):
    """A file differs from the released file, or from the one that was checked."""


class DownloadFailed(DataError):
    """The released data could not be downloaded or stored."""


class UnreadableTable(DataError):
    """A data file is empty, truncated or malformed."""


class UnreadableLog(DataError):
    """A log is damaged, so that Inspect cannot read it."""


class InvalidMetadata(DataError):
    """A metadata file or an answer key is invalid."""


class JudgeUnavailable(DiscoveryBenchError):
    """The model of the role `grader` cannot be called."""


class ReplyRejected(DiscoveryBenchError):
    """A reply of the judge or author is invalid. The message is sent back."""


class ReplyMissing(DiscoveryBenchError):
    """A provider returned a reply without choices. The sample is an error, not a zero."""


class AuthorFailed(DiscoveryBenchError):
    """The author of a generated set gave no valid reply. The message is recorded as the reason of the rejection."""


class ExpressionRefused(DiscoveryBenchError):
    """An expression of a semantic tree is not on the allow-list, or exceeds its bounds."""


class InvalidTree(DiscoveryBenchError):
    """A semantic tree cannot be read or is invalid."""


class JudgeFailed(DiscoveryBenchError):
    """The judge's provider failed. The sample is an error, not a zero."""


class SessionFailed(DiscoveryBenchError):
    """The sandbox could not run the Python session. The sample is an error, not a zero."""


class SandboxLost(DiscoveryBenchError):
    """The sandbox ended or cannot be reached, and the agent's code is not the cause. The sample is an error."""


def first_cause(error: BaseException) -> BaseException:
    """The error at the start of a chain of causes, exception groups and retries."""
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
    """The message of any error in one line, without Inspect's markup."""
    message = " ".join(str(getattr(error, "message", error)).split()) or type(error).__name__
    with suppress(MarkupError):  # brackets in the message may look like invalid markup
        message = render(message).plain
    return message.removeprefix("ERROR: ")[:500].rstrip(".")


@contextmanager
def inspect_errors(error_type: type[DiscoveryBenchError], where: str, remedy: str = "") -> Iterator[None]:
    """Convert any exception from Inspect and its providers into one error of this package.

    Inspect raises many types for a missing key, package, file or name, and most of them are not public.

    Args:
        error_type: Type of the error to raise.
        where: Prefix of the message, such as `file:line`.
        remedy: Sentence at the end of the message.
    """
    try:
        yield
    except DiscoveryBenchError as error:
        raise error_type(f"{where}: {error.message} {remedy}".rstrip()) from error
    except Exception as error:  # re-raised as our error, with the original as its cause
        raise error_type(f"{where}: {one_line(error)}. {remedy}".rstrip()) from error


def require_positive(name: str, value: object) -> None:
    """Check that the argument `name` is a positive integer.

    Raises:
        InvalidArgument: It is not.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidArgument(f"{name} must be a positive integer, got {value}.")
