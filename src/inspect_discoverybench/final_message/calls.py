"""Reads calls of `submit` whose arguments do not match the tool's schema."""

from collections.abc import Mapping

from inspect_ai.tool import ToolCall

from inspect_discoverybench.final_message.names import Rank, read_name
from inspect_discoverybench.final_message.objects import Answer, answer_in, nested_objects
from inspect_discoverybench.final_message.reading import labelled_submission

SUBMIT = "submit"
_MIN_WORDS = 3


def is_submit(call: ToolCall) -> bool:
    """Whether a tool call is a call of `submit`. Models also write `Submit` or `functions.submit`."""
    return call.function.rpartition(".")[2].casefold() == SUBMIT


def submission_in_call(call: ToolCall, text: str = "") -> Answer | None:
    """Read the answer in a call of `submit`.

    The answer is in the arguments, in the raw arguments that could not be parsed, or in the text of the message.

    Args:
        call: A call of `submit`.
        text: Text of the message. Only an object or a labelled section counts.

    Returns:
        The hypothesis and the workflow, of any length; None if there is no hypothesis.
    """
    answers = filter(None, map(answer_in, reversed(nested_objects(call.arguments))))
    answer = next((answer for answer in answers if answer.hypothesis.strip()), None)
    answer = answer or _answer_under_other_name(call.arguments)
    if answer is not None:
        return answer
    for source in (call.parse_error or "", text):
        submission = labelled_submission(source)
        if submission is not None:
            return Answer(submission.hypothesis, submission.workflow, Rank.FINAL)
    return None


def _answer_under_other_name(arguments: Mapping[str, object]) -> Answer | None:
    """The only sentence among the arguments, such as `statement="…"`; None if another argument names a hypothesis."""
    names = {key: read_name(key, marked=False) for key in arguments}
    if any(name is not None and name.part != "workflow" for name in names.values()):
        return None
    texts = [value for key, value in arguments.items() if names[key] is None and isinstance(value, str)]
    sentences = [text for text in texts if len(text.split()) >= _MIN_WORDS]
    if len(sentences) != 1:
        return None
    workflows = [str(arguments[key]) for key, name in names.items() if name is not None]
    return Answer(sentences[0], next(iter(workflows), ""), Rank.PLAIN)
