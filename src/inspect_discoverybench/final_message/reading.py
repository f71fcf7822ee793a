"""Reads an answer that is written in words: the text that a careful person would call the answer."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from inspect_discoverybench.final_message.fences import Fence, Fences, Spans
from inspect_discoverybench.final_message.labels import labels_in
from inspect_discoverybench.final_message.names import Rank
from inspect_discoverybench.final_message.objects import Answer, TextObject, answer_in, nested, strings_in, text_objects
from inspect_discoverybench.final_message.reasoning import without_reasoning
from inspect_discoverybench.final_message.sections import Section, sections_in
from inspect_discoverybench.hypothesis import MAX_CHARACTERS, Submission

_WORD = re.compile(r"\w")
# Characters that Markdown does not know as spaces and colons, one for one: positions stay as they are.
_AS_ASCII = dict.fromkeys(map(ord, "\u00a0\u2002\u2003\u2007\u2009\u202f\u200b\ufeff\t\v\f"), " ") | {
    ord("\uff1a"): ":"
}
_VERDICT = re.compile(
    r"\W*(?:(?:is|was|not|strongly|partially|partly|fully)[ ]+)*"
    r"(?:supported|confirmed|accepted|rejected|verified|tested|true|false|yes|no|(?:see |as )?(?:above|below))\W*",
    re.IGNORECASE,
)
_BOX = "\\boxed{"
_BOXED_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\{([^{}]*)\}")
_BRACE = re.compile(r"[{}]")
_SENTENCE = re.compile(r"[^\W\d_]{2}\W+[^\W\d_]{2}")
_CONTEXT = 80
_OMISSION = "\n[…]\n"


@dataclass(frozen=True)
class _Claim:
    """A text that may be the answer."""

    rank: Rank
    position: int
    hypothesis: str
    workflow: str
    source: Literal["json", "sections"]


def read_submission(text: str) -> Submission | None:
    """Read a final message: an object, else labelled sections, else the whole text.

    An object of the requested form and a final, main, proposed or concluding hypothesis come before a plain one, and a
    plain one before an initial one; of several that are equal, the last one counts. Reasoning between tags is no part
    of an answer. Where a label or an object is empty, what else the text says is the answer. Texts are cut to
    `MAX_CHARACTERS`. Takes time in proportion to the length of the text.

    Returns:
        The answer; None if there is no word in it.
    """
    answer, unclosed = without_reasoning(text)
    message = _Message(answer)
    return (
        message.best(Rank.WEAK) or _Message(unclosed).best(Rank.PLAIN) or message.rest() or message.best(Rank.EMBEDDED)
    )


def labelled_submission(text: str) -> Submission | None:
    """Read a message that may be something else: only an object or a section that claims to be the answer counts."""
    answer, unclosed = without_reasoning(text)
    return _Message(answer).best(Rank.PLAIN) or _Message(unclosed).best(Rank.PLAIN)


class _Message:
    """A text and what in it may be the answer."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        plain = self.text.translate(_AS_ASCII)
        self._fences = Fences(plain)
        self._objects = list(text_objects(self.text))
        in_objects = Spans([(found.start, found.end) for found in self._objects])
        self._strings = [found for found in strings_in(self.text) if not in_objects.hold(found.start)]
        self._sections = list(sections_in(self.text, labels_in(plain, self._fences, in_objects), self._fences))

    def best(self, least: Rank) -> Submission | None:
        """The claim of the highest rank, if it has this rank at least and says something."""
        claims = [claim for claim in self._claims() if claim.rank >= least and _says_something(claim.hypothesis)]
        if not claims:
            return None
        _, best = max(enumerate(claims), key=lambda claim: (claim[1].rank, claim[1].position, claim[0]))
        return _submission(best.hypothesis, best.workflow, best.source)

    def rest(self) -> Submission | None:
        """The text without its workflow and without forms that were left empty."""
        answers = [(found, list(filter(None, map(answer_in, nested(found.value))))) for found in self._objects]
        spans = [self._with_fence(found, inner) for found, inner in answers if inner]
        spans += [(found.start, found.end) for found in self._strings]
        spans += [(section.start, section.end) for section in self._sections]
        kept, position = [], 0
        for start, end in sorted(spans):
            kept.append(self.text[position:start])
            position = max(position, end)
        said = "".join([*kept, self.text[position:]]).strip()
        workflows = [answer.workflow for _, inner in answers for answer in inner]
        workflows += [section.text for section in self._sections if section.name.part == "workflow"]
        workflow = next(filter(None, workflows), "")
        return _submission(_without_middle(said), workflow, "text") if _WORD.search(said) else None

    def _claims(self) -> Iterator[_Claim]:
        for found in self._objects:
            for answer in filter(None, map(answer_in, nested(found.value))):
                rank = Rank.EMBEDDED if self._is_program(found, answer) else answer.rank
                yield _Claim(rank, found.start, answer.hypothesis, answer.workflow, "json")
        for answer in self._strings:
            yield _Claim(answer.rank, answer.start, answer.hypothesis, answer.workflow, "json")
        workflows = [section for section in self._sections if section.name.part == "workflow" and section.text]
        for section in self._sections:
            if section.name.part != "workflow":
                yield _Claim(section.rank, section.start, section.text, _workflow_of(section, workflows), "sections")
        position = self.text.rfind(_BOX)
        if position >= 0:
            yield _Claim(Rank.WEAK, position, _boxed(self.text, position), "", "sections")

    def _is_program(self, found: TextObject, answer: Answer) -> bool:
        """Whether an object is a value in a program, and not an answer in a code block."""
        fence = self._fences.at(found.start)
        if fence is None:
            return False
        before = self._before(found, fence)
        if before:
            return not before.endswith("submit(") and (fence.is_program or before[-1] in "=(,[:")
        return answer.rank is not Rank.FINAL and (fence.is_program or found.python)

    def _before(self, found: TextObject, fence: Fence) -> str:
        """What stands before an object in its code block, of which the end is enough."""
        return self.text[max(fence.content, found.start - _CONTEXT) : found.start].strip()

    def _with_fence(self, found: TextObject, inner: Sequence[Answer]) -> tuple[int, int]:
        """The place of an object, with its code block if that is a program or holds nothing else."""
        fence = self._fences.at(found.start)
        if fence is None:
            return found.start, found.end
        program = any(self._is_program(found, answer) for answer in inner)
        alone = not self._before(found, fence) and not self.text[found.end : fence.stop].strip()
        return (fence.start, fence.end) if program or alone else (found.start, found.end)


