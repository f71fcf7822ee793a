"""Recognizes texts in place of a hypothesis: placeholders of the requested form, and remarks about a hypothesis."""

import re

_MAX_LENGTH = 400
_PLACEHOLDER = re.compile(
    r"<[^<>]{0,24}>|n/?a|none|null|nil|tbd|todo|pending"
    r"|to be (?:determined|tested|decided|defined|formed|formulated|refined|added|filled|confirmed)(?: \w+){0,6}"
    r"|(?:insert |write |add |state )?(?:your|the|my) (?:\w+ )?(?:hypothes[ie]s|answer|workflow|steps)"
    r"(?: (?:here|text|statement|goes here))?",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"\[[^\[\]]*\]|<[^<>]*>")
_MARKUP = "*_`\"' \t\n.\u2026:;!"
_WORD = re.compile(r"[^\W_]+(?:['\u2019][a-z]+)?")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What a remark says about a hypothesis, and the other words of remarks.
_REMARKS = _words(
    "supported support supports confirmed confirm confirms accepted accept rejected reject verified verify tested "
    "validated holds hold correct true false yes no submitted submit provided given stated presented described "
    "reported written above below see earlier previously already done complete completed"
)
_OTHER_WORDS = _words(
    "hypothesis hypotheses answer workflow submission statement conclusion data dataset result results finding "
    "findings analysis evidence it this that these which i we my our your final main message section boxed text a an "
    "the is are was were be been has have had does do did not can cannot by in with of to for on as and or at from all "
    "both also now here strongly partially partly fully clearly successfully please refer"
)


def is_placeholder(text: str) -> bool:
    """Whether a text is a placeholder such as `<hypothesis>`, "your hypothesis", "N/A" or "to be determined"."""
    return len(text) <= _MAX_LENGTH and _PLACEHOLDER.fullmatch(text.strip(_MARKUP)) is not None


def is_remark(text: str) -> bool:
    """Whether a text only refers to a hypothesis, such as "The hypothesis is supported by the data.", or to a form."""
    if len(text) > _MAX_LENGTH:
        return False
    if _BRACKETED.fullmatch(text.strip(_MARKUP)):
        return True
    words = {word.casefold() for word in _WORD.findall(text)}
    return not words.isdisjoint(_REMARKS) and words <= _REMARKS | _OTHER_WORDS
