"""What an experiment will ask and cost, before it asks anything."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from inspect_discoverybench.experiment.form import Experiment
from inspect_discoverybench.experiment.prices import Prices
from inspect_discoverybench.experiment.run import Run, judge_of

JUDGE_CALLS = 5
JUDGE_TOKENS = (5000, 300)
"""Of one sample, input and output."""


@dataclass(frozen=True)
class Usage:
    """What one sample takes.

    Attributes:
        calls: Calls of the evaluated model.
        read: Its input tokens.
        written: Its output tokens.
        judged: How often the judge is asked its questions.
    """

    calls: int
    read: int
    written: int
    judged: int = 1


# Measured by benchmarks/agents.py on DB-REAL train.
AGENTS = {
    "no_data_guess": Usage(1, 1190, 211),
    "codegen": Usage(2, 4744, 559),
    "react": Usage(7, 25786, 2299),
    "datavoyager": Usage(21, 84266, 3903),
    "reflexion": Usage(8, 21832, 2023, judged=3),
    "gold": Usage(0, 0, 0),
}


@dataclass(frozen=True)
class Estimate:
    """What one cell will take; NaN where nothing is known.

    Attributes:
        samples: Samples, epochs counted.
        calls: Calls of the evaluated model.
        judge_calls: Calls of the judge, none of them cached.
        read: Input tokens of the evaluated model.
        written: Its output tokens.
        cost: US dollars of both.
    """

    samples: int
    calls: float
    judge_calls: float
    read: float
    written: float
    cost: float


def estimate(experiment: Experiment, found: Run, known: Prices) -> Estimate:
    """What one cell will take, by the measured average of its agent."""
    samples = found.samples * experiment.epochs
    usage = _usage(found)
    if usage is None:
        return Estimate(samples, math.nan, math.nan, math.nan, math.nan, math.nan)
    grader = judge_of(experiment, found)
    rounds = usage.judged if grader else 0
    paid = _paid(found.cell.model.name, usage.read, usage.written, known)
    judged = rounds * _paid(grader, *JUDGE_TOKENS, known) if grader else 0.0
    return Estimate(
        samples=samples,
        calls=samples * usage.calls,
        judge_calls=samples * rounds * JUDGE_CALLS,
        read=samples * usage.read,
        written=samples * usage.written,
        cost=samples * (paid + judged),
    )


def total(estimates: Sequence[Estimate]) -> Estimate:
    """All cells together."""
    return Estimate(
        samples=sum(e.samples for e in estimates),
        calls=sum(e.calls for e in estimates),
        judge_calls=sum(e.judge_calls for e in estimates),
        read=sum(e.read for e in estimates),
        written=sum(e.written for e in estimates),
        cost=sum(e.cost for e in estimates),
    )


def _usage(found: Run) -> Usage | None:
    task = found.cell.task.name.rpartition("/")[2]
    if task == "judge_audit":
        repeats = int(found.cell.task.args.get("repeats", 2))
        return Usage(repeats * JUDGE_CALLS, repeats * JUDGE_TOKENS[0], repeats * JUDGE_TOKENS[1], judged=0)
    solver = "react" if found.cell.solver is None else found.cell.solver.name.rpartition("/")[2]
    return AGENTS.get(solver)


def _paid(model: str, read: float, written: float, known: Prices) -> float:
    """US dollars; NaN for a model without a known price, unless nothing is asked of it."""
    if model not in known:
        return math.nan if read or written else 0.0
    per_read, per_written = known[model]
    return (read * per_read + written * per_written) / 1_000_000
