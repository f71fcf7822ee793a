"""The facets of a hypothesis (paper §3), declared once: the pair to compare, the questions, their replies, the scores.

All that asks for, stores or shows facets reads the table `FACETS`.
"""

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

from pydantic import BeforeValidator, Field, StrictBool, model_validator

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import Explanation, R, Reply, parse_boolean
from inspect_discoverybench.scorer.judge import Judge, ParseFailure, Question, gather
from inspect_discoverybench.submission.text import escape, normalized, quoted_reason

NOT_PUBLIC = "The workflow of this hypothesis is not public."
NOT_SUBMITTED = "No workflow was submitted."


@dataclass(frozen=True, kw_only=True)
class HypothesisPair:
    """A gold and a predicted hypothesis for one goal.

    Fields are keyword-only to prevent swapping gold and predicted.

    Attributes:
        goal: The discovery goal.
        data_files: Descriptions of the data files.
        gold_hypothesis: HypoA in the listings.
        gold_workflow: Workflow of the gold hypothesis; None if it is not public.
        predicted_hypothesis: HypoB in the listings.
        predicted_workflow: Workflow of the predicted hypothesis; may be empty.
    """

    goal: str
    data_files: tuple[DataFile, ...]
    gold_hypothesis: str
    gold_workflow: str | None
    predicted_hypothesis: str
    predicted_workflow: str

    @property
    def datasets(self) -> list[dict[str, Any]]:
        """The data files as shown to the judge: names, descriptions and columns."""
        return [file.model_dump(include={"name", "description", "columns"}) for file in self.data_files]

    @property
    def workflows(self) -> tuple[str, str]:
        """The gold and the predicted workflow as shown to the judge."""
        return self.gold_workflow or NOT_PUBLIC, self.predicted_workflow or NOT_SUBMITTED

    def prompt(self, question: str) -> str:
        """Render the head that both comparison questions share, and then one of them: `variables` or `relationship`."""
        gold_workflow, predicted_workflow = self.workflows
        values = as_json(
            datasets=self.datasets,
            query=self.goal,
            gold_hypothesis=self.gold_hypothesis,
            gold_workflow=gold_workflow,
            predicted_hypothesis=self.predicted_hypothesis,
            predicted_workflow=predicted_workflow,
        )
        return Prompt.load("judge/compare").render(question=Prompt.load(f"judge/{question}").render(), **values)


def as_json(**values: Any) -> dict[str, str]:
    """Encode values of a prompt as JSON, so that quotes, braces, code fences and instructions in them remain data."""
    return {name: json.dumps(value, ensure_ascii=False) for name, value in values.items()}


NO_CONTEXT = "None"


class SubHypothesis(Reply):
    """A sub-hypothesis with its own context."""

    text: str = ""
    context: str | None
    explanation: Explanation = ""


class Contexts(Reply):
    """Reply to the extraction (paper, Listing 1): the sub-hypotheses; may be empty."""

    hypothesis: tuple[SubHypothesis, ...]

    @property
    def joined(self) -> str:
        """The distinct contexts, joined with "; "; "None" if there are none."""
        distinct = {normalized(part.context): part.context.strip() for part in self.hypothesis if part.context}
        return "; ".join(text for key, text in distinct.items() if key.strip(".") not in ("", "none")) or NO_CONTEXT

    def equals(self, other: "Contexts") -> bool:
        """Whether two contexts are equal up to case and whitespace. "None" equals "None"."""
        return normalized(self.joined) == normalized(other.joined)

    def describe(self) -> str:
        """The contexts as Markdown."""
        return escape(self.joined)


class Match(Reply):
    """Reply to the question whether the contexts match (paper, Listing 2)."""

    match: Annotated[StrictBool, BeforeValidator(parse_boolean)]

    def describe(self) -> str:
        """The decision as Markdown."""
        return f"Judge: the contexts {'match' if self.match else 'do not match'}."


