"""Metrics through a real eval and its epoch reducers."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import MetricProtocol, Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_discoverybench.scorer.metrics import hms_metrics
from inspect_discoverybench.submission.submission import NO_RESPONSE


def scored(hms: float) -> Score:
    return Score(value={"hms": hms, "context": 1, "variables": hms, "relationship": 1})


ZEROS = {"hms": 0, "context": 0, "variables": 0, "relationship": 0}
MISSING = Score(value={**ZEROS}, reason=NO_RESPONSE)
UNDECIDED = {"hms": math.nan, "context": 1, "variables": math.nan, "relationship": 1}
UNSCORED = Score(value={**UNDECIDED}, reason="grader_failed")


@solver
def nothing() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return state

    return solve


@scorer(metrics=hms_metrics())
def replay(table: list[Any]) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        row = table[int(state.sample_id)]
        entry: Score = row[state.epoch - 1]
        return entry

    return score


METADATA: list[dict[str, Any]] = [
    {"gold_hypothesis": "a", "domain": "x", "question_type": "context"},
    {"gold_hypothesis": "a", "domain": "x", "question_type": "variables"},
    {"gold_hypothesis": "b", "domain": "y", "question_type": "context"},
    {"gold_hypothesis": "c", "domain": "y", "question_type": "context"},
]


def metrics_of(*rows: Sequence[Score], golds: Sequence[str] = ()) -> dict[str, dict[str, float]]:
    """The metrics of an eval of four samples, by the name of the score.

    Each row has a sample's scores, one for each epoch. The gold hypotheses replace those of `METADATA`.
    """
    samples = []
    for number, metadata in enumerate(METADATA):
        gold = golds[number] if golds else metadata["gold_hypothesis"]
        samples.append(Sample(id=str(number), input="-", metadata={**metadata, "gold_hypothesis": gold}))
    task = Task(samples, solver=nothing(), scorer=replay([*rows]), epochs=len(rows[0]))
    [log] = inspect_eval(task, model="mockllm/model")
    assert log.status == "success", log.error
    assert log.results

    by_score = {}
    for score in log.results.scores:
        by_score[score.name] = {name: metric.value for name, metric in score.metrics.items()}
    assert len(by_score) == len(log.results.scores)
    return by_score


def test_one_heading_has_the_mean_of_scored_samples_with_counts_and_groups() -> None:
    metrics = metrics_of([scored(1.0)], [scored(0.5)], [MISSING], [UNSCORED])
    hms = metrics["replay"]
    assert hms["mean"] == pytest.approx(0.5)
    counts = {"judged": 2, "no_submission": 1, "unscored": 1}
    assert {name: hms[name] for name in counts} == counts
    groups = {"in_x": 0.75, "in_y": 0, "goal_context": 0.5, "goal_variables": 0.5}
    assert {name: hms[name] for name in groups} == pytest.approx(groups)
    assert metrics.keys() == {"replay", "context", "variables", "relationship"}
    assert metrics["context"]["mean"] == pytest.approx(3 / 4)


def test_goals_with_one_gold_hypothesis_form_one_cluster() -> None:
    """Two clusters with means 1 and 0: the clustered error is larger than that of four independent samples."""
    rows = [[scored(1.0)], [scored(1.0)], [scored(0.0)], [scored(0.0)]]
    clustered = metrics_of(*rows, golds="aabb")["replay"]
    independent = metrics_of(*rows, golds="abcd")["replay"]
    # C / (C - 1) Σ_clusters (Σ deviations)² / n², with C = 2 and n = 4
    assert clustered["stderr"] == pytest.approx(math.sqrt(2 * (1 + 1)) / 4)
    assert independent["stderr"] == pytest.approx(math.sqrt(4 / 3 * 1.0) / 4)
    for hms in (clustered, independent):
        assert 0 <= hms["ci_lower"] < 0.5 < hms["ci_upper"] <= 1


def test_the_interval_contains_the_mean_whatever_unscored_samples_could_have_scored() -> None:
    rows = [[scored(1.0)], [scored(0.5)], [scored(0.5)]]
    with_zero = metrics_of(*rows, [scored(0.0)])["replay"]
    with_one = metrics_of(*rows, [scored(1.0)])["replay"]
    unscored = metrics_of(*rows, [UNSCORED])["replay"]
    assert unscored["mean"] == pytest.approx(2 / 3)
    assert unscored["ci_lower"] == pytest.approx(with_zero["ci_lower"])
    assert unscored["ci_upper"] == pytest.approx(with_one["ci_upper"])


def test_epochs_without_a_value_enter_no_metric() -> None:
    part = Score(value={"hms": 0, "context": 0, "variables": math.nan, "relationship": 1})
    metrics = metrics_of([scored(1.0), part], [part, part], [scored(0.5), UNSCORED], [scored(1.0), MISSING])
    assert metrics["variables"]["mean"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert metrics["replay"]["mean"] == pytest.approx((0.5 + 0 + 0.5 + 0.5) / 4)


def test_without_a_score_there_is_no_mean_and_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    hms = metrics_of(*[[UNSCORED]] * 4)["replay"]
    for name in ("mean", "stderr", "ci_lower", "ci_upper"):
        assert math.isnan(hms[name])
    assert hms["unscored"] == 4

    # Inspect computes metrics of no samples while an eval runs.
    summary = hms_metrics()[0]
    assert isinstance(summary, MetricProtocol)
    assert summary([])
    assert "raised" not in caplog.text
