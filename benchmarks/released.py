"""The largest difference between `hms_released` and the score of the authors' evaluator, given the same replies."""

import argparse
import asyncio
import logging
import os
import re
import sys
from collections import Counter
from contextlib import redirect_stdout
from importlib import import_module
from json import dumps
from pathlib import Path
from random import Random
from unittest.mock import Mock

from endpoint import Request, endpoint
from inspect_ai.model import GenerateConfig
from measure import own_folders, show

from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE, Judge
from inspect_discoverybench.scorer.verdict import compare

PAIRS = [
    HypothesisPair(
        goal="Why?",
        data_files=(),
        gold_hypothesis=f"gold {number}",
        gold_workflow=None,
        predicted_hypothesis=f"predicted {number}",
        predicted_workflow="",
    )
    for number in range(100)
]


def reply(request: Request) -> str:
    """One valid reply to every question, drawn by the texts in it, so that its wording does not matter."""
    texts = re.findall(r"(?:gold|predicted|part|place) \d+", request["messages"][-1]["content"])
    draw = Random(dumps(texts))
    contexts = draw.choices(["None", "", "place 1", "place 2"], k=draw.randint(0, 3))
    keys = {
        "sub_hypo": [{"text": f"{texts[0]} part {n}", "context": context} for n, context in enumerate(contexts)],
        "match": draw.random() < 0.5,
        "sizeA": draw.randint(3, 5),
        "sizeB": draw.randint(3, 5),
        "intersection": draw.randint(0, 3),
        "answer": draw.choice("AABBC"),
        "explanation": "",
        "hypothesis": [],  # contexts of the whole hypotheses, which only we ask about
    }
    return dumps(keys)


def authors_scores(checkout: Path) -> list[float]:
    """The scores of the authors' evaluator, which prints and logs a lot and imports a debugger."""
    sys.path.insert(0, str(checkout))
    sys.modules["IPython"] = Mock(spec=["embed"])
    logging.disable()
    with redirect_stdout(None):
        evaluate = import_module("eval.new_eval").run_eval_gold_vs_gen_NL_hypo_workflow
        texts = [(pair.goal, pair.gold_hypothesis, "", pair.predicted_hypothesis, "") for pair in PAIRS]
        return [evaluate(*five, None, "gpt-4o", "real")["final_score"] for five in texts]


async def our_scores() -> list[float]:
    """Our `hms_released`."""
    judge = Judge.for_eval(DEFAULT_JUDGE, transport=GenerateConfig())
    verdicts = [await compare(judge, pair, with_released=True) for pair in PAIRS]
    return [verdict.values["hms_released"] for verdict in verdicts]


def main() -> None:
    """Score all pairs in both ways and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="of https://github.com/allenai/discoverybench")
    checkout = parser.parse_args().checkout.resolve()
    with own_folders(), endpoint(0, reply) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        authors, ours = authors_scores(checkout), asyncio.run(our_scores())
    difference = round(max(abs(a - b) for a, b in zip(authors, ours, strict=True)), 12)
    counts = Counter(f"{score:.1f}" for score in authors)
    rows = sorted((score, str(count)) for score, count in counts.items())
    show(f"{len(PAIRS)} pairs, largest difference {difference}", ("authors' score", "pairs"), rows)


if __name__ == "__main__":
    main()
