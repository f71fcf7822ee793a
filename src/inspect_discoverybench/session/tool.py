"""The tool `python(code)`."""

import re

from inspect_ai.model import ContentImage, ContentText
from inspect_ai.tool import Tool, ToolCall, ToolCallContent, ToolCallView, ToolResult, tool

from inspect_discoverybench.session.reply import CellResult
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS, DEFAULT_OUTPUT_BYTES, PythonSession

_FENCED = re.compile(r"\s*```(?:python|py)?[ \t]*\n(.*?)\n?```\s*", re.DOTALL)


def _view(call: ToolCall) -> ToolCallView:
    code = str(call.arguments.get("code", ""))
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", code)), default=0))
    content = f"{fence}python\n{code}\n{fence}\n"
    return ToolCallView(call=ToolCallContent(title="python", format="markdown", content=content))


@tool(viewer=_view, parallel=False)
def python(
    cell_seconds: int = DEFAULT_CELL_SECONDS, output_bytes: int = DEFAULT_OUTPUT_BYTES, figures: bool = False
) -> Tool:
    """Run Python code in a session that keeps its variables between calls.

    Args:
        cell_seconds: Time limit of one call in seconds.
        output_bytes: Maximum output of one call in bytes.
        figures: Whether to return open matplotlib figures as images. The model must accept images.
    """
    session = PythonSession(cell_seconds, output_bytes, figures)

    async def execute(code: str) -> ToolResult:
        """Run Python code.

        The session keeps its variables between calls. The value of the last expression is shown, as in a
        notebook; use print() for anything else. The data files are in the working directory.

        Args:
            code: The code to run.
        """
        fenced = _FENCED.fullmatch(code)
        cell = await session.run(fenced.group(1) if fenced else code)
        text = _observation(cell, cell_seconds)
        if not cell.figures:
            return text
        return [
            ContentText(text=text),
            *(ContentImage(image=f"data:image/png;base64,{figure}") for figure in cell.figures),
        ]

    return execute


def _observation(cell: CellResult, cell_seconds: int) -> str:
    """The tool result: the output, and what happened to the session."""
    parts = []
    if cell.restarted:
        parts.append("[The previous session ended, so this call ran in a new one. All earlier variables are lost.]")
    if cell.status != "unusable":
        parts.append(cell.output.rstrip("\n"))
    match cell.status:
        case "interrupted":
            parts.append(f"[Interrupted after the time limit of {cell_seconds} s. The session keeps its variables.]")
        case "killed":
            parts.append(
                f"[Killed after the time limit of {cell_seconds} s, because the code ignored the interrupt. All "
                "variables are lost. The next call starts a new session.]"
            )
        case "died":
            parts.append(
                "[The session died while running this code: the code ended the process, or it ran out of memory. All "
                "variables are lost. The next call starts a new session.]"
            )
        case "unusable":
            parts.append(
                "[The session gave no valid result, because earlier code has changed its files or processes. This code "
                f"may have run. All variables are lost. The next call starts a new session. Reason: {cell.output}]"
            )
        case "ok" if not cell.output:
            parts.append("[No output.]")
    return "\n".join(filter(None, parts))
