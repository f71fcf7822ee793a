"""Reads the submission of a sample from its store, output and messages."""

from collections.abc import Sequence

from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool, ModelOutput
from inspect_ai.solver import TaskState

from inspect_discoverybench.errors import ReplyMissing
from inspect_discoverybench.final_message.announcement import announces_work, only_announces_work
from inspect_discoverybench.final_message.calls import is_submit, submission_by_call, submission_in_call, submits
from inspect_discoverybench.final_message.reading import labelled_submission, read_submission
from inspect_discoverybench.final_message.refusal import flagged_refusal
from inspect_discoverybench.hypothesis import Submission, SubmissionState

REMINDER = {"reminder": True}
"""Metadata of a solver's message that asks for a tool call. It is not a continuation of the conversation."""


def submission_of(sample: TaskState | EvalSample) -> Submission | None:
    """Read the submission of a sample: from our tool `submit`, another agent's submit tool, or the final message.

    None of these is a submission: a final message that calls any other tool, because a limit ended the work, unless it
    also contains a labelled hypothesis and workflow; a reply that the provider flags as a refusal; and a reply that
    fills the context window, unless it contains a labelled hypothesis.

    Raises:
        ReplyMissing: The provider's last reply has no choices.
    """
    submission = sample.store_as(SubmissionState).submission
    if submission is not None:
        return submission
    output = sample.output
    if not output.choices:
        return _from_completion(output)
    if flagged_refusal(output):
        return None
    if output.message.tool_calls:
        return (
            _from_rejected_call([output.message], sample.messages)
            or _from_agents_tool(output, sample.messages)
            or _from_named_tool(output.message, sample.messages)
            or _beside_call(output.message.text)
        )
    if output.stop_reason == "model_length":
        return labelled_submission(output.completion)
    submission = read_submission(output.completion)
    if submission is not None and submission.source != "text":
        return submission
    called = _from_rejected_call(sample.messages, sample.messages) or _from_named_tool(
        _message_before(output.message, sample.messages), sample.messages
    )
    if called is not None or _has_later_messages(sample):
        return called
    reminded = bool(sample.messages) and _is_reminder(sample.messages[-1])
    return None if reminded and only_announces_work(output.completion) else submission


def _from_completion(output: ModelOutput) -> Submission | None:
    """Read a completion that a solver set without choices."""
    # Inspect sets time and usage on the outputs of providers, but not on outputs that solvers create.
    if not output.completion and (output.time is not None or output.usage is not None):
        raise ReplyMissing(
            f"The last reply of {output.model or 'the model'} has no choices. This is a failure of the provider; run "
            "the sample again with `inspect eval-retry`."
        )
    return read_submission(output.completion)


def _from_rejected_call(candidates: Sequence[ChatMessage], messages: Sequence[ChatMessage]) -> Submission | None:
    """Read the last call of `submit` that Inspect rejected because of its arguments."""
    rejected_ids = {
        message.tool_call_id
        for message in messages
        if isinstance(message, ChatMessageTool) and message.error is not None and message.error.type == "parsing"
    }
    for message in reversed(candidates):
        calls = (isinstance(message, ChatMessageAssistant) and message.tool_calls) or []
        for call in calls:
            if call.id not in rejected_ids or not is_submit(call):
                continue
            answer = submission_in_call(call, message.text)
            if answer is not None:
                return Submission.truncated(answer.hypothesis, answer.workflow)
            if call.parse_error and message is candidates[-1]:
                return read_submission(message.text)
    return None


def _from_agents_tool(output: ModelOutput, messages: Sequence[ChatMessage]) -> Submission | None:
    """Read the answer that another agent took from its own submit tool, which can have any name.

    Inspect's agents write the result of that tool into the completion. Unless told to keep the call, `react()` also
    removes it from the conversation. The result may be the answer or only a receipt.
    """
    final, completion = output.message, output.completion.strip()
    calls = final.tool_calls or []
    kept = next((m for m in reversed(messages) if m.id == final.id and isinstance(m, ChatMessageAssistant)), final)
    kept_ids = {call.id for call in kept.tool_calls or []}
    call_removed = any(call.id not in kept_ids for call in calls)
    answer_written = completion != final.text.strip()
    if not answer_written and not call_removed:
        return None
    results = {m.tool_call_id: m.text for m in messages if isinstance(m, ChatMessageTool) and m.error is None}
    for call in calls:
        texts = [results.get(call.id, ""), *map(str, call.arguments.values())]
        written = next((text for text in texts if text.strip() and completion.endswith(text.strip())), None)
        if written is not None:
            return labelled_submission(written) or submission_by_call(call) or read_submission(written)
    return read_submission(completion) if answer_written or not kept_ids else None


def _from_named_tool(message: ChatMessage | None, messages: Sequence[ChatMessage]) -> Submission | None:
    """Read the last call of a message whose tool submits an answer by its name, unless the call failed."""
    if not isinstance(message, ChatMessageAssistant):
        return None
    failed_ids = {m.tool_call_id for m in messages if isinstance(m, ChatMessageTool) and m.error is not None}
    calls = [call for call in message.tool_calls or [] if submits(call) and call.id not in failed_ids]
    return next(filter(None, (submission_by_call(call, message.text) for call in reversed(calls))), None)


def _beside_call(text: str) -> Submission | None:
    """Read the text beside a call of another tool: only a labelled hypothesis with a workflow is an answer."""
    submission = labelled_submission(text)
    return submission if submission is not None and submission.workflow and not announces_work(text) else None


def _is_reminder(message: ChatMessage) -> bool:
    return message.role == "user" and REMINDER.items() <= (message.metadata or {}).items()


def _message_before(final: ChatMessage, messages: Sequence[ChatMessage]) -> ChatMessage | None:
    """The message whose tool calls the final message follows, such as "I have submitted it."."""
    ids = [message.id for message in messages]
    earlier = messages[: ids.index(final.id)] if final.id in ids else messages
    return next((m for m in reversed(earlier) if m.role != "tool"), None)


def _has_later_messages(sample: TaskState | EvalSample) -> bool:
    """Whether the conversation continued after the last output, so that its text as a whole is not the answer."""
    ids = [message.id for message in sample.messages if not _is_reminder(message)]
    return sample.output.message.id in ids[:-1]
