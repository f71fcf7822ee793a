"""DataVoyager's critic: decides whether the goal is answered and who acts next."""

from collections.abc import Sequence
from typing import Any, Literal

from inspect_ai.model import ChatMessage, ChatMessageAssistant, GenerateConfig, Model, ResponseSchema
from inspect_ai.tool import Tool
from inspect_ai.util import JSONSchema, json_schema
from pydantic import model_validator

from inspect_discoverybench.errors import ReplyRejected
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.solvers.datavoyager.roles import Role, turn_message
from inspect_discoverybench.solvers.step import generate_reply
from inspect_discoverybench.structured_reply import Reply, parse_reply
from inspect_discoverybench.text import EncodableText

MAX_TRIES = 3
"""Maximum number of requests for one valid reply."""


class CriticReply(Reply):
    """A valid reply of the critic. Additional fields are ignored."""

    reason: EncodableText | None = None
    """The critic's reason."""

    answered: bool
    """Whether the results answer the goal."""

    progress: bool
    """Whether the last turn brought the team closer to the answer."""

    next: Literal[Role.PLANNER, Role.CODER, Role.ANALYST] | None = None
    """The role that acts next; None if the goal is answered."""

    instruction: EncodableText | None = None
    """Instruction for the next turn; None if the goal is answered."""

    @model_validator(mode="before")
    @classmethod
    def _normalize(cls, data: Any) -> Any:
        """Accept a role in any case, and drop `next` and `instruction` if the goal is answered."""
        if not isinstance(data, dict):
            return data
        if str(data.get("answered")).casefold() == "true":
            return data | {"next": None, "instruction": None}
        role = data.get("next")
        return data | {"next": role.strip().casefold()} if isinstance(role, str) else data

    @model_validator(mode="after")
    def _require_next_turn(self) -> "CriticReply":
        if not self.answered and not (self.next and (self.instruction or "").strip()):
            raise ValueError("next and instruction are required if the goal is not answered")
        return self


async def ask_critic(model: Model, conversation: Sequence[ChatMessage], tools: Sequence[Tool]) -> CriticReply | None:
    """Ask the critic, up to `MAX_TRIES` times; return None if no reply is valid."""
    messages = [*conversation, turn_message(Role.CRITIC, Prompt.load("solvers/datavoyager/verdict").render())]
    config = GenerateConfig(response_schema=ResponseSchema(name="verdict", json_schema=_reply_schema()))
    for _ in range(MAX_TRIES):
        output = await generate_reply(model, messages, tools, "none", config)
        reply = parse_verdict(output.completion)
        if reply is not None:
            return reply
        reminder = turn_message(Role.CRITIC, Prompt.load("solvers/datavoyager/ask_again").render())
        messages += [ChatMessageAssistant(content=output.completion), reminder]
    return None


def parse_verdict(text: str) -> CriticReply | None:
    """The reply in the JSON object of the text; None if it is invalid."""
    try:
        return parse_reply(text, CriticReply)
    except ReplyRejected:
        return None


def _reply_schema() -> JSONSchema:
    """The schema for structured output, with all fields required because providers demand it."""
    schema = json_schema(CriticReply)
    schema.required = list(schema.properties or {})
    return schema
