"""Reading judged samples: which logs can be used together."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.human_study.judged_sample import read_judged_samples
from inspect_discoverybench.human_study.labels import judge_answers
from inspect_discoverybench.human_study.votes import draw_pairs
from tests.human_study.logs import judged_logs

FIXTURES = Path(__file__).parents[1] / "fixtures" / "logs"
OLD_LOGS = [
    str(FIXTURES / "v1_react.eval"),
    str(FIXTURES / "v1_no_data_guess.eval"),
]


def with_record(log: str, **record: Any) -> str:
    """A copy of a log in which the records of all scores but one are different."""
    copy = read_eval_log(log)
    samples = copy.samples or []
    for sample in samples[1:]:
        scores = sample.scores or {}
        metadata = scores["HMS"].metadata or {}
        scores["HMS"].metadata = metadata | record
    write_eval_log(copy, "other.eval")
    return "other.eval"


@pytest.mark.usefixtures("slow")
def test_scores_that_were_judged_differently_are_refused_unless_they_are_accepted() -> None:
    first, second, _ = judged_logs()
    logs = [first, with_record(second, judge="openai/gpt-4o")]
    line = r"were judged differently: judge: mockllm/judge and openai/gpt-4o\. .*or pass --anyway\.$"
    with pytest.raises(InvalidArgument, match=line):
        read_judged_samples(logs, "HMS")
    samples, left_out = read_judged_samples(logs, "HMS", anyway=True)
    assert len(samples) == 10  # five of the eight samples of each log are judged
    assert left_out == {"unscored": 4, "no submission": 2}


@pytest.mark.usefixtures("slow")
def test_records_of_single_samples_may_differ() -> None:
    first, second, _ = judged_logs()
    # These fields do not say how a judge decides, and `extra` is not known to this version. So none is compared.
    other = with_record(second, asked_again=3, replies={}, facets={}, extra=1)
    samples, _ = read_judged_samples([first, other], "HMS")
    assert len(samples) == 10


def test_logs_of_task_version_1_are_read() -> None:
    samples, _ = read_judged_samples(OLD_LOGS, "HMS")
    assert len(draw_pairs(samples, 100, seed=0)) == 2  # each log has the same two samples
    assert all(judge_answers(sample) for sample in samples)


def test_a_score_that_no_sample_has_is_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"no sample has the score 'accuracy'\. Available scores: HMS\.$"):
        read_judged_samples(judged_logs(), "accuracy")
