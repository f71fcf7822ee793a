"""Reading judged samples: which logs can be used together."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from inspect_discoverybench.errors import DataMissing, InvalidArgument, UnreadableLog
from inspect_discoverybench.validation.judged_sample import JudgedSamples
from inspect_discoverybench.validation.label_sheet import has_replies
from inspect_discoverybench.validation.votes import find_pairs
from tests.validation.logs import evaluated

FIXTURES = Path(__file__).parents[1] / "fixtures" / "logs"
OLD = [str(FIXTURES / "v1_react.eval"), str(FIXTURES / "v1_no_data_guess.eval")]

Change = Callable[[dict[str, Any]], Any]


def changed(log: str, change: Change, samples: slice = slice(None)) -> str:
    """A copy of a log in which the records of some scores are different."""
    copy = read_eval_log(log)
    for sample in (copy.samples or [])[samples]:
        assert sample.scores
        assert sample.scores["HMS"].metadata
        change(sample.scores["HMS"].metadata)
    write_eval_log(copy, "other.eval")
    return "other.eval"


DIFFERENT: list[tuple[Change, str]] = [
    (lambda m: m.update(judge="openai/gpt-4o"), "judge: discoverybench/lexical and openai/gpt-4o"),
    (lambda m: m["settings"].update(max_tokens=900), "settings.max_tokens: not recorded and 900"),
    (lambda m: m["settings"]["model_args"].update(stream=True), "settings.model_args.stream: not recorded and True"),
    (lambda m: m.update(gate=True), "gate: False and True"),
    (lambda m: m["prompts"].update(match_context="0" * 12), "prompts.match_context: "),
    (lambda m: m.pop("settings"), "settings: recorded and not recorded"),
]


@pytest.mark.parametrize(("change", "line"), DIFFERENT, ids=[line for _, line in DIFFERENT])
@pytest.mark.usefixtures("sweep")
def test_scores_that_were_judged_differently_are_refused(change: Change, line: str) -> None:
    react, guess = evaluated()
    logs = [react, changed(guess, change, slice(3, None))]
    with pytest.raises(InvalidArgument, match=r"were judged differently: .*or pass --anyway\.$") as raised:
        JudgedSamples.read(logs, "HMS")
    assert line in raised.value.message
    accepted = JudgedSamples.read(logs, "HMS", anyway=True)
    assert len(accepted.samples) == 8
    assert line in (accepted.differences or "")


def test_differences_about_one_sample_are_ignored() -> None:
    react, guess = evaluated()
    other = changed(guess, lambda m: m.update(asked_again=3, replies={}, facets={}, extra=1))
    assert JudgedSamples.read([react, other], "HMS").differences is None


def test_logs_of_task_version_1_are_read() -> None:
    samples = JudgedSamples.read(OLD, "HMS").samples
    assert len(find_pairs(samples)) == 2
    assert all(has_replies(sample) for sample in samples)


def test_files_that_are_not_usable_logs() -> None:
    react, _ = evaluated()
    with pytest.raises(InvalidArgument, match=r"are logs of the same run, \w+\. Pass one log of each run\.$"):
        JudgedSamples.read([react, react], "HMS")
    with pytest.raises(InvalidArgument, match=r"no sample has the score 'accuracy'\. Available scores: HMS\.$"):
        JudgedSamples.read([react], "accuracy")
    with pytest.raises(DataMissing, match=r"^The file 'gone.eval' does not exist\."):
        JudgedSamples.read(["gone.eval"], "HMS")
    for name in ("votes.csv", "broken.eval", "broken.json"):
        Path(name).write_text("{}", "utf-8")
        with pytest.raises(UnreadableLog, match=rf"^{name} cannot be read: "):
            JudgedSamples.read([name], "HMS")
