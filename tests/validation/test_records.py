"""Scores are compared only if they were judged alike, unless the user passes --anyway."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import read_eval_log, write_eval_log

from inspect_discoverybench.cli.agree import agree
from tests.validation.logs import evaluated

Change = Callable[[dict[str, Any]], Any]


@pytest.fixture
def logs() -> tuple[str, str]:
    return evaluated()


def changed(log: str, name: str, change: Change, samples: slice = slice(None)) -> str:
    """A copy of a log in which the records of some scores are different."""
    copy = read_eval_log(log)
    for sample in (copy.samples or [])[samples]:
        assert sample.scores
        assert sample.scores["HMS"].metadata
        change(sample.scores["HMS"].metadata)
    write_eval_log(copy, name)
    return name


def run(*arguments: object) -> Result:
    return CliRunner().invoke(agree, [str(argument) for argument in arguments], env={"COLUMNS": "160"})


DIFFERENT: list[tuple[Change, str]] = [
    (lambda m: m.update(judge="openai/gpt-4o"), "judge: discoverybench/lexical and openai/gpt-4o"),
    (lambda m: m["settings"].update(temperature=0.3), "settings.temperature: 0.0 and 0.3"),
    (lambda m: m["settings"].update(max_tokens=900), "settings.max_tokens: not recorded and 900"),
    (lambda m: m["settings"].update(top_p=0.5), "settings.top_p: not recorded and 0.5"),
    (lambda m: m["settings"]["model_args"].update(stream=True), "settings.model_args.stream: not recorded and True"),
    (lambda m: m.update(gate=True), "gate: False and True"),
    (lambda m: m["prompts"].update(match_context="0" * 12), "prompts.match_context: "),
    (lambda m: m.pop("settings"), "settings: recorded and not recorded"),
]


@pytest.mark.parametrize(("change", "line"), DIFFERENT)
@pytest.mark.parametrize("samples", [slice(None), slice(3, None)], ids=["every sample", "one sample"])
@pytest.mark.usefixtures("sweep")
def test_scores_that_were_judged_differently_are_refused(
    logs: tuple[str, str], change: Change, line: str, samples: slice
) -> None:
    other = changed(logs[1], "other.eval", change, samples)
    result = run("sheet", logs[0], other)
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert line in result.output
    assert "--anyway" in result.output
    assert len(result.output.splitlines()) == 1
    assert not Path("agreement").exists()


def test_anyway_prints_the_differences_and_continues(logs: tuple[str, str]) -> None:
    other = changed(logs[1], "other.eval", lambda m: m["settings"].update(temperature=0.3))
    result = run("sheet", logs[0], other, "--anyway")
    assert result.exit_code == 0
    assert "settings.temperature: 0.0 and 0.3" in result.output
    votes = Path("votes.csv")
    votes.write_text("pair,annotator,choice\np001,Ann,1\n", "utf-8")
    from_logs = ("votes", "votes.csv", "--scores-from", logs[0], "--scores-from", other, "--key", "agreement/key.csv")
    without_anyway = run(*from_logs)
    assert without_anyway.exit_code == 1
    assert "settings.temperature: 0.0 and 0.3" in without_anyway.output
    with_anyway = run(*from_logs, "--anyway", "--json")
    assert with_anyway.exit_code == 0
    assert with_anyway.stdout.startswith("{")
    assert "settings.temperature: 0.0 and 0.3" in with_anyway.stderr


def test_logs_without_recorded_settings_are_still_read(logs: tuple[str, str]) -> None:
    old = [changed(log, f"old{n}.eval", lambda m: m.pop("settings")) for n, log in enumerate(logs)]
    assert run("sheet", *old).exit_code == 0


def test_differences_about_one_sample_are_ignored(logs: tuple[str, str]) -> None:
    other = changed(logs[1], "other.eval", lambda m: m.update(asked_again=3, replies={}, facets={}, extra=1))
    assert run("sheet", logs[0], other).exit_code == 0
