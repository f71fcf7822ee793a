"""Finds the labelled sections of a text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspect_discoverybench.final_message.fences import Fences
from inspect_discoverybench.final_message.labels import INLINE, ITEM, LINE, TextLabel
from inspect_discoverybench.final_message.names import Name, Rank

_RULE = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})?[ \t]*")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[\w+#.-]*[ \t]*")
_YAML = re.compile(r"[>|][+-]?[ \t]*")
_TAIL = re.compile(r"(?:<br[ \t]{0,9}/?>|</\w{1,20}>)\Z")
_MAX_TAIL = 24
_QUOTE = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
_QUOTED = re.compile(r"""(?P<mark>["'])(?P<text>(?:(?!(?P=mark)).)*)(?P=mark)""", re.DOTALL)
_LATEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\{([^{}]*)\}")
_BRACE = re.compile(r"[{}]")
_SENTENCE = re.compile(r"[^\W\d_]{2}\W+[^\W\d_]{2}")

_WORKFLOW = Name("workflow")
_ASIDES = frozenset({"rival", "aside", "workflow"})
_NO_SECTION = frozenset({"rival", "aside", "results"})

BOX = "\\boxed{"
"""Start of a LaTeX box, in which models put short answers."""


@dataclass(frozen=True)
class LabelledText:
    """A label with its text.

    Attributes:
        name: The part of the answer that the label names.
        rank: How explicitly it is marked as the answer.
        text: The text without surrounding markup; may be empty.
        start: Start of the label.
        end: End of the text.
    """

    name: Name
    rank: Rank
    text: str
    start: int
    end: int


def sections_in(text: str, labels: Sequence[TextLabel], fences: Fences) -> Iterator[LabelledText]:
    """Yield the sections of hypotheses, workflows and answers, in order.

    A hypothesis ends at the workflow, at a heading of the same or a higher level, or at the next hypothesis, but not at
    other bold text or a lower heading. Numbered hypotheses form one section. A hypothesis label in a step of the
    workflow is part of the workflow.
    """
    workflow: TextLabel | None = None  # the workflow that contains the current label
    numbered_end = 0  # end of a section of numbered hypotheses
    for index, (label, aside) in enumerate(zip(labels, _enclosing_asides(labels), strict=True)):
        embedded = workflow is not None and _is_step(workflow, label)
        if workflow is not None and _ends(workflow, label):
            workflow = None
        if label.name is None or label.name.part in _NO_SECTION or (embedded and label.name.part == "conclusion"):
            continue
        if label.name.part == "workflow":
            workflow = label
        if label.name.numbered and label.start < numbered_end:
            continue
        rank = Rank.EMBEDDED if embedded else _rank_in(aside, label.name)
        if label.text is not None:
            yield LabelledText(label.name, rank, label.text, label.start, label.end)
            continue
        fence = fences.at(label.start)
        limit = fence.stop if fence is not None else len(text)
        following = (labels[position] for position in range(index + 1, len(labels)))
        ending = next((other for other in following if _ends(label, other) or other.start >= limit), None)
        end = max(label.end, min(limit, ending.start if ending is not None else limit))
        if label.name.part == "hypothesis":
            numbered_end = end
        end = _end_of_form(text, label, end)
        content = _clean(text[label.end : end], label)
        if ending is not None and ending.name is None and ending.start < limit:
            end = max(end, ending.end)  # include the closing tag
        yield LabelledText(label.name, rank, content, label.start, end)


def _ends(label: TextLabel, other: TextLabel) -> bool:
    """Whether the section of a label ends at another label."""
    if _is_subordinate(label, other) and other.level >= LINE:
        return False
    if label.name is None or other.name is None or _is_subordinate(label, other):
        return other.level <= label.level and (label.underlined or not other.underlined)
    if label.name.part == "workflow":
        return not _is_step(label, other)
    both_numbered = label.name.numbered and other.name.numbered and label.name.rank is other.name.rank
    return not (both_numbered and label.name.part == other.name.part)


def _is_subordinate(label: TextLabel, other: TextLabel) -> bool:
    """Whether another label only structures the section of a label: results in a hypothesis, an aside in a workflow."""
    if label.name is None or other.name is None:
        return False
    if label.name.part == "workflow":
        return other.name.part == "aside"
    return label.name.part in {"hypothesis", "answer"} and other.name.part in {"conclusion", "results"}


def _enclosing_asides(labels: Sequence[TextLabel]) -> Iterator[TextLabel | None]:
    """Yield, for each label, the aside, rival or workflow that contains it at a lower level."""
    aside: TextLabel | None = None
    for label in labels:
        if aside is not None and label.level <= aside.level:
            aside = None
        yield aside if aside is None or aside.name != _WORKFLOW or label.level < LINE else None
        if aside is None and label.name is not None and label.name.part in _ASIDES and label.level < INLINE:
            aside = label


def _rank_in(aside: TextLabel | None, name: Name) -> Rank:
    """The rank of a name, which is lower in an aside."""
    return Rank.WEAK if aside is not None and name.rank is Rank.PLAIN else name.rank


def _is_step(workflow: TextLabel, other: TextLabel) -> bool:
    """Whether a label is a list item in the workflow, or in the middle of a line of the workflow."""
    if other.name is None or other.name.part == "workflow":
        return False
    return other.level >= ITEM and other.level > workflow.level


def _end_of_form(text: str, label: TextLabel, end: int) -> int:
    """The end of the line if a label in the middle of it only shows where a text belongs, as in "**Workflow:** …"."""
    line_end = text.find("\n", label.end, end)
    if label.level != INLINE or line_end < 0:
        return end
    line = text[label.end : line_end].strip("*_ \t")
    return line_end if line and not any(character.isalnum() for character in line) else end


def _clean(text: str, label: TextLabel) -> str:
    """Remove what surrounds the text of a section: rules, code fences, and marks of quotations, boxes and markup."""
    if label.quoted or all(line.lstrip().startswith(">") for line in text.strip().split("\n") if line.strip()):
        text = _QUOTE.sub("", text)
    if label.unclosed:
        text = text.replace(label.unclosed, "", 1)
    lines = text.strip().split("\n")
    if _YAML.fullmatch(lines[0]):
        lines = lines[1:]
    while lines and _RULE.fullmatch(lines[-1]):
        lines.pop()
    first = next((number for number, line in enumerate(lines) if not _RULE.fullmatch(line)), len(lines))
    lines = lines[first:]
    if lines and _FENCE.fullmatch(lines[0]) and (len(lines) == 1 or _FENCE.fullmatch(lines[-1])):
        lines = lines[1:-1]
    text = _without_tags_at_end("\n".join(lines).strip())
    if text.lstrip("$ ").startswith(BOX) and text.rstrip("$. ").endswith("}"):
        text = boxed_text(text, text.index(BOX)) or text
    quoted = _QUOTED.fullmatch(text)
    return quoted["text"] if quoted else text


def _without_tags_at_end(text: str) -> str:
    """Remove closing tags and line breaks of HTML at the end of a text, in linear time."""
    end = len(text)
    while True:
        while end and text[end - 1].isspace():
            end -= 1
        tail = _TAIL.search(text, max(0, end - _MAX_TAIL), end)
        if tail is None:
            return text[:end]
        end = tail.start()


def boxed_text(text: str, start: int) -> str:
    """The sentence in the LaTeX box that starts at a position; empty if it is not closed or contains no sentence."""
    depth, content_start = 0, start + len(BOX)
    for brace in _BRACE.finditer(text, content_start - 1):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            content = _LATEX_TEXT.sub(r"\1", text[content_start : brace.start()]).strip()
            return content if _SENTENCE.search(content) else ""
    return ""
