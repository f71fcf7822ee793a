"""One frame of samples from any mix of logs."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from inspect_ai import Task, score
from inspect_ai import eval as inspect_eval
from inspect_ai.analysis import samples_df
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, ModelUsage
from inspect_ai.scorer import includes
from inspect_ai.solver import SolverSpec

from inspect_discoverybench import demo
from inspect_discoverybench.errors.exceptions import DataMissing
from inspect_discoverybench.results.columns import EXCLUDED_FIELDS, SAMPLE_COLUMNS
from inspect_discoverybench.results.frame import read_results
from inspect_discoverybench.results.sample_score import Outcome
from inspect_discoverybench.scorer.scorer import hms
from tests import shared
from tests.shared import build_once
from tests.synthetic_logs import JUDGE, Run, write_logs

DOCS = Path(__file__).parents[2] / "docs" / "analysis.md"


@pytest.fixture(scope="session")
def demo_log() -> Path:
    """The log of a real eval with the offline models: two samples, two epochs."""

    def run() -> str:
        [log] = inspect_eval(
            demo(),
            model="discoverybench/baseline",
            solver=SolverSpec("discoverybench/react", {"turns": 20}),
            limit=2,
            epochs=2,
            log_dir=str(shared.folder() / "demo_results"),
            display="none",
        )
        return log.location

    return Path(build_once("demo_results", run))


def test_a_real_log_gives_one_row_for_each_sample_and_epoch(demo_log: Path) -> None:
    samples = read_results(str(demo_log)).samples
    assert samples[["id", "epoch"]].value_counts().tolist() == [1, 1, 1, 1]
    row = samples.iloc[0]
    assert (row.task, row.split, row.agent, row.model) == ("demo", "demo", "react", "discoverybench/baseline")
    assert json.loads(row.agent_arguments) == {"turns": 20}
    assert row.judge == json.loads(row.judge_record)["judge"] == "discoverybench/lexical"
    assert row.hms == pytest.approx(row.context * row.variables * row.relationship)
    [sample, *_] = read_eval_log(str(demo_log)).samples or []
    assert row.tokens + row.judge_tokens == sum(usage.total_tokens for usage in sample.model_usage.values())
    assert row.judge_tokens > 0
    assert row.cells > 0
    assert all([row.hypothesis, row.workflow])
    assert "### Context" in row.explanation


def test_the_public_columns_work_with_samples_df(demo_log: Path) -> None:
    frame = samples_df(str(demo_log), columns=SAMPLE_COLUMNS, exclude_fields=EXCLUDED_FIELDS, quiet=True)
    assert frame.groupby("goal_type").hms.mean().between(0, 1).all()
    assert frame.context.dtype.kind == "f"


def test_every_column_is_documented() -> None:
    text = DOCS.read_text("utf-8")
    missing = [column.name for column in SAMPLE_COLUMNS if f"`{column.name}`" not in text]
    assert missing == []


def test_outcomes_are_told_apart_and_only_missing_submissions_score_zero(tmp_path: Path) -> None:
    run = Run("real", "react", "provider/large", 0.3, errors=0.2, unscored=0.2, no_submission=0.3)
    samples = read_results(write_logs([run], tmp_path, samples=60)).samples
    outcomes = samples.groupby("outcome").hms
    assert set(outcomes.groups) == {outcome.value for outcome in Outcome}
    assert outcomes.count()[[Outcome.ERROR, Outcome.UNSCORED]].tolist() == [0, 0]
    assert outcomes.max()[[Outcome.NO_SUBMISSION, Outcome.LIMIT]].tolist() == [0, 0]
    assert (outcomes.count() == outcomes.size())[[Outcome.NO_SUBMISSION, Outcome.LIMIT, Outcome.SCORED]].all()


def test_several_judges_give_a_row_each(tmp_path: Path) -> None:
    run = Run("real", "react", "provider/large", 0.3, second_judge=0.1)
    samples = read_results(write_logs([run], tmp_path, samples=10)).samples
    assert samples.hypothesis.notna().all()  # of the score; these samples have no state
    assert samples.groupby(["score", "judge"]).size().to_dict() == {("HMS", JUDGE): 10, ("HMS1", f"{JUDGE}-2"): 10}


def test_a_log_that_was_scored_again_is_read_once_for_each_judge(demo_log: Path, tmp_path: Path) -> None:
    log = read_eval_log(str(demo_log))
    shutil.copy(demo_log, tmp_path / "copy.eval")
    again = score(log, hms(grader="discoverybench/lexical", schema=False), action="overwrite", display="none")
    write_eval_log(again, str(tmp_path / "scored.eval"))
    samples = read_results([demo_log, tmp_path]).samples
    assert samples.groupby("uuid").judge_record.nunique().tolist() == [2, 2, 2, 2]
    assert len(samples) == 8


def test_the_latest_score_by_a_judge_wins_whatever_the_name_of_the_log(tmp_path: Path) -> None:
    run = Run("real", "react", "provider/large", 0.4, unscored=0.3, no_submission=0.2)
    [stale] = write_logs([run], tmp_path, samples=20)
    log = read_eval_log(str(stale))
    for sample in log.samples or []:
        score = (sample.scores or {})["HMS"]
        score.value, score.reason = {"hms": 1.0, "context": 1.0, "variables": 1.0, "relationship": 1.0}, None
    write_eval_log(log, str(stale.with_name("2026-01-01_a_scored_copy.eval")))
    for sample in log.samples or []:
        sample.scores = None
    write_eval_log(log, str(stale.with_name("2026-01-01_z_not_scored.eval")))
    for paths in ([tmp_path], [*sorted(tmp_path.iterdir(), reverse=True)]):
        samples = read_results(paths).samples
        assert samples.id.is_unique
        assert samples.hms.eq(1).all()


def test_a_retried_sample_counts_once(tmp_path: Path) -> None:
    run = Run("real", "react", "provider/large", 0.4, errors=0.3)
    [first] = write_logs([run], tmp_path, samples=20)
    assert set(read_results([tmp_path]).samples.outcome) == {"scored", "error"}
    [fixed] = write_logs([replace(run, errors=0.0)], tmp_path / "retry", samples=20)
    attempts = {sample.id: sample for sample in read_eval_log(str(first)).samples or []}
    retry = read_eval_log(str(fixed))
    retry.eval.created = "2026-01-01T02:00:00+00:00"
    for sample in retry.samples or []:
        assert sample.uuid
        sample.uuid = f"retry {sample.uuid}" if attempts[sample.id].error else sample.uuid
    write_eval_log(retry, str(fixed))
    samples = read_results([tmp_path]).samples
    assert (len(samples), set(samples.outcome)) == (20, {"scored"})


def test_settings_of_the_connection_are_no_settings_of_the_model(tmp_path: Path) -> None:
    [path] = write_logs([Run("real", "react", "provider/large", 0.4)], tmp_path, samples=2)
    log = read_eval_log(str(path))
    log.eval.model_generate_config = GenerateConfig(max_connections=5, timeout=10, temperature=0.5)
    log.eval.config.time_limit = 60
    write_eval_log(log, str(path))
    samples = read_results([path]).samples
    assert {*samples.model_settings, *samples.limits} == {'{"temperature": 0.5}', '{"messages": 100, "time": 60}'}


def test_unrecorded_use_of_the_judge_and_costs_without_a_price_are_unknown(demo_log: Path, tmp_path: Path) -> None:
    log = read_eval_log(str(demo_log))
    for number, sample in enumerate(log.samples or []):
        sample.role_usage, priceless = {}, {"d/e": ModelUsage(total_tokens=5)} if number else {}
        sample.model_usage = {"a/b": ModelUsage(total_tokens=5, total_cost=0.5), "cached": ModelUsage(), **priceless}
    write_eval_log(log, str(tmp_path / "2026-01-01_scored.eval"))
    samples = read_results([tmp_path]).samples
    assert samples[["judge_tokens", "judge_cost"]].isna().all(axis=None)
    assert samples.cost.fillna(-1).tolist() == [0.5, -1, -1, -1]


def test_logs_that_cannot_be_used_are_listed_with_the_reason(demo_log: Path, tmp_path: Path) -> None:
    shutil.copy(demo_log, tmp_path / "2026-01-01_good.eval")
    (tmp_path / "2026-01-01_truncated.eval").write_bytes(demo_log.read_bytes()[:5000])
    log = read_eval_log(str(demo_log))
    log.status = "error"
    write_eval_log(log, str(tmp_path / "2026-01-01_retried.eval"))
    log.eval.task_id = "other"
    write_eval_log(log, str(tmp_path / "2026-01-01_failed.eval"))
    other = Task(name="custom", dataset=[Sample(input="1 + 1", target="2")], scorer=includes())
    inspect_eval(other, model="mockllm/model", log_dir=str(tmp_path), display="none")
    results = read_results([tmp_path])
    assert len(results.samples) == 4
    reasons = {Path(log).stem.removeprefix("2026-01-01_"): reason for log, reason in results.left_out.items()}
    assert reasons.pop("failed") == "ended with an error; complete it with `inspect eval-retry`"
    assert reasons.pop("retried") == f"superseded by {tmp_path}/2026-01-01_good.eval"
    assert reasons.pop("truncated").startswith("cannot be read: ")
    assert list(reasons.values()) == ["has no DiscoveryBench results: its task is custom"]
    assert not any("\n" in reason for reason in results.left_out.values())


def test_logs_are_read_in_order_by_several_processes(tmp_path: Path) -> None:
    runs = [Run("real", "react", f"provider/{name}", 0.3) for name in ("large", "medium", "small")] * 3
    paths = write_logs(runs, tmp_path / "a%20b #1", samples=3)
    samples = read_results([tmp_path], workers=2).samples
    assert samples.log.tolist() == [str(path) for path in paths for _ in range(3)]


def test_no_logs_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match=r"The folder '.*' has no Inspect logs\."):
        read_results([tmp_path])
    with pytest.raises(DataMissing, match=r"The path 'nowhere' does not exist\."):
        read_results(["nowhere"])
    with pytest.raises(DataMissing, match=r"There is no log to read\."):
        read_results([])
    (tmp_path / "2026-01-01_empty.eval").touch()
    with pytest.raises(DataMissing, match=r"None of 1 logs can be used\. .*empty.eval: cannot be read"):
        read_results([tmp_path])
