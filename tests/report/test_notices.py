"""Notices of a report, from logs of real evals."""

import asyncio
import math
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from inspect_discoverybench import demo
from inspect_discoverybench.report.notices import notices
from inspect_discoverybench.results.frame import read_results
from tests.command_line import completed
from tests.typed_results import contents, results


@solver
def waiting() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # Inspect counts this wait as work, as it does the hours that a request waits in a provider's batch interface.
        await asyncio.sleep(60)
        return state

    return solve


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    ("limits", "ended_at", "is_named"),
    [
        ({"working_limit": 1}, "working", True),
        ({"time_limit": 1}, "time", False),
        ({"working_limit": 3600}, None, False),
    ],
)
def test_samples_that_ended_at_a_working_limit_are_named(
    limits: dict[str, Any], ended_at: str | None, is_named: bool
) -> None:
    task = task_with(demo(), solver=waiting() if ended_at else generate())
    [log] = inspect_eval(task, model="discoverybench/baseline", limit=2, **limits)
    samples = log.samples or []
    completed(f"report {log.location} --out report")
    page = Path("report/report.html").read_text("utf-8")
    first, second = (str(sample.id) for sample in samples)
    notice = f"2 of 2 samples ended at their working limit: {first}, {second}. Inspect counts waiting for a"
    assert (notice in page) == is_named
    assert {row.sample.limit for row in read_results([log.location]).rows} == {ended_at}


def test_every_change_between_the_versions_of_an_edited_study_is_named() -> None:
    """The second edit undoes the first one, so the first version and the last one have the same gold hypothesis."""
    original = {"gold_hypothesis": "1", "gold_workflow": "1"}
    versions = [
        original,
        {"gold_hypothesis": "2", "gold_workflow": "1"},
        {"gold_hypothesis": "1", "gold_workflow": "2"},
    ]
    runs = [
        results({"a": 1.0}, inputs={"fingerprints": version}, uuid=f"run {number}")
        for number, version in enumerate(versions)
    ]
    shown = contents(*runs)
    [notice] = [notice for notice in notices(shown.leaderboard, shown.results) if "were run again" in notice]
    assert "were run again after a change: 1, such as a (gold hypothesis, gold workflow)." in notice


@pytest.mark.parametrize(("hms_by_other_judge", "is_named"), [(0.5, True), (math.nan, False)])
def test_different_judges_of_a_benchmark_are_named_if_both_scored_samples(
    hms_by_other_judge: float, is_named: bool
) -> None:
    by_one = results({"a": 1.0}, agent="one", judge_record='{"judge": "judge/one"}')
    by_other = results({"a": hms_by_other_judge}, agent="other", judge_record='{"judge": "judge/other"}')
    shown = contents(by_one, by_other)
    texts = list(notices(shown.leaderboard, shown.results))
    assert any("scored by different judges" in text for text in texts) == is_named
