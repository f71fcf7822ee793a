"""The outcome of a run, and the table at the end of an experiment."""

import re
import shlex
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import pytest
from inspect_ai.log import EvalStats, write_eval_log

from inspect_discoverybench.results.configuration import configurations_of
from inspect_discoverybench.results.frame import read_results
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome
from tests import inspect_command
from tests.command_line import completed, discoverybench, failed, lab
from tests.endpoint import Answer, tool_call, truthful
from tests.experiment.experiments import BASELINE, logs

HYPOTHESIS = tool_call("submit", hypothesis="y rises with x.", workflow="1. load")
STUDY = Path(__file__).parents[2] / "examples/lighthouses/metadata_0.json"
NO_DATA_GUESS = "--set solvers=[discoverybench/no_data_guess]"


def words_after(text: str, output: str) -> list[str]:
    """The words of the line after this text."""
    _, printed = output.split(text)
    return shlex.split(printed.splitlines()[0])


def test_the_closing_table() -> None:
    output = completed(f"run small.yaml {BASELINE}")
    headings = (
        r"score +95 % CI on *\n"
        r" *task +solver +model +\(0 to 1\) +these tasks +scored +unscored +no submission +errors +tokens +US \$"
    )
    assert re.search(headings, output)
    assert re.search(r"gold +\S+ +HMS 1\.000 +0\.[\d]{3} to 1\.000 +2 +0 +0 +0 +[\d,]+ +\? *\n", output)
    assert "discoverybench/demo: 2 of 8 tasks (first 2 in file order: " in output
    assert "2 of 2 runs are complete." in output
    assert "To make a report, run: discoverybench report logs/small" in output


def test_the_closing_table_names_a_random_selection() -> None:
    output = completed("run gold.yaml --set options.sample_shuffle=1")
    assert "discoverybench/demo: 2 of 8 tasks (2 drawn at random: " in output


def test_the_closing_table_counts_what_samples_used_before_a_crash() -> None:
    command = f"run small.yaml {NO_DATA_GUESS} {BASELINE}"
    # The column before the cost, which is unknown: the offline model has no price.
    tokens = r"no_data_guess .* ([\d,]+) +\? *\n"
    before = re.search(tokens, completed(command))
    # A killed run leaves a log without the sums, which Inspect writes at the end.
    [log] = logs()
    log.status = "started"
    log.stats = EvalStats()
    write_eval_log(log)

    after = re.search(tokens, completed(command))
    assert before is not None
    assert after is not None
    assert after[1] == before[1] != "0"


def test_the_cost_of_a_run_is_unknown_if_a_sample_was_run_before_prices_were_given() -> None:
    command = f"run small.yaml {NO_DATA_GUESS} {BASELINE}"
    completed(command)
    [log] = logs()
    # The second sample has prices, and Inspect's sums are then the cost of this sample.
    [_, second] = log.samples or []
    for usage in [*log.stats.model_usage.values(), *second.model_usage.values()]:
        usage.total_cost = 1.0
    write_eval_log(log)
    output = completed(command)
    assert re.search(r"no_data_guess .* [\d,]+ +\? *\n", output)
    assert "? marks a run in which a model had no price. Prices apply to samples that run from now on: " in output


LOG_IS_LOST = """
from pathlib import Path

from inspect_ai.solver import solver


@solver
def log_is_lost():
    async def solve(state, generate):
        [log] = Path("logs/small").glob("*.eval")
        log.unlink()
        log.mkdir()
        return state

    return solve
"""


def test_a_log_that_cannot_be_written_is_one_line_with_the_cause() -> None:
    Path("lost.py").write_text(LOG_IS_LOST, "utf-8")
    options = "--set limits.samples=1 --set options.retry_attempts=0"
    result = discoverybench(f"run gold.yaml --set solvers=[lost.py] {options}")
    assert result.exit_code == 2
    last = result.output.splitlines()[-1]
    assert "Is a directory" in last
    assert last.endswith("Remove the cause, then repeat the command. Finished samples are kept.")


@pytest.mark.usefixtures("upstream")
def test_the_closing_table_shows_how_many_tasks_of_a_split_were_selected() -> None:
    task = "{name: discoverybench/real, args: {split: train, domain: sociology, sandbox: local}}"
    # The domain has 11 tasks. The limit of the file, 2, is raised above this number.
    output = completed(f"run gold.yaml --set 'tasks=[{task}]' --set grader=discoverybench/lexical --limit 100")
    assert ": 11 of 25 tasks (11 selected: sociology 11)" in output


def test_the_closing_table_says_what_to_compare_the_scores_with() -> None:
    advice = "add the solver discoverybench/goal_echo"
    # The judge is not one of the offline ones, whose scores mean nothing.
    with lab(truthful) as (model, _):
        assert advice in completed(f"run gold.yaml --set grader={model}")
        both = "solvers=[discoverybench/gold, discoverybench/goal_echo]"
        assert advice not in completed(f"run gold.yaml --set grader={model} --set '{both}' --set log_dir=logs/both")


def test_scores_of_an_offline_judge_are_said_to_mean_nothing() -> None:
    """The advice to compare scores with those of the solver `goal_echo` is omitted."""
    note = "The judge discoverybench/lexical is not a language model. These scores check the installation"
    task_default = ""
    named = "--set grader=discoverybench/lexical --set log_dir=logs/named"
    for options in (task_default, named):
        output = completed(f"run gold.yaml {options}")
        assert note in output
        assert "goal_echo" not in output


