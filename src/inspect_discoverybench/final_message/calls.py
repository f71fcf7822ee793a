"""Reads a call of `submit` whose arguments are not the two texts that it asks for."""

from collections.abc import Mapping

from inspect_ai.tool import ToolCall

from inspect_discoverybench.final_message.names import Rank, read_name
from inspect_discoverybench.final_message.objects import Answer, answer_in, nested
from inspect_discoverybench.final_message.reading import labelled_submission

SUBMIT = "submit"
_MIN_WORDS = 3


def is_submit(call: ToolCall) -> bool:
    """Whether a call is one of `submit`, which models also write as `Submit` or `functions.submit`."""
    return call.function.rpartition(".")[2].casefold() == SUBMIT


def submission_in_call(call: ToolCall, text: str = "") -> Answer | None:
    """What a call hands in: by its arguments, by the text that could not be parsed as such, or by the message's text.

    Args:
        call: A call of `submit`.
        text: The text of its message; only an object or a labelled section in it counts.

    Returns:
        Hypothesis and workflow of any length; None if there is no hypothesis.
    """
    answers = filter(None, map(answer_in, reversed(nested(call.arguments))))
    answer = next((found for found in answers if found.hypothesis.strip()), None) or _only_text(call.arguments)
    if answer is not None:
        return answer
    for written in (call.parse_error or "", text):
        read = labelled_submission(written)
        if read is not None:
            return Answer(read.hypothesis, read.workflow, Rank.FINAL)
    return None


def _only_text(arguments: Mapping[str, object]) -> Answer | None:
    """The only sentence among arguments of other names."""
    names = {key: read_name(key, marked=False) for key in arguments}
    texts = [value for key, value in arguments.items() if names[key] is None and isinstance(value, str)]
    sentences = [text for text in texts if len(text.split()) >= _MIN_WORDS]
    known = any(name is not None and name.part != "workflow" for name in names.values())
    if known or len(sentences) != 1:
        return None
    workflows = [str(arguments[key]) for key, name in names.items() if name is not None]
    return Answer(sentences[0], next(iter(workflows), ""), Rank.PLAIN)
