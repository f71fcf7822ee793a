"""Recognizes texts that announce work, as opposed to answers."""

import re

from inspect_discoverybench.final_message.fences import Fences

_ANNOUNCEMENT = re.compile(
    r"\bto be (?:tested|determined|verified|checked|confirmed|refined)\b|\blet(?:'s| us| me)\b(?! know)"
    r"|\b(?:i|we)(?:'ll| will|(?:'m|'re| am| are) going to| (?:now )?(?:need|have|want|plan) to)\b"
    r"(?! (?:now )?(?:submit|answer|conclude|report|state))"
    r"|\b(?:next|first)(?: step is)?,? (?:i|we|to)\b",
    re.IGNORECASE,
)
_APOSTROPHE = dict.fromkeys(map(ord, "\u2019\u2018\u02bc"), "'")
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|\n")
_WORD = re.compile(r"\w")


def announces_work(text: str) -> bool:
    """Whether any sentence announces work, or the text contains a program."""
    prose, has_program = _without_programs(text)
    return has_program or _ANNOUNCEMENT.search(prose) is not None


def only_announces_work(text: str) -> bool:
    """Whether every sentence outside of programs announces work."""
    sentences = _SENTENCE_END.split(_without_programs(text)[0])
    return all(_ANNOUNCEMENT.search(sentence) for sentence in sentences if _WORD.search(sentence))


def _without_programs(text: str) -> tuple[str, bool]:
    """The text without fenced programs, and whether there are any."""
    text = text.translate(_APOSTROPHE)
    programs = [fence for fence in Fences(text) if fence.is_program]
    parts, position = [], 0
    for fence in programs:
        parts.append(text[position : fence.start])
        position = fence.end
    return "".join([*parts, text[position:]]), bool(programs)
