"""Logs with known true effects, as the runs behind the paper's Figure 4 would give them.

Every log goes through Inspect's own log writer. Tasks, hypotheses and scores are invented; a task's difficulty is a
property of its gold hypothesis and the same for all runs, so tasks and runs are correlated as on real data.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalPlan,
    EvalPlanStep,
    EvalSample,
    EvalSampleLimit,
    EvalSpec,
    write_eval_log,
)
from inspect_ai.model import ChatMessageAssistant, ModelUsage
from inspect_ai.scorer import Score

from inspect_discoverybench.scorer.facets import FACET_KEYS

DOMAINS = ("archaeology", "biology", "economics", "engineering", "meta_science", "sociology")
AGENTS = ("codegen", "react", "datavoyager", "reflexion", "no_data_guess")
JUDGE = "provider/judge"


@dataclass(frozen=True)
class Run:
    """One configuration to simulate.

    Attributes:
        task: Name of the task, without the prefix.
        agent: Name of the agent, without the prefix.
        model: Name of the model.
        hms: The share of tasks that it solves, and about its mean HMS.
        epochs: Number of epochs.
        errors: Share of samples that end in an error.
        unscored: Share of samples whose judge gives no valid reply.
        no_submission: Share of samples without a submission.
        second_judge: Share of verdicts that a second judge reverses, in the score `HMS1`. By default, there is none.
    """

    task: str
    agent: str
    model: str
    hms: float
    epochs: int = 1
    errors: float = 0.0
    unscored: float = 0.0
    no_submission: float = 0.0
    second_judge: float | None = None


def write_logs(runs: Sequence[Run], folder: Path, samples: int = 239, padding: int = 4000) -> list[Path]:
    """Write one log per run, with as many characters of conversation in each sample as `padding`."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, run in enumerate(runs):
        path = folder / f"2026-01-01T00-00-{number:02d}_{run.task}_{run.agent}_{number:03d}.eval"
        write_eval_log(_log(run, number, samples, padding), str(path))
        paths.append(path)
    return paths


def _log(run: Run, number: int, count: int, padding: int) -> EvalLog:
    random = Random(number)
    samples = []
    for place in range(count):
        for epoch in range(1, run.epochs + 1):
            sample = _sample(run, place, epoch, random)
            sample.uuid = f"{number:04d} {sample.id} {epoch}"
            sample.messages = [ChatMessageAssistant(content="Analysis. " * (padding // 10))]
            samples.append(sample)
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00",
        task=f"discoverybench/{run.task}",
        task_id=f"task{number:04d}",
        task_version="3-A",
        solver=f"discoverybench/{run.agent}",
        dataset=EvalDataset(name=run.task, samples=count),
        model=run.model,
        config=EvalConfig(epochs=run.epochs, message_limit=100),
    )
    plan = EvalPlan(steps=[EvalPlanStep(solver=f"inspect_discoverybench/{run.agent}")])
    return EvalLog(status="success", eval=spec, plan=plan, samples=samples)


def _sample(run: Run, place: int, epoch: int, random: Random) -> EvalSample:
    gold = place // 2  # two tasks share each gold hypothesis
    difficulty = Random(gold).random()
    # Some noise, so that runs differ on single tasks.
    is_solved = difficulty + random.gauss(0, 0.15) < run.hms
    is_error = random.random() < run.errors
    is_unscored = random.random() < run.unscored
    is_silent = random.random() < run.no_submission

    domain = DOMAINS[gold % len(DOMAINS)]
    tokens = round(random.lognormvariate(9, 0.4))
    usage = ModelUsage(input_tokens=tokens, total_tokens=tokens)
    of_judge = ModelUsage(input_tokens=900, output_tokens=100, total_tokens=1000)
    goal = f"How is outcome {gold} related to factor {place % 7}?"
    gold_hypothesis = f"Outcome {gold} of {domain} increases with factor {gold % 7}."
    sample = EvalSample(
        id=f"test/{place}",
        epoch=epoch,
        input=goal,
        target=gold_hypothesis,
        metadata={
            "split": "test",
            "dataset": f"study_{gold % 14}",
            "domain": domain,
            "goal": goal,
            "gold_hypothesis": gold_hypothesis,
            "data_checksums": {"data.csv": domain},
            "question_type": FACET_KEYS[place % 3],
        },
        store={
            "SessionState:cells": random.randint(2, 12),
            "AgentSteps:steps": [f"inspect_discoverybench/{run.agent}"],
        },
        model_usage={run.model: usage, JUDGE: of_judge},
        role_usage={"grader": of_judge},
        total_time=tokens / 100,
    )
    if is_error:
        sample.error = EvalError(message="The provider did not answer", traceback="", traceback_ansi="")
        return sample
    if is_silent:
        if random.random() < 0.5:
            sample.limit = EvalSampleLimit(type="message", limit=100)
        sample.scores = {"HMS": Score(value=dict.fromkeys(("hms", *FACET_KEYS), 0.0), reason="no_response")}
        return sample

    sample.scores = {"HMS": _score(is_solved, JUDGE, is_unscored, random)}
    if run.second_judge is not None:
        is_reversed = random.random() < run.second_judge
        sample.scores["HMS1"] = _score(is_solved != is_reversed, f"{JUDGE}-2", False, random)
    return sample


def _score(is_solved: bool, judge: str, is_unscored: bool, random: Random) -> Score:
    """A score. One facet of a failed sample is 0, and those of a solved one may be partial."""
    facets = {
        "context": 1.0,
        "variables": random.choice((0.8, 1.0)),
        "relationship": random.choice((0.5, 1.0, 1.0)),
    }
    if not is_solved:
        facets[random.choice(FACET_KEYS)] = 0.0
    record: dict[str, Any] = {
        "judge": judge,
        "settings": {"temperature": 0.0, "seed": 0},
        "prompts": {"system": "0123456789ab"},
        "facets": facets,
        "workflow": "1. Loaded the data. 2. Fitted a model.",
    }
    hms = math.prod(facets.values())
    reason = None
    if is_unscored:
        hms = math.nan
        reason = "grader_failed"
    return Score(
        value={"hms": hms, **facets},
        reason=reason,
        answer="The larger the factor, the larger the outcome." * 5,
        metadata=record,
    )
