"""Failures of Inspect and of model providers, converted into errors of this package."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import format_exception
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import Model
from rich.errors import MarkupError
from rich.markup import render
from tenacity import RetryError

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, ModelFailed
from inspect_discoverybench.errors.redaction import hide_keys, printable, redact

_UNREADABLE = (AssertionError, AttributeError, LookupError, TypeError, json.JSONDecodeError, RecursionError)
"""Exceptions that providers' packages raise if the server's reply is malformed, such as a web page."""


_BAD_REQUEST, _ACCOUNT = {400, 413, 422}, {401, 402, 403}
"""HTTP statuses of refused requests, and of those that have another cause than their contents."""


_ENDS_SAMPLE = {"LimitExceededError", "ModelRefusalError", "TerminateSampleError"}
"""Exceptions with which Inspect ends a sample. Not all of them are public."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it, through exception groups and retries; the first cause comes last."""
    inner: BaseException | None = error
    while inner is not None:
        yield inner
        inner = inner.exceptions[0] if isinstance(inner, BaseExceptionGroup) else inner.__cause__


def http_status(error: BaseException) -> int | None:
    """HTTP status of an error, under the attribute names that provider packages use."""
    values = (getattr(error, name, None) for name in ("status_code", "code"))
    return next((value for value in values if isinstance(value, int)), None)


def is_bad_request(error: BaseException) -> bool:
    """Whether a provider refused a request because of its contents, as far as its HTTP status tells."""
    statuses = {http_status(cause) for cause in causes(error)}
    return bool(statuses & _BAD_REQUEST) and not statuses & _ACCOUNT


def ends_sample(error: BaseException) -> bool:
    """Whether Inspect ends the sample with this exception, such as a limit. It must be raised unchanged."""
    return any(kind.__name__ in _ENDS_SAMPLE for kind in type(error).__mro__)


def reason_of(error: BaseException) -> str:
    """Why a request failed, in one line: the first cause with its type, and the HTTP status if there is one."""
    chain = [cause for cause in causes(error) if not isinstance(cause, RetryError | BaseExceptionGroup)] or [error]
    # Connection errors often have no text. The provider's package has usually caught and described them.
    described = next((cause for cause in reversed(chain) if str(cause)), chain[-1])
    message, kind = one_line(described), type(chain[-1]).__name__
    if isinstance(chain[-1], _UNREADABLE):
        text = "" if message == kind else f" {message}"
        message = (
            f"the reply is not in the format of the provider's API, as if it were a web page. Check the base URL.{text}"
        )
    status = next((status for status in map(http_status, chain) if status is not None), None)
    details = [] if kind in message else [kind]
    details += [] if status is None or str(status) in message else [f"HTTP {status}"]
    return f"{message} ({', '.join(details)})" if details else message


class _WithoutKeys(Exception):
    """Stands for a provider's error whose text has a key."""

    def __init__(self, text: str, status: int | None) -> None:
        super().__init__(text)
        self.status_code = status


def redact_request(error: BaseException) -> BaseException:
    """Redact a failed request in the transcript: gateways may echo the request's headers.

    Returns:
        The error, or if its traceback has a key, an error that contains the redacted traceback.
    """
    for event in transcript().history.resident_events:
        if isinstance(event, ModelEvent) and event.error:
            event.error, event.traceback = redact(event.error), redact(event.traceback or "")
            event.traceback_ansi = event.traceback
            if event.call:
                event.call.response = _redacted(event.call.response, transcript().attachments)
    text = "".join(format_exception(error))
    status = next((status for status in map(http_status, causes(error)) if status is not None), None)
    return error if redact(text) == printable(text) else _WithoutKeys(redact(text), status)


def _redacted(value: Any, attachments: Any) -> Any:
    """A part of a response, redacted; a long text is in the attachments, which are changed in place."""
    match value:
        case str() if (reference := value.removeprefix("attachment://")) in attachments:
            attachments[reference] = redact(attachments[reference])
        case str():
            return redact(value)
        case list():
            return [_redacted(part, attachments) for part in value]
        case dict():
            return {name: _redacted(part, attachments) for name, part in value.items()}
    return value


@contextmanager
def model_errors(owner: str, model: Model) -> Iterator[None]:
    """Convert any exception of a provider into `ModelFailed` with the owner, such as "The agent's model openai/gpt-4o".

    The model's keys are redacted.

    Exceptions with which Inspect ends a sample are raised unchanged. A `TimeoutError` must not reach Inspect: it would
    score the sample as if the agent had finished.
    """
    try:
        yield
    except Exception as error:  # every provider raises different types
        if ends_sample(error) or isinstance(error, DiscoveryBenchError):
            raise
        hide_keys({"api_key": model.api.api_key, **model.model_args})
        raise ModelFailed(f"{owner} failed: {reason_of(error)}.") from redact_request(error)


def one_line(error: BaseException) -> str:
    """The message of any error in one line, without Inspect's markup."""
    message = " ".join(str(getattr(error, "message", error)).split()) or type(error).__name__
    with suppress(MarkupError):  # brackets in the message may look like invalid markup
        message = render(message).plain
    return redact(message.removeprefix("ERROR: "))[:500].rstrip(".")


@contextmanager
def inspect_errors(error_type: type[DiscoveryBenchError], where: str, remedy: str = "") -> Iterator[None]:
    """Convert any exception from Inspect and its providers into one error of this package.

    Inspect raises many types for a missing key, package, file or name, and most of them are not public. The message
    begins with `where`, such as `file:line`.
    """
    try:
        yield
    except DiscoveryBenchError as error:
        raise error_type(f"{where}: {error.message} {remedy}".rstrip()) from error
    except BrokenPipeError:  # the reader of our output has stopped, as `head` does: click ends the command
        raise
    except Exception as error:  # re-raised as our error, with the original as its cause
        file, home = str(getattr(error, "filename", None) or "/"), str(Path.home())
        folders = {name: f"{value}/" for name, value in os.environ.items() if re.fullmatch("XDG_.*(HOME|DIR)", name)}
        for variable, folder in {**folders, "HOME": f"{home}/."}.items():
            if file != "/" and (folder.startswith(file) or file.startswith(folder)):
                reason = f"Inspect cannot write its own data in the folder {Path(folder)}: {one_line(error)}"
                raise error_type(f"{reason}. Set {variable} to a folder that can be written.") from error
        raise error_type(f"{where}: {one_line(error)}. {remedy}".rstrip()) from error
