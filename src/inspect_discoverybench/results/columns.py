"""The columns of the frame of samples, for Inspect's `samples_df`.

`samples_df(logs, columns=SAMPLE_COLUMNS)` gives one row per sample and epoch. docs/analysis.md describes every column.
"""

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from inspect_ai import task_identifier
from inspect_ai.analysis import Column, EvalColumn, SampleColumn
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ModelUsage

from inspect_discoverybench.hypothesis import SCORE_NAME
from inspect_discoverybench.results.sample_score import SampleScore
from inspect_discoverybench.scorer.facets import FACET_KEYS, SCORE_KEYS
from inspect_discoverybench.scorer.released import RELEASED_KEYS

JUDGE_ROLE = "grader"

DEFAULT_AGENT = "react"
"""The agent of logs of this package that do not name a solver."""

PACKAGES = ("discoverybench/", "inspect_discoverybench/")
"""Prefixes of this package's tasks and solvers."""

SETUP = {
    *("inspect_discoverybench/require_judge", "inspect_discoverybench/place_data_files"),
    "inspect_discoverybench/verify_data_files",  # before data files were placed by the setup
    *("inspect_discoverybench/record_image", "use_tools", "inspect_discoverybench/instruct_person"),
}
"""Solvers that this package's tasks run before the agent."""

OPERATIONAL = {
    *("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections", "adaptive_connections"),
    *("cache", "cache_prompt", "batch"),
}
"""Model settings that do not change what a model answers."""

EXCLUDED_FIELDS = {"messages", "events", "attachments", "output"}
"""Fields of samples that no column reads. Skip them with `samples_df(…, exclude_fields=EXCLUDED_FIELDS)`."""

_METADATA = (
    *("split", "domain", "difficulty", "tree_level", "workflow_tags", "workflow_length", "workflow_bucket"),
    *("goal", "gold_hypothesis", "solvable", "near_constant", "duplicate_of", "conflicting_gold"),
    *("variant", "variant_of"),
)


def is_own_task(log: EvalLog) -> bool:
    """Whether the log is of a task of this package, by the task's name."""
    return any(name.startswith(PACKAGES) for name in (log.eval.task, log.eval.task_registry_name or ""))


def _run(log: EvalLog) -> str:
    """In an eval set, every task with its solver and model runs once, possibly in several shards."""
    if log.eval.eval_set_id is None:
        return log.eval.task_id
    return f"{log.eval.eval_set_id}/{task_identifier(log, None)}"


def _agent(log: EvalLog) -> str:
    default = DEFAULT_AGENT if is_own_task(log) else "default solver"
    # Experiments pass the solver as an object, which Inspect does not name in the log.
    name = (log.eval.metadata or {}).get("solver") or log.eval.solver or default
    return _without_package(str(name))


def _agent_arguments(log: EvalLog) -> str:
    given = (log.eval.metadata or {}).get("solver_args") or log.eval.solver_args_passed or {}
    return _json(given)


def _agent_settings(log: EvalLog) -> str:
    # The header's `solver_args` lack defaults, and are empty for a solver that is part of the task. The plan has all.
    steps = list(itertools.dropwhile(lambda step: step.solver in SETUP, log.plan.steps))
    if len(steps) == 1:
        return _json(steps[0].params)
    return _json({_without_package(step.solver): step.params for step in steps})


def _provenance(*path: str) -> Callable[[EvalLog], Any]:
    """A value of the provenance in the task's metadata; None if the log does not record it."""

    def read(log: EvalLog) -> Any:
        value: Any = (log.eval.metadata or {}).get("provenance")
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return _json(value) if isinstance(value, Mapping) else value

    return read


def _data_commit(log: EvalLog) -> str | None:
    # Logs from before the provenance was recorded have the commit in the task's metadata.
    commit = _provenance("data", "commit")(log) or (log.eval.metadata or {}).get("data_commit")
    return None if commit is None else str(commit)


def _task_arguments(log: EvalLog) -> str:
    return _json({name: value for name, value in log.eval.task_args_passed.items() if name not in ("sandbox", "build")})


def _model_settings(log: EvalLog) -> str:
    settings = log.eval.model_generate_config.model_dump(mode="json", exclude_none=True, exclude=OPERATIONAL)
    return _json({**settings, **log.eval.model_args, **_present(base_url=log.eval.model_base_url)})


def _limits(log: EvalLog) -> str:
    config = log.eval.config
    return _json(
        _present(
            messages=config.message_limit,
            tokens=config.token_limit,
            turns=config.turn_limit,
            time=config.time_limit,
            working=config.working_limit,
            cost=config.cost_limit,
        )
    )


EVAL_COLUMNS: list[Column] = [
    EvalColumn("log", path=lambda log: log.location, required=True),
    EvalColumn("created", path="eval.created", required=True),
    EvalColumn("task_id", path="eval.task_id", required=True),
    EvalColumn("run", path=_run, required=True),
    EvalColumn("task", path=lambda log: _without_package(log.eval.task), required=True),
    EvalColumn("task_version", path=lambda log: str(log.eval.task_version)),
    EvalColumn("task_arguments", path=_task_arguments),
    EvalColumn("package_version", path=_provenance("package")),
    EvalColumn("data_commit", path=_data_commit),
    EvalColumn("data_checksum", path=_provenance("data", "checksum")),
    EvalColumn("image", path=_provenance("image", "reference")),
    EvalColumn("prompts", path=_provenance("prompts")),
    EvalColumn("agent", path=_agent),
    EvalColumn("agent_arguments", path=_agent_arguments),
    EvalColumn("agent_settings", path=_agent_settings),
    EvalColumn("model", path="eval.model", required=True),
    EvalColumn("model_settings", path=_model_settings),
    EvalColumn("limits", path=_limits),
]
"""Columns with one value per log: which task, agent and model ran, and when."""


