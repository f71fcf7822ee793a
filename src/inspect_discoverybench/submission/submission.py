"""An agent's submission (paper §4), and the names that scores record."""

from typing import Annotated, Literal

from inspect_ai.util import StoreModel
from pydantic import BaseModel, ConfigDict, Field

from inspect_discoverybench.json_text import replace_surrogates

SCORE_NAME = "HMS"
"""Name of the score in logs. It is in upper case because the viewer mistakes the key `hms` for the whole score if the
score has the same name."""

NO_RESPONSE = "no_response"
"""Reason recorded for scores without a submission, as Inspect names it."""

NOT_ASSERTED = "refusal"
"""Reason recorded for scores of texts that assert no hypothesis, as Inspect names it."""

WITHOUT_HYPOTHESIS = (NO_RESPONSE, NOT_ASSERTED)
"""Reasons of the scores that are 0 without a comparison."""

MAX_CHARACTERS = 10_000
"""Maximum length of a submitted hypothesis and of a workflow, so that both fit into the judge's prompt."""

MAX_TEXT = 100_000
"""Maximum length of a text that is judged as a whole."""

Source = Literal["call", "object", "quoted", "whole"]
"""How an answer was read: a call of `submit`; one JSON object, by code; quotes of the judge; or the whole text, because
the judge's quotes were invalid."""


class Submission(BaseModel):
    """An agent's answer: a hypothesis and the workflow that led to it (paper §4)."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    hypothesis: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
    """The predicted hypothesis in natural language, or a text of at most `MAX_TEXT` characters that is judged whole."""

    workflow: Annotated[str, Field(max_length=MAX_CHARACTERS)] = ""
    """Summary of the steps from loading the data to the hypothesis."""

    source: str = "call"
    """How the answer was read: a `Source`, or the name of one in a log of an earlier task version."""

    @classmethod
    def truncated(cls, hypothesis: str, workflow: str, source: Source = "call") -> "Submission":
        """Create a submission from texts of any length, each cut to `MAX_CHARACTERS`. Lone surrogates are replaced.

        Raises:
            ValidationError: The hypothesis is empty.
        """
        hypothesis = replace_surrogates(hypothesis.strip())
        workflow = replace_surrogates(workflow.strip())
        return cls(
            hypothesis=hypothesis[:MAX_CHARACTERS],
            workflow=workflow[:MAX_CHARACTERS],
            source=source,
        )


class SubmissionState(StoreModel):
    """A sample's submission, kept in the log."""

    submission: Submission | None = None
    """The submission; None if nothing was submitted."""

    texts: list[str] | None = None
    """What the model wrote in place of a submission in the last requests, which required one.

    The list is empty if one of our agents submitted, wrote nothing in these requests, or was ended before them. It is
    None for agents of other packages."""