def test_unscored_samples_are_reported_with_the_command_to_score_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with lab(lambda _: "I would rather not say.") as (model, _):
        result = discoverybench(f"run gold.yaml --set grader={model}")
    assert result.exit_code == 1, result.output
    assert "1 of 1 runs are complete." in result.output
    # Score, interval, scored, unscored, no submission and errors.
    assert re.search(r"gold +\S+ +– +– +0 +2 +0 +0 ", result.output)
    assert "? marks a run in which a model had no price." in result.output

    command = words_after("Unscored samples: 2. To score them again, run:\n", result.output)
    assert command[:2] == ["inspect", "score"]
    # Inspect finds the scorer and its arguments by their names in the log.
    assert "--scorer" not in command
    # Inspect also makes the earlier judge, which the log names, but sends it nothing.
    monkeypatch.setenv("LAB_API_KEY", "test")
    monkeypatch.setenv("LAB_BASE_URL", "http://127.0.0.1:1/v1")
    rescoring = inspect_command.invoke(*command[1:], "--model-role", "grader=discoverybench/lexical")
    assert rescoring.exit_code == 0, rescoring.output
    [log] = logs()
    for sample in log.samples or []:
        assert sample.scores is not None
        assert sample.scores["HMS"].as_dict()["hms"] == 1.0


def test_samples_without_a_submission_and_with_errors_are_counted() -> None:
    # The first sample ends with an error. The second one never submits a hypothesis, however often it is asked.
    no_hypothesis = tool_call("submit", hypothesis=" ", workflow="w")
    answers: Iterator[Answer] = iter([400, *repeat(no_hypothesis, 9)])
    options = "--set 'options={fail_on_error: false, max_samples: 1, max_connections: 1}'"
    with lab(lambda _: next(answers)) as (model, _):
        output = failed(f"run small.yaml {NO_DATA_GUESS} {options} --model {model}")
    # Score, interval, scored, unscored, no submission and errors.
    assert re.search(r"lab/\S+ +HMS 0\.000\* +– +1 +0 +1 +1 ", output)
    assert "* Some samples have no score, and the mean is of the others." in output
    assert "Samples with an error: 1. To run them again, run:\n  inspect eval-retry " in output


def test_the_printed_retry_replaces_samples_with_errors_in_the_folder_of_the_experiment() -> None:
    answers: Iterator[Answer] = iter([400, *repeat(HYPOTHESIS, 9)])
    options = f"{NO_DATA_GUESS} --set 'options={{fail_on_error: false, max_samples: 1}}'"
    with lab(lambda _: next(answers)) as (model, _):
        output = failed(f"run small.yaml {options} --model {model}")
        command = words_after("Samples with an error: 1. To run them again, run:\n", output)
        assert command[:2] == ["inspect", "eval-retry"]
        retry = inspect_command.invoke(*command[1:])
        assert retry.exit_code == 0, retry.output
        completed(f"status small.yaml {options} --model {model}")  # fails unless every sample is finished
    # Both logs are in the folder.
    assert len(logs()) == 2
    outcomes = [row.score.outcome for row in read_results(["logs/small"]).rows]
    assert outcomes == [SampleOutcome.JUDGED] * 2


def test_samples_with_errors_of_a_shard_are_not_retried_by_inspect_which_would_run_the_whole_task() -> None:
    answers: Iterator[Answer] = iter([400, *repeat(HYPOTHESIS, 9)])
    options = f"{NO_DATA_GUESS} --limit 4 --set 'options={{fail_on_error: false, max_samples: 1}}'"
    with lab(lambda _: next(answers)) as (model, _):
        shard = f"run small.yaml {options} --model {model} --shard 1/2"
        output = failed(shard)
        remedy = "To run all samples of their log again, repeat the command after you delete the log:\n"
        [log] = words_after(f"Samples with an error: 1. {remedy}", output)
        Path(log).unlink()
        completed(shard)
    outcomes = [row.score.outcome for row in read_results(["logs/small"]).rows]
    assert outcomes == [SampleOutcome.JUDGED] * 2


def test_a_task_without_a_score_has_none_in_the_table() -> None:
    # The study does not have this goal, so there is no gold hypothesis, and no score.
    task = f"{{name: discoverybench/custom, args: {{path: {STUDY}, goal: Why, sandbox: local}}}}"
    output = completed(f"run small.yaml {NO_DATA_GUESS} {BASELINE} --set 'tasks=[{task}]'")
    # Score, interval, scored, unscored, no submission and errors.
    assert re.search(r"discoverybench/baseline +– +– +0 +0 +0 +0 ", output)


def test_a_task_with_another_metric_names_it_in_the_table() -> None:
    task = "{name: discoverybench/judge_audit, args: {released: false}}"
    output = completed(f"run small.yaml --model discoverybench/lexical --set solvers=[] --set 'tasks=[{task}]'")
    assert re.search(r"discoverybench/lexical +right [01]\.\d{3} ", output)


@pytest.mark.usefixtures("slow")
def test_a_model_that_writes_its_calls_as_text_gets_advice_and_both_forms_of_an_agent_are_told_apart() -> None:
    calls = "{name: discoverybench/react, args: {turns: 3}}"
    text = "{name: discoverybench/react, args: {turns: 3, actions: text}}"
    block = "```python\nprint(6 * 7)\n```"
    with lab(lambda _: block) as (model, _):
        output = completed(f"run small.yaml --set 'solvers=[{calls}, {text}]' --model {model}")
    [advice] = [line for line in output.splitlines() if "as text" in line]
    assert f"with {model}: 2 of 2 samples wrote their calls as text. Try `-M emulate_tools=true`, or pass " in advice
    assert "`actions: text` in the solver's `args`" in advice

    configurations = set(configurations_of(read_results(["logs/small"]).rows))
    names = {configuration.name for configuration in configurations}
    assert len(names) == len(configurations) == 2
    assert len([name for name in names if "actions=text" in name]) == 1
