"""The roles of DataVoyager, each with a system prompt and optionally its own model, and the critic's choice of one."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Literal

from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
    get_model,
)
from inspect_ai.tool import Tool
from pydantic import model_validator

from inspect_discoverybench.errors import ReplyRejected
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.solvers.step import generate_reply
from inspect_discoverybench.structured_reply import Reply, ask_until_valid, parse_reply, reply_schema
from inspect_discoverybench.text import EncodableText


class Role(StrEnum):
    """A member of the team (paper §5.1).

    The planner writes and revises the plan, the coder runs code, the analyst interprets results and submits, and the
    critic decides who acts next.
    """

    PLANNER = "planner"
    CODER = "coder"
    ANALYST = "analyst"
    CRITIC = "critic"

    def model(self) -> Model:
        """The model of this model role; defaults to the evaluated model."""
        evaluated = get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the solver, for each turn
        return get_model(role=self.value, default=evaluated)  # inspect-evals-lint: ignore[IEBP001] -- the same

    def system_message(self) -> ChatMessageSystem:
        """The role's system prompt."""
        return ChatMessageSystem(content=Prompt.load(f"solvers/datavoyager/{self}").render())


def turn_message(role: Role, instruction: str) -> ChatMessageUser:
    """The message that announces a role's turn, with its instruction."""
    text = Prompt.load("solvers/datavoyager/turn").render(role=role, instruction=instruction)
    return ChatMessageUser(content=text, metadata={"role": role.value})


class CriticReply(Reply):
    """A valid reply of the critic. `next` and `instruction` are None if the goal is answered."""

    reason: EncodableText | None = None
    answered: bool
    """Whether the results answer the goal."""

    progress: bool
    """Whether the last turn brought the team closer to the answer."""

    next: Literal[Role.PLANNER, Role.CODER, Role.ANALYST] | None = None
    instruction: EncodableText | None = None

    @model_validator(mode="before")
    @classmethod
    def _normalize(cls, data: Any) -> Any:
        """Accept a role in any case, and drop `next` and `instruction` if the goal is answered."""
        if not isinstance(data, dict):
            return data
        if str(data.get("answered")).casefold() in ("true", "yes", "1"):
            return data | {"next": None, "instruction": None}
        if not (data.get("next") and str(data.get("instruction") or "").strip()):
            raise ValueError("next and instruction are required if the goal is not answered")
        return data | {"next": str(data["next"]).strip().casefold()}


async def ask_critic(model: Model, conversation: Sequence[ChatMessage], tools: Sequence[Tool]) -> CriticReply:
    """Ask the critic until its reply is valid. If none is, the coder carries out the next step of the plan."""
    config = GenerateConfig(response_schema=ResponseSchema(name="verdict", json_schema=reply_schema(CriticReply)))

    async def send(messages: list[ChatMessage]) -> ModelOutput:
        return await generate_reply(model, messages, tools, "none", config)

    async def read(text: str) -> CriticReply:
        return parse_reply(text, CriticReply)

    def ask_again(_: str) -> ChatMessage:
        return turn_message(Role.CRITIC, Prompt.load("solvers/datavoyager/ask_again").render())

    request = turn_message(Role.CRITIC, Prompt.load("solvers/datavoyager/verdict").render())
    try:
        return await ask_until_valid([*conversation, request], send, read, ask_again)
    except ReplyRejected as error:
        instruction = Prompt.load("solvers/datavoyager/next_step").render()
        reason = f"The reply is invalid: {error.message}"
        return CriticReply(reason=reason, answered=False, progress=False, next=Role.CODER, instruction=instruction)
