"""The released form beside the authors' evaluator: what both ask, prompt by prompt, and their scores.

The judge is a script that reads the instructions: told to split a hypothesis, it gives three parts; otherwise, the
number of parts is its own choice.
"""

import argparse
import asyncio
import json
import logging
import os
import re
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from unittest.mock import Mock, patch

import numpy as np
from inspect_ai.model import get_model
from measure import own_folders, show

from inspect_discoverybench.scorer.facets import ask_relationship, ask_variables
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE, Judge
from inspect_discoverybench.scorer.question import ParseFailure
from inspect_discoverybench.scorer.released_form import ask_released
from tests.endpoint import Endpoint, Request, serve

UNUSED_PACKAGES = ("IPython", "sympy", "sympy.core", "sympy.core.numbers")
"""Packages that the authors' evaluator imports and does not use."""

PAIRS = [
    HypothesisPair(
        goal="Why?",
        data_files=(),
        gold_hypothesis=f"gold {number}",
        gold_workflow=None,
        predicted_hypothesis=f"predicted {number}",
        predicted_workflow="a workflow that the authors' scripts leave out",
    )
    for number in range(100)
]

KINDS = {
    # A part of the form of the reply, by which a question is known, and the values that the question is about.
    '"sub_hypo": [': ("extraction", ("hypothesis", "workflow")),
    '"match": true or false': (
        "match of contexts",
        ("gold_hypothesis", "gold_context", "predicted_hypothesis", "predicted_context"),
    ),
    '"sizeA": num of': ("variables", ("query", "HypoA", "HypoB")),
    '"answer": one of': ("relationship", ("query", "HypoA", "HypoB")),
}

_VALUE = re.compile(r'^\s*"(\w+)": "?(.*?)"?,?$', re.MULTILINE)
_SPLIT = re.compile(r"\bsplit|\bdecompos|\bbreak down|\bsub-hypothes", re.IGNORECASE)


@dataclass(frozen=True, order=True)
class Asked:
    """What a prompt asks: the kind of question, the values that it is about, and whether to split a hypothesis."""

    kind: str
    values: tuple[str, ...]
    is_told_to_split: bool

    @classmethod
    def by(cls, request: Request) -> "Asked":
        """Read a request."""
        prompt = request["messages"][-1]["content"]
        values = dict(_VALUE.findall(prompt))
        for form, (kind, names) in KINDS.items():
            if form in prompt:
                is_told_to_split = kind == "extraction" and _SPLIT.search(prompt) is not None
                return cls(kind, tuple(values[name] for name in names), is_told_to_split)
        raise ValueError(f"An unknown question:\n{prompt}")


def reply(request: Request) -> str:
    """A valid reply, drawn by what is asked, so that only that matters."""
    asked = Asked.by(request)
    draw = Random(repr(asked))
    count = 3 if asked.is_told_to_split else draw.randint(0, 3)
    parts = []
    for number in range(count):
        context = draw.choice(["None", "", "place 1", "place 2"])
        parts.append({"text": f"{asked.values[0]} part {number}", "context": context})
    content = {
        "sub_hypo": parts,
        "match": draw.random() < 0.5,
        "sizeA": draw.randint(3, 5),
        "sizeB": draw.randint(3, 5),
        "intersection": draw.randint(0, 3),
        "answer": draw.choice("AABBC"),
        "explanation": "",
    }
    return json.dumps(content)


def authors_scores(checkout: Path) -> list[float]:
    """The scores of the authors' evaluator, which prints and logs a lot."""
    sys.path.insert(0, str(checkout))
    logging.disable()
    scores = []
    # Only here, because other packages look for these, too.
    with patch.dict(sys.modules, {name: Mock() for name in UNUSED_PACKAGES}), redirect_stdout(None):
        evaluate = import_module("eval.new_eval").run_eval_gold_vs_gen_NL_hypo_workflow
        for pair in PAIRS:
            # The authors' scripts pass empty workflows (branch iclr_eval).
            texts = (pair.goal, pair.gold_hypothesis, "", pair.predicted_hypothesis, "")
            scores.append(evaluate(*texts, None, "gpt-4o", "real")["final_score"])
    return scores


async def our_scores() -> list[float]:
    """Our `hms_released`."""
    judge = Judge(get_model(DEFAULT_JUDGE))
    scores = []
    for pair in PAIRS:
        parts = await ask_released(judge, pair)
        variables = await ask_variables(judge, pair)
        relationship = await ask_relationship(judge, pair)
        assert not isinstance(parts, ParseFailure), parts
        assert not isinstance(variables, ParseFailure), variables
        assert not isinstance(relationship, ParseFailure), relationship
        scores.append(parts.values(variables.score, relationship.score)["hms_released"])
    return scores


def asked_of(server: Endpoint) -> set[Asked]:
    """What the server was asked since the last call."""
    asked = {Asked.by(request) for request in server.requests}
    server.requests.clear()
    return asked


def rows(theirs: set[Asked], ours: set[Asked]) -> list[tuple[str | int, ...]]:
    """A row for each kind of question."""
    table: list[tuple[str | int, ...]] = []
    for kind, _ in KINDS.values():
        of_authors = {asked for asked in theirs if asked.kind == kind}
        of_ours = {asked for asked in ours if asked.kind == kind}
        only_authors = of_authors - of_ours
        only_ours = of_ours - of_authors
        table.append((kind, len(of_authors), len(of_ours), len(only_authors), len(only_ours)))
    return table


def main() -> None:
    """Score all pairs in both ways and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="of https://github.com/allenai/discoverybench")
    checkout = parser.parse_args().checkout.resolve()
    with own_folders(), serve(reply) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        theirs = authors_scores(checkout)
        asked_by_authors = asked_of(server)
        ours = asyncio.run(our_scores())
        asked_by_us = asked_of(server)

    differences = np.abs(np.subtract(theirs, ours))
    positive = np.count_nonzero(theirs)
    columns = {
        "question": "",
        "the authors'": "",
        "ours": "",
        "only the authors'": "",
        "only ours": "",
    }
    show(
        f"{len(PAIRS)} pairs, {positive} of them above 0: largest difference of a score {differences.max():.3f}",
        columns,
        rows(asked_by_authors, asked_by_us),
        "The authors ask about variables and relationship only where contexts match.",
    )


if __name__ == "__main__":
    main()
