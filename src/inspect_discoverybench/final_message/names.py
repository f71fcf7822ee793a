"""What a label, a tag or a key announces by its name: a hypothesis, a workflow, or an answer of another name."""

import re
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import Literal


class Rank(IntEnum):
    """How strongly a text claims to be the answer; the highest rank is judged."""

    EMBEDDED = 1
    """Part of something else: a step of the workflow, a value in a program."""

    WEAK = 2
    """An early hypothesis, an answer of no further name, a string that is cut off."""

    PLAIN = 3
    """A hypothesis."""

    FINAL = 4
    """A final, main, proposed or concluding hypothesis, or an object of the requested form."""


@dataclass(frozen=True)
class Name:
    """A name that announces a part of the answer.

    Attributes:
        part: What follows it.
        rank: How strongly; of no meaning for a workflow.
        numbered: It is one of several: "Hypothesis 2".
    """

    part: Literal["hypothesis", "workflow", "answer"]
    rank: Rank = Rank.PLAIN
    numbered: bool = False


MAX_NAME = 80
"""Longest name in characters; anything longer is a sentence."""

_MAX_WORDS_AFTER = 6


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HYPOTHESIS = _words("hypothesis hypotheses")
_WORKFLOW = _words("workflow workflows")
_STEPS = frozenset({"steps", "analysis steps", "steps taken", "methodology", "procedure", "work flow"})
_NUMBER = re.compile(r"\d+|[ivx]{1,4}")
_FINAL = _words(
    "final finalized finalised main primary proposed concluding concluded best selected chosen submitted refined "
    "revised updated resulting ultimate"
)
_WEAK = _words("initial working preliminary tentative starting prior original candidate draft early exploratory")
# Words that leave a name with "hypothesis" the name of the answer.
_NEUTRAL = _words(
    "the my our a an this here is s and of to as follows text statement summary answer conclusion output research "
    "predicted overall core central key scientific derived supported data driven formal discovered generated discovery "
    "single specific declarative general formulated stated inferred empirical testable step part section submit h1 ha"
)
# Words after which it names something else.
_OTHER = _words(
    "null alternative alternatives alternate competing rival rejected discarded h0 test tests testing tested considered"
    " generation evaluation exploration verification validation formation space background rationale support"
    " status assessment development comparison result results evidence check outcome decision explanation"
    " confidence that was were"
)
_ONLY_BEFORE = _words("supported driven")
_ANSWER = _words("answer submission")
_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def read_name(name: str, *, marked: bool) -> Name | None:
    """What a name announces; None if it is none of the names of an answer.

    Args:
        name: With or without markup, numbers and symbols.
        marked: It is a heading, in bold, a tag or the like, so that any words may follow: "Hypothesis on towns".
    """
    if len(name) > MAX_NAME:
        return None
    words = _WORD.findall(_CAMEL.sub(" ", name).casefold())
    spoken = [word for word in words if not _NUMBER.fullmatch(word)]
    numbered = any(one in _HYPOTHESIS and _NUMBER.fullmatch(two) for one, two in pairwise(words))
    about = {part for part in (_HYPOTHESIS, _WORKFLOW) if part.intersection(spoken)}
    if about == {_HYPOTHESIS}:
        return _hypothesis(spoken, numbered, marked)
    if about == {_WORKFLOW} and _neighbours(spoken, _WORKFLOW, marked):
        return Name("workflow")
    if " ".join(spoken) in _STEPS:
        return Name("workflow")
    if _ANSWER.intersection(spoken) and _ANSWER.union(_FINAL, _NEUTRAL).issuperset(spoken):
        return Name("answer", Rank.PLAIN if _FINAL.intersection(spoken) else Rank.WEAK)
    return None


def _hypothesis(words: list[str], numbered: bool, marked: bool) -> Name | None:
    if _OTHER.intersection(words) or not _neighbours(words, _HYPOTHESIS, marked):
        return None
    rank = Rank.FINAL if _FINAL.intersection(words) else Rank.WEAK if _WEAK.intersection(words) else Rank.PLAIN
    return Name("hypothesis", rank, numbered)


def _neighbours(words: list[str], part: frozenset[str], marked: bool) -> bool:
    """Whether the words around it leave it a name."""
    at = next(position for position, word in enumerate(words) if word in part)
    before, after = words[:at], words[at + 1 :]
    known = part | _NEUTRAL | _FINAL | _WEAK
    if part is _WORKFLOW:
        return len(before) + len(after) <= _MAX_WORDS_AFTER if marked else known.union({"analysis"}).issuperset(words)
    if not known.issuperset(before) or _ONLY_BEFORE.intersection(after):
        return False
    return len(after) <= _MAX_WORDS_AFTER if marked else known.issuperset(after)
