"""The question whether a hypothesis claims a relationship. It is no part of HMS. On a placebo, claims are false."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, StrictBool

from inspect_discoverybench.dataset.goals import gold_survives
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

CLAIM_RATE, FALSE_CLAIM_RATE = "claim_rate", "false_claim_rate"
"""Names of the mean of this key on the data and on a placebo. The data of a placebo have no association, so
`false_claim_rate` is a false-positive rate: the share of samples without an association in which a relationship is
claimed. It is not the false discovery rate, which is the share of claims that are false."""

PROMPT_KEY = "claim_prompt"
"""Key in the metadata of a score for the fingerprint of the prompt about claims. Scores can be compared even if it
differs, because the answer about claims does not change HMS."""


def is_claim_asked(metadata: Mapping[str, Any], claim: bool) -> bool:
    """Whether the judge is asked the question about claims for a sample.

    On a placebo, it is always asked, with one exception: if the gold hypothesis survives the permutation, a claim may
    be true, so the question is left out.

    Args:
        metadata: Metadata of the sample. In a task of another package, they may have none of the keys read here.
        claim: Whether the user wants the question to be asked on the data, too.
    """
    if metadata.get("placebo") is None:
        return claim
    return not has_surviving_gold(metadata)


def has_surviving_gold(metadata: Mapping[str, Any]) -> bool:
    """Whether a sample is one of a placebo, and its gold hypothesis survives the permutation.

    Args:
        metadata: Metadata of the sample, as in `is_claim_asked`.
    """
    if metadata.get("placebo") is None:
        return False
    survives = metadata.get("survives_permutation")
    if survives is None:
        # Logs of earlier versions, which may be scored again, lack this key. The ids of samples whose gold hypothesis
        # survives are also in a table of the package.
        parts = [str(metadata.get(name)) for name in ("split", "dataset", "metadata_number", "query_id")]
        sample_id = "/".join(parts)
        return gold_survives(sample_id)
    return bool(survives)


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
