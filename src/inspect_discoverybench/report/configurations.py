"""Configurations: samples by benchmark, agent, model and everything else that distinguishes runs."""

import json

import pandas as pd

ORACLES = ("reflexion", "gold")
"""Agents that see the gold hypothesis or scores. Their results are not comparable with those of other agents."""

BENCHMARKS = {"real": "DB-REAL", "synth": "DB-SYNTH"}

SELECTION_ARGUMENTS = ("split", "dataset", "domain", "question_type", "difficulty", "solvable", "goal", "aggregation")
"""Task arguments that select samples or are part of the judge's record. All others distinguish configurations."""

DETAILS = ("agent_arguments", "hints", "model_settings", "limits", "task_version", "data_commit")
"""Columns that distinguish configurations with the same agent and model. A name shows those that vary.

Data commits count only if several are known, because old logs do not record them.
"""


def name_configurations(samples: pd.DataFrame) -> pd.DataFrame:
    """Add the columns `benchmark`, `hints`, `is_oracle`, `settings` and `configuration` to samples or scores.

    `settings` is whatever else distinguishes the sample's configuration from others with the same benchmark, agent and
    model; `configuration` is the agent and the model, followed by the settings.
    """
    frame = samples.assign(
        benchmark=[
            f"{BENCHMARKS[task]} {split}" if task in BENCHMARKS else task
            for task, split in zip(samples.task, samples.split, strict=True)
        ],
        hints=samples.task_arguments.map(_hints),
        is_oracle=samples.agent.isin(ORACLES),
    )
    settings: dict[int, str] = {}
    for _, rows in frame.groupby(["benchmark", "agent", "model"], sort=False):
        varying = [column for column in DETAILS if _varies(rows[column])]
        for row, *details in rows[varying].itertuples():
            settings[row] = ", ".join(_short(column, value) for column, value in zip(varying, details, strict=True))
    frame["settings"] = pd.Series(settings)
    frame["configuration"] = [
        f"{agent} · {model}" + (f" ({details})" if details else "")
        for agent, model, details in zip(frame.agent, frame.model, frame.settings, strict=True)
    ]
    return frame


def _hints(task_arguments: str) -> str:
    arguments = json.loads(task_arguments) if task_arguments else {}
    return _settings({name: value for name, value in arguments.items() if name not in SELECTION_ARGUMENTS and value})


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
