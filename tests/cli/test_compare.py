"""`discoverybench compare`: paired comparison of systems."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import read_eval_log, write_eval_log

from inspect_discoverybench.cli.main import main
from tests.command_line import without_layout
from tests.synthetic_logs import Run, write_logs

WEAK = Run("real", "react", "provider/small", 0.1, second_judge=0.0)
STRONG = Run("real", "react", "provider/large", 0.6)
MARK_EXPLAINED = "* Some samples have no score, and the mean is of the others."
"""What the asterisk says. Both means of a row have it if one of the systems lacks a score."""


def run(operands: str) -> Result:
    """Run the command on a terminal with 80 columns."""
    words = operands.split()
    return CliRunner().invoke(main, ["compare", *words], env={"COLUMNS": "80"})


def pair_of(operands: str) -> dict[str, Any]:
    """The comparison of two systems as JSON."""
    result = run(f"{operands} --json")
    assert result.exit_code == 0, result.output
    comparison = json.loads(result.stdout)
    pair: dict[str, Any]
    [pair] = comparison["pairs"]
    return pair


@pytest.fixture
def logs() -> None:
    """Logs of a weak and a strong run on the same tasks. The weak one has the scores of two judges."""
    weak, strong = write_logs([WEAK, STRONG], Path("logs"), samples=30)
    weak.rename("logs/weak.eval")
    strong.rename("logs/strong.eval")


def test_a_candidate_that_lacks_tasks_is_not_gated() -> None:
    [baseline] = write_logs([WEAK], Path("all"), samples=30)
    # The first log of every call has the same sample uuids, and systems that share samples are refused. So the
    # candidate is the second log of its call.
    _, candidate = write_logs([WEAK, STRONG], Path("few"), samples=3)
    result = run(f"{baseline} {candidate} --fail-if-worse 0.02")
    assert result.exit_code == 2
    assert "the candidate has not run 27 of the baseline's tasks. Run them, or pass --anyway" in result.stderr
    assert run(f"{baseline} {candidate} --fail-if-worse 0.02 --anyway").exit_code == 0


def test_one_task_says_nothing_about_significance() -> None:
    baseline, candidate = write_logs([WEAK, STRONG], Path("one"), samples=1)
    output = without_layout(run(f"{baseline} {candidate}").stdout)
    assert "significant" not in output
    assert "On these tasks, the difference cannot be tested: that needs tasks with different gold hypotheses." in output
    assert "A statement about new studies needs tasks of at least two studies, and the study of each." in output


def test_a_facet_is_not_gated_in_place_of_hms() -> None:
    """The samples of the baseline have facets, but no HMS."""
    undecided = Run("real", "react", "provider/small", 0.6, unscored=1.0)
    baseline, candidate = write_logs([undecided, STRONG], Path("logs"), samples=20)
    result = run(f"{baseline} {candidate} --fail-if-worse 0")
    assert result.exit_code == 2
    assert "have no common sample that both scored" in result.stderr


@pytest.mark.usefixtures("logs")
def test_a_pair_is_printed_on_80_columns() -> None:
    result = run("logs/weak.eval logs/strong.eval")
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    text = without_layout(result.stdout)
    assert "*" not in text  # all samples have a score
    # In the synthetic logs, each gold hypothesis has two tasks, so the 30 tasks have 15 gold hypotheses. These are from
    # 14 studies, so one study has two of them, and thus 4 of the 30 tasks (13 %).
    expected = (
        "Baseline react · provider/small 30 of 239 tasks (30 selected: archaeology 6, ",
        "30 common tasks",
        "On these tasks; scores from 0 to 1 Tasks Baseline Candidate Diff. 95% CI p",
        "relationship 30 0.",
        "On these tasks, the difference in HMS is significant at level 0.05.",
        "Smallest difference that this test detects with power 0.8: ",
        "On new studies like these, it is significant at level 0.05 (p: ",
        "14 studies, the largest with 13% of the tasks)",
        "Intervals and p-values are not adjusted for the number of rows.",
    )
    assert [part for part in expected if part not in text] == []


def with_claims(log: Path, claims: list[float]) -> None:
    """Let a log record these claims."""
    recorded = read_eval_log(log)
    for sample, claim in zip(recorded.samples or [], claims, strict=True):
        score = (sample.scores or {})["HMS"]
        assert isinstance(score.value, dict)
        score.value["claim"] = claim
        score.metadata = {**(score.metadata or {}), "claim_prompt": "0123456789ab"}
    write_eval_log(recorded, log)


def test_claims_have_a_row() -> None:
    """On the first four tasks, the judge decided about the claims of both.

    The baseline claims a relationship on three of these tasks, and the candidate on one. The fifth task is undecided
    for the candidate, and so not compared.
    """
    baseline, candidate = write_logs([WEAK, STRONG], Path("logs"), samples=5)
    with_claims(baseline, [1, 1, 1, 0, 1])
    with_claims(candidate, [0, 1, 0, 0, math.nan])
    result = run(f"{baseline} {candidate}")
    assert result.exit_code == 0, result.output
    rows = [line.split() for line in result.stdout.splitlines()]
    [row] = [row for row in rows if row[:1] == ["claim"]]
    assert row[:5] == ["claim", "4", "0.750*", "0.250*", "-0.500"]
    assert MARK_EXPLAINED in result.stdout


def test_more_than_two_systems_are_ranked() -> None:
    # The judge of each sample gives no valid reply with a probability of 0.3. So six of these 30 samples are unscored.
    middle = Run("real", "react", "provider/medium", 0.3, unscored=0.3)
    write_logs([WEAK, STRONG, middle], Path("logs"), samples=30)
    result = run("logs")
    text = without_layout(result.stdout)
    first = text.index("provider/large")
    second = text.index("provider/medium")
    third = text.index("provider/small")
    assert first < second < third
    assert "Ranking on the 30 tasks that all systems ran; scores from 0 to 1" in text
    assert "provider/medium 0.288* " in text  # the mean of its 24 scored samples
    # Systems by their rank, and the tasks that both scored.
    assert re.search(r"1 − 3 30 \+0\.\d{3} ", text)
    assert re.search(r"2 − 3 24 \+0\.\d{3}\* ", text)
    assert MARK_EXPLAINED in text
    assert "Pairs, with intervals and p-values adjusted for their number" in text


@pytest.mark.usefixtures("logs")
def test_systems_are_selected_from_one_folder() -> None:
    pair = pair_of("logs/weak.eval logs/strong.eval")
    assert pair_of("logs:model=provider/small logs:agent=react,model=provider/large") == pair
    assert pair_of("logs/weak.eval:reveals_gold=none logs/strong.eval") == pair
    # Every third of the 30 tasks asks for the context.
    partial = pair_of("logs/weak.eval:goal_type=context logs/strong.eval")
    assert partial["common"] == 10
    assert partial["only_candidate"] == 20


def test_the_message_about_a_folder_with_two_tasks_says_how_to_select_one() -> None:
    runs = [WEAK, STRONG, replace(WEAK, task="synth"), replace(STRONG, task="synth")]
    write_logs(runs, Path("logs"), samples=10)
    result = run("logs")
    assert result.exit_code == 2
    [line] = result.stderr.splitlines()
    assert "have no common sample: they ran DB-REAL test and DB-SYNTH test." in line
    assert line.endswith(" Select one task: PATH:task=real or PATH:task=synth.")
    for task in ("real", "synth"):
        assert pair_of(f"logs:task={task}")["common"] == 10


def test_two_logs_of_different_tasks_are_not_compared() -> None:
    real, synth = write_logs([WEAK, replace(STRONG, task="synth")], Path("logs"), samples=10)
    result = run(f"{real} {synth}")
    assert result.exit_code == 2
    assert result.stderr.endswith("needs the same task and sample ids. Name logs of one task.\n")


def test_what_distinguishes_two_logs_is_in_their_names() -> None:
    calls, text = write_logs([WEAK, WEAK], Path("logs"), samples=10)
    log = read_eval_log(text)
    [step] = log.plan.steps
    step.params_passed = {"actions": "text"}
    write_eval_log(log, text)
    assert pair_of(f"{calls} {text}")["candidate"] == "react · provider/small (actions=text)"


@pytest.mark.usefixtures("logs")
def test_the_gate_fails_only_beyond_the_margin() -> None:
    within_margin = run("logs/strong.eval logs/weak.eval --fail-if-worse 0.9")
    assert within_margin.exit_code == 0
    worse = run("logs/strong.eval logs/weak.eval --fail-if-worse 0.02")
    assert worse.exit_code == 1
    assert worse.stderr == (
        "The candidate's mean is below the baseline's by more than 0.02: on these tasks, the difference is -0.437, or "
        "-0.437 with the lowest score wherever the candidate has none.\n"
    )


def test_a_candidate_with_the_same_scores_passes_the_gate_without_a_margin() -> None:
    [baseline] = write_logs([WEAK], Path("logs"), samples=10)
    log = read_eval_log(baseline)
    log.eval.model = "provider/other"
    for sample in log.samples or []:
        # `compare` refuses a sample that belongs to both systems.
        sample.uuid = f"{sample.uuid} of the candidate"
    write_eval_log(log, "candidate.eval")
    assert run(f"{baseline} candidate.eval --fail-if-worse 0").exit_code == 0


def test_lost_epochs_fail_the_gate() -> None:
    """The means differ by less than the margin. With 0 for its missing scores, the candidate is worse by more."""
    complete = Run("real", "react", "provider/large", 0.6, epochs=3)
    lossy = Run("real", "react", "provider/other", 0.6, epochs=3, errors=0.3, unscored=0.3)
    write_logs([complete, lossy], Path("logs"), samples=20)
    result = run("logs --fail-if-worse 0.1")
    assert result.exit_code == 1
    text = without_layout(result.stdout)
    assert "Without HMS: " in text
    assert re.search(r" hms \d+ 0\.\d{3}\* 0\.\d{3}\* ", text)
    assert MARK_EXPLAINED in text


@pytest.mark.usefixtures("logs")
def test_judges_of_one_log_are_compared_when_asked_for() -> None:
    refused = run("logs/weak.eval:score=HMS logs/weak.eval:score=HMS1")
    assert refused.exit_code == 2
    assert "judge: provider/judge and provider/judge-2" in refused.stderr
    accepted = run("logs/weak.eval:score=HMS logs/weak.eval:score=HMS1 --anyway")
    assert accepted.exit_code == 0
    assert accepted.stderr.startswith("Warning: ")


@pytest.mark.usefixtures("logs")
def test_logs_that_are_left_out_are_named() -> None:
    Path("logs/broken.eval").touch()
    result = run("logs")
    assert "logs/broken.eval: cannot be read: " in result.stderr


@pytest.mark.parametrize(
    ("operands", "message"),
    [
        ("logs/weak.eval", "logs/weak.eval has a single configuration, react · provider/small. Name at least two "),
        ("logs logs:model=x", "logs:model=x: no sample has model=x. Values in the logs: provider/large, provider/"),
        ("logs logs:colour=x", "logs:colour=x: 'colour' does not select samples. Columns: agent, "),
        ("logs/weak.eval logs/weak.eval --fail-if-worse nan", "--fail-if-worse must be a number from 0 to 1, got nan."),
        ("logs logs/weak.eval:score=HMS1 --fail-if-worse 0", "--fail-if-worse needs two systems, got 3."),
        (
            "logs/weak.eval logs/weak.eval",
            "logs/weak.eval: react · provider/small and logs/weak.eval: react · provider/small contain the same sample",
        ),
        ("logs logs:score=speed", "logs:score=speed: no sample has score=speed. Values in the logs: HMS"),
    ],
)
@pytest.mark.usefixtures("logs", "slow")
def test_invalid_operands_are_one_line_and_exit_code_2(operands: str, message: str) -> None:
    result = run(operands)
    assert result.exit_code == 2
    [line] = result.stderr.splitlines()
    assert line.startswith(f"Error: {message}")
