"""Logs with known true effects, as the runs behind the paper's Figure 4 would give them.

Every log goes through Inspect's own log writer. Tasks, hypotheses and scores are invented; a task's chance of success
is a property of its gold hypothesis, so tasks that share one are correlated.
"""

import hashlib
import itertools
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
from scipy.stats import beta

from inspect_discoverybench.scorer.facets import FACET_KEYS

DOMAINS = ("archaeology", "biology", "economics", "engineering", "meta_science", "sociology")
TAGS = ("Regression Analysis", "Statistical Testing", "Data Integration", "correlation analysis", "feature engineering")
AGENTS = ("codegen", "react", "datavoyager", "reflexion", "no_data_guess")
MODELS = ("provider/large", "provider/medium", "provider/small")
JUDGE = "provider/judge"

HMS_IF_SOLVED = ((1.0, 1.0, 0.5), (0.8, 1.0, 0.2), (1.0, 0.5, 0.3))
"""Variables, relationship and probability of a solved sample; its context is 1."""

MEAN_IF_SOLVED = sum(variables * relationship * share for variables, relationship, share in HMS_IF_SOLVED)

CONCENTRATION = 1.0
"""Sum of the parameters of the beta distribution of a gold hypothesis's chance of success. Small: most are 0 or 1."""


@dataclass(frozen=True)
class Run:
    """One configuration to simulate: the true mean HMS is at most `MEAN_IF_SOLVED`.

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
        write_eval_log(_log(run, number, samples, padding), str(path))
        paths.append(path)
    return paths


def _task(name: str, number: int, count: int) -> dict[str, Any]:
    """Metadata of an invented task: those of `real` share 117 gold hypotheses per 239 tasks, those of `synth` none."""
    is_real = name == "real"
    cluster = number % max(1, round(count * 117 / 239)) if is_real else number
    domain = DOMAINS[cluster % len(DOMAINS)]
    return {
        "split": "test",
        "dataset": f"study_{cluster % 14}",
        "domain": domain,
        "goal": f"How is outcome {cluster} related to factor {number % 7}?",
        "gold_hypothesis": f"Outcome {cluster} of {domain} increases with factor {cluster % 7}.",
        "data_checksums": {"data.csv": hashlib.sha256(domain.encode()).hexdigest()},
        "question_type": FACET_KEYS[number % 3] if is_real else "general",
        "workflow_tags": f"{TAGS[cluster % 5]}, {TAGS[(cluster + 1) % 5]}",
    }


def _log(run: Run, number: int, count: int, padding: int) -> EvalLog:
    tasks = {f"test/{place}": _task(run.task, place, count) for place in range(count)}
    random = Random(f"0 {number}")
    samples = [
        _sample(run, name, task, epoch, Random(f"0 {task['gold_hypothesis']}").random(), random, number, padding)
        for (name, task), epoch in itertools.product(tasks.items(), range(1, run.epochs + 1))
    ]
    start = "2026-01-01T00:00:00+00:00"
    return EvalLog(
        status="success",
        eval=EvalSpec(
            created=start,
            task=f"discoverybench/{run.task}",
            task_id=f"task{number:04d}",
            task_version="3-A",
            task_args={},
            task_args_passed={},
            solver=f"discoverybench/{run.agent}",
            solver_args={},
            solver_args_passed={},
            dataset=EvalDataset(name=run.task, samples=count, sample_ids=[*tasks]),
            model=run.model,
            config=EvalConfig(epochs=run.epochs, message_limit=100),
        ),
        results=EvalResults(total_samples=len(samples), completed_samples=len(samples)),
        stats=EvalStats(started_at=start, completed_at=start),
        samples=samples,
    )


def _sample(
    run: Run, name: str, task: dict[str, Any], epoch: int, quantile: float, random: Random, number: int, padding: int
) -> EvalSample:
    # The quantile of a gold hypothesis is the same in all runs, so that runs are correlated as on real tasks.
    share = run.hms / MEAN_IF_SOLVED
    chance = float(beta.ppf(quantile, share * CONCENTRATION, (1 - share) * CONCENTRATION))
    is_solved = random.random() < chance
    values = _values(is_solved, random)
    shares = (run.errors, run.unscored, run.no_submission)
    is_error, is_unscored, is_silent = (random.random() < share for share in shares)
    tokens = round(random.lognormvariate(9, 0.4))
    judge = ModelUsage(input_tokens=900, output_tokens=100, total_tokens=1000)
    sample = EvalSample(
        id=name,
        epoch=epoch,
        uuid=f"{number:04d}{hashlib.sha256(f'{name} {epoch}'.encode()).hexdigest()[:18]}",
        input=task["goal"],
        target=task["gold_hypothesis"],
        metadata=task,
        messages=[ChatMessageUser(content=task["goal"]), ChatMessageAssistant(content="Analysis. " * (padding // 10))],
        store={"SessionState:cells": random.randint(2, 12)} if run.agent != "no_data_guess" else {},
        model_usage={run.model: ModelUsage(input_tokens=tokens, total_tokens=tokens), JUDGE: judge},
        role_usage={"grader": judge},
        total_time=tokens / 100,
    )
    if is_error:
        sample.error = EvalError(message="The provider did not answer", traceback="", traceback_ansi="")
        return sample
    sample.scores = {"HMS": _score(values, task, JUDGE, is_unscored, is_silent)}
    if is_silent and random.random() < 0.5:
        sample.limit = EvalSampleLimit(type="message", limit=100)
    if run.second_judge is not None:
        second = _values(is_solved != (random.random() < run.second_judge), random)
        sample.scores["HMS1"] = _score(second, task, f"{JUDGE}-2", False, is_silent)
    return sample


def _values(is_solved: bool, random: Random) -> dict[str, float]:
    """HMS and facets. Of a failed sample, one facet is 0."""
    context, variables, relationship = 1.0, 1.0, 0.0
    if is_solved:
        [(variables, relationship, _)] = random.choices(HMS_IF_SOLVED, [share for _, _, share in HMS_IF_SOLVED])
    elif (failure := random.choices(FACET_KEYS, (5, 2, 3))[0]) == "context":
        context, variables, relationship = 0.0, random.choice((0.4, 1.0)), random.choice((0.0, 0.5, 1.0))
    elif failure == "variables":
        variables, relationship = 0.0, random.choice((0.0, 0.5))
    else:
        variables = random.choice((0.5, 0.8, 1.0))
    facets = dict(zip(FACET_KEYS, (context, variables, relationship), strict=True))
    return {"hms": context * variables * relationship, **facets}


def _score(values: dict[str, float], task: dict[str, Any], judge: str, is_unscored: bool, is_silent: bool) -> Score:
    if is_silent:
        return Score(value=dict.fromkeys(values, 0.0), reason="no_response", explanation="Nothing was submitted.")
    record: dict[str, Any] = {
        "judge": judge,
        "settings": {"temperature": 0.0, "seed": 0},
        "aggregation": "product",
        "gate": False,
        "prompts": {"system": "0123456789ab"},
        "facets": {name: value for name, value in values.items() if name != "hms"},
        "submission_source": "call",
        "workflow": "1. Loaded the data. 2. Fitted a model.",
    }
    answer = " ".join([f"The larger the factor, the larger the outcome in {task['domain']}."] * 5)
    if is_unscored:
        return Score.unscored(reason="grader_failed", answer=answer, explanation="**Not scored**", metadata=record)
    verdicts = "\n\n".join(f"### {name.capitalize()}: {value:.2f}" for name, value in record["facets"].items())
    return Score(value={**values}, answer=answer, explanation=verdicts, metadata=record)
