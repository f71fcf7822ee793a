"""Why a sample ended, read from its events: an error, a provider that did not answer the agent, or a limit.

If the provider did not answer, a missing submission does not score 0.
"""

from itertools import takewhile

from inspect_ai.event import ErrorEvent, ModelEvent, SampleLimitEvent
from inspect_ai.log import transcript

from inspect_discoverybench.scorer.judge import GRADER


def recorded_error() -> str | None:
    """The error of a sample that `inspect score` scores again; None if it ended without an error."""
    errors = [event.error.message for event in transcript().events if isinstance(event, ErrorEvent)]
    return errors[-1] if errors else None


def missing_answer() -> str | None:
    """Why the provider did not answer the agent; None if no answer is missing.

    An answer is missing if one of the agent's requests after the provider's last reply has failed. A request that a
    limit cancelled while the provider was working on it has not failed: the agent's time was up. But if the provider
    has never replied, an answer is missing even if no request has failed.
    """
    model_events = [event for event in transcript().events if isinstance(event, ModelEvent)]
    requests = [event for event in model_events if event.role != GRADER]
    requests_since_reply = list(takewhile(_is_unanswered, reversed(requests)))  # the last request first
    for request in requests_since_reply:
        if _has_failed(request):
            return request.error
    if requests and len(requests_since_reply) == len(requests):
        return "it never replied"
    return None


def _is_unanswered(request: ModelEvent) -> bool:
    return bool(request.pending or request.error)


def _has_failed(request: ModelEvent) -> bool:
    """Whether the provider failed to answer a request.

    A request that a limit cancelled has not failed, unless an earlier attempt at the request had failed.
    """
    if not request.error:
        return False
    # Inspect records "model call cancelled", or "Cancelled by" with what cancelled the request, such as a limit.
    was_cancelled = "cancelled" in request.error.casefold()
    if was_cancelled:
        return bool(request.retries)
    return True


def reached_limit() -> str | None:
    """The limit that ended the sample, in Inspect's words; None if none did."""
    for event in transcript().events:
        if isinstance(event, SampleLimitEvent):
            return event.message
    return None
