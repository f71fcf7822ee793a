"""The tool `submit(hypothesis, workflow)`: ends the sample."""

from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.util import store_as

from inspect_discoverybench.hypothesis import MOST_CHARACTERS, Submission, SubmissionState


@tool(parallel=False)
def submit() -> Tool:
    """Hand in the hypothesis; the first one stands."""

    async def execute(hypothesis: str, workflow: str = "") -> str:
        """Submit your final hypothesis and end the task. This can be done once.

        Args:
            hypothesis: One declarative statement with its context, variables and relationship, with numbers.
            workflow: Short summary of the steps from loading the data to the hypothesis.
        """
        state = store_as(SubmissionState)
        if state.submission is not None:
            raise ToolError("A hypothesis has been submitted already; the first one stands.")
        if not hypothesis.strip():
            raise ToolError("The hypothesis is empty. Submit one declarative statement.")
        if max(len(hypothesis), len(workflow)) > MOST_CHARACTERS:
            raise ToolError(f"Hypothesis and workflow may have {MOST_CHARACTERS} characters each. Submit shorter ones.")
        state.submission = Submission(hypothesis=hypothesis, workflow=workflow)
        # The viewer shows the result of any tool of this name, and not its call.
        return f"**Hypothesis**\n\n{state.submission.hypothesis}\n\n**Workflow**\n\n{state.submission.workflow}"

    return execute
