"""The columns of the frame of samples, for Inspect's `samples_df`.

`samples_df(logs, columns=SAMPLE_COLUMNS)` gives one row per sample and epoch. docs/analysis.md describes every column.
"""

import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

from inspect_ai import task_identifier
from inspect_ai.analysis import Column, EvalColumn, SampleColumn
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Score

from inspect_discoverybench.dataset.published_study import study_of
from inspect_discoverybench.scorer.facets import FACET_KEYS, SCORE_KEYS
from inspect_discoverybench.scorer.released_form import RELEASED_KEYS
from inspect_discoverybench.scorer.settings import OPERATIONAL
from inspect_discoverybench.submission.submission import SCORE_NAME, WITHOUT_HYPOTHESIS, source_name

COMPARED_KEYS = ("judge", "settings", "gate", "prompts")
"""Keys that must be equal in comparable scores. The others describe a single sample."""

TASKS = ("real", "synth", "custom", "demo")
"""Tasks whose logs contain results."""

PACKAGES = ("discoverybench/", "inspect_discoverybench/")
"""Prefixes of this package's tasks and solvers."""

SETUP = {
    *("inspect_discoverybench/require_judge", "inspect_discoverybench/verify_data_files"),
    *("inspect_discoverybench/record_image", "use_tools", "inspect_discoverybench/instruct_person"),
}
"""Solvers that this package's tasks run before the agent."""

EXCLUDED_FIELDS = {"messages", "events", "attachments", "output"}
"""Fields of samples that no column reads. Skip them with `samples_df(…, exclude_fields=EXCLUDED_FIELDS)`."""

_METADATA = (
    *("split", "dataset", "domain", "difficulty", "tree_level", "workflow_tags", "workflow_length", "workflow_bucket"),
    *("goal", "gold_hypothesis", "solvable", "near_constant", "duplicate_of", "conflicting_gold"),
    *("variant", "variant_of", "reveals_gold"),
)


class Outcome(StrEnum):
    """How a sample ended."""

    SCORED = "scored"  # the judge decided HMS
    UNSCORED = "unscored"  # something was submitted, but the judge failed, or the log was not scored
    NO_SUBMISSION = "no submission"  # nothing was submitted, or the text asserts no hypothesis; HMS is 0
    LIMIT = "limit"  # a limit ended the sample before anything was submitted; HMS is 0
    ERROR = "error"  # the sample ended with an error, so it has no score


@dataclass(frozen=True)
class SampleScore:
    """A sample with one of its scores; the score is None if the sample does not have it."""

    sample: EvalSample
    score: Score | None

    @classmethod
    def of(cls, sample: EvalSample, score: str) -> "SampleScore":
        """Select the score with this name."""
        return cls(sample, (sample.scores or {}).get(score))

    @property
    def outcome(self) -> Outcome:
        """How the sample ended."""
        if self.sample.error is not None:
            return Outcome.ERROR
        if self.score is not None and self.score.reason in WITHOUT_HYPOTHESIS:
            return Outcome.LIMIT if self.sample.limit else Outcome.NO_SUBMISSION
        return Outcome.UNSCORED if math.isnan(self.value("hms")) else Outcome.SCORED

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Metadata of the score; empty without a score."""
        return (self.score.metadata if self.score else None) or {}

    def value(self, key: str) -> float:
        """A value of the score in 0–1; NaN if it has none or if the sample ended with an error."""
        if self.score is None or self.sample.error is not None or not isinstance(self.score.value, Mapping):
            return math.nan
        # JSON logs store NaN as null.
        value = self.score.value.get(key)
        return math.nan if isinstance(value, bool) or not isinstance(value, int | float) else float(value)

    def facet(self, name: str) -> float:
        """The score of a facet in 0–1; for unscored samples, the facet if it was decided; otherwise NaN."""
        value = self.value(name)
        decided = (self.metadata.get("facets") or {}).get(name)
        return float(decided) if math.isnan(value) and isinstance(decided, int | float) else value

    def submitted(self, part: str, scored: str | None) -> str | None:
        """What was scored, or else this part of what was submitted; None if there is no submission."""
        return scored or (self.sample.store.get("SubmissionState:submission") or {}).get(part)

    @property
    def submission_source(self) -> str | None:
        """How the answer was read; None if there is no submission or it was not recorded."""
        name = self.metadata.get("submission_source")
        return source_name(name) if isinstance(name, str) else None

    @property
    def judge_record(self) -> str | None:
        """How the sample was judged, as JSON with sorted keys; None if the judge was not asked."""
        compared = {key: self.metadata[key] for key in COMPARED_KEYS if key in self.metadata}
        return json.dumps(compared, sort_keys=True) if compared else None


def has_results(log: EvalLog) -> bool:
    """Whether the log is of a task of this package with results, by the task's name."""
    is_own = any(name.startswith(PACKAGES) for name in (log.eval.task, log.eval.task_registry_name or ""))
    return is_own and log.eval.task.rpartition("/")[2] in TASKS


