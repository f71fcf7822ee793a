"""Failures of Inspect and of model providers, converted into errors of this package."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from traceback import format_exception
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import Model, get_model

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, InvalidArgument, ModelFailed
from inspect_discoverybench.errors.redaction import redact, remember_keys

_UNREADABLE = (AssertionError, AttributeError, LookupError, TypeError, json.JSONDecodeError, RecursionError)
"""Exceptions that providers' packages raise if the server's reply is malformed, such as a web page."""

_UNREADABLE_REPLY = (
    "the reply is not in the format of the provider's API: it may be an error or a web page. Check the server and the "
    "base URL."
)
"""Inspect does not keep a reply that it could not read. So the message cannot say what the server replied."""

_BAD_REQUEST = {400, 413, 422}
"""HTTP statuses of requests that are refused because of their contents."""

NOT_FOUND = 404

_BAD_REQUEST_OR_OUTAGE = {NOT_FOUND, 500, 501}
"""HTTP statuses with which some servers refuse a reply schema, but which may have any other cause.

OpenRouter replies with 404 (https://github.com/pydantic/pydantic-ai/issues/2896), llama-cpp-python with 500
(https://github.com/ggml-org/llama.cpp/issues/23463).
"""

_GRPC_STATUSES = {"INVALID_ARGUMENT": 400, "NOT_FOUND": NOT_FOUND}
"""The HTTP statuses that mean the same as statuses of gRPC, which xAI's package uses in place of HTTP:
https://grpc.io/docs/guides/status-codes."""

_STYLE = re.compile(r"\[/?(?:bold|italic|dim|blue|cyan|green|red)\]|\\(?=\[)")
"""Matches the tags that style Inspect's messages, and the escape of other brackets."""

_BLANK_LINE = re.compile(r"\n\s*\n")

PUNCTUATION = ".:;,!?"
"""Characters after which a further sentence needs no colon."""

_ENDS_SAMPLE = {"LimitExceededError", "ModelRefusalError", "TerminateSampleError"}
"""Names of exceptions with which Inspect ends a sample. Names, because not all of the classes are public."""

MAX_MESSAGE_LENGTH = 500
"""Longer messages of other packages are cut. Some contain a whole web page."""


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, its cause, the cause of the cause, and so on. The root cause comes last.

    The first error of an exception group counts as the cause of the group: callers need one reason for the failure.
    """
    inner: BaseException | None = error
    while inner is not None:
        yield inner
        inner = inner.exceptions[0] if isinstance(inner, BaseExceptionGroup) else inner.__cause__


def http_status(error: BaseException) -> int | None:
    """The HTTP status of a failed request; None if neither the error nor its causes have one."""
    for cause in causes(error):
        response = getattr(cause, "response", None)
        code = getattr(cause, "code", None)
        statuses = [getattr(cause, "status_code", None), code]
        if callable(code):  # gRPC
            statuses.append(_GRPC_STATUSES.get(code().name))
        if isinstance(response, Mapping):  # AWS: https://docs.aws.amazon.com/boto3/latest/guide/error-handling.html
            statuses.append(response.get("ResponseMetadata", {}).get("HTTPStatusCode"))
        else:  # httpx and requests
            statuses.append(getattr(response, "status_code", None))
        for status in statuses:
            if isinstance(status, int):
                return status
    return None


def is_bad_request(error: BaseException) -> bool:
    """Whether a provider refused a request because of its contents, as far as its HTTP status tells."""
    return http_status(error) in _BAD_REQUEST


def may_be_bad_request(error: BaseException) -> bool:
    """Whether the HTTP status fits both a request that is refused because of its contents and a provider's outage."""
    return http_status(error) in _BAD_REQUEST_OR_OUTAGE


def ends_sample(error: BaseException) -> bool:
    """Whether Inspect ends the sample with this exception, such as a limit. It must be raised unchanged."""
    names = {kind.__name__ for kind in type(error).__mro__}
    return bool(names & _ENDS_SAMPLE)


def reason_of(error: BaseException) -> str:
    """Why a request failed, in one line.

    It is the description nearest to the root cause, the type of the root cause, and the HTTP status if there is one.
    """
    # From the error to its root cause.
    chain = [*causes(error)]
    root_cause = chain[-1]
    # Connection errors often have no text. The provider's package has usually caught and described them.
    described = [cause for cause in chain if str(cause)] or [root_cause]
    deepest_described = described[-1]
    message = one_line(deepest_described)
    body = getattr(deepest_described, "body", None)
    # OpenAI's package leaves the response's body out of the message if it is plain text. Mistral's includes it.
    if isinstance(body, str) and body.strip() not in str(deepest_described):
        message = f"{message}: {one_line(body)}"
    if isinstance(root_cause, _UNREADABLE):
        message = f"{_UNREADABLE_REPLY} {message}"

    kind = type(root_cause).__name__
    status = http_status(error)
    if status is None:
        return f"{message} ({kind})"
    return f"{message} ({kind}, HTTP {status})"


def redact_request(error: BaseException) -> BaseException:
    """Redact the failed requests in the transcript: gateways may echo a request's headers, and so its key.

    Returns:
        The error itself if its traceback has no key; otherwise another error, whose message is the redacted traceback.
    """
    # Only the events in memory can be redacted. The failed request is among them, because they include the last events.
    # If the user sets `INSPECT_TRANSCRIPT_BOUNDED`, Inspect writes long transcripts from its database instead. The log
    # then has the error as it was (docs/security.md).
    for event in transcript().history.resident_events:
        if isinstance(event, ModelEvent) and event.error:
            event.error = redact(event.error)
            event.traceback = redact(event.traceback or "")
            event.traceback_ansi = event.traceback
            if event.call:
                # `redact` reads texts, but the response has nested values. So the response is removed.
                # The event's error says what the gateway replied.
                event.call.response = None

    # Inspect keeps long texts of events as attachments, to which the events refer.
    attachments = transcript().attachments
    for reference, text in attachments.items():
        attachments[reference] = redact(text)

    traceback = "".join(format_exception(error))
    if redact(traceback) == traceback:
        return error
    return DiscoveryBenchError(traceback)  # this class redacts its message


def remember_keys_of(model: Model) -> None:
    """Let `redact` know the keys, headers and URL of a model."""
    remember_keys(
        {
            "api_key": model.api.api_key,
            "base_url": model.api.base_url,
            "headers": model.config.extra_headers or {},
            **model.model_args,
        }
    )


@contextmanager
def model_errors(subject: str, model: Model) -> Iterator[None]:
    """Convert any exception of a provider into `ModelFailed`, and redact the model's keys.

    The message begins with the subject, such as "The agent's model openai/gpt-4o".

    Exceptions with which Inspect ends a sample are raised unchanged. A `TimeoutError` must not reach Inspect: it would
    score the sample as if the agent had finished.
    """
    try:
        yield
    except Exception as error:  # every provider raises different types
        if ends_sample(error) or isinstance(error, DiscoveryBenchError):
            raise
        # From here on, `redact` knows the model's keys. Neither the transcript nor the message must have them.
        remember_keys_of(model)
        cause = redact_request(error)
        raise ModelFailed(f"{subject} failed: {reason_of(error)}.") from cause


def one_line(error: BaseException | str) -> str:
    """The message of any error in one line, without the styles of Inspect's messages and without its full stop.

    A blank line is replaced by a colon, as between "Unable to initialise OpenAI client" and "No OPENAI_API_KEY defined
    in the environment.". If there is punctuation before the blank line, no colon is added.

    Args:
        error: The error, or the text of its message.

    Returns:
        The message with keys redacted. If it is empty, the name of the error's type, or `no message` for a text.
    """
    text = _STYLE.sub("", str(getattr(error, "message", error)))
    message = ""
    for paragraph in _BLANK_LINE.split(text):
        words = " ".join(paragraph.split())
        if message and words:
            message += " " if message[-1] in PUNCTUATION else ": "
        message += words
    # Some of Inspect's messages begin with the word ERROR.
    message = message.removeprefix("ERROR: ")
    if not message:
        message = "no message" if isinstance(error, str) else type(error).__name__
    # Keys are redacted first: part of a key, at the cut, would not be recognised.
    message = redact(message)[:MAX_MESSAGE_LENGTH]
    return message.rstrip(".")


def one_sentence(error: BaseException | str) -> str:
    """The message of any error in one line. It ends with a full stop, or with its own question or exclamation mark."""
    message = one_line(error)
    return message if message.endswith(("?", "!")) else f"{message}."


@contextmanager
def inspect_errors(error_type: type[DiscoveryBenchError], failure: str, remedy: str = "") -> Iterator[None]:
    """Convert any exception from Inspect and its providers into one error of this package.

    Inspect raises many types for a missing key, package, file or name, and most of them are not public. The message
    begins with `failure`: what failed, or where, such as `file:line`.
    """
    try:
        yield
    except BrokenPipeError:  # the reader of our output has stopped, as `head` does: click ends the command
        raise
    except Exception as error:  # re-raised as our error, with the original as its cause
        message = f"{failure}: {one_sentence(error)} {remedy}"
        raise error_type(message.rstrip()) from error


def named_model(name: str, **arguments: Any) -> Model:
    """Create the model with a name that a user gave.

    Args:
        name: The name.
        arguments: Further arguments of Inspect's `get_model`.

    Raises:
        InvalidArgument: The name lacks the provider.
    """
    # Inspect's name for "no model" has no provider.
    if "/" not in name and name != "none":
        raise InvalidArgument(f"{name} lacks its provider. Pass PROVIDER/MODEL, such as openai/gpt-4o.")
    # inspect-evals-lint: ignore[IEBP001] -- a user names the model, and no task is built here
    return get_model(name, **arguments)
