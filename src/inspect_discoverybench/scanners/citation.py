"""Citations: words of an answer that name a publication, or may do so."""

import re
from dataclasses import dataclass

from inspect_discoverybench.text import fold

_CERTAIN = re.compile(
    r"\b10\.\d{4,9}/\S+ | \bar[Xx]iv[: ]\s*\d{4}\.\d{4,5} | \b(?:[A-Z][\w'’-]+(?:,\ | and\ | &\ )?)+\ et\ al\b\.?"
    r"| \b(?:published|appeared|reported)\ in\ (?:the\ )?(?:[A-Z]\w*\ )*"
    r"  (?:Journal|Review|Nature|Science|PNAS|Proceedings|Annals|Lancet)\b",
    re.VERBOSE,
)
_REFERENCE = re.compile(
    r"https?://\S+|\b10\.\d{4,9}/\S+|\bar[Xx]iv[: ]\s*\d{4}\.\d{4,5}|\bet al\b\.?,? \(?(?:1[89]|20)\d\d[a-z]?\)?"
)
_MENTION = re.compile(
    r"\b(?:study|studies|paper|papers|published|publication|literature|article|authors?|journal|preprint|replicat\w+"
    r"|previous(?:ly)? (?:reported|research|work)|prior (?:work|research)|well[- ]known|textbook|doi)\b",
    re.IGNORECASE,
)
_NAME_AND_YEAR = re.compile(r"\b[A-Z][\w'’-]+(?:(?: and | & |, )[A-Z][\w'’-]+)*,? \(?(?:1[89]|20)\d\d[a-z]?\)?")
_PROPER_NAME = re.compile(r"(?<![.!?:;] )(?<!^)(?<!\n)\b[A-Z][a-z][\w'’-]*")


@dataclass(frozen=True)
class Citations:
    """References to publications in an answer, except those that the agent was told or has seen.

    Attributes:
        certain: Publications that the answer names.
        possible: Words that only a reader can judge: mentions of a study, names with a year, other proper names.
    """

    certain: tuple[str, ...]
    possible: tuple[str, ...]


def without_references(text: str) -> str:
    """The text without URLs, identifiers and years of publications, whose numbers are not claims about the data."""
    return _REFERENCE.sub(" ", text)


def citations(answer: str, given: str) -> Citations:
    """Find citations in an answer.

    Args:
        answer: Hypothesis and workflow.
        given: What the agent was told or has seen. Words that occur there are ignored.
    """
    context = fold(given)

    def new(pattern: re.Pattern[str]) -> tuple[str, ...]:
        matches = (" ".join(match.group().split()) for match in pattern.finditer(answer))
        return tuple(dict.fromkeys(text for text in matches if fold(text) not in context))

    possible = (*new(_MENTION), *new(_NAME_AND_YEAR), *new(_PROPER_NAME))
    return Citations(new(_CERTAIN), tuple(dict.fromkeys(possible)))
