"""The labels of a text: lines, tags, table rows and bold words that announce a part of the answer."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspect_discoverybench.final_message.fences import Fences, Spans
from inspect_discoverybench.final_message.names import MAX_NAME, Name, Rank, read_name

# Levels 1 to 6 are those of headings.
LINE = 7
"""Level of a label at the start of a line, and of a tag."""

ITEM = 8
"""Level of a label at the start of a list item."""

INLINE = 9
"""Level of a label in the middle of a line."""


@dataclass(frozen=True)
class Label:
    """A label and its place.

    Attributes:
        start: Position where the text before it ends.
        end: Position where its own text begins.
        level: 1 to 6 for headings; LINE, ITEM or INLINE.
        name: What it announces; None for a heading of another name, and for a closing tag.
        text: Its text where that does not follow it, as in a table.
        unclosed: Markup that is opened before the label and closed in its text.
        underlined: It is a heading by the line below it.
        quoted: It is in a quotation, whose marks are before every line of the text too.
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
    (?P<separator>::?|[–—→]|[-=]+>|-+(?=[ \t]|$)|\|)?
    (?P<late>(?:[*_`\]}}]|</(?:{_TAGS})>)*)""",
    re.VERBOSE,
)
_HEADING_TAG = re.compile(r"<h([1-6])>")
_HEADING_LATEX = re.compile(r"\\(?P<sub>(?:sub)*)section")
_MARKUP = re.compile(r"[*_`\[\]<{}]")
_UNDERLINE = re.compile(r"[ \t]*(?:(=+)|-{2,})[ \t]*")
_TITLE_LENGTH = 60
_TAG = re.compile(
    r"<(?P<close>/)?[ \t]*(?:parameter(?:[ \t]+name)?[ \t]*=[ \t]*[\"']?)?(?P<name>[A-Za-z_][\w .-]{0,40})[\"']?[ \t]*>"
)
_INLINE = re.compile(
    r"(?P<mark>\*\*|__)[ \t]*(?P<bold>[^\n*_:]{1,60})(?::[ \t]*(?P=mark)|(?P=mark)[ \t]*:)"
    r"|<(?P<tag>b|strong|u|em|h[1-6])>[ \t]*(?P<html>[^\n<:]{1,60}):?[ \t]*</(?P=tag)>[ \t]*:?"
    r"|(?<=[.!?;][ \t])(?P<plain>(?:(?:My|The|Final|Main|Proposed)[ \t]){0,3}(?:[Hh]ypothesis|Workflow))[ \t]*:"
)
_CELL_END = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")


def labels_in(text: str, fences: Fences, objects: Spans) -> list[Label]:
    """Every label of the text in order, but for those in programs and in objects."""
    found: list[Label] = []
    tables: list[tuple[int, int]] = []
    rows: list[tuple[int, str]] = []
    lines = _lines(text)
    for number, (start, line) in enumerate(lines):
        fence = fences.at(start)
        hidden = (fence is not None and fence.is_program) or objects.hold(start)
        if not hidden and _is_row(lines, number, inside=bool(rows)):
            rows.append((start, line.lstrip(" \t>")))
            continue
        found += _table(rows, tables)
        rows = []
        if not hidden and line.strip():
            found += _line(lines, number)
    found += _table(rows, tables)
    elsewhere = Spans([*((label.start, label.end) for label in found if label.end > label.start), *tables])
    for label in [*_tags(text), *_inline(text)]:
        fence = fences.at(label.start)
        in_program = fence is not None and fence.is_program
        if not in_program and not objects.hold(label.start) and not elsewhere.hold(label.start):
            found.append(label)
    return sorted(found, key=lambda label: label.start)


def _is_row(lines: Sequence[tuple[int, str]], number: int, *, inside: bool) -> bool:
    """Whether a line is a row of a table, which may begin without a bar."""
    line = lines[number][1].lstrip(" \t>")
    below = lines[number + 1][1] if number + 1 < len(lines) else ""
    return line.startswith("|") or ("|" in line and (inside or ("|" in below and _RULE.fullmatch(below) is not None)))


def _lines(text: str) -> list[tuple[int, str]]:
    lines, start = [], 0
    for line in text.split("\n"):
        lines.append((start, line))
        start += len(line) + 1
    return lines


def _line(lines: Sequence[tuple[int, str]], number: int) -> Iterator[Label]:
    """The label at the start of a line, or the heading that it is."""
    start, line = lines[number]
    below = _UNDERLINE.fullmatch(lines[number + 1][1]) if number + 1 < len(lines) else None
    first = number == 0 or not lines[number - 1][1].strip()
    prefix = _PREFIX.match(line)
    assert prefix is not None  # every part of it may be empty
    label = _named(start, line, prefix, lone=first or below is not None or bool(prefix["item"]))
    if label is not None:
        if below is not None and label.end >= start + len(line) and not prefix["hashes"]:
            after = lines[number + 1]
            label = Label(
                start, after[0] + len(after[1]), 1 if below[1] else 2, label.name, underlined=True, quoted=label.quoted
            )
        yield label
    elif prefix["hashes"] and line[prefix.end() : prefix.end() + 1] in {"", " ", "\t"}:
        yield Label(start, start, len(prefix["hashes"]), None)
    elif below is not None and first and len(line) <= _TITLE_LENGTH and not line.rstrip().endswith((".", "!", "?")):
        yield Label(start, start, 1 if below[1] else 2, None, underlined=True)


def _named(start: int, line: str, prefix: re.Match[str], *, lone: bool) -> Label | None:
    parts = _NAME.match(line, prefix.end())
    if parts is None:
        return None
    rest = line[parts.end() :].strip()
    opened = _MARKUP.search(parts["open"]) is not None
    marked = opened or prefix["hashes"] is not None
    full = not parts["name"].rstrip().endswith(".")
    name = read_name(parts["name"], marked=marked and full and bool(parts["separator"] or not rest))
    if name is None or not (full or opened):
        return None
    end, unclosed = start + parts.end(), ""
    if opened and not _MARKUP.search(parts["close"] + parts["late"]):
        unclosed = "".join(character for character in parts["open"] if character in "*_`")
        rest = rest.removesuffix(unclosed)
    elif not opened:
        end -= len(parts["late"])  # it opens markup of the text
        rest = line[end - start :].strip()
    if not parts["separator"]:
        # Without a colon a name is a label alone on its line, or in markup before a sentence.
        capital = parts["name"].strip()[:1].isupper()
        if (rest and not (opened and not rest[0].islower())) or (not rest and not marked and not (lone and capital)):
            return None
    level = _level(prefix, parts["open"])
    return Label(start, end, level, name, unclosed=unclosed, quoted=bool(prefix["quote"]))


def _level(prefix: re.Match[str], markup: str) -> int:
    if prefix["hashes"]:
        return len(prefix["hashes"])
    if heading := _HEADING_TAG.search(markup):
        return int(heading[1])
    if heading := _HEADING_LATEX.search(markup):
        return 1 + heading["sub"].count("sub")
    return ITEM if prefix["item"] else LINE


def _tags(text: str) -> Iterator[Label]:
    """`<hypothesis>…</hypothesis>`, and the parameters of a call that is written in tags."""
    for tag in _TAG.finditer(text):
        name = read_name(tag["name"], marked=True)
        if tag["close"] and (name is not None or tag["name"] == "parameter"):
            yield Label(tag.start(), tag.end(), LINE, None)
        elif name is not None:
            yield Label(tag.start(), tag.end(), LINE, name)


def _inline(text: str) -> Iterator[Label]:
    for label in _INLINE.finditer(text):
        name = read_name(label["bold"] or label["html"] or label["plain"], marked=label["plain"] is None)
        if name is not None:
            yield Label(label.start(), label.end(), INLINE, name)


def _table(rows: Sequence[tuple[int, str]], tables: list[tuple[int, int]]) -> Iterator[Label]:
    """The labels of a table: in a row before their text, or in its head above it."""
    if not rows:
        return
    tables.append((rows[0][0], rows[-1][0] + len(rows[-1][1]) + 1))
    cells = [
        [cell.strip() for cell in _CELL_END.split(row.strip().removeprefix("|").removesuffix("|"))] for _, row in rows
    ]
    labelled = list(_rows(rows, cells))
    head = [read_name(cell, marked=True) for cell in cells[0]]
    if len(rows) > 2 and _RULE.fullmatch(rows[1][1]) and any(head) and not [n for n, _ in labelled if n > 0]:
        for column, name in enumerate(head):
            if name is not None:
                # A table of many hypotheses is rather one of tests.
                rank = name.rank if len(rows) == 3 else min(name.rank, Rank.WEAK)
                below = "\n".join(row[column] for row in cells[2:] if column < len(row))
                yield Label(rows[0][0], rows[0][0], LINE, Name(name.part, rank), text=below)
        return
    for _, label in labelled:
        yield label


def _rows(rows: Sequence[tuple[int, str]], cells: Sequence[Sequence[str]]) -> Iterator[tuple[int, Label]]:
    for number, ((start, row), (*before, last)) in enumerate(zip(rows, cells, strict=True)):
        for column, cell in enumerate(before):
            name = read_name(cell, marked=True)
            if name is not None:
                text = "; ".join(filter(None, [*before[column + 1 :], last]))
                yield number, Label(start, start + len(row), LINE, name, text=text)
                break
