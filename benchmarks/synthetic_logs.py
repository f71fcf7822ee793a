"""Write logs with known true effects, similar to the runs behind the paper's Figure 4 would give them.

Run `python benchmarks/synthetic_logs.py OUT`. Every log goes through Inspect's own log writer. Tasks, hypotheses and
scores are invented; a task's chance of success is a property of its gold hypothesis, so tasks that share one are
correlated.
"""

import argparse
import hashlib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalPlan,
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

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.dataset.samples import SampleMetadata

DOMAINS = ("archaeology", "biology", "economics", "engineering", "meta_science", "sociology")
GOAL_TYPES = ("context", "variables", "relationship")
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
    """One configuration to simulate.

    Attributes:
        task: `real` or `synth`.
        agent: Name of the solver.
        model: Name of the model.
        hms: True mean HMS in 0–1, at most `MEAN_IF_SOLVED`.
        epochs: Number of epochs.
        errors: Share of samples that end with an error.
        unscored: Share of samples that the judge fails to score.
        no_submission: Share of samples that submit nothing.
        second_judge: Share of verdicts that a second judge, `HMS1`, reverses; None without a second judge.
        task_arguments: Arguments of the task.
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
    task_arguments: dict[str, Any] = field(default_factory=dict)


def figure_4() -> list[Run]:
    """Runs of all agents and models on DB-REAL, and of four agents on DB-SYNTH, with true means between 4 and 35 %."""
    agents = {"codegen": 0.18, "react": 0.20, "datavoyager": 0.22, "reflexion": 0.30, "no_data_guess": 0.05}
    models = {"provider/large": 1.15, "provider/medium": 1.0, "provider/small": 0.7}
    runs = [
        Run("real", agent, model, agents[agent] * models[model], unscored=0.02 if agent == "react" else 0.0)
        for agent, model in itertools.product(agents, models)
    ]
    return runs + [
        Run("synth", agent, model, agents[agent] * models[model] * 0.8)
        for agent, model in itertools.product([agent for agent in agents if agent != "no_data_guess"], models)
    ]


def write_logs(
    runs: Sequence[Run], folder: Path, seed: int = 0, samples: int | None = None, padding: int = 4000
) -> list[Path]:
    """Write one log per run.

    Args:
        runs: The runs.
        folder: Output folder; created if it does not exist.
        seed: Random seed.
        samples: Number of tasks; by default 239 for `real` and 200 for `synth`, as in the released test splits.
        padding: Characters of conversation in each sample.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, run in enumerate(runs):
        path = folder / f"2026-01-01T00-00-{number:02d}_{run.task}_{run.agent}_{number:03d}.eval"
        write_eval_log(_log(run, number, seed, samples, padding), str(path))
        paths.append(path)
    return paths


def tasks(name: str, count: int | None = None) -> list[SampleMetadata]:
    """Invented tasks: 239 in 117 clusters for `real`, 200 independent ones for `synth`."""
    count = count or (239 if name == "real" else 200)
    clusters = max(1, round(count * 117 / 239)) if name == "real" else count
    return [_task(name, number, number % clusters) for number in range(count)]


def _task(name: str, number: int, cluster: int) -> SampleMetadata:
    is_real = name == "real"
    domain = DOMAINS[cluster % len(DOMAINS)] if is_real else f"domain {cluster % 8}"
    hard = is_real and number % 10 == 9
    return SampleMetadata(
        split="test",
        dataset=f"{'study' if is_real else 'tree'}_{cluster % 14}" + ("_raw" if hard else ""),
        metadata_number=number // 4,
        query_id=number,
        domain=domain,
        question_type=GOAL_TYPES[number % 3] if is_real else "general",
        difficulty=None if is_real else 1 + number % 4,
        tree_level=None if is_real else number % 4,
        goal=f"How is outcome {cluster} related to factor {number % 7}?",
        gold_hypothesis=f"Outcome {cluster} of {domain} increases with factor {cluster % 7}.",
        gold_workflow=None,
        workflow_length=None,
        data_files=(DataFile(name="data.csv", description="Invented data.", columns=()),),
        data_file_count=1,
        data_checksums={"data.csv": hashlib.sha256(domain.encode()).hexdigest()},
        workflow_tags=", ".join(TAGS[(cluster + offset) % len(TAGS)] for offset in range(2)) if is_real else "",
        domain_knowledge="",
        solvable=None if is_real else number % 5 != 0,
        variant="hard" if hard else None,
        variant_of=f"test/study_{(cluster) % 14}/{(number - 1) // 4}/{number - 1}" if hard else None,
    )


def _log(run: Run, number: int, seed: int, count: int | None, padding: int) -> EvalLog:
    metadata = tasks(run.task, count)
    # The quantile of a gold hypothesis is the same in all runs, so that runs are correlated as on real tasks.
    quantiles = {task.gold_hypothesis: Random(f"{seed} {task.gold_hypothesis}").random() for task in metadata}
    random = Random(f"{seed} {number}")
    samples = [
        _sample(run, task, epoch, quantiles[task.gold_hypothesis], random, number, padding)
        for task, epoch in itertools.product(metadata, range(1, run.epochs + 1))
    ]
    log = EvalLog(
        status="success",
        eval=EvalSpec(
            created="2026-01-01T00:00:00+00:00",
            task=f"discoverybench/{run.task}",
            task_id=f"task{number:04d}",
            task_version="3-A",
            task_args=run.task_arguments,
            task_args_passed=run.task_arguments,
            solver=f"discoverybench/{run.agent}",
            solver_args={},
            solver_args_passed={},
            dataset=EvalDataset(name=run.task, samples=len(metadata), sample_ids=[t.sample_id for t in metadata]),
            model=run.model,
            config=EvalConfig(epochs=run.epochs, message_limit=100),
        ),
        plan=EvalPlan(),
        results=EvalResults(total_samples=len(samples), completed_samples=len(samples)),
        stats=EvalStats(started_at="2026-01-01T00:00:00+00:00", completed_at="2026-01-01T01:00:00+00:00"),
    )
    log.samples = samples
    return log


