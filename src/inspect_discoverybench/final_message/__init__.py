"""Reads the submission of a sample, a final message, or a malformed call of `submit`."""

from inspect_discoverybench.final_message.announcement import announces_work
from inspect_discoverybench.final_message.reading import labelled_submission, read_submission
from inspect_discoverybench.final_message.refusal import flagged_refusal, is_plain_refusal
from inspect_discoverybench.final_message.sample import REMINDER, submission_of

__all__ = [
    "REMINDER",
    "announces_work",
    "flagged_refusal",
    "is_plain_refusal",
    "labelled_submission",
    "read_submission",
    "submission_of",
]
