"""Names of the parts of an answer, as they occur in labels, tags, JSON keys and argument names."""

import re
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import Literal


class Rank(IntEnum):
    """How explicitly a text is marked as the answer. The text with the highest rank is the answer."""

    EMBEDDED = 1
    """Part of something else, such as a step of the workflow or a value in a program."""

    WEAK = 2
    """An early hypothesis, a plain "answer", or a string that is cut off."""

    PLAIN = 3
    """A hypothesis."""

    FINAL = 4
    """A final, main, proposed or concluding hypothesis, or an object of the requested form."""


@dataclass(frozen=True)
class Name:
    """The meaning of a name.

    Attributes:
        part: The part of the answer that it names. A `rival` is a null or alternative hypothesis. `results` end a
            workflow, and an `aside` contains hypotheses that are not the answer, such as next steps.
        rank: How explicitly it names the answer. Not used for workflows and rivals.
        numbered: Whether it names one of several hypotheses, such as "Hypothesis 2".
    """

    part: Literal["hypothesis", "workflow", "answer", "rival", "conclusion", "results", "aside"]
    rank: Rank = Rank.PLAIN
    numbered: bool = False


MAX_NAME = 80
"""Maximum length of a name in characters. Longer text is a sentence."""

_MAX_EXTRA_WORDS = 6


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HYPOTHESIS = _words("hypothesis hypotheses")
_WORKFLOW = _words("workflow workflows")
_WORKFLOW_SYNONYMS = frozenset({"steps", "analysis steps", "steps taken", "methodology", "procedure", "work flow"})
_NUMBER = re.compile(r"\d+|[ivx]{1,4}")
_FINAL = _words(
    "final finalized finalised main primary proposed concluding concluded best selected chosen submitted refined "
    "revised updated resulting ultimate"
)
_WEAK = _words("initial working preliminary tentative starting prior original candidate draft early exploratory")
# A name with "hypothesis" and any of these words still names the answer.
_NEUTRAL = _words(
    "the my our a an this here is s and of to as follows text statement summary answer conclusion output research "
    "predicted overall core central key scientific derived supported data driven formal discovered generated discovery "
    "single specific declarative general formulated stated inferred empirical testable step part section submit h1 ha"
)
_RIVAL = _words("null alternative alternatives alternate competing rival rejected discarded h0")
# A name with "hypothesis" and any of these words names something else.
_OTHER = _RIVAL | _words(
    "test tests testing tested considered generation evaluation exploration verification validation formation space "
    "background rationale support status assessment development comparison result results evidence check outcome "
    "decision explanation confidence report that was were"
)
_ONLY_BEFORE = _words("supported driven")
_ABOUT_WORKFLOW = _words("analysis steps used followed taken was")
_ANSWER = _words("answer submission")
_CONCLUSION = _words("conclusion conclusions")
_RESULTS = _words("result results finding findings")
_IMPORTANT = _FINAL | _words("key overall core central")
_ASIDES = frozenset(
    f"{kind} {noun}".strip()
    for kind, nouns in {
        "next": ["steps", "step"],
        "future": ["work", "research", "directions", "steps", "hypotheses"],
        "further": ["work", "research", "analysis", "steps"],
        "alternative": ["explanations", "explanation", "hypotheses", "hypothesis"],
        "": ["limitations", "limitation", "caveats", "alternatives", "recommendations"],
    }.items()
    for noun in nouns
)
_WORD = re.compile(r"[^\W_]+")
_CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")


def read_name(name: str, *, marked: bool) -> Name | None:
    """Interpret a name; return None if it does not name a part of an answer.

    Args:
        name: The name, which may contain markup, numbers and symbols.
        marked: Whether it is a heading, bold, a tag or the like. A marked name may contain other words after
            "hypothesis", such as "Hypothesis on towns".
    """
    if len(name) > MAX_NAME:
        return None
    tokens = _WORD.findall(_CAMEL_CASE.sub(" ", name).casefold())
    words = [token for token in tokens if not _NUMBER.fullmatch(token)]
    has_hypothesis, has_workflow = (not part.isdisjoint(words) for part in (_HYPOTHESIS, _WORKFLOW))
    if has_hypothesis and not has_workflow:
        numbered = any(one in _HYPOTHESIS and _NUMBER.fullmatch(two) for one, two in pairwise(tokens))
        return _hypothesis_name(words, numbered=numbered, marked=marked)
    if has_workflow and not has_hypothesis:
        return Name("workflow") if _is_workflow_name(words, marked=marked) else None
    if " ".join(words) in _WORKFLOW_SYNONYMS:
        return Name("workflow")
    if not _ANSWER.isdisjoint(words) and (_ANSWER | _FINAL | _NEUTRAL).issuperset(words):
        return Name("answer", Rank.WEAK if _FINAL.isdisjoint(words) else Rank.PLAIN)
    return None


def read_heading(name: str) -> Name | None:
    """Interpret the name of a label that is not part of the requested form: conclusions, results and asides."""
    if len(name) > MAX_NAME:
        return None
    words = [token for token in _WORD.findall(name.casefold()) if not _NUMBER.fullmatch(token)]
    if not _ASIDES.isdisjoint((" ".join(words[:1]), " ".join(words[:2]))) and len(words) <= _MAX_EXTRA_WORDS:
        return Name("aside")
    nouns = (_CONCLUSION | _RESULTS).intersection(words)
    if not nouns or not (_CONCLUSION | _RESULTS | _IMPORTANT | _NEUTRAL).issuperset(words):
        return None
    important = not _IMPORTANT.isdisjoint(words)
    if nouns <= _RESULTS and not important:
        return Name("results")
    return Name("conclusion", Rank.PLAIN if nouns <= _CONCLUSION and not _FINAL.isdisjoint(words) else Rank.WEAK)


def _hypothesis_name(words: list[str], *, numbered: bool, marked: bool) -> Name | None:
    allowed = _HYPOTHESIS | _NEUTRAL | _FINAL | _WEAK
    if not _RIVAL.isdisjoint(words) and (allowed | _RIVAL).issuperset(words):
        return Name("rival")
    position = next(index for index, word in enumerate(words) if word in _HYPOTHESIS)
    before, after = words[:position], words[position + 1 :]
    if not _OTHER.isdisjoint(words) or not allowed.issuperset(before) or not _ONLY_BEFORE.isdisjoint(after):
        return None
    if not (len(after) <= _MAX_EXTRA_WORDS if marked else allowed.issuperset(after)):
        return None
    if not _FINAL.isdisjoint(words):
        return Name("hypothesis", Rank.FINAL, numbered)
    return Name("hypothesis", Rank.PLAIN if _WEAK.isdisjoint(words) else Rank.WEAK, numbered)


def _is_workflow_name(words: list[str], *, marked: bool) -> bool:
    if marked:
        return len(words) <= _MAX_EXTRA_WORDS + 1
    return (_WORKFLOW | _ABOUT_WORKFLOW | _NEUTRAL | _FINAL | _WEAK).issuperset(words)
