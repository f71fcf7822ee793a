"""The columns that the report adds to the frame of samples: configurations, judges, and what sections group by."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd
import yaml

from inspect_discoverybench.results.sample_score import KEYS, Outcome
from inspect_discoverybench.scorer.facets import FACET_KEYS, SCORE_KEYS
from inspect_discoverybench.scorer.judge_record import changes

SCORES = tuple(SCORE_KEYS)
"""Columns of scores in 0–1. The report averages and lists every column that is named here."""

LOSS_COLORS: dict[str, str] = {
    "no score": "#D0D0D0",
    "no submission": "#9A9A9A",
    **dict(zip(FACET_KEYS, ("#D55E00", "#E69F00", "#E8D44D", "#009E73"), strict=False)),
    "partial score": "#56B4E9",
    "full score": "#3A8FC9",
}
"""Where a sample can lose its score, in the order in which it can lose it, with the colour in figures."""

ROLES = {"reflexion": "oracle", "gold": "oracle", "goal_echo": "floor"}
"""Agents whose results are not comparable with those of others: oracles see the gold hypothesis or scores, and the
floor restates the goal."""

BENCHMARKS = {"real": "DB-REAL", "synth": "DB-SYNTH"}

SELECTION_ARGUMENTS = ("split", "dataset", "domain", "question_type", "difficulty", "solvable", "goal", "aggregation")
"""Task arguments that select samples or are part of the judge's record. All others distinguish configurations."""

DETAILS = ("agent_arguments", "hints", "model_settings", "limits", "task_version", "data_commit")
"""Columns that distinguish configurations with the same agent and model. A name shows those that vary.

Data commits count only if several are known, because old logs do not record them.
"""


NUMBERS = [
    *("epoch", "difficulty", "tree_level", "workflow_length", *KEYS),
    *("tokens", "judge_tokens", "cost", "judge_cost", "seconds", "cells", "best_trial_hms"),
]
"""Columns of numbers. A value that a log does not have is NaN."""


def add_report_columns(samples: pd.DataFrame) -> pd.DataFrame:
    """Add the columns of `name_configurations`, `lost_at`, `workflow_category` (tuples) and `is_main` to the samples.

    `judge` becomes a name that distinguishes judges with the same model; None if the judge was not asked. `is_main` is
    true for one judge's score of each sample: of the judges that scored it, the one that scored most samples overall.
    """
    samples = samples.assign(**{name: pd.to_numeric(samples[name], errors="coerce") for name in NUMBERS})
    return name_configurations(samples).assign(
        judge=samples.judge_record.map(_judge_names(samples.judge_record.dropna().unique().tolist())),
        lost_at=_lost_at(samples),
        workflow_category=samples.workflow_tags.fillna("").map(_workflow_categories),
        is_main=_is_main(samples),
    )


def name_configurations(samples: pd.DataFrame) -> pd.DataFrame:
    """Add the columns `benchmark`, `hints`, `role`, `settings` and `configuration` to samples or scores.

    `role` is empty for agents that compete with others. `settings` is whatever else distinguishes the sample's
    configuration from others with the same benchmark, agent and model; `configuration` is the agent and the model,
    followed by the settings.
    """
    frame = samples.assign(
        benchmark=[
            f"{BENCHMARKS[task]} {split}" if task in BENCHMARKS else task
            for task, split in zip(samples.task, samples.split, strict=True)
        ],
        hints=samples.task_arguments.map(_hints),
        role=samples.agent.map(lambda agent: ROLES.get(agent, "")),
    )
    settings: dict[int, str] = {}
    for _, rows in frame.groupby(["benchmark", "agent", "model"], sort=False):
        details = rows[[*DETAILS]].fillna(dict.fromkeys(DETAILS[:-1], ""))
        varying = [column for column in DETAILS if details[column].nunique() > 1]
        for row, *values in rows[varying].itertuples():
            settings[row] = ", ".join(map(_short, varying, values))
    frame["settings"] = pd.Series(settings)
    frame["configuration"] = [
        f"{agent} · {model}" + (f" ({details})" if details else "")
        for agent, model, details in zip(frame.agent, frame.model, frame.settings, strict=True)
    ]
    return frame


