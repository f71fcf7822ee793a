"""Several systems: pairs and a ranking."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from inspect_discoverybench.comparison.comparison import compare_systems
from inspect_discoverybench.comparison.system import System
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.results.configuration import configurations_of
from inspect_discoverybench.results.task_result import mean_score
from tests.fields import assert_fields
from tests.typed_results import MISSING, result

TASKS = 30


def system(name: str, solved: int, first: int = 0, **columns: Any) -> System:
    """A system that ran the tasks from the number `first` on. It solves those whose number is below `solved`."""
    rows = []
    for number in range(first, TASKS):
        hms = float(number < solved)
        row = result(f"t{number}", hms, **columns)
        rows.append(row)
    configuration, *_ = configurations_of(rows)
    return System(name, configuration, rows)


def test_all_pairs_are_compared_and_adjusted_together() -> None:
    weak = system("weak", 3)
    middle = system("middle", 12)
    strong = system("strong", 24)
    # The first pair is weak and middle, which are compared alone below.
    first, *others = compare_systems([weak, middle, strong], {}).pairs
    assert [pair.candidate for pair in others] == ["strong", "strong"]

    [alone] = compare_systems([weak, middle], {}).pairs
    adjusted = first.hms.paired
    single = alone.hms.paired
    assert adjusted.p_value == pytest.approx(3 * single.p_value)  # three pairs
    assert adjusted.low < single.low


def test_the_released_form_is_compared_where_both_systems_have_it() -> None:
    released = [system(name, solved, hms_released=0.25) for name, solved in (("weak", 10), ("strong", 20))]
    without = system("without", 20)
    [pair] = compare_systems(released, {}).pairs
    assert pair.keys[-1].key == "hms_released"
    assert pair.keys[-1].candidate == 0.25
    [pair] = compare_systems([released[0], without], {}).pairs
    assert "hms_released" not in [difference.key for difference in pair.keys]


CLAIMS_OF_BASELINE: list[float] = [1, 1, 1, 0, 1, 0]
CLAIMS_OF_CANDIDATE: list[float] = [0, 1, 0, 0, MISSING, 1]


def claiming(name: str, claims: list[float], prompt: str = "p1") -> System:
    """A system without a success, with these claims."""
    metadata = {"claim_prompt": prompt}
    rows = [result(f"t{number}", 0.0, claim=claim, metadata=metadata) for number, claim in enumerate(claims)]
    configuration, *_ = configurations_of(rows)
    return System(name, configuration, rows)


def test_claims_are_compared_where_both_systems_have_them() -> None:
    """The judge decided about the claims of both systems on five tasks: a claims a relationship on 3, and b on 2.

    On the other task, only the claim of a is decided. With this task, a has 4 of 6 claims, and b has 2 or 3 of 6.
    """
    [pair] = compare_systems([claiming("a", CLAIMS_OF_BASELINE), claiming("b", CLAIMS_OF_CANDIDATE)], {}).pairs
    claim = pair.keys[-1]
    assert_fields(claim, key="claim", baseline=3 / 5, candidate=2 / 5, missing=1, worst=-2 / 6, best=-1 / 6)
    assert_fields(claim.paired, difference=-1 / 5, wins=1, losses=2, ties=2, tasks=5)
    assert claim.paired.low < -2 / 6  # the interval covers what the undecided claim could be
    assert claim.paired.high > 0
    assert pair.hms.paired.difference == 0


def test_claims_are_not_compared_if_one_system_lacks_them_or_has_them_of_another_prompt() -> None:
    claims = claiming("a", CLAIMS_OF_BASELINE)
    without = System("b", claims.configuration, [result(f"t{number}", 0.0) for number in range(6)])
    other_prompt = claiming("c", CLAIMS_OF_CANDIDATE, prompt="p2")
    for other in (without, other_prompt):
        [pair] = compare_systems([claims, other], {}).pairs
        assert [key.key for key in pair.keys] == ["hms", "context", "variables", "relationship"]


def test_systems_are_ranked_on_the_tasks_that_all_ran() -> None:
    weak = system("weak", 10)
    strong = system("strong", 20)
    few = system("few", 30, first=25)  # it ran, and solved, the last five tasks
    best, *others = compare_systems([weak, strong, few], {}).ranking
    assert best.system == "few"
    for rank in [best, *others]:
        assert rank.tasks == 5
        assert rank.estimate.tasks == 5


def with_lost(name: str, lost: Callable[[int], bool]) -> System:
    """A system that solves the first half of the tasks. Some of its scores are lost."""
    rows = [result(f"t{number}", MISSING if lost(number) else float(number < TASKS / 2)) for number in range(TASKS)]
    configuration, *_ = configurations_of(rows)
    return System(name, configuration, rows)


def test_the_intervals_of_a_ranking_cover_what_missing_scores_could_be() -> None:
    """Each system solves the tasks 0 to 14. The first one lost the scores of 0 to 7, and the second one of 7 to 14.

    So no success is scored by all systems, and on their common tasks, every mean would be 0. Each system is ranked by
    all of its own scores instead. If its lost scores were 0, its mean would be 7 of 30. If they were 1, it would have
    the scores of the third system, which lost none.
    """
    first = with_lost("first", lambda number: number < 8)
    second = with_lost("second", lambda number: 7 <= number < 15)
    third = with_lost("third", lambda number: False)
    ranking = {rank.system: rank for rank in compare_systems([first, second, third], {}).ranking}
    without_loss = mean_score(list(third.tasks.values()))
    assert without_loss is not None
    assert_fields(ranking["third"].estimate, mean=0.5, low=without_loss.low, high=without_loss.high)
    assert ranking["third"].missing == 0
    for name in ("first", "second"):
        estimate = ranking[name].estimate
        assert ranking[name].missing == 8
        assert estimate.tasks == TASKS - 8
        assert 7 / TASKS < estimate.mean < 0.5
        assert estimate.low < 7 / TASKS
        assert 0.5 <= without_loss.high <= estimate.high


def random_system(name: str, random: np.random.Generator, lost: int = 0) -> System:
    """A system that solves an easy task with the probability 0.9 and another task with 0.1. Every second task is easy.

    The scores of `lost` of its successes are missing.
    """
    solved = [random.random() < (0.9 if number % 2 else 0.1) for number in range(TASKS)]
    successes = random.permutation(np.flatnonzero(solved))
    scores = np.array(solved, float)
    scores[successes[:lost]] = MISSING
    rows = [result(f"t{number}", score) for number, score in enumerate(scores)]
    configuration, *_ = configurations_of(rows)
    return System(name, configuration, rows)


@pytest.mark.parametrize("lost", [10, 15])
def test_a_ranking_covers_the_truth_although_one_system_lost_successes(lost: int) -> None:
    """At least 19 of 20 intervals contain the true mean, 0.5. Most of the lost scores are of easy tasks."""
    random = np.random.default_rng(0)
    covered: Counter[str] = Counter()
    for _ in range(20):
        systems = [
            random_system("first", random, lost),
            random_system("second", random),
            random_system("third", random),
        ]
        for rank in compare_systems(systems, {}).ranking:
            covered[rank.system] += rank.estimate.low <= 0.5 <= rank.estimate.high
    for name in ("first", "second", "third"):
        assert covered[name] >= 19


def test_the_tasks_of_both_systems_and_of_one_of_them_are_counted() -> None:
    complete = system("all", 10)
    few = system("few", 10, first=5)
    comparison = compare_systems([complete, few], {})
    [pair] = comparison.pairs
    assert_fields(
        pair,
        common=25,
        only_baseline=5,
        only_candidate=0,
    )
    assert comparison.coverage["few"] == "25 of 239 tasks (25 selected: sociology 25)"


def test_a_placebo_is_not_paired_with_the_data() -> None:
    data = system("a", 10)
    arguments = '{"placebo": 7}'
    placebo = system("b", 10, task="real_placebo", task_arguments=arguments)
    with pytest.raises(InvalidArgument) as raised:
        compare_systems([data, placebo], {})
    assert raised.value.message == (
        "a and b have no common sample: they ran DB-REAL test and DB-REAL test, placebo 7. A paired comparison needs "
        "the same task and sample ids. Name logs of one task. A placebo is compared with the data by "
        "`discoverybench report`."
    )


def test_systems_that_ran_different_splits_are_told_how_to_select_one() -> None:
    on_test = [system(name, 10) for name in ("a", "b")]  # two, so that systems to compare remain on this split
    rows = [result(f"train/{number}", 1.0, split="train") for number in range(3)]
    configuration, *_ = configurations_of(rows)
    on_train = System("c", configuration, rows)
    with pytest.raises(InvalidArgument) as raised:
        compare_systems([*on_test, on_train], {})
    assert "a and c have no common sample: they ran DB-REAL test and DB-REAL train." in raised.value.message
    assert raised.value.message.endswith(" Select one split: PATH:split=test.")
