"""How the closing table describes a log's unscored samples."""

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_discoverybench.experiment.outcome import RunOutcome


@solver
def nothing() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return state

    return solve


@scorer(metrics=[mean()])
def replay(values: list[float | None]) -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        value = values[int(state.sample_id)]
        return Score.unscored(reason="grader_failed") if value is None else Score(value=value)

    return score


@pytest.mark.parametrize(
    ("values", "value", "bounds"),
    [
        ([1.0, 0.5, None, None], 0.75, (1.5 / 4, 3.5 / 4)),
        ([1.0, 0.5], 0.75, None),
        ([None, None], None, None),
    ],
)
def test_bounds_count_unscored_samples_as_0_and_as_1(
    values: list[float | None], value: float | None, bounds: tuple[float, float] | None
) -> None:
    samples = [Sample(id=str(number), input="-") for number in range(len(values))]
    [log] = inspect_eval(Task(dataset=samples, solver=nothing(), scorer=replay(values)), model="mockllm/model")
    assert log.status == "success", log.error
    outcome = RunOutcome.of_log(log)
    assert outcome.value == pytest.approx(value)
    assert outcome.bounds == pytest.approx(bounds)
