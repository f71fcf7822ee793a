"""Reads the answers in calls of submit tools: our `submit` with any arguments, and tools of other agents."""

import re
from collections.abc import Mapping

from inspect_ai.tool import ToolCall

from inspect_discoverybench.final_message.names import Rank, read_name
from inspect_discoverybench.final_message.objects import Answer, answer_in, nested_objects
from inspect_discoverybench.final_message.reading import labelled_submission, read_submission
from inspect_discoverybench.hypothesis import Submission

SUBMIT = "submit"
_MIN_WORDS = 3
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
# Words in the names of tools that submit an answer, and of tools that do something else with it.
_SUBMITS = {"submit", "submission", "answer", "final", "finalize", "finalise", "finish"}
_SUBMITS |= {"conclude", "complete", "completion", "done"}
_OTHERS = {"ask", "check", "test", "verify", "validate", "evaluate", "score", "review", "critique", "compare"}
_OTHERS |= {"draft", "save", "read", "get"}


def is_submit(call: ToolCall) -> bool:
    """Whether a tool call is a call of `submit`. Models also write `Submit` or `functions.submit`."""
    return call.function.rpartition(".")[2].casefold() == SUBMIT


def submits(call: ToolCall) -> bool:
    """Whether the name of a tool says that it submits an answer, such as `final_answer` or `SubmitHypothesis`."""
    words = {word.casefold() for word in _WORD.findall(call.function)}
    return not words.isdisjoint(_SUBMITS) and words.isdisjoint(_OTHERS)


def submission_by_call(call: ToolCall, text: str = "") -> Submission | None:
    """Read a call of a submit tool, whose arguments can have any names. A lone answer is read like a final message."""
    answer = submission_in_call(call, text)
    if answer is None:
        return None
    if not answer.workflow:
        return read_submission(answer.hypothesis)
    return Submission.truncated(answer.hypothesis, answer.workflow)


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
