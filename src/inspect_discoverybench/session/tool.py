"""The tool `python(code)`: the agent's hands."""

import re

from inspect_ai.model import ContentImage, ContentText
from inspect_ai.tool import Tool, ToolCall, ToolCallContent, ToolCallView, ToolCallViewer, ToolResult, tool

from inspect_discoverybench.session.session import CELL_SECONDS, OUTPUT_BYTES, CellResult, PythonSession

_FENCED = re.compile(r"\s*```(?:python|py)?[ \t]*\n(.*?)\n?```\s*", re.DOTALL)


def _viewer() -> ToolCallViewer:
    def view(call: ToolCall) -> ToolCallView:
        code = str(call.arguments.get("code", ""))
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", code)), default=0))
        content = f"{fence}python\n{code}\n{fence}\n"
        return ToolCallView(call=ToolCallContent(title="python", format="markdown", content=content))

    return view


@tool(viewer=_viewer(), parallel=False)
def python(cell_seconds: int = CELL_SECONDS, output_bytes: int = OUTPUT_BYTES, figures: bool = False) -> Tool:
    """Python in a session that keeps its variables between calls.

    Args:
        cell_seconds: Time limit of one call.
        output_bytes: Cap of one call's output.
        figures: Return the matplotlib figures that a call leaves open as images; the model must take images.
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
    """What the agent reads: the output, and in plain words what happened to the session."""
    notices = []
    if cell.restarted:
        notices.append("[The session had ended, so this ran in a new one: variables of earlier calls are lost.]")
    notices.append(cell.output.rstrip("\n"))
    match cell.status:
        case "interrupted":
            notices.append(f"[Interrupted after the limit of {cell_seconds} s. The session keeps its variables.]")
        case "killed":
            notices.append(
                f"[Stopped after the limit of {cell_seconds} s. It ignored the interrupt, so the session was ended: "
                "all variables are lost. The next call starts a new session.]"
            )
        case "died":
            notices.append(
                "[The session died while this ran, because the code ended the process or it ran out of memory: "
                "all variables are lost. The next call starts a new session.]"
            )
        case "ok" if not cell.output:
            notices.append("[No output.]")
    return "\n".join(filter(None, notices))