def _says_something(text: str) -> bool:
    """Whether there is a word in a text, and more than a verdict on what was stated elsewhere."""
    return _WORD.search(text) is not None and _VERDICT.fullmatch(text) is None


def _workflow_of(section: Section, workflows: Sequence[Section]) -> str:
    """The workflow that follows a hypothesis, else the last one before it."""
    after = bisect_left(workflows, section.start, key=lambda workflow: workflow.start)
    return workflows[min(after, len(workflows) - 1)].text if workflows else ""


def _boxed(text: str, position: int) -> str:
    """The text of LaTeX's box at a position."""
    depth, start = 0, position + len(_BOX)
    for brace in _BRACE.finditer(text, start - 1):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            boxed = _BOXED_TEXT.sub(r"\1", text[start : brace.start()]).strip()
            return boxed if _SENTENCE.search(boxed) else ""
    return ""


def _submission(hypothesis: str, workflow: str, source: Literal["json", "sections", "text"]) -> Submission:
    return Submission(hypothesis=_cut(hypothesis), workflow=_cut(workflow), source=source)


def _cut(text: str) -> str:
    return text.strip()[:MAX_CHARACTERS]


def _without_middle(text: str) -> str:
    """A long text without its middle: answers stand at the beginning or at the end."""
    if len(text) <= MAX_CHARACTERS:
        return text
    half = (MAX_CHARACTERS - len(_OMISSION)) // 2
    return f"{text[:half]}{_OMISSION}{text[-half:]}"