def reducer_notes(samples: pd.DataFrame) -> list[str]:
    """A note for each way other than the mean in which logs reduce epochs, after `name_configurations`."""
    return [
        f"The logs of {', '.join(rows.configuration.unique())} reduce epochs by {reducer}; here, epochs are averaged."
        for reducer, rows in samples.groupby("epochs_reducer", sort=False)
        if reducer != "mean"
    ]


def judge_notes(judged: pd.DataFrame) -> list[str]:
    """A note for each benchmark that several judges scored: which judge scored which configurations.

    The samples have the scores of one judge each.
    """
    notes = []
    for benchmark, rows in judged[judged.judge_record.notna() & judged.hms.notna()].groupby("benchmark", sort=False):
        if rows.judge.nunique() > 1:
            first, *others = (json.loads(record) for record in rows.judge_record.unique())
            differing = dict.fromkeys(key for other in others for key, *_ in changes(first, other))
            judges = "; ".join(
                f"{judge} scored {', '.join(group.configuration.unique())}"
                for judge, group in rows.groupby("judge", sort=False)
            )
            notes.append(
                f"{benchmark} was scored by different judges, so its means are not comparable: {judges}. "
                f"The judges differ in {', '.join(differing)}."
            )
    return notes


def _hints(task_arguments: str) -> str:
    arguments = json.loads(task_arguments) if task_arguments else {}
    return _settings({name: value for name, value in arguments.items() if name not in SELECTION_ARGUMENTS and value})


def _short(column: str, value: str | None) -> str:
    if column in ("agent_arguments", "model_settings", "limits"):
        return _settings(json.loads(value)) if value else f"default {column.replace('_', ' ')}"
    if column == "hints":
        return value or "no hints"
    if column == "data_commit":
        return f"data {value[:12]}" if isinstance(value, str) else "unknown data"
    return f"{column.replace('_', ' ')} {value or 'none'}"


def _settings(values: dict[str, object]) -> str:
    return ", ".join(name if value is True else f"{name}={value}" for name, value in values.items())


def _judge_names(records: Sequence[str]) -> dict[str, str]:
    """A short name for each judge's record: its model, and how it differs from the first record of that model."""
    first: dict[str, Mapping[str, Any]] = {}
    names: dict[str, str] = {}
    for record in records:
        content = json.loads(record)
        model = str(content.get("judge"))
        details = ", ".join(f"{key}={value}" for key, _, value in changes(first.setdefault(model, content), content))
        names[record] = f"{model} ({details})" if details else model
    return names


def _is_main(samples: pd.DataFrame) -> "np.ndarray[Any, Any]":
    # A sample that no judge scored has no record, which is last.
    counts = samples.judge_record.map(samples.judge_record.value_counts()).astype(float)
    scores = samples.assign(count=counts).sort_values(["count", "score"], ascending=[False, True], kind="stable")
    return samples.index.isin(scores.drop_duplicates("uuid").index)


def _lost_at(samples: pd.DataFrame) -> "pd.Series[str]":
    """Where each sample loses its score.

    The value is `no score` (unscored, or an error), `no submission` (also at a limit), the first facet that is 0,
    `partial score` (no facet is 0, but HMS is below 1) or `full score`.
    """
    # Later assignments take precedence.
    stage = pd.Series("partial score", index=samples.index, dtype=object)
    stage[samples.hms >= 1] = "full score"
    for facet in reversed(FACET_KEYS):
        stage[(samples.hms < 1) & (samples[facet] == 0)] = facet
    stage[samples.outcome.isin((Outcome.NO_SUBMISSION, Outcome.LIMIT))] = "no submission"
    stage[samples.hms.isna()] = "no score"
    return stage


def _workflow_categories(tags: str) -> tuple[str, ...]:
    """The workflow categories of a task (paper §4.1), without repetition; the tags are separated by commas.

    A tag that is not in any category is its own category, in its folded form.
    """
    words = tags.casefold().replace("-", " ").replace("_", " ").split(",")
    folded = (" ".join(tag.split()) for tag in words if tag.strip())
    return tuple(dict.fromkeys(_categories_by_tag().get(tag, tag) for tag in folded))


@cache
def _categories_by_tag() -> dict[str, str]:
    table = yaml.safe_load(files(__package__).joinpath("workflow_categories.yaml").read_text("utf-8"))
    return {tag: category for category, others in table.items() for tag in (category, *others)}