@dataclass(frozen=True)
class ContextVerdict:
    """The judge's replies about the contexts.

    Attributes:
        gold: Contexts of the gold hypothesis.
        predicted: Contexts of the predicted hypothesis.
        match: Whether they match; None if an extraction failed.
        identical: Whether the contexts are identical, so that the judge was not asked about the match.
    """

    gold: Contexts | ParseFailure
    predicted: Contexts | ParseFailure
    match: Match | ParseFailure | None = None
    identical: bool = False

    @property
    def score(self) -> float | None:
        """1 if the contexts match, 0 if they do not, None if this is undecided."""
        return float(self.match.match) if isinstance(self.match, Match) else None

    def describe(self) -> str:
        """Both contexts and the decision as Markdown."""
        if self.identical:
            decision = "The contexts are identical, so they match. The judge was not asked."
        elif self.match is None:
            decision = "The judge was not asked about the match, because a context is missing."
        else:
            decision = self.match.describe()
        return f"- gold: {self.gold.describe()}\n- predicted: {self.predicted.describe()}\n\n{decision}"


async def ask_context(judge: Judge, pair: HypothesisPair) -> ContextVerdict:
    """Extract both contexts, then ask about the match if they are not identical."""
    gold, predicted = await ask_extractions(judge, pair, "extract_context", "context", Contexts)
    if isinstance(gold, ParseFailure) or isinstance(predicted, ParseFailure):
        return ContextVerdict(gold, predicted)
    if gold.equals(predicted):
        return ContextVerdict(gold, predicted, Match(match=True), identical=True)
    match = await ask_match(
        judge,
        "match_context",
        gold_hypothesis=pair.gold_hypothesis,
        gold_context=gold.joined,
        predicted_hypothesis=pair.predicted_hypothesis,
        predicted_context=predicted.joined,
    )
    return ContextVerdict(gold, predicted, match)


async def ask_extractions(
    judge: Judge, pair: HypothesisPair, prompt: str, subject: str, reply: type[R]
) -> tuple[R | ParseFailure, ...]:
    """Ask the same question about the gold and about the predicted hypothesis, concurrently and independently.

    Which hypothesis a question is about appears only in its name.
    """
    hypotheses = (pair.gold_hypothesis, pair.predicted_hypothesis)
    questions = [
        Question(
            f"{subject} of the {side} hypothesis",
            Prompt.load(f"judge/{prompt}").render(
                **as_json(datasets=pair.datasets, hypothesis=hypothesis, workflow=workflow)
            ),
            reply,
        )
        for side, hypothesis, workflow in zip(("gold", "predicted"), hypotheses, pair.workflows, strict=True)
    ]
    return await gather(*map(judge.ask, questions))


async def ask_match(judge: Judge, prompt: str, label: str = "", **values: str | None) -> Match | ParseFailure:
    """Ask whether two contexts match. `label` appears only in the question's name."""
    text = Prompt.load(f"judge/{prompt}").render(**as_json(**values))
    return await judge.ask(Question(f"match of the contexts{label}", text, Match))


def _parse_count(value: Any) -> Any:
    """Accept whole numbers only, including strings and floats such as "3" and 3.0."""
    if isinstance(value, bool) or (isinstance(value, str) and not re.fullmatch(r"\s*\d{1,4}(\.0+)?\s*", value)):
        raise ValueError("write a whole number")
    return float(value) if isinstance(value, str) else value


MAX_VARIABLES = 50
"""Larger counts are implausible: no gold hypothesis has more than a tenth of this."""

Count = Annotated[int, BeforeValidator(_parse_count)]


class Variables(Reply):
    """Reply (paper, Listing 3): the number of variables in each hypothesis and in common.

    A gold hypothesis has at least one variable; a predicted hypothesis may have none.
    """

    sizeA: Annotated[Count, Field(ge=1, le=MAX_VARIABLES)]  # noqa: N815 - the name in the listing
    sizeB: Annotated[Count, Field(ge=0, le=MAX_VARIABLES)]  # noqa: N815 - the name in the listing
    intersection: Annotated[Count, Field(ge=0)]
    explanation: Explanation = ""

    @model_validator(mode="after")
    def _check_intersection(self) -> "Variables":
        if self.intersection > min(self.sizeA, self.sizeB):
            raise ValueError(
                f"intersection is {self.intersection}, but sizeA is {self.sizeA} and sizeB is {self.sizeB}; "
                "it cannot be larger than either"
            )
        return self

    @property
    def score(self) -> float:
        """F1 of the predicted variables: 2pr / (p + r) with p = intersection / sizeB and r = intersection / sizeA."""
        return 2 * self.intersection / (self.sizeA + self.sizeB)

    def describe(self) -> str:
        """The counts, their F1 and the judge's explanation as Markdown."""
        return (
            f"{self.sizeA} in the gold hypothesis, {self.sizeB} in the predicted hypothesis, {self.intersection} "
            f"shared: F1 = {self.score:.2f}.{quoted_reason(self.explanation)}"
        )


