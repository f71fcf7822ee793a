"""The outcome of a run, and the table at the end of an experiment."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import TaskState

from inspect_discoverybench.experiment.outcome import RunOutcome
from inspect_discoverybench.results.configuration import configurations_of
from inspect_discoverybench.results.frame import read_results
from inspect_discoverybench.statistics.mean import estimate_mean
from tests import inspect_command
from tests.command_line import completed, discoverybench, lab
from tests.endpoint import Answer, tool_call
from tests.experiment.experiments import BASELINE, logs, logs_of, price, write_prices

STUDY = Path(__file__).parents[2] / "examples/lighthouses/metadata_0.json"
NO_DATA_GUESS = "--set solvers=[discoverybench/no_data_guess]"


@scorer(metrics=[mean()])
def one_half_or_unscored() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        if state.sample_id == "scored":
            return Score(value=0.5)
        return Score.unscored(reason="grader_failed")

    return score


def test_bounds_count_unscored_samples_as_0_and_as_1() -> None:
    labels = {"task": "t", "solver": "s", "model": "m"}
    samples = [Sample("-", id="scored"), Sample("-", id="failed")]
    task = Task(samples, solver=[], scorer=one_half_or_unscored(), metadata={"run": labels})
    [log] = inspect_eval(task, model="mockllm/model")
    assert log.status == "success", log.error

    outcome = RunOutcome.of_log(log)
    assert outcome.labels == ("t", "s", "m")
    assert outcome.samples.scored == 1
    assert outcome.samples.unscored == 1
    assert outcome.score is not None
    assert outcome.score.value == 0.5
    assert outcome.score.bounds == (0.25, 0.75)


@pytest.fixture
def priced() -> str:
    """The command of two runs with the offline model, whose input costs one dollar a token."""
    write_prices("costs.yaml", price(1_000_000) | {"output": 0})
    return f"run small.yaml {BASELINE} --model-cost-config costs.yaml"


def test_the_closing_table(priced: str) -> None:
    output = completed(priced)
    headings = (
        r"CI on *\n *task +solver +model +HMS +these tasks +scored +unscored +no submission +errors +tokens +US \$"
    )
    assert re.search(headings, output)
    assert re.search(r"gold +\S+ +1\.000 +0\.[\d]{3} to 1\.000 +2 +0 +0 +0 +[\d,]+ +0\.00 *\n", output)
    assert "2 of 2 runs are complete." in output
    assert "To make a report, run: discoverybench report logs/small" in output

    [guess] = logs_of("no_data_guess")
    usage = guess.stats.model_usage["discoverybench/baseline"]
    assert usage.total_cost == usage.input_tokens
    assert f"{usage.input_tokens:,.2f}" in output


def test_the_closing_table_as_json(priced: str) -> None:
    result = discoverybench(f"{priced} --json")
    gold, no_data_guess = json.loads(result.stdout)["runs"]
    assert gold["solver"] == "discoverybench/gold"
    assert gold["samples"] == {"scored": 2, "unscored": 0, "no_submission": 0, "errors": 0, "calls_as_text": 0}
    score = gold["score"]
    assert score["value"] == 1.0
    assert score["bounds"] is None
    expected = estimate_mean([1, 1], "ab")
    assert score["interval"] == pytest.approx([expected.low, 1.0])
    [guess] = logs_of("no_data_guess")
    assert no_data_guess["cost"] == guess.stats.model_usage["discoverybench/baseline"].input_tokens


def test_unscored_samples_are_reported_with_the_command_to_score_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with lab(lambda _: "I would rather not say.") as (model, _):
        result = discoverybench(f"run gold.yaml --set grader={model}")
    assert result.exit_code == 1, result.output
    assert "1 of 1 runs are complete." in result.output
    assert re.search(r"gold +\S+ +– +– +0 +2 +0 +0 ", result.output)
    assert "? marks a run with a model that has no price." in result.output

    _, printed = result.output.split("Unscored samples: 2. To score them again, run:\n")
    command = shlex.split(printed.splitlines()[0])
    assert command[:2] == ["inspect", "score"]
    monkeypatch.setenv("LAB_API_KEY", "test")
    monkeypatch.setenv("LAB_BASE_URL", "http://127.0.0.1:1/v1")
    rescoring = inspect_command.invoke(*command[1:], "--model-role", "grader=discoverybench/lexical")
    assert rescoring.exit_code == 0, rescoring.output
    [log] = logs()
    for sample in log.samples or []:
        assert sample.scores is not None
        assert sample.scores["HMS"].as_dict()["hms"] == 1.0


def test_samples_without_a_submission_and_with_errors_are_counted() -> None:
    no_hypothesis = tool_call("submit", hypothesis=" ", workflow="w")
    answers: Iterator[Answer] = iter([400, *[no_hypothesis] * 9])
    options = "--set 'options={fail_on_error: false, max_samples: 1, max_connections: 1}'"
    with lab(lambda _: next(answers)) as (model, _):
        result = discoverybench(f"run small.yaml {NO_DATA_GUESS} {options} --model {model} --json")
    assert result.exit_code == 1
    [outcome] = json.loads(result.stdout)["runs"]
    assert outcome["samples"]["scored"] == 1
    assert outcome["samples"]["no_submission"] == 1
    assert outcome["samples"]["errors"] == 1


def test_a_task_without_a_score_has_none_in_the_table() -> None:
    task = f"{{name: discoverybench/custom, args: {{path: {STUDY}, goal: Why, sandbox: local}}}}"
    output = completed(f"run small.yaml {NO_DATA_GUESS} {BASELINE} --set 'tasks=[{task}]'")
    assert re.search(r"discoverybench/baseline +– +– +0 +0 +0 +0 ", output)


def test_a_task_with_another_metric_names_it_in_the_table() -> None:
    task = "{name: discoverybench/judge_audit, args: {released: false}}"
    output = completed(f"run small.yaml --model discoverybench/lexical --set solvers=[] --set 'tasks=[{task}]'")
    assert re.search(r"discoverybench/lexical +right [01]\.\d{3} ", output)


def test_a_model_that_writes_its_calls_as_text_gets_advice_and_both_forms_of_an_agent_are_told_apart() -> None:
    calls = "{name: discoverybench/react, args: {turns: 3}}"
    text = "{name: discoverybench/react, args: {turns: 3, actions: text}}"
    block = "```python\nprint(6 * 7)\n```"
    with lab(lambda _: block) as (model, _):
        output = completed(f"run small.yaml --set 'solvers=[{calls}, {text}]' --model {model}")
    [advice] = [line for line in output.splitlines() if "as text" in line]
    assert f"with {model}: 2 of 2 samples wrote their calls as text: try `-S actions=text`" in advice

    configurations = set(configurations_of(read_results("logs/small").rows))
    names = sorted(configuration.name.rpartition("(")[2] for configuration in configurations)
    assert names == ["actions=text, turns=3)", "turns=3)"]
