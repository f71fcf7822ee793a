"""The critic of DataVoyager: whether the goal is answered, whether there is progress, who acts next."""

from collections.abc import Sequence
from typing import Any, Literal

from inspect_ai.model import ChatMessage, ChatMessageAssistant, GenerateConfig, Model, ResponseSchema
from inspect_ai.tool import Tool
from inspect_ai.util import JSONSchema, json_schema
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from inspect_discoverybench.final_message.objects import json_objects
from inspect_discoverybench.hypothesis import SoundText
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.solvers.datavoyager.roles import Role, turn_of
from inspect_discoverybench.solvers.step import generated

TRIES = 3


class Verdict(BaseModel):
    """What the critic answers: a fixed contract, of which further fields are left aside."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    reason: SoundText | None = None
    """Why, in the critic's words."""

    answered: bool
    """Whether results answer the goal."""

    progress: bool
    """Whether the last turn brought the team nearer to the answer."""

    next: Literal[Role.PLANNER, Role.CODER, Role.ANALYST] | None = None
    """Who acts; None if the goal is answered."""

    instruction: SoundText | None = None
    """With what instruction; None if the goal is answered."""

    @model_validator(mode="before")
    @classmethod
    def _as_meant(cls, found: Any) -> Any:
        """A role in any case; and nobody acts on an answered goal, whatever fills the two fields."""
        if not isinstance(found, dict):
            return found
        role = found.get("next")
        found = found | {"next": role.strip().casefold() if isinstance(role, str) else role}
        return found | {"next": None, "instruction": None} if found.get("answered") is True else found

    @model_validator(mode="after")
    def _says_who_and_what(self) -> "Verdict":
        if not self.answered and not (self.next and (self.instruction or "").strip()):
            raise ValueError("a goal that is not answered needs next and instruction")
        return self


async def ask(model: Model, conversation: Sequence[ChatMessage], tools: Sequence[Tool]) -> Verdict | None:
    """Ask until the reply follows its contract, three times at most; None if it never does."""
    messages = [*conversation, turn_of(Role.CRITIC, Prompt.load("solvers/datavoyager/verdict").render())]
    config = GenerateConfig(response_schema=ResponseSchema(name="verdict", json_schema=_schema()))
    for _ in range(TRIES):
        output = await generated(model, messages, tools, "none", config)
        verdict = read(output.completion)
        if verdict is not None:
            return verdict
        again = turn_of(Role.CRITIC, Prompt.load("solvers/datavoyager/ask_again").render())
        messages += [ChatMessageAssistant(content=output.completion), again]
    return None


def read(text: str) -> Verdict | None:
    """The last JSON object in a reply that follows the contract."""
    for found in reversed(list(json_objects(text))):
        try:
            return Verdict.model_validate(found)
        except ValidationError:
            continue  # an object inside the reply, or one of another form
    return None


def _schema() -> JSONSchema:
    """The contract for providers that enforce one: they want every field."""
    schema = json_schema(Verdict)
    schema.required = list(schema.properties or {})
    return schema
