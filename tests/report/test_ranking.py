"""The rankings that the page begins with: every number is worked out by hand."""

import pytest

from inspect_discoverybench.report.ranking import Ranking
from inspect_discoverybench.results.result_row import ResultRow
from tests.typed_results import MISSING, OFFLINE_JUDGE, contents, result, results


def ranking_of(*groups: list[ResultRow]) -> Ranking:
    [benchmark] = contents(*groups).leaderboard.benchmarks
    return Ranking.of(benchmark)


def test_the_ranking_says_who_is_best_and_by_how_much() -> None:
    tasks = [f"t{number}" for number in range(12)]
    best = results(dict.fromkeys(tasks, 0.9))
    # On half of the tasks, the score is lower by 0.05. So the mean is lower by 0.025.
    near = results({task: 0.9 if number % 2 else 0.85 for number, task in enumerate(tasks)}, agent="codegen")
    far = results(dict.fromkeys(tasks, 0.1), agent="codegen")
    floor = results(dict.fromkeys(tasks, 0.05), agent="goal_echo")

    first, difference, no_floor = ranking_of(best, near).sentences
    assert first == "Best: react · provider/model, before codegen · provider/model."
    assert difference.startswith("On the tasks that both scored (12), the difference is 2.5 (*95 % CI* ")
    assert difference.endswith(", so these tasks do not show which of them is better.")
    assert no_floor.startswith("The *floor* was not run")

    # If the judge only compares words, as in the demo, no best agent is marked, and a missing floor is not mentioned.
    offline = [
        results(dict.fromkeys(tasks, 0.9), agent=agent, judge_record=OFFLINE_JUDGE) for agent in ("react", "codegen")
    ]
    assert ranking_of(*offline).sentences == ["No best agent is marked, because the judge is not a language model."]

    # datavoyager has the highest mean, but ran only two of the tasks, so it does not compete.
    ranking = ranking_of(best, far, floor, results({"t0": 1.0, "t1": 1.0}, agent="datavoyager"))
    assert ranking.sentences[0] == "Best: react · provider/model, before codegen · provider/model."
    assert ranking.floor == pytest.approx(5)
    [_, difference] = ranking.sentences
    assert difference.startswith("On the tasks that both scored (12), the difference is 80.0 ")
    assert difference.endswith(", so the first is better on tasks like these.")


@pytest.mark.parametrize(
    ("second_score", "difference", "verdict"),
    [
        # The interval is about 7 wide, although all differences are equal: other tasks may have larger ones.
        # In the first row, the mean of the second agent is hardly lower than that of the best one.
        (0.545, "-4.5", "so the second is better on tasks like these."),
        (0.54, "-4.0", "so the second is better on tasks like these."),
        (0.504, "-0.4", "so these tasks do not show which of them is better."),
        (0.4, "10.0", "so the first is better on tasks like these."),
    ],
)
def test_the_agent_with_the_highest_mean_may_be_worse_on_the_tasks_that_both_scored(
    second_score: float, difference: str, verdict: str
) -> None:
    """The best agent has its highest scores on tasks that the second one did not run. Its mean is 0.55."""
    common = [f"t{number}" for number in range(90)]
    others = [f"t{number}" for number in range(90, 100)]
    best = results({**dict.fromkeys(common, 0.5), **dict.fromkeys(others, 1.0)})
    second = results(dict.fromkeys(common, second_score), agent="codegen")
    sentence = ranking_of(best, second).sentences[1]
    assert sentence.startswith(f"On the tasks that both scored (90), the difference is {difference} (*95 % CI* ")
    assert sentence.endswith(verdict)


def test_agents_with_equal_means_are_tied() -> None:
    values = {"a": 1.0, "b": 0.5}
    # datavoyager has a higher mean, but ran only one of the two tasks, so it does not compete.
    ranking = ranking_of(results(values), results(values, agent="codegen"), results({"a": 1.0}, agent="datavoyager"))
    assert ranking.sentences[0] == "Tied for the best: react · provider/model and codegen · provider/model."


def test_the_ranking_has_published_scores_only_beside_the_released_form() -> None:
    full = {f"t{number}": 0.5 for number in range(239)}
    with_form = [result(name, hms, hms_released=0.4) for name, hms in full.items()]
    ranking = ranking_of(with_form, results(full, agent="codegen"))
    by_agent = {row.standing.configuration.agent: row for row in ranking.rows}
    # Of the three models in the paper.
    assert [score.hms for score in by_agent["react"].published] == [24.4, 22.4, 18.4]
    assert by_agent["react"].released is not None
    assert by_agent["codegen"].published == []
    assert by_agent["codegen"].released is None


def test_an_agent_with_a_framing_has_no_published_scores_beside_it() -> None:
    full = {f"t{number}": 0.5 for number in range(239)}
    neutral = results(full, hms_released=0.4)
    pressure = results(full, hms_released=0.4, task_arguments='{"framing": "pressure"}')
    by_framing = {row.standing.configuration.framing: row for row in ranking_of(neutral, pressure).rows}
    assert len(by_framing["neutral"].published) == 3
    assert by_framing["pressure"].published == []


def test_the_ranking_has_no_interval_of_one_gold_hypothesis_and_no_mean_without_scores() -> None:
    ranking = ranking_of(results({"a": 0.5}), results({"a": MISSING}, agent="codegen"))
    [scored, unscored] = ranking.rows
    assert scored.hms is not None
    assert (scored.hms.mean, scored.hms.low, scored.hms.high) == (50, None, None)
    assert unscored.hms is None
