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


ZEROS = {"hms": 0, "context": 0, "variables": 0, "relationship": 0}
MISSING = Score(value={**ZEROS}, reason=NO_RESPONSE)
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


METADATA: list[dict[str, Any]] = [
    {"gold_hypothesis": "a", "domain": "x", "question_type": "context"},
    {"gold_hypothesis": "a", "domain": "x", "question_type": "variables"},
    {"gold_hypothesis": "b", "domain": "y", "question_type": "context"},
    {"gold_hypothesis": "c", "domain": "y", "question_type": "context"},
]


class Results:
    """The results of an eval of four samples."""

    def __init__(self, *rows: Sequence[Score], **fields: Sequence[Any]) -> None:
        """Each row has a sample's scores, one for each epoch. Fields are metadata that replace those of `METADATA`."""
        samples = []
        for number, metadata in enumerate(METADATA):
            changes = {name: values[number] for name, values in fields.items()}
            samples.append(Sample(id=str(number), input="-", metadata={**metadata, **changes}))
        task = Task(samples, solver=nothing(), scorer=replay([*rows]), epochs=len(rows[0]))
        [log] = inspect_eval(task, model="mockllm/model")
        assert log.status == "success", log.error
        assert log.results
        self.scores: list[EvalScore] = log.results.scores

    def of(self, name: str) -> dict[str, float]:
        """The metrics of a key, or of the whole score."""
        metrics: dict[str, float] = {}
        for score in self.scores:
            if score.name == name:
                metrics |= {metric: value.value for metric, value in score.metrics.items()}
        return metrics

    def counts(self, key: str) -> tuple[int | None, int | None]:
        """The numbers of scored and of unscored samples."""
        [score] = [score for score in self.scores if score.name == key and "mean" in score.metrics]
        return score.scored_samples, score.unscored_samples


def test_means_are_over_scored_samples_and_by_group() -> None:
    results = Results([scored(1.0)], [scored(0.5)], [MISSING], [UNSCORED])
    hms = results.of("hms")
    assert hms["mean"] == pytest.approx(0.5)
    assert hms["in_x"] == pytest.approx(0.75)
    assert hms["in_y"] == 0
    assert hms["goal_context"] == pytest.approx(0.5)
    assert hms["goal_variables"] == pytest.approx(0.5)
    assert results.of("context")["mean"] == pytest.approx(3 / 4)
    assert results.counts("hms") == (3, 1)


def test_samples_are_counted_and_unscored_ones_bound_the_mean() -> None:
    counts = Results([scored(1.0)], [scored(0.5)], [MISSING], [UNSCORED]).of("replay")
    bounds = {"unscored": 1, "lower_bound": 0.375, "upper_bound": 0.625}
    assert counts == {**bounds, "judged": 2, "no_submission": 1}


def test_goals_with_one_gold_hypothesis_form_one_cluster() -> None:
    """Two clusters with means 1 and 0: the clustered error is larger than that of four independent samples."""
    rows = [[scored(1.0)], [scored(1.0)], [scored(0.0)], [scored(0.0)]]
    clustered = Results(*rows, gold_hypothesis="aabb").of("hms")
    independent = Results(*rows, gold_hypothesis="abcd").of("hms")
    # C / (C - 1) Σ_clusters (Σ deviations)² / n², with C = 2 and n = 4
    assert clustered["stderr"] == pytest.approx(math.sqrt(2 * (1 + 1)) / 4)
    assert independent["stderr"] == pytest.approx(math.sqrt(4 / 3 * 1.0) / 4)
    for hms in (clustered, independent):
        assert 0 <= hms["ci_lower"] < 0.5 < hms["ci_upper"] <= 1


def test_a_facet_without_a_value_enters_no_metric_of_its_own() -> None:
    """Epochs and groups take the values that there are, and counts every epoch."""
    part = Score(value={"hms": 0, "context": 0, "variables": math.nan, "relationship": 1})
    results = Results([scored(1.0), part], [part, part], [scored(0.5), UNSCORED], [scored(1.0), MISSING])
    variables = results.of("variables")
    hms = results.of("hms")
    assert variables["mean"] == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert hms["mean"] == pytest.approx((0.5 + 0 + 0.5 + 0.5) / 4)
    assert hms["in_x"] == pytest.approx(0.25)
    assert all(math.isfinite(value) for value in [*variables.values(), *hms.values()])
    assert results.of("replay")["judged"] == 6
    assert results.of("replay")["no_submission"] == 1
    assert results.counts("variables") == (3, 1)
    assert results.counts("hms") == (4, 0)


def test_without_a_score_there_is_no_interval() -> None:
    hms = Results(*[[UNSCORED]] * 4).of("hms")
    assert math.isnan(hms["ci_lower"])
    assert math.isnan(hms["ci_upper"])