def _metadata(name: str) -> Callable[[EvalSample], Any]:
    return lambda sample: sample.metadata.get(name)


def _stored(name: str) -> Callable[[EvalSample], Any]:
    return lambda sample: sample.store.get(name)


def _data_files(sample: EvalSample) -> str | None:
    return _json(sample.metadata.get("data_checksums") or {}) or None


def _judge_usage(sample: EvalSample) -> list[ModelUsage] | None:
    """The judge's token usage; None if it is unknown, because `inspect score` does not record it."""
    usage = (sample.role_usage or {}).get(JUDGE_ROLE)
    if usage:
        return [usage]
    is_judged = any((score.metadata or {}).get("replies") for score in (sample.scores or {}).values())
    return None if is_judged else []


def _used(total: Callable[[Iterable[ModelUsage]], Any]) -> Callable[[EvalSample], Any]:
    """The usage of all models but the judge. If the judge's usage was not recorded, it is not in the total either."""

    def read(sample: EvalSample) -> Any:
        everything, judge = total((sample.model_usage or {}).values()), total(_judge_usage(sample) or [])
        return None if everything is None or judge is None else everything - judge

    return read


def _judge_used(total: Callable[[Iterable[ModelUsage]], Any]) -> Callable[[EvalSample], Any]:
    def read(sample: EvalSample) -> Any:
        usage = _judge_usage(sample)
        return None if usage is None else total(usage)

    return read


def _total_tokens(usages: Iterable[ModelUsage]) -> int:
    return sum(usage.total_tokens for usage in usages)


def total_cost(usages: Iterable[ModelUsage]) -> float | None:
    """Costs in US dollars; None if one of them is unknown."""
    costs = [usage.total_cost if usage.total_tokens or usage.total_cost else 0.0 for usage in usages]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _error(sample: EvalSample) -> str | None:
    return sample.error.message if sample.error else None


def _limit(sample: EvalSample) -> str | None:
    return sample.limit.type if sample.limit else None


SAMPLE_IDENTITY: list[Column] = [
    SampleColumn("id", path=lambda sample: str(sample.id), required=True, full=True),
    SampleColumn("epoch", path=lambda sample: sample.epoch, required=True, full=True),
    SampleColumn("study", path=_metadata("dataset"), full=True),
    SampleColumn("goal_type", path=_metadata("question_type"), full=True),
    *[SampleColumn(name, path=_metadata(name), full=True) for name in _METADATA],
    SampleColumn("data_files", path=_data_files, full=True),
    SampleColumn("image_id", path=_stored("SandboxImage:image_id"), full=True),
]
"""Columns that identify the sample and its goal."""

SAMPLE_USAGE: list[Column] = [
    SampleColumn("tokens", path=_used(_total_tokens), full=True),
    SampleColumn("judge_tokens", path=_judge_used(_total_tokens), full=True),
    SampleColumn("cost", path=_used(total_cost), full=True),
    SampleColumn("judge_cost", path=_judge_used(total_cost), full=True),
    SampleColumn("seconds", path=lambda sample: sample.total_time, full=True),
    SampleColumn("cells", path=_stored("SessionState:cells"), full=True),
    SampleColumn("best_trial_hms", path=_stored("ReflexionState:best_hms"), full=True),
    SampleColumn("error", path=_error, full=True),
    SampleColumn("limit", path=_limit, full=True),
]
"""Columns of the sample's usage: tokens, US dollars, seconds, Python cells."""


def score_columns(score: str = SCORE_NAME) -> list[Column]:
    """Columns of one score of this package.

    Args:
        score: Name of the score in the log, such as `HMS`, or `HMS1` for the first one that was appended.
    """

    def column(name: str, value: Callable[[SampleScore], Any]) -> SampleColumn:
        def read(sample: EvalSample) -> Any:
            return value(SampleScore.of(sample, score))

        return SampleColumn(name, path=read, full=True)

    def value_column(key: str) -> SampleColumn:
        return column(key, lambda own: own.facet(key) if key in FACET_KEYS else own.value(key))

    return [
        column("score", lambda own: score),
        column("outcome", lambda own: own.outcome.value),
        *map(value_column, (*SCORE_KEYS, *RELEASED_KEYS)),
        column("judge", lambda own: own.metadata.get("judge")),
        column("judge_record", lambda own: own.judge_record),
        column("hypothesis", lambda own: own.submitted("hypothesis", own.score.answer if own.score else None)),
        column("workflow", lambda own: own.submitted("workflow", own.metadata.get("workflow"))),
        column("submission_source", lambda own: own.submission_source),
        column("refusal", lambda own: bool(own.metadata.get("refusal"))),
        column("explanation", lambda own: own.score.explanation if own.score else None),
    ]


SAMPLE_COLUMNS: list[Column] = [*EVAL_COLUMNS, *SAMPLE_IDENTITY, *score_columns(), *SAMPLE_USAGE]
"""All columns, with the score `HMS`."""


def _present(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _json(values: Mapping[str, Any]) -> str:
    """Settings as JSON with sorted keys; empty if there are none."""
    return json.dumps(values, sort_keys=True, default=str) if values else ""


def _without_package(name: str) -> str:
    for package in PACKAGES:
        name = name.removeprefix(package)
    return name