def _without_package(name: str) -> str:
    return name.removeprefix(PACKAGES[0]).removeprefix(PACKAGES[1])


def _agent(log: EvalLog) -> str:
    default = "react" if has_results(log) else "default solver"
    # Experiments pass the solver as an object, which Inspect does not name in the log.
    return _without_package(str((log.eval.metadata or {}).get("solver") or log.eval.solver or default))


def _agent_settings(log: EvalLog) -> str:
    # The header's `solver_args` lack defaults, and are empty for a solver that is part of the task. The plan has all.
    steps = list(itertools.dropwhile(lambda step: step.solver in SETUP, log.plan.steps))
    return _json(steps[0].params if len(steps) == 1 else {_without_package(step.solver): step.params for step in steps})


def _provenance(path: Iterable[str], log: EvalLog) -> Any:
    """A value of the provenance in the task's metadata; None if the log does not record it."""
    value: Any = (log.eval.metadata or {}).get("provenance")
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return _json(value) if isinstance(value, Mapping) else value


def _model_settings(log: EvalLog) -> str:
    settings = log.eval.model_generate_config.model_dump(mode="json", exclude_none=True, exclude=OPERATIONAL)
    server = {"base_url": log.eval.model_base_url} if log.eval.model_base_url else {}
    return _json({**settings, **log.eval.model_args, **server})


def _limits(log: EvalLog) -> str:
    names = ("messages", "tokens", "turns", "time", "working", "cost")
    values = {name: getattr(log.eval.config, f"{name.removesuffix('s')}_limit") for name in names}
    return _json({name: value for name, value in values.items() if value is not None})


def _run(log: EvalLog) -> str:
    """In an eval set, every task with its solver and model runs once, possibly in several shards."""
    return f"{log.eval.eval_set_id}/{task_identifier(log, None)}" if log.eval.eval_set_id else log.eval.task_id


_OF_LOG: dict[str, Callable[[EvalLog], Any]] = {
    "log": lambda log: log.location,
    "created": lambda log: log.eval.created,
    "task_id": lambda log: log.eval.task_id,
    "run": _run,
    "task": lambda log: _without_package(log.eval.task),
    "task_version": lambda log: str(log.eval.task_version),
    "task_arguments": lambda log: _json(
        {name: value for name, value in log.eval.task_args_passed.items() if name not in ("sandbox", "build")}
    ),
    "package_version": partial(_provenance, ["package"]),
    "data_commit": partial(_provenance, ["data", "commit"]),
    "data_checksum": partial(_provenance, ["data", "checksum"]),
    "image": partial(_provenance, ["image", "reference"]),
    "prompts": partial(_provenance, ["prompts"]),
    "agent": _agent,
    "agent_arguments": lambda log: _json((log.eval.metadata or {}).get("solver_args") or log.eval.solver_args or {}),
    "agent_settings": _agent_settings,
    "model": lambda log: log.eval.model,
    "model_settings": _model_settings,
    "limits": _limits,
    "epochs_reducer": lambda log: ", ".join(log.eval.config.epochs_reducer or ["mean"]),
}

EVAL_COLUMNS: list[Column] = [EvalColumn(name, path=read) for name, read in _OF_LOG.items()]
"""Columns with one value per log: which task, agent and model ran, and when."""


def _metadata(name: str, sample: EvalSample) -> Any:
    return sample.metadata.get(name)


def _judge_usage(sample: EvalSample) -> list[ModelUsage] | None:
    """The judge's token usage; None if it is unknown, because `inspect score` does not record it."""
    if usage := (sample.role_usage or {}).get("grader"):
        return [usage]
    return None if any((score.metadata or {}).get("replies") for score in (sample.scores or {}).values()) else []


def _used(total: Callable[[Iterable[ModelUsage]], Any], by_judge: bool, sample: EvalSample) -> Any:
    """The usage of the judge, or of all other models. An unrecorded usage of the judge is not in the total either."""
    recorded = _judge_usage(sample)
    everything, judge = total((sample.model_usage or {}).values()), total(recorded or [])
    if by_judge:
        return None if recorded is None else judge
    return None if everything is None or judge is None else everything - judge


