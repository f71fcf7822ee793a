"""Several judges, and judges that are no language models."""

import math
from typing import Any

import pytest

from inspect_discoverybench.report.means import HMS
from inspect_discoverybench.report.notices import notices
from inspect_discoverybench.results.result import Result
from tests.report.results import MISSING, contents, result, results, rows, sections


def judged(agent: str, values: dict[str, tuple[float, float]]) -> list[Result]:
    """Results of a log with the scores of two judges."""
    scores = []
    for place, name in enumerate(("HMS", "HMS1")):
        hms = {task: pair[place] for task, pair in values.items()}
        record = f'{{"judge": "provider/{name}"}}'
        scores += results(hms, agent=agent, log=f"logs/{agent}.eval", score=name, judge_record=record)
    return scores


def test_judges_are_compared_on_the_samples_that_both_judged() -> None:
    silent = [result("e", 0.0, log="logs/react.eval", outcome="no submission", judge_record=None)]
    parts = sections(
        judged("react", {"a": (1.0, 0.0), "b": (1.0, 1.0), "c": (0.0, 0.0), "d": (0.0, MISSING)}),
        judged("codegen", {"a": (0.0, 1.0), "b": (0.5, 0.5), "c": (0.0, 1.0), "d": (0.0, 0.0)}),
        silent,
    )
    assert rows(parts["hms"], "configuration", HMS) == [
        ("react · provider/model", 40.0),
        ("codegen · provider/model", 12.5),
    ]
    # Verdicts (0, partial, 1): HMS gives 0 four times, partial once, 1 twice; HMS1 gives 0 three times, partial once,
    # 1 three times; they agree on four of seven. Chance: (4·3 + 1·1 + 2·3) / 49.
    table: Any = parts["judges"].table.set_index("value")
    chance = 19 / 49
    assert table.loc["HMS", ["judge", "other judge", "samples"]].tolist() == ["provider/HMS", "provider/HMS1", 7]
    assert table.loc["HMS", ["mean × 100", "other mean × 100"]].tolist() == pytest.approx([250 / 7, 350 / 7])
    assert table.loc["HMS", "same verdict in %"] == pytest.approx(400 / 7)
    assert table.loc["HMS", "kappa"] == pytest.approx((4 / 7 - chance) / (1 - chance))
    assert math.isnan(table.loc["Variables", "kappa"])


def test_a_notice_names_judges_that_differ() -> None:
    other = '{"judge": "provider/judge", "settings": {"temperature": 1}}'
    groups = [results({"a": 1.0}, agent="react"), results({"a": 0.5}, agent="codegen", judge_record=other)]
    assert notices(contents(*groups).leaderboard) == [
        "DB-REAL test was scored by different judges, so its means are not comparable: provider/judge scored react · "
        "provider/model; provider/judge (settings={'temperature': 1}) scored codegen · provider/model. The judges "
        "differ in settings."
    ]


@pytest.mark.parametrize("judge", ["discoverybench/lexical", "mockllm/model"])
def test_a_notice_says_that_a_judge_is_no_language_model(judge: str) -> None:
    leaderboard = contents(results({"a": 1.0}, judge_record=f'{{"judge": "{judge}"}}')).leaderboard
    assert notices(leaderboard) == [
        f"The judge {judge} is no language model. These scores check the installation; they are not a result."
    ]


def test_a_notice_says_that_epochs_are_averaged_here() -> None:
    leaderboard = contents(results({"a": 1.0}, epochs_reducer="max")).leaderboard
    assert notices(leaderboard) == [
        "The logs of react · provider/model reduce epochs by max; here, epochs are averaged."
    ]
