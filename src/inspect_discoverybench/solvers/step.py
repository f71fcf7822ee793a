"""One step of an agent: a generation that must call one tool or none, and what the tool said."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from inspect_ai.model import ChatMessage, ChatMessageAssistant, Model, ModelOutput, execute_tools, get_model
from inspect_ai.tool import Tool, ToolDef, ToolFunction

Call = Literal["python", "submit", "none"]
"""The tool that a step must call."""


@dataclass(frozen=True)
class Step:
    """What one step adds to a conversation.

    Attributes:
        output: What the model gave.
        message: Its message, with one call at most.
        results: What came of the call.
    """

    output: ModelOutput
    message: ChatMessageAssistant
    results: Sequence[ChatMessage]

    @property
    def messages(self) -> Sequence[ChatMessage]:
        """All of it."""
        return [self.message, *self.results]


async def step(
    conversation: Sequence[ChatMessage],
    tools: Sequence[Tool],
    call: Call,
    model: Model | None = None,
) -> Step:
    """Generate once; the model must call this tool, and its first call is executed.

    A model may answer in words nevertheless: it cannot call tools, it refuses, it says nothing. That is its answer.

    Args:
        conversation: Messages so far; they are not changed.
        tools: All tools of the agent. Some providers want them whenever the conversation holds a call.
        call: Name of the tool, or `none`.
        model: The model; the evaluated one by default.
    """
    output = await (model or get_model()).generate(
        list(conversation), tools=list(tools), tool_choice="none" if call == "none" else ToolFunction(name=call)
    )
    calls = [] if call == "none" else (output.message.tool_calls or [])[:1]
    message = output.message.model_copy(update={"tool_calls": calls or None})
    # Another tool may be called by a model that overlooks what it must do; it is told that there is none.
    named = [tool for tool in tools if ToolDef(tool).name == call]
    result = await execute_tools([*conversation, message], named)
    return Step(output, message, result.messages)
