"""The gold solver with a judge that answers truthfully: every task can be scored, and scores 1."""

import pytest
from inspect_ai import eval as inspect_eval

from inspect_discoverybench import demo, real
from inspect_discoverybench.solvers.gold import goal_echo, gold
from tests.endpoint import truthful
from tests.scorer.judging import InProcessJudge


@pytest.mark.usefixtures("upstream", "slow")
@pytest.mark.parametrize(("split", "count"), [("train", 25), ("test", 239)])
def test_every_task_of_db_real_scores_1(split: str, count: int) -> None:
    [log] = inspect_eval(
        real(split=split, sandbox="local"),
        model="mockllm/model",
        model_roles={"grader": InProcessJudge(truthful).model},
        solver=gold(),
        max_connections=50,
        max_sandboxes=50,
        max_samples=50,
    )
    assert log.status == "success", log.error
    assert len(log.samples or []) == count
    for sample in log.samples or []:
        assert sample.scores
        assert sample.scores["HMS"].value == {"hms": 1, "context": 1, "variables": 1, "relationship": 1}, sample.id


def test_the_goal_is_restated_without_a_model_call() -> None:
    [log] = inspect_eval(demo(), model="none", solver=goal_echo(), limit=1)
    assert log.samples
    [sample] = log.samples
    assert sample.metadata["goal"] in sample.scores["HMS"].answer  # type: ignore[index,operator]
    assert {event.role for event in sample.events if event.event == "model"} == {"grader"}
