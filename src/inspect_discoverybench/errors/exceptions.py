"""The exceptions. The message of each is one line: what is wrong, the value, the remedy.

The base class is a `click.ClickException`. Inspect's command line and ours are click programs, so an error that is
raised while a task is built is printed as one line instead of a traceback.
"""

import click

from inspect_discoverybench.errors.redaction import redact

RETRY = "To run the sample again, run `inspect eval-retry`, or repeat `discoverybench run`."


class DiscoveryBenchError(click.ClickException):
    """Base class of the errors of this package. Its message has no control characters and no API keys."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        """Redact the message, which may contain text from models, providers and files."""
        super().__init__(redact(message))


class InvalidArgument(DiscoveryBenchError):
    """A task or command argument is invalid."""


class InvalidExperiment(DiscoveryBenchError):
    """An experiment file cannot be read or is invalid."""


class DataError(DiscoveryBenchError):
    """The data cannot be used: a file is invalid, differs from the released one, or could not be downloaded."""


class UnreadableLog(DataError):
    """A log cannot be used: it is damaged, and Inspect cannot read it, or it has impossible scores."""


class ReplyRejected(DiscoveryBenchError):
    """A reply of a model is invalid. The message is sent back to the model."""


class AuthorFailed(DiscoveryBenchError):
    """The author of a generated set gave no valid reply. The message is recorded as the reason of the rejection."""


class ExpressionRefused(DiscoveryBenchError):
    """An expression of a semantic tree is not on the allow-list, or exceeds its bounds."""


class ModelFailed(DiscoveryBenchError):
    """A model's provider failed, after Inspect's retries. The sample is an error, not a zero."""

    def __init__(self, failure: str, remedy: str = RETRY) -> None:
        """Make the message of two sentences. `failure` is kept, so that a caller can give another remedy.

        Args:
            failure: A sentence that says whose model failed, and why.
            remedy: A sentence that says what to do.
        """
        super().__init__(f"{failure} {remedy}")
        self.failure = failure


class JudgeFailed(ModelFailed):
    """The judge's provider failed."""

    exit_code = 1  # of `discoverybench judge`, which tells this failure apart from invalid input (docs/judge.md)


class EngineFailed(DiscoveryBenchError):
    """The Docker engine gave no answer."""


class EngineNotAsked(EngineFailed):
    """The Docker engine was not asked, because the client library cannot use its address.

    The command `docker` may be able to use it.
    """
