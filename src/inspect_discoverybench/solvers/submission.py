"""The tool `submit(hypothesis, workflow)`: ends the sample."""

from dataclasses import replace

from inspect_ai.model import ModelOutput
from inspect_ai.tool import Tool, ToolCall, ToolError, tool
from inspect_ai.util import store_as

from inspect_discoverybench.final_message.calls import SUBMIT, is_submit, submission_in_call
from inspect_discoverybench.hypothesis import MAX_CHARACTERS, Submission, SubmissionState


@tool(parallel=False)
def submit() -> Tool:
    """Submit the hypothesis; the first one stands."""

    async def execute(hypothesis: str, workflow: str = "") -> str:
        """Submit your final hypothesis and end the task. This can be done once.

        Args:
            hypothesis: One declarative statement with its context, variables and relationship, with numbers.
            workflow: Short summary of the steps from loading the data to the hypothesis.
        """
        state = store_as(SubmissionState)
        if state.submission is not None:
            raise ToolError("A hypothesis has been submitted already; the first one stands.")
        hypothesis, workflow = hypothesis.strip(), workflow.strip()
        if not hypothesis:
            raise ToolError("The hypothesis is empty. Submit one declarative statement.")
        submission = Submission(hypothesis=hypothesis[:MAX_CHARACTERS], workflow=workflow[:MAX_CHARACTERS])
        state.submission = submission
        # The viewer shows the result of any tool of this name, and not its call.
        shown = f"**Hypothesis**\n\n{submission.hypothesis}\n\n**Workflow**\n\n{submission.workflow}"
        return "\n\n".join([shown, *_notice("hypothesis", hypothesis), *_notice("workflow", workflow)])

    return execute


def with_readable_calls(output: ModelOutput) -> ModelOutput:
    """The output of a model with the arguments of its `submit` calls as the two texts that the tool takes.

    Inspect refuses a call whose arguments do not follow the tool's schema before the tool can see them, and the schema
    is also what the model is told. So the call is corrected in between: in the conversation and in the tool's event;
    the event of the model's call keeps what the model wrote. A call without a hypothesis stays as it is.
    """
    if not output.choices:
        return output
    [first, *others] = output.choices
    calls = [_readable(call, first.message.text) for call in first.message.tool_calls or []]
    if calls == (first.message.tool_calls or []):
        return output
    message = first.message.model_copy(update={"tool_calls": calls})
    return output.model_copy(update={"choices": [first.model_copy(update={"message": message}), *others]})


def _readable(call: ToolCall, text: str) -> ToolCall:
    if not is_submit(call):
        return call
    answer = submission_in_call(call, text)
    if answer is None:
        return replace(call, function=SUBMIT)
    arguments = {"hypothesis": answer.hypothesis, "workflow": answer.workflow}
    return replace(call, function=SUBMIT, arguments=arguments, parse_error=None)


def _notice(name: str, text: str) -> list[str]:
    if len(text) <= MAX_CHARACTERS:
        return []
    return [f"[The {name} had {len(text):,} characters. The first {MAX_CHARACTERS:,} were submitted.]"]
