"""The tool `python(code)`."""

import re
from collections.abc import Sequence

from inspect_ai.event import Event, ModelEvent
from inspect_ai.tool import Tool, ToolCall, ToolCallContent, ToolCallView, tool

from inspect_discoverybench.chat_templates import Meaning, pattern
from inspect_discoverybench.code_fence import fenced_blocks, without_fence
from inspect_discoverybench.errors.invalid_values import require_positive
from inspect_discoverybench.session.reply import CellResult
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS, DEFAULT_OUTPUT_BYTES, PythonSession

CALLS_AS_TEXT_KEY = "wrote_calls_as_text"
"""Key in the metadata of a score. It marks samples for which the function `wrote_calls_as_text` below is true."""

PASS_ACTIONS_TEXT = (
    "pass `-T 'agent_args={actions: text}'` with `-T agent`, `-S actions=text` with `--solver`, or in an experiment "
    "`actions: text` in the solver's `args`"
)
"""How to let an agent act in text, as a part of a sentence."""

CALLS_AS_TEXT = f"samples wrote their calls as text. Try `-M emulate_tools=true`, or {PASS_ACTIONS_TEXT}."
"""The message about samples with the key `CALLS_AS_TEXT_KEY`. Their number stands before it."""

LOST = "All variables are lost. The next call starts a new session."
RESTARTED = "[The previous session ended, so this call ran in a new one. All earlier variables are lost.]"


def _view(call: ToolCall) -> ToolCallView:
    code = str(call.arguments.get("code", ""))
    # A fence has at least three backticks, and must be longer than any in the code.
    longest = max(map(len, re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    content = f"{fence}python\n{code}\n{fence}\n"
    return ToolCallView(call=ToolCallContent(title="python", format="markdown", content=content))


@tool(viewer=_view, parallel=False)
def python(cell_seconds: int = DEFAULT_CELL_SECONDS, output_bytes: int = DEFAULT_OUTPUT_BYTES) -> Tool:
    """Run Python code in a session that keeps its variables between calls.

    Args:
        cell_seconds: Time limit of one call in seconds.
        output_bytes: Maximum output of one call in bytes.

    Raises:
        InvalidArgument: An argument is not a positive integer.
    """
    require_positive("cell_seconds", cell_seconds)
    require_positive("output_bytes", output_bytes)
    session = PythonSession(cell_seconds, output_bytes)

    async def execute(code: str) -> str:
        """Run Python code.

        The session keeps its variables between calls. The value of the last expression is shown, as in a
        notebook; use print() for anything else. The data files are in the working directory.

        Args:
            code: The code to run.
        """
        cell = await session.run(without_fence(code))
        return _observation(cell, cell_seconds)

    return execute


def wrote_calls_as_text(events: Sequence[Event]) -> bool:
    """Whether a model that was offered the tool `python` never called a tool, but wrote code or a call as text.

    Requests that do not offer `python` are ignored, such as the last one, which requires a call of `submit`.
    """
    texts = []
    for event in events:
        if not isinstance(event, ModelEvent) or not event.output.choices:
            continue
        if any(tool.name == "python" for tool in event.tools):
            if event.output.message.tool_calls:
                return False
            texts.append(event.output.message.text)
    return any(has_code_or_call(text) for text in texts)


def has_code_or_call(text: str) -> bool:
    """Whether a text has a block of code, or the beginning of a call in any form that models write."""
    if fenced_blocks(text):
        return True
    return pattern(Meaning.CALL).search(text) is not None


def _observation(cell: CellResult, cell_seconds: int) -> str:
    """The tool result: the output, and what happened to the session."""
    parts = [RESTARTED] if cell.restarted else []
    output = cell.output.rstrip("\n") if cell.output.strip() else ""
    # If the session is unusable, the output is the reason, which is part of the message below.
    if output and cell.status != "unusable":
        parts.append(output)
    match cell.status:
        case "ok" if not output:
            parts.append("[No output.]")
        case "error" if not output:
            parts.append("[The code failed without output.]")
        case "interrupted":
            parts.append(f"[Interrupted after the time limit of {cell_seconds} s. The session keeps its variables.]")
        case "killed":
            parts.append(
                f"[Killed after the time limit of {cell_seconds} s, because the code ignored the interrupt. {LOST}]"
            )
        case "died":
            parts.append(
                "[The session died while running this code: the code ended the process, or it ran out of memory. "
                f"{LOST}]"
            )
        case "unusable":
            parts.append(
                "[The session gave no valid result, because earlier code has changed its files or processes. This "
                f"code may have run. {LOST} Reason: {cell.output}]"
            )
    return "\n".join(parts)
