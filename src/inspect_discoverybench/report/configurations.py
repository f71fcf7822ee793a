"""Configurations: the samples of a report by benchmark, agent, model and everything else that distinguishes runs."""

import json
from collections.abc import Hashable, Sequence

import pandas as pd

from inspect_discoverybench.report.judge_labels import judge_labels
from inspect_discoverybench.report.losses import FACETS, lost_at
from inspect_discoverybench.report.workflow_tags import categories

ORACLES = ("reflexion", "gold")
"""Agents that see the gold hypothesis or scores. Their results are not comparable with those of other agents."""

BENCHMARKS = {"real": "DB-REAL", "synth": "DB-SYNTH"}

SELECTING = {
    "split",
    "dataset",
    "domain",
    "question_type",
    "difficulty",
    "solvable",
    "aggregation",
    "goal",
}
"""Task arguments that select samples or are part of the judge's record. All others distinguish configurations."""

DETAILS = ("agent_arguments", "hints", "model_settings", "limits", "task_version", "data_commit")
"""Columns that distinguish configurations with the same agent and model. A label shows those that vary.

Data commits count only if several are known, because old logs do not record them.
"""

VALUES = ("hms", *FACETS, "hms_recall", "hms_f1")


def label_configurations(samples: pd.DataFrame) -> pd.DataFrame:
    """Add the columns of `name_configurations`, `lost_at` and `workflow_category` (tuples), which select samples.

    `judge` becomes a name that distinguishes judges with the same model; None if the judge was not asked.

    Args:
        samples: The frame of samples.
    """
    return name_configurations(samples).assign(
        judge=samples.judge_record.map(judge_labels(samples.judge_record.dropna().unique().tolist())),
        lost_at=lost_at(samples),
        workflow_category=samples.workflow_tags.map(lambda tags: categories(tags if isinstance(tags, str) else None)),
    )


def name_configurations(samples: pd.DataFrame) -> pd.DataFrame:
    """Add the columns `benchmark`, `hints`, `configuration` and `is_oracle`.

    `configuration` is the agent and the model, followed by whatever else distinguishes it from other configurations
    with the same benchmark, agent and model.

    Args:
        samples: The frame of samples, or of scores.
    """
    frame = samples.assign(
        benchmark=[_benchmark(task, split) for task, split in zip(samples.task, samples.split, strict=True)],
        hints=samples.task_arguments.map(_hints),
        is_oracle=samples.agent.isin(ORACLES),
    )
    names: dict[int, str] = {}
    for (_, agent, model), rows in frame.groupby(["benchmark", "agent", "model"], sort=False):
        varying = [column for column in DETAILS if _varies(rows[column])]
        for row, *details in rows[varying].itertuples():
            extra = ", ".join(_short(column, value) for column, value in zip(varying, details, strict=True))
            names[row] = f"{agent} · {model}" + (f" ({extra})" if extra else "")
    return frame.assign(configuration=pd.Series(names))


def main_judge(samples: pd.DataFrame) -> pd.DataFrame:
    """Keep one judge's score of each sample: of the judges that scored it, the one that scored most samples overall."""
    order = samples.judge_record.fillna("").map(samples.judge_record.fillna("").value_counts())
    is_judged = samples.judge_record.notna()
    ranked = samples.assign(_judged=is_judged, _order=order).sort_values(
        ["_judged", "_order", "score"], ascending=[False, False, True], kind="stable"
    )
    return ranked.drop_duplicates("uuid").drop(columns=["_judged", "_order"]).sort_index()


def by_task(samples: pd.DataFrame, columns: Sequence[str] = VALUES) -> pd.DataFrame:
    """Average epochs: one row per benchmark, configuration and task, with the task's other columns unchanged.

    Values are NaN for tasks without any scored epoch.
    """
    keys: list[Hashable] = ["benchmark", "configuration", "id"]
    means = samples.groupby(keys, sort=False)[list(columns)].mean()
    first = samples.drop_duplicates(keys).drop(columns=list(columns)).set_index(keys)
    return first.join(means).reset_index()


def _benchmark(task: str, split: str | None) -> str:
    return f"{BENCHMARKS[task]} {split}" if task in BENCHMARKS else task


def _hints(task_arguments: str) -> str:
    arguments = json.loads(task_arguments) if task_arguments else {}
    return _settings({name: value for name, value in arguments.items() if name not in SELECTING and value})


def _varies(values: "pd.Series[str]") -> bool:
    return (values if values.name == "data_commit" else values.fillna("")).nunique() > 1


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
