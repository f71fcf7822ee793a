"""The tool `submit(hypothesis, workflow)`."""

from dataclasses import replace

from inspect_ai.model import ModelOutput
from inspect_ai.tool import Tool, ToolCall, ToolError, tool
from inspect_ai.util import store_as

from inspect_discoverybench.answer import SUBMIT, arguments_as_text, is_placeholder, is_submit
from inspect_discoverybench.hypothesis import MAX_CHARACTERS, Submission, SubmissionState

HYPOTHESIS_DESCRIPTION = "One declarative statement with its context, variables and relationship, with numbers."
"""Description of the parameter, which models sometimes echo."""


@tool(parallel=False)
def submit() -> Tool:
    """Record the agent's submission. Only the first submission counts."""

    async def execute(hypothesis: str, workflow: str = "") -> str:
        """Submit your final hypothesis and end the task. This can be done once.

        Args:
            hypothesis: One declarative statement with its context, variables and relationship, with numbers.
            workflow: Short summary of the steps from loading the data to the hypothesis.
        """
        state = store_as(SubmissionState)
        if state.submission is not None:
            raise ToolError("A hypothesis has already been submitted. The first submission counts.")
        hypothesis, workflow = hypothesis.strip(), workflow.strip()
        if is_placeholder(hypothesis) or HYPOTHESIS_DESCRIPTION in hypothesis:
            shown = f"The hypothesis is empty or a placeholder: '{hypothesis[:80]}'."
            raise ToolError(f"{shown} Submit one declarative statement.")
        submission = Submission.truncated(hypothesis, workflow)
        state.submission = submission
        # For a tool called `submit`, the viewer shows the result instead of the arguments.
        summary = f"**Hypothesis**\n\n{submission.hypothesis}\n\n**Workflow**\n\n{submission.workflow}"
        return "\n\n".join(
            [summary, *_truncation_notice("hypothesis", hypothesis), *_truncation_notice("workflow", workflow)]
        )

    return execute


def normalize_submit_calls(output: ModelOutput) -> ModelOutput:
    """Rewrite the `submit` calls of an output so that their arguments match the tool's schema.

    Inspect rejects a call whose arguments violate the schema before the tool is called, and a more permissive schema
    would also change what the model sees. The conversation and the tool's event get the rewritten call; the event of
    the model call keeps the original. A call without a hypothesis keeps its arguments.
    """
    if not output.choices:
        return output
    [first, *others] = output.choices
    calls = first.message.tool_calls or []
    normalized = [_normalized(call) for call in calls]
    if normalized == calls:
        return output
    message = first.message.model_copy(update={"tool_calls": normalized})
    return output.model_copy(update={"choices": [first.model_copy(update={"message": message}), *others]})


def _normalized(call: ToolCall) -> ToolCall:
    if not is_submit(call):
        return call
    arguments = arguments_as_text(call.arguments)
    if arguments is None:
        return replace(call, function=SUBMIT)
    return replace(call, function=SUBMIT, arguments=arguments, parse_error=None)


def _truncation_notice(name: str, text: str) -> list[str]:
    if len(text) <= MAX_CHARACTERS:
        return []
    return [f"[The {name} had {len(text):,} characters. Only the first {MAX_CHARACTERS:,} were submitted.]"]
