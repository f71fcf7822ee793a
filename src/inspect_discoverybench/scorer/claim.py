"""The question whether a hypothesis claims a relationship. It is no part of HMS. On a placebo, claims are false."""

from typing import Annotated

from pydantic import BeforeValidator, StrictBool

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import Explanation, Reply, parse_boolean
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.markdown import judge_paragraph
from inspect_discoverybench.scorer.prompt_values import prompt_values
from inspect_discoverybench.scorer.question import ParseFailure, Question

CLAIM_PROMPT = "judge/claim"

CLAIM_KEY = "claim"
"""Key of the score: 1 if the hypothesis claims a relationship, else 0. It is absent where this was not asked."""


class Claim(Reply):
    """Reply: whether the author claims that the data show a relationship between two or more variables."""

    claim: Annotated[StrictBool, BeforeValidator(parse_boolean)]
    explanation: Explanation = ""

    @property
    def score(self) -> float:
        """1 for a claim, else 0."""
        return float(self.claim)

    def describe(self) -> str:
        """The decision and the judge's explanation as Markdown."""
        decision = "A relationship is claimed." if self.claim else "No relationship is claimed."
        return f"{decision}{judge_paragraph(self.explanation)}"


async def ask_claim(judge: Judge, pair: HypothesisPair) -> Claim | ParseFailure:
    """Ask whether the predicted hypothesis claims a relationship. Nothing tells the judge of the gold hypothesis."""
    values = prompt_values(datasets=pair.datasets, goal=pair.goal, hypothesis=pair.predicted_hypothesis)
    return await judge.ask(Question("claim", Prompt.load(CLAIM_PROMPT).render(**values), Claim))
