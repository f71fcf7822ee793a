"""Logs with known true effects, as the runs behind the paper's Figure 4 would give them.

Every log goes through Inspect's own log writer. Tasks, hypotheses and scores are invented; a task's difficulty is a
property of its gold hypothesis and the same for all runs, so tasks and runs are correlated as on real data.
"""

import hashlib
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
    EvalResults,
    EvalSample,
    EvalSampleLimit,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelUsage
from inspect_ai.scorer import Score

from inspect_discoverybench.scorer.facets import FACET_KEYS

DOMAINS = ("archaeology", "biology", "economics", "engineering", "meta_science", "sociology")
TAGS = ("Regression Analysis", "Statistical Testing", "Data Integration", "correlation analysis", "feature engineering")
AGENTS = ("codegen", "react", "datavoyager", "reflexion", "no_data_guess")
MODELS = ("provider/large", "provider/medium", "provider/small")
JUDGE = "provider/judge"
START = "2026-01-01T00:00:00+00:00"

GOLDS_PER_TASK = 117 / 239
"""Distinct gold hypotheses per task in DB-REAL test; each task of DB-SYNTH has its own."""


@dataclass(frozen=True)
class Run:
    """One configuration to simulate, with its true mean HMS.

    The last four are shares of samples; the last one is that of verdicts that a second judge, `HMS1`, reverses.
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
        log = _log(run, number, samples, padding)
        write_eval_log(log, str(path))
        paths.append(path)
    return paths


def _log(run: Run, number: int, count: int, padding: int) -> EvalLog:
    random = Random(number)
    samples = []
    for place in range(count):
        for epoch in range(1, run.epochs + 1):
            sample = _sample(run, place, epoch, count, random, padding)
            sample.uuid = f"{number:04d} {sample.id} {epoch}"
            samples.append(sample)
    return EvalLog(
        status="success",
        eval=EvalSpec(
            created=START,
            task=f"discoverybench/{run.task}",
            task_id=f"task{number:04d}",
            task_version="3-A",
            task_args={},
            task_args_passed={},
            solver=f"discoverybench/{run.agent}",
            solver_args={},
            solver_args_passed={},
            dataset=EvalDataset(name=run.task, samples=count),
            model=run.model,
            config=EvalConfig(epochs=run.epochs, message_limit=100),
        ),
        results=EvalResults(total_samples=len(samples), completed_samples=len(samples)),
        stats=EvalStats(started_at=START, completed_at=START),
        samples=samples,
    )


def _metadata(task: str, place: int, count: int) -> dict[str, Any]:
    golds = count
    if task == "real":
        golds = math.ceil(count * GOLDS_PER_TASK)
    gold = place % golds
    domain = DOMAINS[gold % len(DOMAINS)]
    return {
        "split": "test",
        "dataset": f"study_{gold % 14}",
        "domain": domain,
        "goal": f"How is outcome {gold} related to factor {place % 7}?",
        "gold_hypothesis": f"Outcome {gold} of {domain} increases with factor {gold % 7}.",
        "data_checksums": {"data.csv": domain},
        "question_type": FACET_KEYS[place % 3] if task == "real" else "general",
        "workflow_tags": f"{TAGS[gold % 5]}, {TAGS[(gold + 1) % 5]}",
    }


def _sample(run: Run, place: int, epoch: int, count: int, random: Random, padding: int) -> EvalSample:
    metadata = _metadata(run.task, place, count)
    digest = hashlib.sha256(metadata["gold_hypothesis"].encode()).digest()
    difficulty = digest[0] / 256
    # Some noise, so that runs differ on single tasks.
    is_solved = difficulty + random.gauss(0, 0.15) < run.hms
    shares = (run.errors, run.unscored, run.no_submission)
    is_error, is_unscored, is_silent = (random.random() < share for share in shares)

    tokens = round(random.lognormvariate(9, 0.4))
    usage = ModelUsage(input_tokens=tokens, total_tokens=tokens)
    of_judge = ModelUsage(input_tokens=900, output_tokens=100, total_tokens=1000)
    conversation = [
        ChatMessageUser(content=metadata["goal"]),
        ChatMessageAssistant(content="Analysis. " * (padding // 10)),
    ]
    sample = EvalSample(
        id=f"test/{place}",
        epoch=epoch,
        input=metadata["goal"],
        target=metadata["gold_hypothesis"],
        metadata=metadata,
        messages=conversation,
        store={"SessionState:cells": random.randint(2, 12)},
        model_usage={run.model: usage, JUDGE: of_judge},
        role_usage={"grader": of_judge},
        total_time=tokens / 100,
    )
    if is_error:
        sample.error = EvalError(message="The provider did not answer", traceback="", traceback_ansi="")
        return sample
    if is_silent and random.random() < 0.5:
        sample.limit = EvalSampleLimit(type="message", limit=100)

    sample.scores = {"HMS": _score(is_solved, JUDGE, is_unscored, is_silent, random)}
    if run.second_judge is not None:
        is_reversed = random.random() < run.second_judge
        second = _score(is_solved != is_reversed, f"{JUDGE}-2", False, is_silent, random)
        sample.scores["HMS1"] = second
    return sample


def _score(is_solved: bool, judge: str, is_unscored: bool, is_silent: bool, random: Random) -> Score:
    """A score: of a failed sample one facet is 0, and of a solved one some are partial."""
    if is_silent:
        values = dict.fromkeys(("hms", *FACET_KEYS), 0.0)
        return Score(value=values, reason="no_response", explanation="Nothing was submitted.")

    facets = {"context": 1.0, "variables": random.choice((0.8, 1.0)), "relationship": random.choice((0.5, 1.0, 1.0))}
    if not is_solved:
        failed = random.choice(FACET_KEYS)
        facets[failed] = 0.0
    record = {
        "judge": judge,
        "settings": {"temperature": 0.0, "seed": 0},
        "prompts": {"system": "0123456789ab"},
        "facets": facets,
        "submission_source": "call",
        "workflow": "1. Loaded the data. 2. Fitted a model.",
    }
    answer = "The larger the factor, the larger the outcome." * 5
    if is_unscored:
        return Score.unscored(reason="grader_failed", answer=answer, explanation="**Not scored**", metadata=record)
    hms = math.prod(facets.values())
    explanation = "\n\n".join(f"### {name.capitalize()}: {value:.2f}" for name, value in facets.items())
    return Score(value={"hms": hms, **facets}, answer=answer, explanation=explanation, metadata=record)
