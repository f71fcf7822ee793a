"""Whether a sample ended because of the agent's provider, as far as its events tell. Such a sample is no zero."""

from inspect_ai.event import ErrorEvent, ModelEvent, SampleLimitEvent
from inspect_ai.log import transcript

from inspect_discoverybench.scorer.judge import GRADER


def recorded_error() -> str | None:
    """The error of a sample that `inspect score` scores again; None if it ended without an error."""
    for event in reversed(transcript().history.resident_events):
        if isinstance(event, ErrorEvent):
            return event.error.message
    return None


def unanswered_request() -> str | None:
    """Why the provider did not answer the agent's last request; None if it did.

    A request that is only cancelled while the provider works on it does not count: the agent's time was up.
    """
    has_unanswered = False
    for event in reversed(transcript().history.resident_events):
        if not isinstance(event, ModelEvent) or event.role == GRADER:
            continue
        if not event.pending and not event.error:
            return None
        has_unanswered = True
        is_failure = event.retries or "cancelled" not in (event.error or "").casefold()
        if event.error and is_failure:
            return event.error
    return "it never replied" if has_unanswered else None


def reached_limit() -> str | None:
    """The limit that ended the sample, in Inspect's words; None if none did."""
    for event in transcript().history.resident_events:
        if isinstance(event, SampleLimitEvent):
            return event.message
    return None
