"""The labelled sections of a text: where the text of a label begins and ends, and how strongly it claims to be one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspect_discoverybench.final_message.fences import Fences
from inspect_discoverybench.final_message.labels import ITEM, Label
from inspect_discoverybench.final_message.names import Name, Rank

_RULE = re.compile(r"[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,})?[ \t]*")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[\w+#.-]*[ \t]*")
_YAML = re.compile(r"[>|][+-]?[ \t]*")
_TAIL = re.compile(r"(?:<br[ \t]*/?>|</\w{1,20}>)\Z")
_QUOTE = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """A label with its text.

    Attributes:
        name: What the label announces.
        rank: How strongly it claims to be the answer.
        text: Without the markup around it; may be empty.
        start: Position of the label.
        end: Position after the text.
    """

    name: Name
    rank: Rank
    text: str
    start: int
    end: int


def sections_in(text: str, labels: Sequence[Label], fences: Fences) -> Iterator[Section]:
    """The sections of hypotheses, workflows and other answers, in order.

    A hypothesis ends at the workflow, at a heading of its own or a higher level, or at the next hypothesis; never at
    bold text or at a lower heading. Hypotheses that are numbered are one section. A hypothesis that is named in a step
    of the workflow is part of the workflow.
    """
    workflow: Label | None = None
    covered = 0
    for number, label in enumerate(labels):
        embedded = workflow is not None and _is_step(workflow, label)
        if label.name is None:
            workflow = None if workflow is not None and _ends(workflow, label) else workflow
            continue
        if label.name.part == "workflow":
            workflow = label
        elif not embedded:
            workflow = None
        if label.name.numbered and label.start < covered:  # one of several
            continue
        fence = fences.at(label.start)
        limit = fence.stop if fence is not None else len(text)
        rank = Rank.EMBEDDED if embedded else label.name.rank
        if label.text is not None:
            yield Section(label.name, rank, label.text, label.start, label.end)
            continue
        following = (labels[position] for position in range(number + 1, len(labels)))
        ending = next((other for other in following if _ends(label, other) or other.start >= limit), None)
        end = max(label.end, min(limit, ending.start if ending is not None else limit))
        if label.name.part == "hypothesis":
            covered = end
        # A closing tag is part of the section, as far as the rest of the text is concerned.
        after = ending.end if ending is not None and ending.name is None and ending.start < limit else end
        yield Section(label.name, rank, _clean(text[label.end : end], label), label.start, max(end, after))


def _ends(label: Label, other: Label) -> bool:
    """Whether the section of a label ends where another label, or a heading, stands."""
    if label.name is None or other.name is None:
        return other.level <= label.level and (label.underlined or not other.underlined)
    if label.name.part == "workflow":
        return not _is_step(label, other)
    several = label.name.numbered and other.name.numbered and label.name.rank is other.name.rank
    return not (several and label.name.part == other.name.part)


def _is_step(workflow: Label, other: Label) -> bool:
    """Whether a label is in a list of the workflow, or in the middle of one of its lines."""
    part = other.name.part if other.name is not None else None
    return part in {"hypothesis", "answer"} and other.level >= ITEM and other.level > workflow.level


def _clean(text: str, label: Label) -> str:
    """The text of a section without what surrounds it: quotation marks, rules, code fences, markup."""
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
    text = "\n".join(lines).strip()
    while tail := _TAIL.search(text):
        text = text[: tail.start()].rstrip()
    return text
