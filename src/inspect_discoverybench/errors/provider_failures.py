"""Failures of Inspect and of model providers, converted into errors of this package."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from traceback import format_exception, walk_tb
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import Model
from pydantic import BaseModel
from rich.errors import StyleSyntaxError
from rich.style import Style
from tenacity import RetryError

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, ModelFailed
from inspect_discoverybench.errors.redaction import printable, redact, remember_keys

_UNREADABLE = (AssertionError, AttributeError, LookupError, TypeError, json.JSONDecodeError, RecursionError)
"""Exceptions that providers' packages raise if the server's reply is malformed, such as a web page."""

_BAD_REQUEST = {400, 413, 422}
"""HTTP statuses of requests that are refused because of their contents."""

_ACCOUNT = {401, 402, 403}
"""HTTP statuses of requests that are refused for another reason than their contents."""

_TAG = re.compile(r"(?P<escape>\\?)\[/?(?P<style>[a-zA-Z#@][^\[\]]*)\]")
"""Matches a tag of rich's markup."""

_ENDS_SAMPLE = {"LimitExceededError", "ModelRefusalError", "TerminateSampleError"}
"""Exceptions with which Inspect ends a sample. Not all of them are public."""

MAX_MESSAGE_LENGTH = 500
"""Longer messages of other packages are cut. Some contain a whole web page."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what caused it, through exception groups and retries; the first cause comes last."""
    inner: BaseException | None = error
    while inner is not None:
        yield inner
        inner = inner.exceptions[0] if isinstance(inner, BaseExceptionGroup) else inner.__cause__


def http_status(error: BaseException) -> int | None:
    """HTTP status of an error, under the attribute names that provider packages use."""
    for name in ("status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int):
            return value
    return None


def is_bad_request(error: BaseException) -> bool:
    """Whether a provider refused a request because of its contents, as far as its HTTP status tells."""
    statuses = {http_status(cause) for cause in causes(error)}
    return not statuses.isdisjoint(_BAD_REQUEST) and statuses.isdisjoint(_ACCOUNT)


def ends_sample(error: BaseException) -> bool:
    """Whether Inspect ends the sample with this exception, such as a limit. It must be raised unchanged."""
    return any(kind.__name__ in _ENDS_SAMPLE for kind in type(error).__mro__)


def reason_of(error: BaseException) -> str:
    """Why a request failed, in one line: the first cause with its type, and the HTTP status if there is one."""
    chain = [cause for cause in causes(error) if not isinstance(cause, RetryError | BaseExceptionGroup)] or [error]
    first_cause = chain[-1]
    # Connection errors often have no text. The provider's package has usually caught and described them.
    described = next((cause for cause in reversed(chain) if str(cause)), first_cause)
    message = one_line(described)
    kind = type(first_cause).__name__

    if isinstance(first_cause, _UNREADABLE):
        message = _unreadable_reply(first_cause, message if message != kind else "")

    details = []
    if kind not in message:
        details.append(kind)
    status = _first_status(chain)
    if status is not None and str(status) not in message:
        details.append(f"HTTP {status}")
    return f"{message} ({', '.join(details)})" if details else message


def _first_status(chain: list[BaseException]) -> int | None:
    for cause in chain:
        status = http_status(cause)
        if status is not None:
            return status
    return None


def _unreadable_reply(error: BaseException, message: str) -> str:
    """Why a reply could not be read: what the server says, or else the message of the provider's package."""
    said = _server_error(error)
    if said is not None:
        return f"the server replied with an error instead of a completion: {said}"
    advice = "the reply is not in the format of the provider's API, as if it were a web page. Check the base URL."
    return f"{advice} {message}".rstrip()


def _server_error(error: BaseException) -> str | None:
    """The error in a reply with HTTP status 200, such as `{"error": {"message": "overloaded"}}`; None without one.

    Providers' packages accept such a reply and fail later. It is then only in a local variable where they failed.
    """
    for frame, _ in reversed([*walk_tb(error.__traceback__)]):
        for value in frame.f_locals.values():
            reply = value.model_extra if isinstance(value, BaseModel) else value
            content = reply.get("error") if isinstance(reply, Mapping) else None
            if isinstance(content, Mapping):
                content = content.get("message") or json.dumps({**content}, default=str)
            if content:
                return one_line(Exception(content))
    return None


class _RedactedError(Exception):
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
            _redact_event(event)

    text = "".join(format_exception(error))
    if redact(text) == printable(text):
        return error
    return _RedactedError(redact(text), _first_status([*causes(error)]))


def _redact_event(event: ModelEvent) -> None:
    event.error = redact(event.error or "")
    event.traceback = redact(event.traceback or "")
    event.traceback_ansi = event.traceback
    if event.call:
        event.call.response = _redacted(event.call.response, transcript().attachments)


def _redacted(value: Any, attachments: Any) -> Any:
    """A part of a response, redacted; a long text is in the attachments, which are changed in place."""
    match value:
        case str():
            reference = value.removeprefix("attachment://")
            if reference not in attachments:
                return redact(value)
            attachments[reference] = redact(attachments[reference])
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
        remember_keys({"api_key": model.api.api_key, **model.model_args})
        raise ModelFailed(f"{owner} failed: {reason_of(error)}.") from redact_request(error)


def _text_of_tag(tag: re.Match[str]) -> str:
    """Nothing for a style, such as `[bold]`. Other brackets stay, such as those of the extra in `package[k8s]`."""
    if tag["escape"]:
        return tag[0].removeprefix(tag["escape"])
    try:
        Style.parse(tag["style"])
    except StyleSyntaxError:
        return tag[0]
    return ""


def one_line(error: BaseException) -> str:
    """The message of any error in one line, without the styles in Inspect's markup."""
    words = str(getattr(error, "message", error)).split()
    message = " ".join(words) or type(error).__name__
    message = _TAG.sub(_text_of_tag, message)
    return redact(message.removeprefix("ERROR: "))[:MAX_MESSAGE_LENGTH].rstrip(".")


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
        message = f"{where}: {one_line(error)}. {remedy}"
        variable = _variable_of_folder(str(getattr(error, "filename", None)))
        if variable is not None:
            folder = os.environ.get(variable)
            message = (
                f"Inspect cannot write its own data in the folder {folder}: {one_line(error)}. "
                f"Set {variable} to a folder that can be written."
            )
        raise error_type(message.rstrip()) from error


def _variable_of_folder(path: str) -> str | None:
    """The variable that names the folder of Inspect's own data to which a path belongs; None if it is elsewhere."""
    for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        if path.startswith(os.environ.get(variable, "/dev/null")):
            return variable
    home = str(Path.home())
    # Other files in the home folder, such as logs, are not Inspect's own.
    return "HOME" if path == home or path.startswith(f"{home}/.") else None
