"""Finds the labels of a text: line starts, tags, table cells and bold words that name a part of the answer."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from inspect_discoverybench.final_message.fences import Fences, Spans
from inspect_discoverybench.final_message.names import MAX_NAME, Name, Rank, read_heading, read_name

# Levels 1 to 6 are headings.
LINE = 7
"""Level of a tag, and of a label at the start of a line."""

ITEM = 8
"""Level of a label at the start of a list item."""

INLINE = 9
"""Level of a label in the middle of a line."""


@dataclass(frozen=True)
class TextLabel:
    """A label in a text.

    Attributes:
        start: Start of the label.
        end: End of the label, where its text starts.
        level: 1 to 6 for headings; otherwise LINE, ITEM or INLINE.
        name: The part of the answer that it names; None for another heading or a closing tag.
        text: The text of the label if it does not follow the label, as in a table.
        unclosed: Markup that opens before the label and closes in its text.
        underlined: Whether it is a heading because of the line below it.
        quoted: Whether it is in a quotation, so that each line of its text starts with quotation marks.
    """

    start: int
    end: int
    level: int
    name: Name | None
    text: str | None = None
    unclosed: str = ""
    underlined: bool = False
    quoted: bool = False


_TAGS = "u|b|i|em|strong|mark|ins|p|div|span|h[1-6]"
_PREFIX = re.compile(
    r"[ \t]*(?P<quote>(?:>[ \t]*)*)"
    r"(?P<item>(?:(?:[-*+•‣▪●◦·]|\(?(?:\d{1,3}|[a-zA-Z])[.)])[ \t]+)*)"
    r"(?P<hashes>#{1,6}(?!\#))?"
)
_LATEX = r"\\(?:textbf|textit|emph|underline|(?:sub){0,2}section\*?|paragraph\*?)\{"
_NAME = re.compile(
    rf"""(?P<open>(?:[*_`\[ \t]|<(?:{_TAGS})>|{_LATEX}|[^\w\n*_`<>|"'()\[\\{{}}:=-])*)
    (?:(?:[Ss]tep|[Pp]art|[Ss]ection|[Pp]hase|STEP|PART)[ \t]*\d{{1,2}}[ \t]*[:.–—-][ \t]*)?
    (?P<name>(?=\w)(?:(?!__|[ \t][-–—]+[ \t>]|[–—→])[^\n:|*<>`=\]{{}}"]){{1,{MAX_NAME}}})
    (?P<close>(?:[*_`\]}} \t]|</(?:{_TAGS})>)*)
    (?P<separator>::?|[–—→]|[-=]+>|(?<=[ ])=(?=[ ]+(?:"[^"]*"|'[^']*')[ ]*$)|-+(?=[ \t]|$)|\|)?
    (?P<late>(?:[*_`\]}}]|</(?:{_TAGS})>)*)""",
    re.VERBOSE,
)
_HEADING_TAG = re.compile(r"<h([1-6])>")
_HEADING_LATEX = re.compile(r"\\(?P<sub>(?:sub)*)section")
_MARKUP = re.compile(r"[*_`\[\]<{}]")
_UNDERLINE = re.compile(r"[ \t]*(?:(=+)|-{2,})[ \t]*")
_MAX_TITLE = 60
_TAG = re.compile(
    r"<(?P<close>/)?[ \t]*(?:[a-z]{1,20}:)?(?:parameter(?:[ \t]+name)?[ \t]*=[ \t]*[\"']?)?"
    r"(?P<name>[A-Za-z_][\w .-]{0,40})[\"']?[ \t]*>"
)
_INLINE = re.compile(
    r"(?P<mark>\*\*|__)[ \t]*(?P<bold>[^\n*_:]{1,60})(?::[ \t]*(?P=mark)|(?P=mark)[ \t]*:)"
    r"|<(?P<tag>b|strong|u|em|h[1-6])>[ \t]*(?P<html>[^\n<:]{1,60}):?[ \t]*</(?P=tag)>[ \t]*:?"
    r"|(?<=[.!?;][ \t])(?P<plain>(?:(?:My|The|Final|Main|Proposed)[ \t]){0,3}(?:[Hh]ypothesis|Workflow))[ \t]*:"
)
_CELL_END = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")


def labels_in(text: str, fences: Fences, objects: Spans) -> list[TextLabel]:
    """All labels of a text in order, except those in programs and objects."""
    labels: list[TextLabel] = []
    tables: list[tuple[int, int]] = []
    rows: list[tuple[int, str]] = []
    lines = _split_lines(text)
    for number, (start, line) in enumerate(lines):
        hidden = fences.program_at(start) or objects.contain(start)
        if not hidden and _is_row(lines, number, in_table=bool(rows)):
            rows.append((start, line.lstrip(" \t>")))
            continue
        if rows:
            labels += _table_labels(rows)
            tables.append(_table_span(rows))
            rows = []
        if not hidden and line.strip():
            labels += _line_labels(lines, number)
    if rows:
        labels += _table_labels(rows)
        tables.append(_table_span(rows))
    # A label in a table or at the start of a line is not read again as a tag or in the middle of a line.
    covered = Spans([*((label.start, label.end) for label in labels if label.end > label.start), *tables])
    labels += [
        label
        for label in [*_tag_labels(text), *_inline_labels(text)]
        if not (fences.program_at(label.start) or objects.contain(label.start) or covered.contain(label.start))
    ]
    return sorted(labels, key=lambda label: label.start)


def _split_lines(text: str) -> list[tuple[int, str]]:
    """The lines of a text with their start positions."""
    lines, start = [], 0
    for line in text.split("\n"):
        lines.append((start, line))
        start += len(line) + 1
    return lines


def _is_row(lines: Sequence[tuple[int, str]], number: int, *, in_table: bool) -> bool:
    """Whether a line is a row of a table. Only the head of a table and its rows may omit the first bar."""
    line = lines[number][1].lstrip(" \t>")
    if line.startswith("|"):
        return True
    below = lines[number + 1][1] if number + 1 < len(lines) else ""
    is_head = "|" in below and _RULE.fullmatch(below) is not None
    return "|" in line and (in_table or is_head)


def _line_labels(lines: Sequence[tuple[int, str]], number: int) -> Iterator[TextLabel]:
    """Yield the label at the start of a line, or the line as a heading with another name."""
    start, line = lines[number]
    next_start, next_line = lines[number + 1] if number + 1 < len(lines) else (len(line), "")
    underline = _UNDERLINE.fullmatch(next_line)
    after_blank = number == 0 or not lines[number - 1][1].strip()
    prefix = _PREFIX.match(line)
    assert prefix is not None  # every part of it may be empty
    level = 1 if underline and underline[1] else 2
    label = _label_at_start(start, line, prefix, alone=after_blank or bool(underline) or bool(prefix["item"]))
    if label is not None:
        if underline and label.end >= start + len(line) and not prefix["hashes"]:
            label = replace(label, end=next_start + len(next_line), level=level, unclosed="", underlined=True)
        yield label
    elif prefix["hashes"] and line[prefix.end() : prefix.end() + 1] in {"", " ", "\t"}:
        yield TextLabel(start, start, len(prefix["hashes"]), None)
    elif underline and after_blank and len(line) <= _MAX_TITLE and not line.rstrip().endswith((".", "!", "?")):
        yield TextLabel(start, start, level, None, underlined=True)


def _label_at_start(start: int, line: str, prefix: re.Match[str], *, alone: bool) -> TextLabel | None:
    """The label at the start of a line.

    Args:
        start: Start of the line.
        line: The line.
        prefix: Marks of quotations, list items and headings before the label.
        alone: Whether a name that fills the line is a label without any markup.
    """
    parts = _NAME.match(line, prefix.end())
    if parts is None:
        return None
    rest = line[parts.end() :].strip()
    in_markup = _MARKUP.search(parts["open"]) is not None
    marked = in_markup or prefix["hashes"] is not None
    is_sentence = parts["name"].rstrip().endswith(".")
    complete = bool(parts["separator"]) or not rest
    name = read_name(parts["name"], marked=marked and complete and not is_sentence) or read_heading(parts["name"])
    if name is None or (is_sentence and not in_markup):
        return None
    end, unclosed = start + parts.end(), ""
    if in_markup and not _MARKUP.search(parts["close"] + parts["late"]):
        unclosed = "".join(character for character in parts["open"] if character in "*_`")
        rest = rest.removesuffix(unclosed)
    elif not in_markup:
        end -= len(parts["late"])  # this markup belongs to the text
        rest = line[end - start :].strip()
    if not parts["separator"]:
        # Without a colon, a name is a label if it fills the line, or is in markup before a sentence.
        capitalized = parts["name"].strip()[:1].isupper()
        is_label = (in_markup and not rest[0].islower()) if rest else (marked or (alone and capitalized))
        if not is_label:
            return None
    return TextLabel(start, end, _level(prefix, parts["open"]), name, unclosed=unclosed, quoted=bool(prefix["quote"]))


def _level(prefix: re.Match[str], markup: str) -> int:
    if prefix["hashes"]:
        return len(prefix["hashes"])
    if heading := _HEADING_TAG.search(markup):
        return int(heading[1])
    if heading := _HEADING_LATEX.search(markup):
        return 1 + heading["sub"].count("sub")
    return ITEM if prefix["item"] else LINE


def _tag_labels(text: str) -> Iterator[TextLabel]:
    """Yield the labels of `<hypothesis>…</hypothesis>`, and of parameters of a tool call in XML."""
    for tag in _TAG.finditer(text):
        name = read_name(tag["name"], marked=True)
        if tag["close"] and (name is not None or tag["name"] == "parameter"):
            yield TextLabel(tag.start(), tag.end(), LINE, None)
        elif name is not None:
            yield TextLabel(tag.start(), tag.end(), LINE, name)


def _inline_labels(text: str) -> Iterator[TextLabel]:
    """Yield the labels in the middle of lines."""
    for label in _INLINE.finditer(text):
        text_name = label["bold"] or label["html"] or label["plain"]
        name = read_name(text_name, marked=label["plain"] is None) or read_heading(text_name)
        if name is not None and name.part not in {"rival", "aside"}:
            yield TextLabel(label.start(), label.end(), INLINE, name)


def _table_span(rows: Sequence[tuple[int, str]]) -> tuple[int, int]:
    (start, _), (last_start, last) = rows[0], rows[-1]
    return start, last_start + len(last) + 1


def _table_labels(rows: Sequence[tuple[int, str]]) -> list[TextLabel]:
    """The labels of a table, in its head if it has labels only there, otherwise in its rows."""
    cells = [
        [cell.strip() for cell in _CELL_END.split(row.strip().removeprefix("|").removesuffix("|"))] for _, row in rows
    ]
    row_labels = [
        (number, label)
        for number, ((start, row), row_cells) in enumerate(zip(rows, cells, strict=True))
        if (label := _row_label(start, start + len(row), row_cells)) is not None
    ]
    has_head = len(rows) > 2 and _RULE.fullmatch(rows[1][1]) is not None
    head_labels = list(_head_labels(rows[0][0], cells)) if has_head else []
    if head_labels and not any(number > 0 for number, _ in row_labels):
        return head_labels
    return [label for _, label in row_labels]


def _head_labels(start: int, cells: Sequence[Sequence[str]]) -> Iterator[TextLabel]:
    """Yield the labels in the head of a table, with the text of their columns."""
    for column, cell in enumerate(cells[0]):
        name = read_name(cell, marked=True)
        if name is not None:
            # A table with several rows probably lists tests, not the answer.
            rank = name.rank if len(cells) == 3 else min(name.rank, Rank.WEAK)
            text = "\n".join(row[column] for row in cells[2:] if column < len(row))
            yield TextLabel(start, start, LINE, Name(name.part, rank), text=text)


def _row_label(start: int, end: int, cells: Sequence[str]) -> TextLabel | None:
    """The first label in a row, with the text of the cells after it."""
    for column, cell in enumerate(cells[:-1]):
        name = read_name(cell, marked=True)
        if name is not None:
            return TextLabel(start, end, LINE, name, text="; ".join(filter(None, [*cells[column + 1 : -1], cells[-1]])))
    return None
