"""How the closing table describes a log's unscored samples."""

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from inspect_discoverybench.experiment.outcome import RunOutcome


@scorer(metrics=[mean()])
def one_half_or_unscored() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=0.5) if state.sample_id == "scored" else Score.unscored(reason="grader_failed")

    return score


def test_bounds_count_unscored_samples_as_0_and_as_1() -> None:
    task = Task([Sample("-", id="scored"), Sample("-", id="failed")], solver=[], scorer=one_half_or_unscored())
    [log] = inspect_eval(task, model="mockllm/model")
    assert log.status == "success", log.error
    outcome = RunOutcome.of_log(log)
    assert (outcome.value, outcome.bounds) == (0.5, (0.25, 0.75))
