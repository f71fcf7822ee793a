"""Tells samples that a provider's outage ended from samples that the agent ended, by the events of the transcript."""

from collections.abc import Sequence
from itertools import takewhile

from inspect_ai.event import ErrorEvent, Event, ModelEvent, SampleLimitEvent
from inspect_ai.log import transcript
from inspect_ai.util import sample_limits

from inspect_discoverybench.scorer.judge import ROLE

_RECENT = 200
"""Number of events to look at. Inspect may keep older ones on disk."""
_CANCELLED = "cancelled"


def recorded_error() -> str | None:
    """The error of a sample that `inspect score` scores again; None if it ended without an error."""
    errors = [event.error.message for event in transcript().history.resident_events if isinstance(event, ErrorEvent)]
    return errors[-1] if errors else None


def unanswered_request() -> str | None:
    """Why the provider did not answer the agent's last request; None if it did.

    A request that is only cancelled while the provider works on it does not count: the agent's time was up.
    """
    events = _recent_events()
    requests = [event for event in reversed(events) if isinstance(event, ModelEvent) and event.role != ROLE]
    open_requests = [*takewhile(lambda event: event.pending or event.error, requests)]
    failures = [e.error for e in open_requests if e.error and (e.retries or _CANCELLED not in e.error.casefold())]
    if failures:
        return failures[0]
    never_replied = open_requests and len(open_requests) == len(requests) and len(events) < _RECENT
    return "it never replied" if never_replied else None


def ended_by_limit() -> bool:
    """Whether a limit ended the sample."""
    return any(isinstance(event, SampleLimitEvent) for event in _recent_events())


def is_running() -> bool:
    """Whether the sample is running, as opposed to scored again by `inspect score`."""
    try:
        sample_limits()
    except RuntimeError:
        return False
    return True


def _recent_events() -> Sequence[Event]:
    return transcript().history.recent_events(_RECENT)
