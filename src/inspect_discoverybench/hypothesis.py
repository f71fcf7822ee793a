"""The vocabulary: what a discovery is made of, and what an agent hands in (paper §3 and §4)."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from inspect_ai.util import StoreModel
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class Facet(StrEnum):
    """The three dimensions of a hypothesis (paper §3)."""

    CONTEXT = "context"
    """Boundary conditions under which the hypothesis holds."""

    VARIABLES = "variables"
    """The target and the independent variables."""

    RELATIONSHIP = "relationship"
    """How the variables interact in that context."""


MAX_CHARACTERS = 10_000
"""Maximum length of a hypothesis and of a workflow; more would not fit into the judge's question."""


def _sound(value: Any) -> Any:
    """Text that can be stored and sent: models write half of a surrogate pair now and then."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


SoundText = Annotated[str, BeforeValidator(_sound)]


class Submission(BaseModel):
    """What an agent hands in: a hypothesis and how it was reached (paper §4)."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    hypothesis: Annotated[SoundText, Field(min_length=1, max_length=MAX_CHARACTERS)]
    """The predicted hypothesis in natural language."""

    workflow: Annotated[SoundText, Field(max_length=MAX_CHARACTERS)] = ""
    """Summary of the steps from loading the data to the hypothesis."""

    source: Literal["submit", "json", "sections", "text"] = "submit"
    """The call of `submit`, or the form in which the final message was read."""


class SubmissionState(StoreModel):
    """Where a sample's submission is kept in the log."""

    submission: Submission | None = None
    """The submission; None until there is one."""
