"""The samples of a report: the frame of samples with what the sections group by."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import pandas as pd
import yaml

from inspect_discoverybench.judge_record import changes
from inspect_discoverybench.report.configurations import name_configurations
from inspect_discoverybench.results import Outcome
from inspect_discoverybench.scorer.facets import FACET_KEYS, SCORE_KEYS

SCORES = tuple(SCORE_KEYS)
"""Columns of scores in 0–1. The report averages and lists every column that is named here."""

LOSS_COLORS: dict[str, str] = {
    "no score": "#D0D0D0",
    "no submission": "#9A9A9A",
    **dict(zip(FACET_KEYS, ("#D55E00", "#E69F00", "#E8D44D", "#009E73"), strict=False)),
    "several parts": "#CC79A7",
    "partial score": "#56B4E9",
    "full score": "#3A8FC9",
}
"""Where a sample can lose its score, in the order in which it can lose it, with the colour in figures."""


def label_samples(samples: pd.DataFrame) -> pd.DataFrame:
    """Add the columns of `name_configurations`, `lost_at` and `workflow_category` (tuples) to the frame of samples.

    `judge` becomes a name that distinguishes judges with the same model; None if the judge was not asked.
    """
    return name_configurations(samples).assign(
        judge=samples.judge_record.map(_judge_names(samples.judge_record.dropna().unique().tolist())),
        lost_at=_lost_at(samples),
        workflow_category=samples.workflow_tags.map(
            lambda tags: workflow_categories(tags if isinstance(tags, str) else None)
        ),
    )


def main_judge(samples: pd.DataFrame) -> pd.DataFrame:
    """Keep one judge's score of each sample: of the judges that scored it, the one that scored most samples overall."""
    order = samples.judge_record.fillna("").map(samples.judge_record.fillna("").value_counts())
    is_judged = samples.judge_record.notna()
    ranked = samples.assign(_judged=is_judged, _order=order).sort_values(
        ["_judged", "_order", "score"], ascending=[False, False, True], kind="stable"
    )
    return ranked.drop_duplicates("uuid").drop(columns=["_judged", "_order"]).sort_index()


def judge_notes(judged: pd.DataFrame) -> list[str]:
    """A note for each benchmark that several judges scored: which judge scored which configurations.

    The samples have the scores of one judge each.
    """
    scored = judged[judged.judge_record.notna() & judged.hms.notna()]
    return [
        _note(str(benchmark), rows)
        for benchmark, rows in scored.groupby("benchmark", sort=False)
        if rows.judge.nunique() > 1
    ]


def workflow_categories(tags: str | None) -> tuple[str, ...]:
    """The workflow categories of a task (paper §4.1), without repetition; the tags are separated by commas.

    A tag that is not in any category is its own category, in its folded form.
    """
    folded = [_fold(tag) for tag in (tags or "").split(",") if tag.strip()]
    return tuple(dict.fromkeys(_categories_by_tag().get(tag, tag) for tag in folded))


def _note(benchmark: str, rows: pd.DataFrame) -> str:
    judges = "; ".join(
        f"{judge} scored {', '.join(group.configuration.unique())}"
        for judge, group in rows.groupby("judge", sort=False)
    )
    first, *others = (json.loads(record) for record in rows.judge_record.unique())
    differing = dict.fromkeys(key for other in others for key, *_ in changes(first, other))
    return (
        f"{benchmark} was scored by different judges, so its means are not comparable: {judges}. "
        f"The judges differ in {', '.join(differing)}."
    )


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


def _lost_at(samples: pd.DataFrame) -> "pd.Series[str]":
    """Where each sample loses its score.

    The value is `no score` (unscored, or an error), `no submission` (also at a limit), the first facet that is 0,
    `partial score` (no facet is 0, but HMS is below 1) or `full score`. With several sub-hypotheses, HMS can be 0
    although no facet is 0: `several parts`.
    """
    # Later assignments take precedence.
    stage = pd.Series("partial score", index=samples.index, dtype=object)
    stage[samples.hms >= 1] = "full score"
    stage[samples.hms == 0] = "several parts"
    for facet in reversed(FACET_KEYS):
        stage[(samples.hms < 1) & (samples[facet] == 0)] = facet
    stage[samples.outcome.isin((Outcome.NO_SUBMISSION, Outcome.LIMIT))] = "no submission"
    stage[samples.hms.isna()] = "no score"
    return stage


def _fold(tag: str) -> str:
    return " ".join(tag.casefold().replace("-", " ").replace("_", " ").split())


@cache
def _categories_by_tag() -> dict[str, str]:
    text = files(__package__).joinpath("workflow_categories.yaml").read_text("utf-8")
    table: dict[str, list[str]] = yaml.safe_load(text)
    return {tag: category for category, others in table.items() for tag in (category, *others)}
