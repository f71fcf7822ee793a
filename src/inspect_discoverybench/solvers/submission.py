"""The tool `submit(hypothesis, workflow)`."""

from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.util import store_as

from inspect_discoverybench.submission.answer import is_placeholder
from inspect_discoverybench.submission.submission import MAX_CHARACTERS, Submission, SubmissionState

HYPOTHESIS_DESCRIPTION = "One declarative statement with its context, variables and relationship, with numbers."
"""Description of the parameter, which models sometimes echo."""


@tool(parallel=False)
def submit() -> Tool:
    """Record the agent's submission. Only the first submission counts."""

    async def execute(hypothesis: str, workflow: str = "") -> str:
        """Submit your final hypothesis and end the task. This can be done once.

        Args:
            hypothesis: One declarative statement with its context, variables and relationship, with numbers.
            workflow: Short summary of how you reached the hypothesis.
        """
        state = store_as(SubmissionState)
        if state.submission is not None:
            raise ToolError("A hypothesis has already been submitted. The first submission counts.")
        hypothesis, workflow = hypothesis.strip(), workflow.strip()
        if is_placeholder(hypothesis) or HYPOTHESIS_DESCRIPTION in hypothesis:
            shown = f"The hypothesis is empty or a placeholder: '{hypothesis[:80]}'."
            raise ToolError(f"{shown} Submit one declarative statement.")
        state.submission = submission = Submission.truncated(hypothesis, workflow)
        # For a tool called `submit`, the viewer shows the result instead of the arguments.
        result = f"**Hypothesis**\n\n{submission.hypothesis}\n\n**Workflow**\n\n{submission.workflow}"
        for name, text in (("hypothesis", hypothesis), ("workflow", workflow)):
            if len(text) > MAX_CHARACTERS:
                result += (
                    f"\n\n[The {name} had {len(text):,} characters. Only the first {MAX_CHARACTERS:,} were submitted.]"
                )
        return result

    return execute