def _total_tokens(usages: Iterable[ModelUsage]) -> int:
    return sum(usage.total_tokens for usage in usages)


def total_cost(usages: Iterable[ModelUsage]) -> float | None:
    """Costs in US dollars; None if one of them is unknown."""
    costs = [usage.total_cost if usage.total_tokens or usage.total_cost else 0.0 for usage in usages]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _sample_columns(columns: Mapping[str, Callable[[EvalSample], Any]]) -> list[Column]:
    return [SampleColumn(name, path=read, full=True) for name, read in columns.items()]


SAMPLE_IDENTITY = _sample_columns(
    {
        "id": lambda sample: str(sample.id),
        "epoch": lambda sample: sample.epoch,
        # Logs of earlier versions have only the data set.
        "study": lambda sample: study_of(sample.metadata),
        "goal_type": partial(_metadata, "question_type"),
        **{name: partial(_metadata, name) for name in _METADATA},
        "data_files": lambda sample: _json(sample.metadata.get("data_checksums") or {}) or None,
        "image_id": lambda sample: sample.store.get("SandboxImage:image_id"),
    }
)
"""Columns that identify the sample and its goal."""

SAMPLE_USAGE = _sample_columns(
    {
        "tokens": partial(_used, _total_tokens, False),
        "judge_tokens": partial(_used, _total_tokens, True),
        "cost": partial(_used, total_cost, False),
        "judge_cost": partial(_used, total_cost, True),
        "seconds": lambda sample: sample.total_time,
        "cells": lambda sample: sample.store.get("SessionState:cells"),
        "best_trial_hms": lambda sample: sample.store.get("ReflexionState:best_hms"),
        "error": lambda sample: sample.error.message if sample.error else None,
        "limit": lambda sample: sample.limit.type if sample.limit else None,
    }
)
"""Columns of the sample's usage: tokens, US dollars, seconds, Python cells."""

_OF_SCORE: dict[str, Callable[[SampleScore], Any]] = {
    "outcome": lambda own: own.outcome.value,
    **{key: partial(SampleScore.value, key=key) for key in (*SCORE_KEYS, *RELEASED_KEYS)},
    **{key: partial(SampleScore.facet, name=key) for key in FACET_KEYS},
    "judge": lambda own: own.metadata.get("judge"),
    "judge_record": lambda own: own.judge_record,
    "hypothesis": lambda own: own.submitted("hypothesis", own.score.answer if own.score else None),
    "workflow": lambda own: own.submitted("workflow", own.metadata.get("workflow")),
    "submission_source": lambda own: own.submission_source,
    "refusal": lambda own: bool(own.metadata.get("refusal")),
    "explanation": lambda own: own.score.explanation if own.score else None,
}


def score_columns(score: str = SCORE_NAME) -> list[Column]:
    """Columns of one score of this package: `HMS` in the log, or `HMS1` for the first one that was appended."""

    def of_sample(read: Callable[[SampleScore], Any]) -> Callable[[EvalSample], Any]:
        return lambda sample: read(SampleScore.of(sample, score))

    return _sample_columns({"score": lambda _: score, **{name: of_sample(read) for name, read in _OF_SCORE.items()}})


SAMPLE_COLUMNS: list[Column] = [*EVAL_COLUMNS, *SAMPLE_IDENTITY, *score_columns(), *SAMPLE_USAGE]
"""All columns, with the score `HMS`."""


def _json(values: Mapping[str, Any]) -> str:
    """Settings as JSON with sorted keys; empty if there are none."""
    return json.dumps(values, sort_keys=True, default=str) if values else ""


def differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    """List the differences between two records, one line each; empty if the scores are comparable.

    Args:
        a: Metadata of a score, as the scorer writes it. Logs of task version 1-A have no settings.
        b: Metadata of another score.
    """
    return [f"{name}: {_recorded(x)} and {_recorded(y)}" for name, x, y in changes(a, b)]


def changes(
    a: Mapping[str, Any], b: Mapping[str, Any], keys: Iterable[str] = COMPARED_KEYS, prefix: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """The compared keys whose values differ, such as `settings.temperature`, with both values."""
    for key in keys:
        x, y = a.get(key), b.get(key)
        if isinstance(x, Mapping) and isinstance(y, Mapping):
            yield from changes(x, y, sorted(x.keys() | y.keys()), f"{prefix}{key}.")
        elif x != y:
            yield f"{prefix}{key}", x, y


def _recorded(value: Any) -> str:
    return "recorded" if isinstance(value, Mapping) else "not recorded" if value is None else str(value)
