"""What a sample hands in, from what its log holds."""

from collections.abc import Sequence

from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ModelOutput
from inspect_ai.solver import TaskState

from inspect_discoverybench.errors import ReplyMissing
from inspect_discoverybench.final_message.calls import is_submit, submission_in_call
from inspect_discoverybench.final_message.reading import read_submission
from inspect_discoverybench.final_message.refusal import flagged_refusal
from inspect_discoverybench.hypothesis import MAX_CHARACTERS, Submission, SubmissionState


def submission_of(sample: TaskState | EvalSample) -> Submission | None:
    """What was submitted: by our tool `submit`, by the submit tool of another agent, else as text.

    A final message that calls any other tool is work cut short by a limit, and no answer. Neither are a reply that the
    provider flags as a refusal and its words about a full context window.

    Raises:
        ReplyMissing: The provider's last reply has no choices.
    """
    submitted = sample.store_as(SubmissionState).submission
    if submitted is not None:
        return submitted
    output = sample.output
    if not output.choices:
        return _without_choices(output)
    if flagged_refusal(output) or output.stop_reason == "model_length":
        return None
    if output.message.tool_calls:
        return _rejected([output.message], sample.messages) or _by_other_tool(output, sample.messages)
    said = read_submission(output.completion)
    if said is not None and said.source != "text":
        return said
    return _rejected(sample.messages, sample.messages) or (None if _went_on(sample) else said)


def _without_choices(output: ModelOutput) -> Submission | None:
    """The completion that a solver sets by itself."""
    # Inspect notes time and usage on what a provider returns, and not on what a solver makes.
    if not output.completion and (output.time is not None or output.usage is not None):
        raise ReplyMissing(
            f"The last reply of {output.model or 'the model'} has no choices. This is a failure of the provider; run "
            "the sample again with `inspect eval-retry`."
        )
    return read_submission(output.completion)


def _rejected(candidates: Sequence[ChatMessage], messages: Sequence[ChatMessage]) -> Submission | None:
    """The last hypothesis in a call of `submit` that Inspect did not carry out because of its arguments."""
    failed = {
        message.tool_call_id
        for message in messages
        if isinstance(message, ChatMessageTool) and message.error is not None and message.error.type == "parsing"
    }
    for message in reversed(candidates):
        for call in (isinstance(message, ChatMessageAssistant) and message.tool_calls) or []:
            if call.id not in failed or not is_submit(call):
                continue
            answer = submission_in_call(call, message.text)
            if answer is not None:
                hypothesis, workflow = answer.hypothesis.strip()[:MAX_CHARACTERS], answer.workflow[:MAX_CHARACTERS]
                return Submission(hypothesis=hypothesis, workflow=workflow)
            if call.parse_error and message is candidates[-1]:
                return read_submission(message.text)
    return None


def _by_other_tool(output: ModelOutput, messages: Sequence[ChatMessage]) -> Submission | None:
    """The answer that an agent took from a tool of its own, of any name.

    Inspect's agents write it into the completion. `react()` also takes the call out of the conversation and writes the
    answer into the message, unless it keeps the call in the messages.
    """
    final, completion = output.message, output.completion.strip()
    kept = next((m for m in reversed(messages) if m.id == final.id and isinstance(m, ChatMessageAssistant)), final)
    kept_calls = {call.id for call in kept.tool_calls or []}
    removed = [call for call in final.tool_calls or [] if call.id not in kept_calls]
    if completion == final.text.strip() and not removed:
        return None
    ids = {call.id for call in final.tool_calls or []}
    results = [m.text for m in messages if isinstance(m, ChatMessageTool) and m.tool_call_id in ids and m.error is None]
    arguments = [str(value) for call in final.tool_calls or [] for value in call.arguments.values()]
    for text in filter(str.strip, [*results, *arguments]):
        if completion.endswith(text.strip()):
            return read_submission(text)
    return read_submission(completion) if completion != final.text.strip() or not kept_calls else None


def _went_on(sample: TaskState | EvalSample) -> bool:
    """Whether the conversation went on after the last text: then the text as a whole was not meant as the answer."""
    ids = [message.id for message in sample.messages]
    return sample.output.message.id in ids[:-1]
