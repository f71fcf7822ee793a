"""Reading judged samples: which logs can be used together."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.scorer import Score

from inspect_discoverybench.errors.exceptions import InvalidArgument, UnreadableLog
from inspect_discoverybench.human_study.judged_sample import read_judged_samples
from inspect_discoverybench.human_study.labels import has_replies
from inspect_discoverybench.human_study.votes import draw_pairs
from tests.human_study.logs import judged_logs

FIXTURES = Path(__file__).parents[1] / "fixtures" / "logs"
OLD = [str(FIXTURES / "v1_react.eval"), str(FIXTURES / "v1_no_data_guess.eval")]


def changed(log: str, **record: Any) -> str:
    """A copy of a log in which the records of all scores but one are different."""
    copy = read_eval_log(log)
    for sample in (copy.samples or [])[1:]:
        (sample.scores or {})["HMS"].metadata = ((sample.scores or {})["HMS"].metadata or {}) | record
    write_eval_log(copy, "other.eval")
    return "other.eval"


def test_scores_that_were_judged_differently_are_refused() -> None:
    first, second, _ = judged_logs()
    logs = [first, changed(second, judge="openai/gpt-4o")]
    line = r"were judged differently: judge: mockllm/judge and openai/gpt-4o\. .*or pass --anyway\.$"
    with pytest.raises(InvalidArgument, match=line):
        read_judged_samples(logs, "HMS")
    samples, left_out = read_judged_samples(logs, "HMS", anyway=True)
    assert (len(samples), left_out) == (10, {"unscored": 4, "no submission": 2})
    # Records of a single sample may differ.
    assert read_judged_samples([first, changed(second, asked_again=3, replies={}, facets={}, extra=1)], "HMS")


def test_logs_of_task_version_1_are_read() -> None:
    samples, _ = read_judged_samples(OLD, "HMS")
    assert len(draw_pairs(samples, 100, seed=0)) == 2
    assert all(has_replies(sample) for sample in samples)


def test_files_that_are_not_usable_logs() -> None:
    log, *_ = judged_logs()
    with pytest.raises(InvalidArgument, match=r"are logs of the same run, \w+\. Pass one log of each run\.$"):
        read_judged_samples([log, shutil.copy(log, "copy.eval")], "HMS")
    with pytest.raises(InvalidArgument, match=r"no sample has the score 'accuracy'\. Available scores: HMS\.$"):
        read_judged_samples([log], "accuracy")
    copy = read_eval_log(log)
    for change, line in (({"HMS": {"hms": 3.0}}, r"has hms = 3\.0, not a score"), ({}, "has no metadata, such as")):
        for sample in copy.samples or []:
            sample.scores = {name: Score(value=value) for name, value in change.items()} or sample.scores
            sample.metadata = sample.metadata if change else {"goal": "Why?"}
        write_eval_log(copy, "changed.eval")
        with pytest.raises(UnreadableLog, match=line):
            read_judged_samples(["changed.eval"], "HMS")
    Path("broken.eval").write_text("{}", "utf-8")
    with pytest.raises(UnreadableLog, match=r"^broken.eval cannot be read: .* Repair it with `inspect log recover`"):
        read_judged_samples(["broken.eval"], "HMS")