def _sample(
    run: Run, task: SampleMetadata, epoch: int, quantile: float, random: Random, number: int, padding: int
) -> EvalSample:
    solved_share = run.hms / MEAN_IF_SOLVED
    chance = float(beta.ppf(quantile, solved_share * CONCENTRATION, (1 - solved_share) * CONCENTRATION))
    is_solved = random.random() < chance
    values = _values(is_solved, random)
    is_error, is_unscored, is_silent = (
        random.random() < share for share in (run.errors, run.unscored, run.no_submission)
    )
    tokens = round(random.lognormvariate(9, 0.4))
    cost = tokens * {"large": 1e-5, "medium": 2e-6}.get(run.model.split("/")[1], 3e-7)
    sample = EvalSample(
        id=task.sample_id,
        epoch=epoch,
        uuid=f"{number:04d}{hashlib.sha256(f'{task.sample_id} {epoch}'.encode()).hexdigest()[:18]}",
        input=task.goal,
        target=task.gold_hypothesis,
        metadata=task.model_dump(),
        messages=[ChatMessageUser(content=task.goal), ChatMessageAssistant(content="Analysis. " * (padding // 10))],
        store={"SessionState:cells": random.randint(2, 12)} if run.agent != "no_data_guess" else {},
        model_usage={
            run.model: ModelUsage(input_tokens=tokens, output_tokens=0, total_tokens=tokens, total_cost=cost),
            JUDGE: ModelUsage(input_tokens=900, output_tokens=100, total_tokens=1000, total_cost=0.004),
        },
        role_usage={"grader": ModelUsage(input_tokens=900, output_tokens=100, total_tokens=1000, total_cost=0.004)},
        total_time=tokens / 100,
    )
    if run.agent == "reflexion":
        sample.store["ReflexionState:best_hms"] = max(values["hms"], 0.5 * (random.random() < 0.2))
    if is_error:
        sample.error = EvalError(message="The provider did not answer", traceback="", traceback_ansi="")
        return sample
    sample.scores = {"HMS": _score(values, task, JUDGE, is_unscored, is_silent)}
    if is_silent:
        sample.limit = EvalSampleLimit(type="message", limit=100) if random.random() < 0.5 else None
    if run.second_judge is not None:
        second = _values(is_solved != (random.random() < run.second_judge), random)
        sample.scores["HMS1"] = _score(second, task, f"{JUDGE}-2", False, is_silent)
    return sample


def _values(is_solved: bool, random: Random) -> dict[str, float]:
    if is_solved:
        variables, relationship, _ = random.choices(HMS_IF_SOLVED, [share for _, _, share in HMS_IF_SOLVED])[0]
        context = 1.0
    else:
        failure = random.choices(("context", "variables", "relationship"), (5, 2, 3))[0]
        context, variables, relationship = (
            (0.0, random.choice((0.4, 1.0)), random.choice((0.0, 0.5, 1.0)))
            if failure == "context"
            else (1.0, 0.0, random.choice((0.0, 0.5)))
            if failure == "variables"
            else (1.0, random.choice((0.5, 0.8, 1.0)), 0.0)
        )
    return {
        "hms": context * variables * relationship,
        "context": context,
        "variables": variables,
        "relationship": relationship,
    }


def _score(values: dict[str, float], task: SampleMetadata, judge: str, is_unscored: bool, is_silent: bool) -> Score:
    if is_silent:
        return Score(
            value=dict.fromkeys(values, 0.0), reason="no_response", explanation="**HMS 0**: nothing was submitted"
        )
    facets = {name: value for name, value in values.items() if name != "hms"}
    record = {
        "judge": judge,
        "settings": {"temperature": 0.0, "seed": 0},
        "aggregation": "product",
        "gate": False,
        "prompts": {"system": "0123456789ab"},
        "facets": facets,
        "submission_source": "call",
        "workflow": "1. Loaded the data. 2. Fitted a model.",
    }
    answer = f"The larger the factor, the larger the outcome in {task.domain}."
    if is_unscored:
        return Score.unscored(reason="grader_failed", answer=answer, explanation="**Not scored**", metadata=record)
    verdicts = "\n\n".join(
        f"### {name.capitalize()}: {value:.2f}\n\nJudge: the {name} of both hypotheses."
        for name, value in facets.items()
    )
    return Score(
        value={**values}, answer=answer, explanation=f"**HMS {values['hms']:.2f}**\n\n{verdicts}", metadata=record
    )


def main() -> None:
    """Write the logs of Figure 4."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=1, help="Write each run this many times.")
    arguments = parser.parse_args()
    runs: Iterator[Run] = itertools.chain.from_iterable(itertools.repeat(figure_4(), arguments.repeat))
    paths = write_logs(list(runs), arguments.out, arguments.seed)
    print(f"Wrote {len(paths)} logs to {arguments.out}.")


if __name__ == "__main__":
    main()
