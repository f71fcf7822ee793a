"""What workflows change in `hms_released`: the same pairs, with and without workflows in the extraction.

The authors' scripts leave workflows empty, but cannot have scored DB-REAL as they are (docs/paper_map.md). The pairs
are of DB-REAL train, whose gold workflows are public: one gold hypothesis stands for the prediction, with its own
workflow.

    python benchmarks/workflows.py --model openai/gpt-4o-2024-08-06
"""

import argparse
import asyncio
import math
from dataclasses import dataclass
from itertools import permutations
from random import Random

import numpy as np
from inspect_ai.model import get_model
from measure import show

from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.splits import released_samples
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.scorer.facets import ask_relationship, ask_variables
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.question import ParseFailure
from inspect_discoverybench.scorer.released_form import NO_WORKFLOWS, ReleasedVerdict, ask_released

SEED = 7


@dataclass(frozen=True)
class Scores:
    """`hms_released` of a pair; NaN where the judge gave no valid verdict."""

    without_workflows: float
    with_workflows: float


def pairs(count: int) -> list[HypothesisPair]:
    """Pairs of gold hypotheses of one study, in random order. A pair may have the same hypothesis on both sides."""
    goals = [SampleMetadata.model_validate(sample.metadata) for sample in released_samples("real", "train", Hints())]
    found = [_pair(goal, goal) for goal in goals]
    for goal, other in permutations(goals, 2):
        if goal.dataset == other.dataset:
            found.append(_pair(goal, other))
    Random(SEED).shuffle(found)
    return found[:count]


def _pair(goal: SampleMetadata, predicted: SampleMetadata) -> HypothesisPair:
    return HypothesisPair(
        goal=goal.goal,
        data_files=goal.data_files,
        gold_hypothesis=goal.gold_hypothesis or "",
        gold_workflow=goal.gold_workflow,
        predicted_hypothesis=predicted.gold_hypothesis or "",
        predicted_workflow=predicted.gold_workflow or "",
    )


async def score(judge: Judge, pair: HypothesisPair) -> Scores:
    """Ask about a pair in both ways."""
    variables = await ask_variables(judge, pair)
    relationship = await ask_relationship(judge, pair)

    def released(verdict: ReleasedVerdict | ParseFailure) -> float:
        if isinstance(verdict, ParseFailure) or isinstance(variables, ParseFailure):
            return math.nan
        if isinstance(relationship, ParseFailure):
            return math.nan
        return verdict.values(variables.score, relationship.score)["hms_released"]

    return Scores(
        without_workflows=released(await ask_released(judge, pair, NO_WORKFLOWS)),
        with_workflows=released(await ask_released(judge, pair, pair.workflows)),
    )


async def measure(model: str, count: int) -> list[Scores]:
    """Score the pairs one after another."""
    judge = Judge(get_model(model))
    return [await score(judge, pair) for pair in pairs(count)]


def main() -> None:
    """Score all pairs in both ways and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="discoverybench/lexical", help="the judge")
    parser.add_argument("--count", type=int, default=100, help="number of pairs")
    arguments = parser.parse_args()

    scores = asyncio.run(measure(arguments.model, arguments.count))
    without = np.array([pair.without_workflows for pair in scores])
    with_workflows = np.array([pair.with_workflows for pair in scores])
    decided = ~np.isnan(without) & ~np.isnan(with_workflows)
    differences = (with_workflows - without)[decided]
    columns = {
        "pairs": "",
        "decided": "",
        "without": ".1f",
        "with": ".1f",
        "difference": "+.1f",
        "standard error": ".1f",
        "pairs that differ": "",
    }
    row = [
        len(scores),
        np.count_nonzero(decided),
        100 * without[decided].mean(),
        100 * with_workflows[decided].mean(),
        100 * differences.mean(),
        100 * differences.std(ddof=1) / math.sqrt(len(differences)),
        np.count_nonzero(differences),
    ]
    show(f"hms_released × 100 without and with workflows, judge {arguments.model}", columns, [row])


if __name__ == "__main__":
    main()
