"""Detects refusals: those that the provider flags, and those in the model's own words."""

import re

from inspect_ai.model import ContentText, ModelOutput

_MAX_LENGTH = 600
_MAX_SENTENCES = 2
_APOSTROPHE = dict.fromkeys(map(ord, "\u2019\u2018\u02bc\u00b4`"), "'")
_SENTENCE_END = re.compile(r"[.!?:;\n]+\s*")
_PREFACE = re.compile(
    r"(?:(?:i'm|i am|we're|we are) (?:very |so |truly )?sorry|sorry|my apologies|apologies|i apologi[sz]e|unfortunately"
    r"|as an ai(?: language)?(?: model| assistant)?)\W*(?:but|that|and)?\s*"
)
_ACTION = (
    r"(?:answer|assist|help|comply|continue|proceed|determine|provide|give|offer|form|formulate|state|make|draw|derive"
    r"|propose|generate|produce|submit|identify|say|tell|know|access|analy[sz]e|complete|perform|fulfill?|do|load|open"
    r"|read|run|evaluate|conclude|infer|support)\b"
)
_UNABLE = (
    r"(?:cannot|can't|can not|could not|couldn't|won't|will not|(?:am|'m|are|'re|was|were) (?:unable|not able) to"
    r"|(?:am|'m) not in a position to)"
)
_REFUSALS = re.compile(
    rf"(?:i|we) ?{_UNABLE} (?:\w+ly )?{_ACTION}"
    r"|(?:i|we) (?:do not|don't|did not|didn't) have (?:\w+ ){0,3}?(?:access|data|information)\b"
    r"|(?:i|we) (?:must |have to |respectfully )?decline\b"
    rf"|(?:it is|it's) (?:not possible|impossible) (?:for me )?to {_ACTION}"
    rf"|(?:unable|not able|not possible) to {_ACTION}"
    r"|(?:this|it|that|the (?:hypothesis|answer|goal|question)|an? (?:hypothesis|answer)) (?:cannot|can't) be \w+"
    rf"|(?:(?:the|this|these) )?(?:\w+ )?(?:data|dataset|information|evidence) (?:\w+ )?(?:is|are|was|were)"
    rf" (?:insufficient|inadequate|not sufficient|not enough) (?:for me )?to {_ACTION}"
    rf"|there (?:is|are|was|were) (?:insufficient|not enough|no) (?:data|information|evidence) to {_ACTION}"
    r"|no (?:\w+ ){0,3}?(?:hypothesis|answer|conclusion) (?:can|could) be \w+"
)
_ANSWER_FOLLOWS = re.compile(r"\b(?:but|however|nevertheless|nonetheless|instead|guess|likely|expect|suggests?)\b")
# Words of a statement about a relationship, and words of sentences that make no statement.
_STATEMENT = re.compile(
    r"\b(?:rises?|rose|falls?|fell|grows?|grew|increase[ds]?|increasing|decrease[ds]?|decreasing|declin\w+|associated"
    r"|correlat\w+|predicts?|affects?"
    r"|influences?|depends?|higher|lower|greater|smaller|larger|positively|negatively)\b"
)
_NO_STATEMENT = re.compile(rf"\b(?:whether|if|please|would|could|unable|not able|not possible)\b|{_UNABLE}")


def flagged_refusal(output: ModelOutput) -> bool:
    """Whether the provider flags a reply as a refusal, by its stop reason, stop details or content."""
    if not output.choices:
        return False
    choice = output.choices[0]
    content = choice.message.content
    parts = content if isinstance(content, list) else []
    return (
        choice.stop_reason == "content_filter"
        or (choice.stop_details is not None and choice.stop_details.type == "refusal")
        or any(isinstance(part, ContentText) and part.refusal is True for part in parts)
    )


def is_plain_refusal(text: str) -> bool:
    """Whether an answer is a refusal: it is short, starts with a refusal, and no statement or answer follows."""
    if len(text) > _MAX_LENGTH:
        return False
    plain = " ".join(text.translate(_APOSTROPHE).casefold().split())
    sentences = _SENTENCE_END.split(plain)
    if any(_STATEMENT.search(sentence) and not _NO_STATEMENT.search(sentence) for sentence in sentences[1:]):
        return False
    for sentence in sentences[:_MAX_SENTENCES]:
        preface = _PREFACE.match(sentence)
        start = preface.end() if preface else 0
        refusal = _REFUSALS.match(sentence.strip("*_\"' "), 0) or _REFUSALS.match(sentence, start)
        if refusal is not None:
            return _ANSWER_FOLLOWS.search(plain[plain.index(sentence) + refusal.end() :]) is None
    return False
