"""One step of an agent: the model's message, and the action that it asks for.

This module alone knows in which form a model acts. With `calls`, it calls the tools `python` and `submit`. With `text`,
it is offered no tools: it writes one fenced block of Python code to act, and one JSON object to end.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal
from uuid import uuid4

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    execute_tools,
    get_model,
    trim_messages,
)
from inspect_ai.solver import TaskState
from inspect_ai.tool import Tool, ToolCall, ToolChoice
from inspect_ai.util import store_as, suspend_turn_limit

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import without_reasoning
from inspect_discoverybench.session.session import PythonSession, SessionState
from inspect_discoverybench.solvers.generation import generate_reply
from inspect_discoverybench.solvers.submission import submit
from inspect_discoverybench.submission.answer import parse_submission
from inspect_discoverybench.submission.submission import SubmissionState

Action = Literal["python", "submit"]

KEPT_AFTER_OVERFLOW = 0.5
"""Share of the conversation that the last request keeps if the whole did not fit into the context window."""


@dataclass(frozen=True)
class Step:
    """What a model did.

    Attributes:
        output: The model's output.
        messages: The messages to append to the conversation: the model's, and what it then saw.
        programs: The code that ran.
        has_acted: Whether the model asked for an action, even one that failed.
    """

    output: ModelOutput
    messages: list[ChatMessage]
    programs: list[str] = field(default_factory=list)
    has_acted: bool = False


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
        actions: Sequence[Action] = (),
        model: Model | None = None,
        config: GenerateConfig | None = None,
    ) -> Step:
        """Generate once, and carry out the action of the model's message.

        Args:
            conversation: The messages so far. They are not modified.
            actions: The actions that the model can take. A single one must be taken, and is carried out once.
            model: The model; defaults to the evaluated model.
            config: Settings of the request.

        Raises:
            ModelFailed: The provider failed, or returned no choices.
        """

    def begin(self, state: TaskState, *, says_how_to_submit: bool = True) -> None:
        """Prepare a sample: start its session early, and let the task text say how to submit in this form.

        Args:
            state: The sample, whose messages are replaced.
            says_how_to_submit: Whether the task text says so. Roles that cannot submit would follow it.
        """
        # Our agents answer by submitting only: no other text is their answer.
        store_as(SubmissionState).texts = []
        if "python" in self.tools:
            PythonSession().start_early()
        line = self.closing_line() if says_how_to_submit else ""
        state.messages = [_with_closing_line(message, line) for message in state.messages]

    def closing_line(self) -> str:
        """The last line of the task text, which says how to submit."""
        return self.render("solvers/finish")

    def render(self, name: str) -> str:
        """Render a prompt with the words of this form for actions."""
        words = {}
        for word in ("actions", "answer", "run", "submit"):
            words[word] = Prompt.load(f"solvers/{self.form}/{word}").render()
        return Prompt.load(name).render(**words)

    def message(self, name: str) -> ChatMessageUser:
        """A message with a prompt."""
        return ChatMessageUser(content=self.render(name))

    async def submit(self, conversation: Sequence[ChatMessage], model: Model | None = None) -> Step:
        """Take the last step, in which the model must submit. It is repeated once if nothing was submitted.

        Texts are stored if there is still no submission. The scorer reads the answer from them.
        """
        state = store_as(SubmissionState)
        first = await self.step(conversation, ["submit"], model)
        if state.submission is not None:
            return first

        if first.output.stop_reason == "model_length":
            conversation = await trim_messages(list(conversation), preserve=KEPT_AFTER_OVERFLOW)
        reminder = self.message("solvers/submit_again")
        with suspend_turn_limit():
            second = await self.step([*conversation, *first.messages, reminder], ["submit"], model)
        if state.submission is None:
            state.texts = [step.output.completion for step in (first, second) if _has_text(step)]
        return replace(second, messages=[*first.messages, reminder, *second.messages])


class CallingActor(Actor):
    """The model calls tools."""

    form = "calls"

    async def step(
        self,
        conversation: Sequence[ChatMessage],
        actions: Sequence[Action] = (),
        model: Model | None = None,
        config: GenerateConfig | None = None,
    ) -> Step:
        """Generate once, and execute the calls: all of them, or one if the action is required."""
        model = model or get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the solvers
        choice = _tool_choice(actions)
        # Without actions, all are listed: some providers refuse a conversation with calls of tools that are not.
        tools = [self.tools[action] for action in actions or self.tools]
        output = await generate_reply(model, conversation, tools, choice, config)

        calls = output.message.tool_calls or []
        if choice == "none" or output.stop_reason == "model_length":  # at a full context window, calls are cut off
            calls = []
        if choice == "any":
            matching = [call for call in calls if call.function == actions[0]]
            # A call of another tool is executed as well, so that the model sees that the tool is unknown.
            calls = (matching or calls)[:1]
        message = output.message.model_copy(update={"tool_calls": calls or None})
        result = await execute_tools([*conversation, message], tools)
        programs = [str(call.arguments["code"]) for call in calls if "code" in call.arguments]
        return Step(output, [message, *result.messages], programs, has_acted=bool(calls))


class WritingActor(Actor):
    """The model writes its actions in its text (the paper's own form of ReAct)."""

    form = "text"

    def closing_line(self) -> str:
        """The last line of the task text. It puts code first, because small models do at once what it says."""
        return self.render("solvers/text/finish" if "python" in self.tools else "solvers/text/finish_guess")

    async def step(
        self,
        conversation: Sequence[ChatMessage],
        actions: Sequence[Action] = (),
        model: Model | None = None,
        config: GenerateConfig | None = None,
    ) -> Step:
        """Generate once; run the first block of code, or submit the object. What follows the block is cut off.

        An answer that comes before any code has run is sent back once.
        """
        model = model or get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the solvers
        output = await generate_reply(model, conversation, config=config)
        text = without_reasoning(output.completion)
        block = python_block(text) if "python" in actions else None
        if block is not None:
            # The model wrote what follows the code without having seen the output.
            message = output.message.model_copy(update={"content": block.text})
            observation = await self._run(block.code, [*conversation, message])
            return Step(output, [message, observation], [block.code], has_acted=True)

        answer = parse_submission(text) if actions else None
        if answer is None:
            return Step(output, [output.message])
        sent_back = self.message("solvers/text/too_early")
        if "python" in actions and not _has_run_code() and sent_back.text not in _texts(conversation):
            with suspend_turn_limit():
                again = await self.step([*conversation, output.message, sent_back], actions, model, config)
            return replace(again, messages=[output.message, sent_back, *again.messages])
        if "submit" in actions:
            store_as(SubmissionState).submission = answer
        return Step(output, [output.message], has_acted="submit" in actions)

    async def _run(self, code: str, conversation: list[ChatMessage]) -> ChatMessageUser:
        """Run code as if the last message had called the tool, so that the log has the call, and show its output."""
        call = ToolCall(id=uuid4().hex, function="python", arguments={"code": code})
        calling = ChatMessageAssistant(content=conversation[-1].content, tool_calls=[call])
        result = await execute_tools([*conversation[:-1], calling], [self.tools["python"]])
        [message] = [message for message in result.messages if isinstance(message, ChatMessageTool)]
        output = message.error.message if message.error else message.text
        text = Prompt.load("solvers/text/observation").render(output=output)
        return ChatMessageUser(content=text, metadata={"function": "python"})


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


@dataclass(frozen=True)
class Block:
    """A fenced block of Python code.

    Attributes:
        code: The code.
        text: The text that it is in, up to its end.
    """

    code: str
    text: str


def python_block(text: str) -> Block | None:
    """The first fenced block of Python code in a text, in time linear in its length; None without a complete one."""
    lines = text.splitlines(keepends=True)
    first = None
    for number, line in enumerate(lines):
        mark = line.strip().casefold()
        if first is None:
            if mark in ("```python", "```py", "```python3"):
                first = number + 1
        elif mark == "```":
            return Block(code="".join(lines[first:number]), text="".join(lines[: number + 1]).strip())
    return None


def _tool_choice(actions: Sequence[Action]) -> ToolChoice:
    match len(actions):
        case 0:
            return "none"
        case 1:
            # All providers understand that a call is required, and not all that it is one of a certain tool.
            return "any"
    return "auto"


def _has_run_code() -> bool:
    return store_as(SessionState).cells > 0


def _texts(conversation: Sequence[ChatMessage]) -> list[str]:
    return [message.text for message in conversation]


def _has_text(step: Step) -> bool:
    """Whether the model wrote a text in place of an action."""
    # At a full context window, Inspect puts the provider's message into the completion.
    is_own = step.output.stop_reason != "model_length"
    return is_own and not step.has_acted and bool(step.output.completion.strip())


def _with_closing_line(message: ChatMessage, line: str) -> ChatMessage:
    """A message whose last line says how to submit, with another last line."""
    present = Prompt.load("solvers/finish").render()
    if not isinstance(message.content, str) or present not in message.content:
        return message
    content = message.content.replace(present, line).rstrip()
    return message.model_copy(update={"content": content})
