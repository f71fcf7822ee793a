"""Rule-based extraction of words, numbers and context phrases from a hypothesis."""

import re

STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        a about above across additional affect affected after all also among amount an and any are
        around as association at average based be been before being below between both but by can
        change changes column data dataset depend depends did differ difference different do does
        during each effect either every exist exists explain explains few for found from given had
        has have how if impact in indicate indicates influence into is it its kind large main many
        may mean might more most much no nor not observation observations of on only or other our
        over own per percentage place play possible question rate record recorded relate related
        relation relationship result row rows same see set shape should show since small so some
        stay such tend tends than that the their them then there these they this those through
        throughout to typical under until up value values variable vary was were what when where
        whether which while who whose why will with within would you
        """,
    )
)
"""Words that do not identify a column."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NUMBER = re.compile(r"(?<![\w.])[-−+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?(?!\w)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")

_OPENERS = (
    r"among|amongst|within|during|throughout|across|for|in|at|on|over|from|between|when|whenever|where|if|"
    r"after|before|since|until|under|while|once|only|around"
)
_LEADING = re.compile(rf"\s*((?:{_OPENERS})\b.+?)(?:,\s|$)", re.IGNORECASE | re.DOTALL)
_PER_UNIT = re.compile(r"\s*for (?:each|every|an? additional)\b", re.IGNORECASE)
_END = r"(?=,(?!\d)|[;:()!?]|\.(?:\s|$)|$"
_CLAUSE = re.compile(
    rf"\b(?:when(?:ever)?|where|if|only (?:in|for|among|within|during|at|on|above|below))\s+.+?{_END})",
    re.IGNORECASE | re.DOTALL,
)
_GROUP = re.compile(
    r"(?<!account )(?<!accounts )(?<!accounting )(?<!control )(?<!controlling )(?<!adjusted )(?<!adjusting )"
    r"(?<!preference )(?<!responsible )(?<!need )\b(?:among(?:st)?|within|during|throughout|across|for)\s+"
    r"(?!each\b|every\b|one\b|an?\b|example\b|instance\b).+?"
    rf"{_END}|(?<!\bwho)(?<!\bthat)\s(?:is|are|was|were|has|have|had|does|do|did|by|with|than|but|tends?|shows?|"
    r"affects?|(?:in|de)creases?|rises?|falls?|relates?|depends?|changes?|var(?:y|ies)|differs?|when|where|if)\b)",
    re.IGNORECASE | re.DOTALL,
)
_YEAR = r"(?:(?:1\d|20)\d\d\b(?:\s*(?:BCE?|CE|AD)\b)?|\d{3,4}\s*(?:BCE?|CE|AD)\b)"
_PERIOD = re.compile(
    rf"\b(?:from|between|in|since|during|after|before|until|around)\s+(?:the\s+)?(?:years?\s+)?{_YEAR}"
    rf"(?:\s*(?:to|and|until|through|-|–)\s*{_YEAR})?"
)
_PLACE = re.compile(
    r"\b[Ii]n\s+(?:the\s+)?[A-Z][\w'’-]+(?:\s+(?:of\s+(?:the\s+)?|and\s+)?[A-Z][\w'’-]+)*"
    r"|\b[Ii]n\s+(?:[a-z-]+\s+){0,3}"
    r"(?:countries|cities|regions|areas|studies|students|people|women|men|households|species|civilizations)\b"
)


def stem(word: str) -> str:
    """Remove common endings, so that `planted`, `planting` and `plants` are equal. This is an approximation."""
    word = word.lower()
    for ending, replacement in (
        ("ies", "y"),
        ("sses", "ss"),
        ("ing", ""),
        ("ed", ""),
        ("es", "e"),
        ("s", ""),
        ("ly", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word.removesuffix(ending) + replacement
            break
    return word.removesuffix("e") if len(word) > 4 else word


def content_stems(text: str) -> list[str]:
    """Stems of the words in order, without stop words and single letters. `snake_case` names are split."""
    return [
        stem(word)
        for word in _WORD.findall(text)
        if word.lower() not in STOP_WORDS and (len(word) > 1 or word.isdigit())
    ]


def numbers(text: str) -> list[float]:
    """The numbers in order, except those that are part of a word. `1,200` is one number."""
    return [float(number.replace(",", "").replace("−", "-")) for number in _NUMBER.findall(text)]


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [part for part in _SENTENCE.split(text.strip()) if part]


def context_phrases(text: str) -> list[str]:
    """Phrases that limit a statement to a group, place, period or condition, in order.

    Of overlapping phrases, only the first counts.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for sentence in sentences(text):
        start = text.index(sentence, start)
        leading = _LEADING.match(sentence)
        if leading and leading.end(1) < len(sentence) - 1 and not _PER_UNIT.match(sentence):
            spans.append((start + leading.start(1), start + leading.end(1)))
        spans += [
            (start + match.start(), start + match.end())
            for rule in (_CLAUSE, _GROUP, _PERIOD, _PLACE)
            for match in rule.finditer(sentence)
        ]
    widest = sorted(set(spans), key=lambda span: (span[0], -span[1]))
    disjoint: list[tuple[int, int]] = []
    for span in widest:
        if not disjoint or span[0] >= disjoint[-1][1]:
            disjoint.append(span)
    return list(dict.fromkeys(" ".join(text[begin:end].split()).rstrip(".?! ") for begin, end in disjoint))