SCORES = {"A": 1.0, "B": 0.5, "C": 0.0}
"""Score of each option for the relationship."""

LABELS = {"A": "very similar", "B": "similar but general than HypoA", "C": "different"}
"""Labels of the options in the listing. That of B is ungrammatical, and judges correct it."""

_MORE_GENERAL = [f"similar but {more}general{than}" for more in ("", "more ") for than in ("", " than hypoa")]
_LETTERS = {LABELS["A"]: "A", **dict.fromkeys(_MORE_GENERAL, "B"), LABELS["C"]: "C"}
_LETTER = re.compile(
    r"(?:(?:option|answer)[ :]*)?\(?(?P<letter>[abc])(?:[).:]+|(?= )|\Z)(?: ?[-–—:] ?)? ?(?P<label>.*)"
)


def _parse_option(value: Any) -> Any:
    """Accept the letter, the full label or both, but no substring of them: "not very similar" is invalid."""
    if not isinstance(value, str):
        return value
    text = re.sub(r"\s+", " ", value).strip(" .\"'`*").casefold()
    match = _LETTER.fullmatch(text)
    letter, label = (match["letter"].upper(), match["label"].strip(" .\"'`*()")) if match else (None, text)
    option = _LETTERS.get(label) if label else letter
    if option is None or letter not in (None, option):
        options = ", ".join(f"{letter}) {label}" for letter, label in LABELS.items())
        raise ValueError(f"{value[:80]!r} is not one of {options}")
    return option


class Relationship(Reply):
    """Reply (paper, Listing 4): the same relationship, a more general one, or a different one, by letter or label."""

    answer: Annotated[Literal["A", "B", "C"], BeforeValidator(_parse_option)]
    explanation: Explanation = ""

    @property
    def score(self) -> float:
        """1, 0.5 or 0."""
        return SCORES[self.answer]

    def describe(self) -> str:
        """The option and the judge's explanation as Markdown."""
        return f"{self.answer}) {LABELS[self.answer]}.{quoted_reason(self.explanation)}"


class FacetVerdict(Protocol):
    """The judge's verdict on a facet."""

    @property
    def score(self) -> float | None:
        """The score in [0, 1]; None if the facet is undecided."""

    def describe(self) -> str:
        """The verdict with the judge's reason, as Markdown."""


@dataclass(frozen=True)
class Facet:
    """A dimension of a hypothesis that the judge decides.

    Attributes:
        key: Name in scores, records and tables.
        label: Name for readers.
        ask: Asks the judge about a pair of hypotheses.
        prompts: Names of its prompts in `prompts/judge`.
    """

    key: str
    label: str
    ask: Callable[[Judge, HypothesisPair], Awaitable[FacetVerdict]]
    prompts: tuple[str, ...]


def _comparison(key: str, label: str, reply: type[Variables] | type[Relationship]) -> Facet:
    """A facet that one question about both hypotheses decides."""
    return Facet(key, label, lambda judge, pair: judge.ask(Question(key, pair.prompt(key), reply)), ("compare", key))


FACETS = (
    # Boundary conditions under which the hypothesis holds. `gate` asks about it first.
    Facet("context", "Context", ask_context, ("extract_context", "match_context")),
    # The target variable and the independent variables.
    _comparison("variables", "Variables", Variables),
    # How the variables interact in that context.
    _comparison("relationship", "Relationship", Relationship),
)

FACET_KEYS = tuple(facet.key for facet in FACETS)

SCORE_KEYS = {"hms": "HMS", **{facet.key: facet.label for facet in FACETS}}
"""Keys of the score with their labels. HMS is the product of the facets."""
