"""Reads a final message: finds the text that a careful reader would call the answer."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from inspect_discoverybench.final_message.fences import Fence, Fences, Spans
from inspect_discoverybench.final_message.labels import labels_in
from inspect_discoverybench.final_message.names import Rank
from inspect_discoverybench.final_message.objects import (
    Answer,
    TextObject,
    answer_in,
    answers_in_fragments,
    nested_objects,
    text_objects,
)
from inspect_discoverybench.final_message.placeholders import is_placeholder, is_remark
from inspect_discoverybench.final_message.reasoning import split_reasoning
from inspect_discoverybench.final_message.sections import BOX, LabelledText, boxed_text, sections_in
from inspect_discoverybench.hypothesis import MAX_CHARACTERS, Submission

_WORD = re.compile(r"\w")
# Spaces and colons that Markdown does not have, each replaced by one character to keep positions.
_ASCII = dict.fromkeys(map(ord, "\u00a0\u2002\u2003\u2007\u2009\u202f\u200b\ufeff\t\v\f"), " ") | {ord("\uff1a"): ":"}
_MAX_CONTEXT = 80
# Forms in which models write calls and objects, replaced by the usual ones.
_ARGUMENT_KEY = re.compile(r"<arg_key>\s{0,9}(\w{1,40})\s{0,9}</arg_key>\s{0,9}<arg_value>")
_ARGUMENT_VALUE_END = re.compile(r"</arg_value>")
_CURLY_KEY = re.compile(r"[{,]\s{0,40}\u201c\w{1,40}\u201d\s{0,9}:")
_STRAIGHT_QUOTES = dict.fromkeys(map(ord, "\u201c\u201d"), '"')
# One or two words that are not a sentence.
_SHORT_VALUE = re.compile(r"\s*[^\s.!]+(?:\s+[^\s.!]+)?\s*")
_OMISSION = "\n[…]\n"


@dataclass(frozen=True)
class _Candidate:
    """A part of the message that may be the answer."""

    rank: Rank
    position: int
    hypothesis: str
    workflow: str
    source: Literal["json", "sections"]


def read_submission(text: str) -> Submission | None:
    """Read a final message: an object, else labelled sections, else the whole text.

    Objects of the requested form and final, main, proposed or concluding hypotheses take precedence over plain ones,
    and plain ones over initial ones; among equals, the last one counts. Reasoning in tags is ignored. If all labels and
    objects are empty, the rest of the text is the answer, and the whole text if nothing is labelled as a hypothesis.
    Placeholders are empty. Remarks such as "The hypothesis is supported." count only if there is nothing else. Texts
    are truncated to `MAX_CHARACTERS`. Takes time proportional to the length of the text.

    Returns:
        The submission; None if it contains no word or is a form whose hypothesis is empty.
    """
    answer, unclosed = split_reasoning(text)
    message = _Message(answer)
    return (
        message.best(Rank.WEAK)
        or _Message(unclosed).best(Rank.PLAIN)
        or message.unlabelled()
        or message.best(Rank.EMBEDDED)
        or message.best(Rank.EMBEDDED, remarks=True)
        or message.whole()
    )


def labelled_submission(text: str) -> Submission | None:
    """Read a message that may not be an answer: only an object or a section that names a hypothesis counts."""
    answer, unclosed = split_reasoning(text)
    return _Message(answer).best(Rank.PLAIN) or _Message(unclosed).best(Rank.PLAIN)


class _Message:
    """A text, with its objects and sections."""

    def __init__(self, text: str) -> None:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.text = _ARGUMENT_VALUE_END.sub("</parameter>", _ARGUMENT_KEY.sub(r"<parameter=\1>", text))
        plain = self.text.translate(_ASCII)
        self._fences = Fences(plain)
        straight = self.text.translate(_STRAIGHT_QUOTES) if _CURLY_KEY.search(self.text) else self.text
        objects = list(text_objects(straight))
        spans = Spans([(item.start, item.end) for item in objects])
        self._objects = [(item, list(filter(None, map(answer_in, nested_objects(item.value))))) for item in objects]
        self._fragments = [answer for answer in answers_in_fragments(straight) if not spans.contain(answer.start)]
        self._sections = list(sections_in(self.text, labels_in(plain, self._fences, spans), self._fences))

    def best(self, min_rank: Rank, *, remarks: bool = False) -> Submission | None:
        """The last of the highest-ranked candidates with text; None if all are below `min_rank`.

        Args:
            min_rank: The minimum rank.
            remarks: Whether a remark about the hypothesis counts as text.
        """
        candidates = [
            candidate
            for candidate in self._candidates()
            if candidate.rank >= min_rank and _has_content(candidate.hypothesis, remarks=remarks)
        ]
        if not candidates:
            return None
        # Nested objects have the same position; the outermost comes last.
        best = max(reversed(candidates), key=lambda candidate: (candidate.rank, candidate.position))
        return _submission(best.hypothesis, best.workflow, best.source)

    def unlabelled(self) -> Submission | None:
        """The text without its workflow, and without empty labels and objects."""
        spans = [self._span_with_fence(item, answers) for item, answers in self._objects if answers]
        spans += [(fragment.start, fragment.end) for fragment in self._fragments]
        spans += [(section.start, section.end) for section in self._sections]
        kept, position = [], 0
        for start, end in sorted(spans):
            kept.append(self.text[position:start])
            position = max(position, end)
        rest = "".join([*kept, self.text[position:]]).strip()
        if not _WORD.search(rest):
            return None
        workflows = [answer.workflow for _, answers in self._objects for answer in answers]
        workflows += [section.text for section in self._sections if section.name.part == "workflow"]
        return _submission(_omit_middle(rest), next(filter(None, workflows), ""), "text")

    def whole(self) -> Submission | None:
        """The whole text if it contains a word; None if it is a form with an empty hypothesis."""
        has_form = self._fragments or any(answers for _, answers in self._objects)
        if has_form or any(section.name.part in {"hypothesis", "answer"} for section in self._sections):
            return None
        text = self.text.strip()
        return _submission(_omit_middle(text), "", "text") if _WORD.search(text) else None

    def _candidates(self) -> Iterator[_Candidate]:
        for item, answers in self._objects:
            for answer in answers:
                rank = Rank.EMBEDDED if self._is_program_value(item, answer) else answer.rank
                yield _Candidate(rank, item.start, answer.hypothesis, answer.workflow, "json")
        for answer in self._fragments:
            yield _Candidate(answer.rank, answer.start, answer.hypothesis, answer.workflow, "json")
        workflows = [section for section in self._sections if section.name.part == "workflow" and section.text]
        for section in self._sections:
            if section.name.part != "workflow":
                workflow = _nearest_workflow(section, workflows)
                yield _Candidate(section.rank, section.start, section.text, workflow, "sections")
        position = self.text.rfind(BOX)
        if position >= 0:
            yield _Candidate(Rank.WEAK, position, boxed_text(self.text, position), "", "sections")

    def _is_program_value(self, item: TextObject, answer: Answer) -> bool:
        """Whether an object is a value in a program, as opposed to an answer in a code block."""
        fence = self._fences.at(item.start)
        if answer.rank is Rank.PLAIN and _SHORT_VALUE.fullmatch(answer.hypothesis):
            return True  # next to unrelated keys, such as a p-value
        if fence is None:
            return False
        before = self._text_before(item, fence)
        if before:
            return not before.endswith("submit(") and (fence.is_program or before[-1] in "=(,[:")
        return answer.rank is not Rank.FINAL and (fence.is_program or item.python)

    def _text_before(self, item: TextObject, fence: Fence) -> str:
        """The text before an object in its code block, at most `_MAX_CONTEXT` characters."""
        return self.text[max(fence.content, item.start - _MAX_CONTEXT) : item.start].strip()

    def _span_with_fence(self, item: TextObject, answers: Sequence[Answer]) -> tuple[int, int]:
        """The span of an object, or of its code block if that is a program or contains nothing else."""
        fence = self._fences.at(item.start)
        in_program = any(self._is_program_value(item, answer) for answer in answers)
        if fence is None:
            return (item.end, item.end) if in_program else (item.start, item.end)
        alone = not self._text_before(item, fence) and not self.text[item.end : fence.stop].strip()
        return (fence.start, fence.end) if in_program or alone else (item.start, item.end)


def _has_content(hypothesis: str, *, remarks: bool) -> bool:
    """Whether a hypothesis contains a word and is neither a placeholder nor, by default, a remark."""
    if not _WORD.search(hypothesis) or is_placeholder(hypothesis):
        return False
    return remarks or not is_remark(hypothesis)


def _nearest_workflow(section: LabelledText, workflows: Sequence[LabelledText]) -> str:
    """The first workflow after a section, else the last one before it."""
    index = bisect_left(workflows, section.start, key=lambda workflow: workflow.start)
    return workflows[min(index, len(workflows) - 1)].text if workflows else ""


def _submission(hypothesis: str, workflow: str, source: Literal["json", "sections", "text"]) -> Submission:
    return Submission.truncated(hypothesis, "" if is_placeholder(workflow.strip()) else workflow, source)


def _omit_middle(text: str) -> str:
    """Truncate a long text in the middle, as the answer is usually at the beginning or at the end."""
    if len(text) <= MAX_CHARACTERS:
        return text
    half = (MAX_CHARACTERS - len(_OMISSION)) // 2
    return f"{text[:half]}{_OMISSION}{text[-half:]}"
