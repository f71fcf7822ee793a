"""Metrics through a real eval and its epoch reducers."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalScore
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_discoverybench.scorer.metrics import hms_metrics
from inspect_discoverybench.submission.submission import NO_RESPONSE


def scored(hms: float) -> Score:
    return Score(value={"hms": hms, "context": 1, "variables": hms, "relationship": 1})


MISSING = Score(value={"hms": 0, "context": 0, "variables": 0, "relationship": 0}, reason=NO_RESPONSE)
UNSCORED = Score(
    value={"hms": math.nan, "context": 1, "variables": math.nan, "relationship": 1}, reason="grader_failed"
)


@solver
def nothing() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return state

    return solve


@scorer(metrics=hms_metrics())
def replay(table: list[Any]) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        entry: Score = table[int(state.sample_id)][state.epoch - 1]
        return entry

    return score


def results(table: Sequence[Sequence[Score]], metadata: Sequence[dict[str, Any]]) -> list[EvalScore]:
    """One row of scores for each sample, one score for each epoch."""
    samples = [Sample(id=str(n), input="-", metadata=fields) for n, fields in enumerate(metadata)]
    task = Task(dataset=samples, solver=nothing(), scorer=replay(list(table)), epochs=len(table[0]))
    log = inspect_eval(task, model="mockllm/model")[0]
    assert log.status == "success", log.error
    assert log.results
    return log.results.scores


def metrics(scores: list[EvalScore], name: str) -> dict[str, float]:
    return {metric: value.value for score in scores if score.name == name for metric, value in score.metrics.items()}


METADATA = [
    {"gold_hypothesis": "a", "domain": "x", "question_type": "context"},
    {"gold_hypothesis": "a", "domain": "x", "question_type": "variables"},
    {"gold_hypothesis": "b", "domain": "y", "question_type": "context"},
    {"gold_hypothesis": "c", "domain": "y", "question_type": "context"},
]


def test_means_are_over_scored_samples_and_by_group() -> None:
    scores = results([[scored(1.0)], [scored(0.5)], [MISSING], [UNSCORED]], METADATA)
    hms = metrics(scores, "hms")
    assert hms["mean"] == pytest.approx(0.5)
    assert hms["in_x"] == pytest.approx(0.75)
    assert hms["in_y"] == 0
    assert hms["goal_context"] == pytest.approx(0.5)
    assert hms["goal_variables"] == pytest.approx(0.5)
    assert metrics(scores, "context")["mean"] == pytest.approx(3 / 4)
    counts = {score.name: (score.scored_samples, score.unscored_samples) for score in scores if "mean" in score.metrics}
    assert counts["hms"] == (3, 1)
    assert metrics(scores, "replay") == {
        "unscored": 1,
        "lower_bound": 0.375,
        "upper_bound": 0.625,
        "judged": 2,
        "no_submission": 1,
    }


def test_goals_with_one_gold_hypothesis_form_one_cluster() -> None:
    """Two clusters with means 1 and 0: the clustered error is larger than that of four independent samples."""
    table = [[scored(1.0)], [scored(1.0)], [scored(0.0)], [scored(0.0)]]
    shared = [{**fields, "gold_hypothesis": gold} for fields, gold in zip(METADATA, "aabb", strict=True)]
    alone = [{**fields, "gold_hypothesis": gold} for fields, gold in zip(METADATA, "abcd", strict=True)]
    clustered, independent = (metrics(results(table, metadata), "hms") for metadata in (shared, alone))
    # C / (C - 1) Σ_clusters (Σ deviations)² / n², with C = 2 and n = 4
    assert clustered["stderr"] == pytest.approx(math.sqrt(2 * (1 + 1)) / 4)
    assert independent["stderr"] == pytest.approx(math.sqrt(4 / 3 * 1.0) / 4)
    for hms in (clustered, independent):
        assert 0 <= hms["ci_lower"] < 0.5 < hms["ci_upper"] <= 1


def test_solvable_samples_stand_beside_all_where_the_flag_exists() -> None:
    metadata = [{**m, "solvable": flag} for m, flag in zip(METADATA, (True, False, True, None), strict=True)]
    hms = metrics(results([[scored(1.0)], [scored(0.0)], [scored(0.5)], [scored(0.5)]], metadata), "hms")
    assert hms["mean"] == pytest.approx(0.5)
    assert hms["solvable_mean"] == pytest.approx(0.75)
    assert hms["solvable_samples"] == 2
    assert not [name for name in metrics(results([[scored(1.0)]] * 4, METADATA), "hms") if "solvable" in name]


def test_a_facet_without_a_value_enters_no_metric_of_its_own() -> None:
    """HMS is 0 because of another facet; epochs and groups take the values that there are, and counts every epoch."""
    part = Score(value={"hms": 0, "context": 0, "variables": math.nan, "relationship": 1})
    table = [[scored(1.0), part], [part, part], [scored(0.5), UNSCORED], [scored(1.0), MISSING]]
    scores = results(table, METADATA)
    variables, hms = metrics(scores, "variables"), metrics(scores, "hms")
    assert variables["mean"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert all(math.isfinite(value) for value in variables.values())
    assert all(math.isfinite(value) for value in hms.values())
    assert hms["mean"] == pytest.approx((0.5 + 0 + 0.5 + 0.5) / 4)
    assert hms["in_x"] == pytest.approx(0.25)
    assert (metrics(scores, "replay")["judged"], metrics(scores, "replay")["no_submission"]) == (6, 1)
    counts = {score.name: (score.scored_samples, score.unscored_samples) for score in scores if "mean" in score.metrics}
    assert counts["variables"] == (3, 1)
    assert counts["hms"] == (4, 0)


def test_without_a_score_there_is_no_interval() -> None:
    hms = metrics(results([[UNSCORED]] * 4, METADATA), "hms")
    assert math.isnan(hms["ci_lower"])
    assert math.isnan(hms["ci_upper"])
