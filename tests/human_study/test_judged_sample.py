"""Reading judged samples: which logs can be used together."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalSample, read_eval_log, write_eval_log
from inspect_ai.scorer import Score

from inspect_discoverybench.errors.exceptions import DataMissing, InvalidArgument
from inspect_discoverybench.human_study.judged_sample import read_judged_samples
from inspect_discoverybench.human_study.labels import judge_answers
from inspect_discoverybench.human_study.votes import draw_pairs
from tests.human_study.logs import judged_logs

FIXTURES = Path(__file__).parents[1] / "fixtures" / "logs"
OLD_LOGS = [str(FIXTURES / "v1_react.eval"), str(FIXTURES / "v1_no_data_guess.eval")]


def samples_of(log: str) -> list[EvalSample]:
    return read_eval_log(log).samples or []


def with_samples(log: str, samples: list[EvalSample]) -> str:
    """A copy of a log with other samples."""
    copy = read_eval_log(log)
    copy.samples = samples
    write_eval_log(copy, "other.eval")
    return "other.eval"


def with_record(log: str, **record: Any) -> str:
    """A copy of a log in which the records of all scores but one are different."""
    samples = samples_of(log)
    for sample in samples[1:]:
        score = (sample.scores or {})["HMS"]
        score.metadata = (score.metadata or {}) | record
    return with_samples(log, samples)


def test_scores_that_were_judged_differently_are_refused() -> None:
    first, second, _ = judged_logs()
    logs = [first, with_record(second, judge="openai/gpt-4o")]
    line = r"were judged differently: judge: mockllm/judge and openai/gpt-4o\. .*or pass --anyway\.$"
    with pytest.raises(InvalidArgument, match=line):
        read_judged_samples(logs, "HMS")
    samples, left_out = read_judged_samples(logs, "HMS", anyway=True)
    assert len(samples) == 10
    assert left_out == {"unscored": 4, "no submission": 2}


def test_records_of_single_samples_may_differ() -> None:
    first, second, _ = judged_logs()
    assert read_judged_samples([first, with_record(second, asked_again=3, replies={}, facets={}, extra=1)], "HMS")


def test_logs_of_task_version_1_are_read() -> None:
    samples, _ = read_judged_samples(OLD_LOGS, "HMS")
    assert len(draw_pairs(samples, 100, seed=0)) == 2
    assert all(judge_answers(sample) for sample in samples)


def test_a_run_counts_once_and_needs_the_score() -> None:
    log, *_ = judged_logs()
    once = read_judged_samples([log], "HMS")
    assert read_judged_samples([log, shutil.copy(log, "copy.eval")], "HMS") == once
    with pytest.raises(InvalidArgument, match=r"no sample has the score 'accuracy'\. Available scores: HMS\.$"):
        read_judged_samples([log], "accuracy")


def test_scores_of_other_packages_and_samples_without_metadata_are_refused() -> None:
    log, *_ = judged_logs()
    samples = samples_of(log)
    for sample in samples:
        sample.scores = {"HMS": Score(value={"hms": 3.0})}
    with pytest.raises(DataMissing, match=r"has hms = 3\.0, not a score"):
        read_judged_samples([with_samples(log, samples)], "HMS")
    samples = samples_of(log)
    for sample in samples:
        sample.metadata = {"goal": "Why?"}
    with pytest.raises(DataMissing, match="has no metadata, such as"):
        read_judged_samples([with_samples(log, samples)], "HMS")


def test_a_damaged_log_is_named_with_the_remedy() -> None:
    Path("broken.eval").write_text("{}", "utf-8")
    with pytest.raises(DataMissing, match=r"broken.eval: cannot be read: .* Repair it with `inspect log recover`"):
        read_judged_samples(["broken.eval"], "HMS")
