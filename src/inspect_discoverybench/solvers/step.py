"""One step of an agent: the model's message, and the action that it asks for.

This module alone knows in which form a model acts. With `calls`, it calls the tools `python` and `submit`. With `text`,
it is offered no tools: it writes one fenced block of Python code to act, and one JSON object to end.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal
from uuid import uuid4

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
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

from inspect_discoverybench.code_fence import Block, python_blocks
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import without_reasoning
from inspect_discoverybench.solvers.model_reply import CUT_OFF, generate_reply
from inspect_discoverybench.solvers.submission import refuse_early_submission, submit
from inspect_discoverybench.solvers.wording import Wording
from inspect_discoverybench.submission.answer import parse_submission
from inspect_discoverybench.submission.submission import Submission, SubmissionState

ActionName = Literal["python", "submit"]

KEPT_AFTER_OVERFLOW = 0.5
"""Share of the conversation that the last request keeps if the whole did not fit into the context window."""

OBSERVATION = {"function": "python"}
"""Metadata of messages with the output of code."""

MAX_KEPT_LENGTH = 2000
"""Length in characters to which a reply is cut in the conversation if it reached the token limit without an action.
Such a reply is often a repetition, and would fill the context window."""


@dataclass(frozen=True)
class Step:
    """What a model did.

    Attributes:
        output: The model's output.
        messages: The messages to append to the conversation: the model's own, and the replies to its action.
        has_acted: Whether the model asked for an action, even one that failed.
    """

    output: ModelOutput
    messages: list[ChatMessage]
    has_acted: bool = False

    def preceded_by(self, messages: Sequence[ChatMessage]) -> "Step":
        """Add messages before those of the step."""
        return replace(self, messages=[*messages, *self.messages])

    def apply_to(self, state: TaskState) -> None:
        """Append the messages to the conversation of a sample, and make the model's output the output of the sample.

        If a hypothesis was submitted, the hypothesis becomes the completion of the output (`with_submission`).
        """
        state.output = with_submission(self.output)
        state.messages.extend(self.messages)


class Actor(ABC):
    """Lets a model run code and submit.

    Args:
        python: The tool `python`; None for an agent that runs no code.
    """

    wording: ClassVar[Wording]

    def __init__(self, python: Tool | None = None) -> None:
        self.tools: dict[ActionName, Tool] = {"submit": submit()}
        if python is not None:
            self.tools["python"] = python

    @abstractmethod
    async def step(
        self,
        conversation: Sequence[ChatMessage],
        allowed: Sequence[ActionName] = (),
        model: Model | None = None,
    ) -> Step:
        """Generate, and carry out the action of the model's message.

        Args:
            conversation: The messages so far. They are not modified.
            allowed: The actions that the model can take; none by default. If only one action is allowed, it is required
                and carried out once: such a step runs one program or submits.
            model: The model; defaults to the evaluated model.

        Raises:
            ModelFailed: The provider failed, or returned no choices.
        """

    async def submit(self, conversation: Sequence[ChatMessage], model: Model | None = None) -> Step:
        """Take the last step, in which the model must submit. If nothing was submitted, it is repeated once.

        If there is still no submission, the texts of both replies are stored. The scorer reads the answer from them.
        """
        first = await self.step(conversation, ["submit"], model)
        if has_submitted():
            return first

        if first.output.stop_reason == "model_length":
            conversation = await trim_messages(list(conversation), preserve=KEPT_AFTER_OVERFLOW)
        first_messages = [*first.messages, self.wording.message("solvers/submit_again")]
        # The second request does not count as another turn of the agent.
        with suspend_turn_limit():
            second = await self.step([*conversation, *first_messages], ["submit"], model)
        if not has_submitted():
            texts = [step.output.completion for step in (first, second) if _has_text_in_place_of_action(step)]
            store_as(SubmissionState).texts = texts
        return second.preceded_by(first_messages)


class CallingActor(Actor):
    """The model calls tools."""

    wording = Wording("calls")

    async def step(
        self,
        conversation: Sequence[ChatMessage],
        allowed: Sequence[ActionName] = (),
        model: Model | None = None,
    ) -> Step:
        """Generate, and execute the calls: all of them, or only one if a single action is allowed.

        If a reply has calls of `submit` and of `python`, the submission is refused: the model wrote it before it saw
        the output of the code.
        """
        # If no action is allowed, all tools are listed all the same: some providers refuse a conversation with calls of
        # tools that are not listed.
        tools = [self.tools[action] for action in allowed or self.tools]
        output = await generate_reply(model, conversation, tools, _tool_choice(allowed))

        calls = _calls_to_execute(output, allowed)
        if _early_submissions(calls):
            tools = [self.tools["python"], refuse_early_submission()]
        message = _kept_message(output, allowed).model_copy(update={"tool_calls": calls or None})
        result = await execute_tools([*conversation, message], tools)
        return Step(output, [message, *result.messages], has_acted=bool(calls))


@dataclass(frozen=True)
class WrittenCode:
    """Code that a model wrote in its text.

    Attributes:
        code: The code.
        text: The text up to the end of the code. The model wrote the rest without having seen the output of the code.
    """

    code: str
    text: str


@dataclass(frozen=True)
class WrittenAnswer:
    """An answer that a model wrote in its text."""

    submission: Submission


@dataclass(frozen=True)
class NoAction:
    """A text with neither code that may run nor an answer."""


def read_action(output: ModelOutput, allowed: Sequence[ActionName]) -> WrittenCode | WrittenAnswer | NoAction:
    """Read the action in a model's text: code in blocks, or an answer as an object.

    The code is that of the first block, or of all blocks if only code is allowed. If the first block belongs to an
    answer, it is no code. An answer is returned even if only code is allowed. `WritingActor` never submits such an
    answer. But if no code has run yet, `WritingActor` sends the answer back once, and so has to know that the text is
    an answer.
    """
    if not allowed:
        return NoAction()

    is_complete = output.stop_reason not in CUT_OFF
    text = without_reasoning(output.completion, is_complete)
    blocks = python_blocks(text, is_complete) if "python" in allowed else []
    if not blocks or _belongs_to_answer(blocks[0], text):
        submission = parse_submission(text)
        return NoAction() if submission is None else WrittenAnswer(submission)

    # If `submit` is allowed too, only the first block is run, so that the model sees its output. If not, a program may
    # be written in several blocks.
    if "submit" in allowed:
        blocks = blocks[:1]
    return WrittenCode("\n".join(block.code for block in blocks), text[: blocks[-1].end])


def _belongs_to_answer(first_block: Block, text: str) -> bool:
    """Whether the first block of a text is the object of an answer, or is quoted in a string of the object."""
    if text.startswith("{") and parse_submission(text) is not None:
        return True  # the whole text is the object, so it quotes the block
    # `parse_submission` reads the last block of a text. So the text is cut off after the first block, which is then the
    # last one. If the first block begins in a string of the object and ends with the text, nothing is cut off, and the
    # object is read.
    return parse_submission(text[: first_block.end]) is not None


class WritingActor(Actor):
    """The model writes its actions in its text (the paper's own form of ReAct)."""

    wording = Wording("text")

    async def step(
        self,
        conversation: Sequence[ChatMessage],
        allowed: Sequence[ActionName] = (),
        model: Model | None = None,
    ) -> Step:
        """Generate, and run the code or submit the answer that the model has written.

        An answer that comes before any code has run is sent back once.
        """
        output = await _generate_text(model, conversation)
        action = read_action(output, allowed)
        early_messages: list[ChatMessage] = []  # an answer that came too early, and the message that sends it back
        if isinstance(action, WrittenAnswer) and "python" in allowed and self._is_too_early(conversation):
            early_messages = [output.message, self.wording.message("solvers/text/too_early")]
            # The second request does not count as another turn of the agent.
            with suspend_turn_limit():
                output = await _generate_text(model, [*conversation, *early_messages])
            action = read_action(output, allowed)
        step = await self._carry_out(action, output, [*conversation, *early_messages], allowed)
        return step.preceded_by(early_messages)

    async def _carry_out(
        self,
        action: WrittenCode | WrittenAnswer | NoAction,
        output: ModelOutput,
        conversation: Sequence[ChatMessage],
        allowed: Sequence[ActionName],
    ) -> Step:
        match action:
            case WrittenCode(code, text):
                message = output.message.model_copy(update={"content": text})
                observation = await self._run(code, [*conversation, message])
                return Step(output, [message, observation], has_acted=True)
            case WrittenAnswer(submission) if "submit" in allowed:
                store_as(SubmissionState).submission = submission
                return Step(output, [output.message], has_acted=True)
            case WrittenAnswer():  # only code is allowed, so the answer is not submitted
                return Step(output, [output.message])
            case NoAction():
                return Step(output, [_kept_message(output, allowed)])

    def _is_too_early(self, conversation: Sequence[ChatMessage]) -> bool:
        """Whether an answer would come too early: no code has run yet, and no earlier answer was sent back for that."""
        reason = self.wording.render("solvers/text/too_early")
        was_sent_back = any(message.text == reason for message in conversation)
        return not has_run_code(conversation) and not was_sent_back

    async def _run(self, code: str, conversation: list[ChatMessage]) -> ChatMessageUser:
        """Run code as if the last message had called the tool, so that the log has the call.

        Returns:
            A message of the user with the output or the error message.
        """
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


ACTORS: Mapping[str, type[Actor]] = {"calls": CallingActor, "text": WritingActor}
"""The actor for each form in which a model acts."""

ACTION_FORMS = tuple(ACTORS)
"""Names of the forms. The first one is the default of the agents."""


def create_actor(form: str, python: Tool | None = None) -> Actor:
    """Create the actor for a form, `calls` or `text`.

    Raises:
        InvalidArgument: There is no such form.
    """
    # Not `in ACTORS`: Inspect reads `-S actions=calls,text` as a list, and a list cannot be looked up in a mapping.
    if form not in ACTION_FORMS:
        possible = " or ".join(ACTION_FORMS)
        raise InvalidArgument(f"actions must be {possible}, got {form}.")
    return ACTORS[form](python)


def has_submitted() -> bool:
    """Whether the sample has a submission."""
    return store_as(SubmissionState).submission is not None


def has_run_code(conversation: Sequence[ChatMessage]) -> bool:
    """Whether a conversation has the output of code."""
    for message in conversation:
        if isinstance(message, ChatMessageTool) and message.function == "python":
            return True
        if message.metadata == OBSERVATION:
            return True
    return False


def with_submission(output: ModelOutput) -> ModelOutput:
    """A model's output with the hypothesis of the sample's submission as its completion.

    Scorers of other packages read the agent's answer from the completion.

    If there is no submission, the output is returned unchanged.
    """
    submission = store_as(SubmissionState).submission
    if submission is None:
        return output
    return output.model_copy(update={"completion": submission.hypothesis})


async def _generate_text(model: Model | None, conversation: Sequence[ChatMessage]) -> ModelOutput:
    output = await generate_reply(model, conversation)
    output.message.tool_calls = None  # some servers read calls from the text, although no tool is offered
    return output


def _early_submissions(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """The calls of `submit` in a reply that also calls `python`. The model has not seen the output of the code yet."""
    if not any(call.function == "python" for call in calls):
        return []
    return [call for call in calls if call.function == "submit"]


def _calls_to_execute(output: ModelOutput, allowed: Sequence[ActionName]) -> list[ToolCall]:
    """The calls to execute: all of them, or only one if a single action is allowed.

    Early submissions are executed in addition: the tool that refuses them tells the model why.
    """
    if not allowed:
        return []
    if output.stop_reason == "model_length":  # the server may have cut the calls off
        return []
    calls = output.message.tool_calls or []

    # If `python` is not allowed, the code is not run. So a submission in the same reply is not early, and counts.
    early = _early_submissions(calls) if "python" in allowed else []
    others = [call for call in calls if call not in early]
    if len(allowed) == 1:
        required = [call for call in others if call.function == allowed[0]]
        # If there are only calls of other tools, one is executed: the model then sees that the tool is unknown.
        others = (required or others)[:1]
    return [*others, *early]


def _tool_choice(allowed: Sequence[ActionName]) -> ToolChoice:
    if not allowed:
        return "none"
    # If one action is allowed, only its tool is listed, so "any" requires a call of it. All providers can require a
    # call, but not all of them can require a call of a certain tool.
    return "any" if len(allowed) == 1 else "auto"


def _kept_message(output: ModelOutput, allowed: Sequence[ActionName]) -> ChatMessageAssistant:
    """The model's message for the conversation.

    If an action was allowed, a message that reached the token limit without a call is cut. If none was allowed, the
    text is what the model was asked for, and is kept whole.
    """
    message = output.message
    if allowed and output.stop_reason == "max_tokens" and not message.tool_calls:
        return message.model_copy(update={"content": without_reasoning(message.text)[:MAX_KEPT_LENGTH]})
    return message


def _has_text_in_place_of_action(step: Step) -> bool:
    if step.has_acted:
        return False
    # At a full context window, Inspect puts the provider's message into the completion.
    if step.output.stop_reason == "model_length":
        return False
    return bool(step.output.completion.strip())
