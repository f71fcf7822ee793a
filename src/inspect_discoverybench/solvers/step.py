"""One step of an agent: the model's message, and the action that it asks for.

This module alone knows in which form a model acts. With `calls`, it calls the tools `python` and `submit`. With `text`,
it is offered no tools: it writes one fenced block of Python code to act, and one JSON object to end.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal
from uuid import uuid4

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Model,
    ModelOutput,
    execute_tools,
    trim_messages,
)
from inspect_ai.solver import TaskState
from inspect_ai.tool import Tool, ToolCall, ToolChoice
from inspect_ai.util import store_as, suspend_turn_limit

from inspect_discoverybench.code_fence import python_blocks
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import without_reasoning
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.solvers.generation import CUT_OFF, generate_reply
from inspect_discoverybench.solvers.submission import submit
from inspect_discoverybench.submission.answer import parse_submission
from inspect_discoverybench.submission.submission import SubmissionState

Action = Literal["python", "submit"]

KEPT_AFTER_OVERFLOW = 0.5
"""Share of the conversation that the last request keeps if the whole did not fit into the context window."""

OBSERVATION = {"function": "python"}
"""Metadata of messages with the output of code."""

MAX_KEPT_LENGTH = 2000
"""Maximum length, in characters, of a reply in the conversation that reached the token limit without an action. It is
often a repetition, and would fill the context window."""


@dataclass(frozen=True)
class Step:
    """What a model did.

    Attributes:
        output: The model's output.
        messages: The messages to append to the conversation: the model's, and what it then saw.
        has_acted: Whether the model asked for an action, even one that failed.
    """

    output: ModelOutput
    messages: list[ChatMessage]
    has_acted: bool = False

    def preceded_by(self, messages: Sequence[ChatMessage]) -> "Step":
        """The step with messages before its own."""
        return replace(self, messages=[*messages, *self.messages])

    def append_to(self, state: TaskState) -> None:
        """Append the messages to the conversation of a sample, and make the output its output."""
        state.messages.extend(self.messages)
        state.output = self.output


class Actor(ABC):
    """Lets a model run code and submit.

    Args:
        python: The tool `python`; None for an agent that runs no code.
    """

    form: ClassVar[str]
    """Folder of the prompts in `solvers/` that have the words of this form."""

    def __init__(self, python: Tool | None = None) -> None:
        self.tools: dict[Action, Tool] = {"submit": submit()}
        if python is not None:
            self.tools["python"] = python

    @abstractmethod
    async def step(
        self,
        conversation: Sequence[ChatMessage],
        allowed: Sequence[Action] = (),
        model: Model | None = None,
    ) -> Step:
        """Generate once, and carry out the action of the model's message.

        Args:
            conversation: The messages so far. They are not modified.
            allowed: The actions that the model can take. A single one must be taken, and is carried out once.
            model: The model; defaults to the evaluated model.

        Raises:
            ModelFailed: The provider failed, or returned no choices.
        """

    async def submit(self, conversation: Sequence[ChatMessage], model: Model | None = None) -> Step:
        """Take the last step, in which the model must submit. It is repeated once if nothing was submitted.

        Texts are stored if there is still no submission. The scorer reads the answer from them.
        """
        first = await self.step(conversation, ["submit"], model)
        if has_submitted():
            return first

        if first.output.stop_reason == "model_length":
            conversation = await trim_messages(list(conversation), preserve=KEPT_AFTER_OVERFLOW)
        before = [*first.messages, self.message("solvers/submit_again")]
        with suspend_turn_limit():
            second = await self.step([*conversation, *before], ["submit"], model)
        if not has_submitted():
            texts = [step.output.completion for step in (first, second) if _has_text(step)]
            store_as(SubmissionState).texts = texts
        return second.preceded_by(before)

    def begin(self, state: TaskState, prompt: str | None) -> None:
        """Prepare a sample: its session, its system prompt, and how the task text says to submit.

        Args:
            state: The sample, whose messages are changed.
            prompt: Name of the system prompt; None for an agent with several. Its task text does not say how to submit,
                because roles that cannot submit would follow it.
        """
        # Our agents answer by submitting only: no other text is their answer.
        store_as(SubmissionState).texts = []
        if "python" in self.tools:
            PythonSession().start_early()
        line = self.closing_line() if prompt else ""
        text = state.user_prompt.text.replace(Prompt.load("solvers/finish").render(), line)
        state.user_prompt.text = text.rstrip()
        if prompt:
            state.messages.insert(0, ChatMessageSystem(content=self.render(prompt)))

    def closing_line(self) -> str:
        """The last line of the task text, which says how to submit."""
        return self.render("solvers/finish")

    def render(self, name: str) -> str:
        """Render a prompt with the words of this form for actions."""
        words = {}
        for word in ("actions", "answer", "example", "run", "submit"):
            prompt = Prompt.load(f"solvers/{self.form}/{word}")
            words[word] = prompt.render()
        return Prompt.load(name).render(**words)

    def message(self, name: str) -> ChatMessageUser:
        """A message with a prompt."""
        return ChatMessageUser(content=self.render(name))


class CallingActor(Actor):
    """The model calls tools."""

    form = "calls"

    async def step(
        self,
        conversation: Sequence[ChatMessage],
        allowed: Sequence[Action] = (),
        model: Model | None = None,
    ) -> Step:
        """Generate once, and execute the calls: all of them, or one if the action is required."""
        choice = _tool_choice(allowed)
        # Without actions, all are listed: some providers refuse a conversation with calls of tools that are not.
        tools = [self.tools[action] for action in allowed or self.tools]
        output = await generate_reply(model, conversation, tools, choice)

        calls = output.message.tool_calls or []
        if choice == "none" or output.stop_reason == "model_length":  # the server may have cut the calls off
            calls = []
        if choice == "auto" and any(call.function == "python" for call in calls):
            # An answer in the same message was written without having seen the output.
            calls = [call for call in calls if call.function != "submit"]
        if choice == "any":
            matching = [call for call in calls if call.function == allowed[0]]
            # A call of another tool alone is executed, so that the model sees that the tool is unknown.
            calls = (matching or calls)[:1]
        message = _kept_message(output, allowed).model_copy(update={"tool_calls": calls or None})

        result = await execute_tools([*conversation, message], tools)
        return Step(output, [message, *result.messages], has_acted=bool(calls))


class WritingActor(Actor):
    """The model writes its actions in its text (the paper's own form of ReAct)."""

    form = "text"

    async def step(
        self,
        conversation: Sequence[ChatMessage],
        allowed: Sequence[Action] = (),
        model: Model | None = None,
    ) -> Step:
        """Generate once; run the first block of code, or all of them if code is required, or else submit the object.

        An answer that comes before any code has run is sent back once.
        """
        output = await generate_reply(model, conversation)
        output.message.tool_calls = None  # some servers read calls from the text, although no tool is offered
        is_complete = output.stop_reason not in CUT_OFF
        text = without_reasoning(output.completion, is_complete)
        blocks = python_blocks(text, is_complete) if "python" in allowed else []
        if blocks and parse_submission(text[: blocks[0].end]) is None:
            # A program may be written in several blocks. Otherwise, the model is to see the output of the first one.
            if len(allowed) > 1:
                blocks = blocks[:1]
            codes = [block.code for block in blocks]
            # What follows is cut off: the model wrote it without having seen the output.
            message = output.message.model_copy(update={"content": text[: blocks[-1].end]})
            observation = await self._run("\n".join(codes), [*conversation, message])
            return Step(output, [message, observation], has_acted=True)

        answer = parse_submission(text) if allowed else None
        if answer is None:
            return Step(output, [_kept_message(output, allowed)])
        if "python" in allowed and self._is_too_early(conversation):
            before: list[ChatMessage] = [output.message, self.message("solvers/text/too_early")]
            with suspend_turn_limit():
                again = await self.step([*conversation, *before], allowed, model)
            return again.preceded_by(before)

        can_submit = "submit" in allowed
        if can_submit:
            store_as(SubmissionState).submission = answer
        return Step(output, [output.message], has_acted=can_submit)

    def closing_line(self) -> str:
        """The last line of the task text. It puts code first, because small models do at once what it says."""
        if "python" in self.tools:
            return self.render("solvers/text/finish")
        return self.render("solvers/text/finish_guess")

    def _is_too_early(self, conversation: Sequence[ChatMessage]) -> bool:
        """Whether no code has run in a conversation, and no answer was sent back for that reason."""
        reason = self.render("solvers/text/too_early")
        was_sent_back = any(message.text == reason for message in conversation)
        has_run = any(message.metadata == OBSERVATION for message in conversation)
        return not has_run and not was_sent_back

    async def _run(self, code: str, conversation: list[ChatMessage]) -> ChatMessageUser:
        """Run code as if the last message had called the tool, so that the log has the call, and show its output."""
        *earlier, message = conversation
        call = ToolCall(
            id=uuid4().hex,
            function="python",
            arguments={"code": code},
        )
        calling = ChatMessageAssistant(content=message.content, tool_calls=[call])
        result = await execute_tools([*earlier, calling], [self.tools["python"]])
        reply = result.messages[0]
        output = reply.text
        if isinstance(reply, ChatMessageTool) and reply.error:
            output = reply.error.message
        text = Prompt.load("solvers/text/observation").render(output=output)
        return ChatMessageUser(content=text, metadata=OBSERVATION)


def create_actor(form: str, python: Tool | None = None) -> Actor:
    """The actor of a form, `calls` or `text`.

    Raises:
        InvalidArgument: There is no such form.
    """
    if form == "calls":
        return CallingActor(python)
    if form == "text":
        return WritingActor(python)
    raise InvalidArgument(f"actions must be calls or text, got {form}.")


def has_submitted() -> bool:
    """Whether the sample has a submission."""
    return store_as(SubmissionState).submission is not None


def _tool_choice(allowed: Sequence[Action]) -> ToolChoice:
    if not allowed:
        return "none"
    # All providers understand that a call is required, and not all that it is one of a certain tool.
    return "any" if len(allowed) == 1 else "auto"


def _kept_message(output: ModelOutput, allowed: Sequence[Action]) -> ChatMessageAssistant:
    """The message for the conversation, which is cut if the model repeated itself in place of an action."""
    message = output.message
    if allowed and output.stop_reason == "max_tokens" and not message.tool_calls:
        return message.model_copy(update={"content": without_reasoning(message.text)[:MAX_KEPT_LENGTH]})
    return message


def _has_text(step: Step) -> bool:
    """Whether the model wrote a text in place of an action."""
    if step.has_acted:
        return False
    # At a full context window, Inspect puts the provider's message into the completion.
    is_own = step.output.stop_reason != "model_length"
    return is_own and bool(step.output.completion.strip())
