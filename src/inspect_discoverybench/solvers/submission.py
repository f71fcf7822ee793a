"""The tool `submit(hypothesis, workflow)`, and the solver that offers it with `python` to any agent."""

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.util import store_as

from inspect_discoverybench.json_text import restore_latex
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.submission.answer import is_placeholder
from inspect_discoverybench.submission.submission import MAX_CHARACTERS, Submission, SubmissionState


@tool(parallel=False)
def submit(state: TaskState | None = None) -> Tool:
    """Record the agent's submission. Only the first submission counts.

    Args:
        state: The sample. It is marked as completed, so that Inspect's `generate()` ends. The hypothesis becomes the
            completion of its output, where any scorer finds it. None for the agents of this package, which do both
            themselves.
    """

    async def execute(hypothesis: str, workflow: str = "") -> str:
        """Submit your final hypothesis and end the task. This can be done once.

        Args:
            hypothesis: One declarative statement with its context, variables and relationship, with numbers.
            workflow: Short summary of how you reached the hypothesis.
        """
        stored = store_as(SubmissionState)
        if stored.submission is not None:
            raise ToolError("A hypothesis has already been submitted. The first submission counts.")
        hypothesis = restore_latex(hypothesis.strip())
        workflow = restore_latex(workflow.strip())
        if is_placeholder(hypothesis):
            raise ToolError(
                f"The hypothesis is empty or a placeholder: '{hypothesis}'. Submit one declarative statement."
            )

        submission = Submission.truncated(hypothesis, workflow)
        stored.submission = submission
        if state is not None:
            state.completed = True
            state.output = state.output.model_copy(update={"completion": submission.hypothesis})
        notice = _truncation_notice("hypothesis", hypothesis) + _truncation_notice("workflow", workflow)
        # For a tool called `submit`, the viewer shows the result instead of the arguments. So the result has them.
        return f"**Hypothesis**\n\n{submission.hypothesis}\n\n**Workflow**\n\n{submission.workflow}{notice}"

    return execute


@tool(name="submit")
def refuse_early_submission() -> Tool:
    """A tool `submit` for a message that also runs code: it refuses the submission, and tells the model why."""

    async def execute(hypothesis: str, workflow: str = "") -> str:
        """Submit your final hypothesis.

        Args:
            hypothesis: The hypothesis.
            workflow: Summary of the workflow.
        """
        raise ToolError(Prompt.load("solvers/calls/submitted_too_early").render())

    return execute


def _truncation_notice(name: str, text: str) -> str:
    if len(text) <= MAX_CHARACTERS:
        return ""
    return f"\n\n[The {name} had {len(text):,} characters. Only the first {MAX_CHARACTERS:,} were submitted.]"


@solver
def offer_tools() -> Solver:  # inspect-evals-lint: ignore[custom_solver_tests] -- all tasks run it
    """Offer `python` and `submit` to the agent of a task, whatever it is."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.tools = [python(), submit(state)]
        return state

    return solve
