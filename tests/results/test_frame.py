"""One frame of samples from any mix of logs."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry, score
from inspect_ai.analysis import samples_df
from inspect_ai.log import EvalLog, ProvenanceData, edit_score, invalidate_samples, read_eval_log, write_eval_log
from inspect_ai.model import GenerateConfig, ModelConfig, ModelUsage
from inspect_ai.scorer import Score, ScoreEdit
from inspect_ai.solver import SolverSpec
from inspect_ai.util import SandboxEnvironmentSpec

from inspect_discoverybench import demo
from inspect_discoverybench.errors.exceptions import DataError
from inspect_discoverybench.report.contents import Contents
from inspect_discoverybench.report.notices import notices
from inspect_discoverybench.results.agent_record import recorded_agent
from inspect_discoverybench.results.columns import SAMPLE_COLUMNS, score_columns
from inspect_discoverybench.results.configuration import configurations_of
from inspect_discoverybench.results.frame import read_results
from inspect_discoverybench.results.log_reading import MIN_PARALLEL
from inspect_discoverybench.results.run_log import RunLog
from inspect_discoverybench.results.run_record import RunRecord
from inspect_discoverybench.results.sample_record import SampleRecord
from inspect_discoverybench.sandbox.image import image
from inspect_discoverybench.scorer.released_form import RELEASED_KEYS
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome
from inspect_discoverybench.scorer.scorer import hms
from tests import shared
from tests.endpoint import truthful
from tests.scorer.judging import InProcessJudge
from tests.shared import build_once
from tests.synthetic_logs import Run, write_logs
from tests.typed_results import results

DOCS = Path(__file__).parents[2] / "docs" / "analysis.md"

NOBODY = 65534
"""The id of a user without rights."""


@pytest.fixture(scope="session")
def demo_log() -> Path:
    """The log of a real eval with the offline models: two samples, two epochs."""

    def run() -> str:
        [log] = inspect_eval(
            demo(),
            model="discoverybench/baseline",
            solver=SolverSpec("discoverybench/react", args_passed={"turns": 20}),
            limit=2,
            epochs=2,
            log_dir=str(shared.folder() / "demo_results"),
        )
        return log.location

    return Path(build_once("demo_results", run))


def test_a_real_log_gives_one_row_for_each_sample_and_epoch(demo_log: Path) -> None:
    results = read_results([demo_log])
    epochs = [row.sample.epoch for row in results.rows]
    assert sorted(epochs) == [1, 1, 2, 2]
    columns = results.rows[0].columns
    product = columns["context"] * columns["variables"] * columns["relationship"]
    expected = {
        "task": "demo",
        "agent": "react",
        "agent_arguments": "turns=20",
        "model": "discoverybench/baseline",
        "judge": "discoverybench/lexical",
        "hms": product,
    }
    assert expected.items() <= columns.items()
    for name in ("judge_tokens", "cells", "hypothesis", "workflow", "prompts"):
        assert columns[name]


def test_the_public_columns_work_with_samples_df(demo_log: Path) -> None:
    inspect_frame = samples_df(str(demo_log), columns=SAMPLE_COLUMNS, quiet=True)
    our_frame = read_results([demo_log]).samples
    public_names = {column.name for column in SAMPLE_COLUMNS}
    # Our frame has columns of the released keys only if a sample has such a score, and here none has.
    assert public_names >= {*our_frame.columns, *RELEASED_KEYS}
    assert list(inspect_frame.hms) == list(our_frame.hms)
    assert list(inspect_frame.agent) == list(our_frame.agent) == ["react"] * 4
    assert list(inspect_frame.agent_arguments) == list(our_frame.agent_arguments)


def test_every_column_is_documented(demo_log: Path) -> None:
    text = DOCS.read_text("utf-8")
    results = read_results([demo_log])
    # Those of the package's own frame, and those for Inspect's `samples_df`.
    columns = {*results.samples, *(column.name for column in SAMPLE_COLUMNS)}
    assert [column for column in columns if f"`{column}`" not in text] == []


def test_errors_and_unscored_samples_have_no_score_and_missing_submissions_have_zero(tmp_path: Path) -> None:
    run = Run("real", "react", "provider/large", 0.3, errors=0.2, unscored=0.2, no_submission=0.3)
    paths = write_logs([run], tmp_path, samples=60)
    results = read_results(paths)
    by_outcome = results.samples.groupby("outcome")
    assert set(by_outcome.groups) == {*SampleOutcome} - {SampleOutcome.INVALIDATED}
    hms = by_outcome.hms
    scored = hms.count()
    assert scored[SampleOutcome.ERROR] == 0
    assert scored[SampleOutcome.UNSCORED] == 0
    # The outcome is `LIMIT` if a limit ended the sample before anything was submitted.
    highest = hms.max()
    assert highest[SampleOutcome.NO_SUBMISSION] == 0
    assert highest[SampleOutcome.LIMIT] == 0


def test_the_columns_of_scores_are_there_without_scores(tmp_path: Path) -> None:
    run = Run("real", "react", "provider/large", 0.3, errors=1.0)
    samples = read_results(write_logs([run], tmp_path, samples=2)).samples
    assert samples[["hms", "context", "variables", "relationship"]].isna().all(axis=None)


def test_a_log_that_was_scored_again_is_read_once_for_each_judge_with_the_latest_score(demo_log: Path) -> None:
    log = read_eval_log(str(demo_log))
    judge = InProcessJudge(truthful)
    roles = {"grader": judge.model}
    again = score(log, hms(), model_roles=roles, action="append")
    write_eval_log(again, "scored.eval")

    # In a later copy, the first sample has another score by the second judge, and the last sample has none.
    first, *_, last = again.samples or []
    assert first.scores
    first.scores["HMS1"] = Score(value={"hms": 0.25}, metadata=first.scores["HMS1"].metadata)
    (last.scores or {}).pop("HMS1")
    write_eval_log(again, "copy.json")  # the other format of Inspect's logs

    results = read_results([demo_log, "scored.eval", "copy.json"])
    by_sample = results.samples.groupby("uuid")
    judges = by_sample.judge.nunique()
    assert len(results.rows) == 8  # four samples, two judges
    assert judges.tolist() == [2, 2, 2, 2]  # the score that the copy lacks is that of `scored.eval`
    assert 0.25 in list(results.samples.hms)


def few_samples(folder: Path) -> EvalLog:
    """A log with four judged samples."""
    [path] = write_logs([Run("real", "react", "provider/large", 0.6)], folder, samples=4)
    return read_eval_log(str(path))


def test_samples_without_a_uuid_are_different_samples(tmp_path: Path) -> None:
    log = few_samples(tmp_path)
    for sample in log.samples or []:
        sample.uuid = None
    write_eval_log(log, "without.eval")
    ids = [row.sample.id for row in read_results(["without.eval"]).rows]
    assert ids == [f"test/{number}" for number in range(4)]


def test_the_columns_of_an_appended_score_work_with_samples_df(tmp_path: Path) -> None:
    log = few_samples(tmp_path)
    for sample in log.samples or []:
        assert sample.scores
        sample.scores["HMS1"] = Score(value={"hms": 0.25}, metadata=sample.scores["HMS"].metadata)
    write_eval_log(log, "appended.eval")
    frame = samples_df("appended.eval", columns=score_columns("HMS1"), quiet=True)
    assert list(frame.hms) == [0.25] * 4


# The scores of further judges are `HMS1`, `HMS2`, … These names are only similar.
@pytest.mark.parametrize("name", ["HMS_strict", "HMS1b", "HMSx"])
def test_a_score_of_another_scorer_is_no_further_judge(tmp_path: Path, name: str) -> None:
    log = few_samples(tmp_path)
    for sample in log.samples or []:
        assert sample.scores
        sample.scores[name] = Score(value="C")
    write_eval_log(log, "others.eval")
    assert [row.score.score for row in read_results(["others.eval"]).rows] == ["HMS"] * 4


@pytest.mark.parametrize(
    ("value", "outcome", "hms"),
    [
        (0.5, SampleOutcome.JUDGED, 0.5),
        ({"hms": 0.5}, SampleOutcome.JUDGED, 0.5),
        ("C", SampleOutcome.UNSCORED, None),
        ({"hms": "C"}, SampleOutcome.UNSCORED, None),
        ({"context": 1}, SampleOutcome.UNSCORED, None),
    ],
)
def test_an_edited_score_has_hms_or_is_unscored(
    tmp_path: Path, value: Any, outcome: SampleOutcome, hms: float | None
) -> None:
    log = few_samples(tmp_path)
    edit_score(log, "test/1", "HMS", ScoreEdit(value=value), recompute_metrics=False)
    write_eval_log(log, "edited.eval")
    [edited] = [row for row in read_results(["edited.eval"]).rows if row.sample.id == "test/1"]
    assert edited.score.outcome is outcome
    assert edited.score.values.get("hms") == hms


def test_a_missing_submission_with_an_edited_score_above_0_is_judged(tmp_path: Path) -> None:
    """Somebody has edited the score, because there was a hypothesis after all. The edit does not change the reason."""
    log = few_samples(tmp_path)
    _, second, third, _ = log.samples or []
    for sample in (second, third):
        sample.scores = {"HMS": Score(value={"hms": 0.0}, reason="no_response")}
    edit_score(log, "test/2", "HMS", ScoreEdit(value={"hms": 1.0}), recompute_metrics=False)
    write_eval_log(log, "edited.eval")
    outcomes = [(row.sample.id, row.score.outcome) for row in read_results(["edited.eval"]).rows]
    assert outcomes == [
        ("test/0", SampleOutcome.JUDGED),
        ("test/1", SampleOutcome.NO_SUBMISSION),
        ("test/2", SampleOutcome.JUDGED),
        ("test/3", SampleOutcome.JUDGED),
    ]


@pytest.fixture
def header(tmp_path: Path) -> EvalLog:
    run = Run("real", "react", "provider/large", 0.4)
    [path] = write_logs([run], tmp_path, samples=1)
    return read_eval_log(str(path), header_only=True)


def test_settings_of_the_model_are_shown_without_secrets_and_without_those_of_the_connection(header: EvalLog) -> None:
    header.eval.model_generate_config = GenerateConfig(
        max_retries=5,
        temperature=0.5,
        extra_headers={"X-Team": "hush"},
    )
    header.eval.model_args = {"api_key": "hush"}
    header.eval.model_base_url = "https://me:hush@models.example.org/v1?token=hush"
    header.plan.config = GenerateConfig(top_p=0.9)
    settings = RunRecord.of(header).model_settings
    assert "temperature=0.5" in settings
    assert "top_p=0.9" in settings
    [url] = [setting for setting in settings if setting.startswith("base_url")]
    assert url.startswith("base_url=https://models.example.org/v1 (sha256:")
    assert "max_retries=5" not in settings
    assert "hush" not in str(settings)


def test_limits_of_samples_are_shown_with_inspects_names(header: EvalLog) -> None:
    header.eval.config.time_limit = 60
    header.eval.config.token_limit = 5000
    header.eval.config.token_limit_type = "output"
    run = RunRecord.of(header)
    assert run.limits == ("message_limit=100", "time_limit=60", "token_limit=5000", "token_limit_type=output")


def test_models_of_roles_are_shown_without_their_urls_and_without_the_judge(header: EvalLog) -> None:
    critic = ModelConfig(model="a/b", config=GenerateConfig(temperature=0), base_url="http://node7:8000/v1")
    header.eval.model_roles = {"critic": critic, "grader": ModelConfig(model="c/d")}
    assert RunRecord.of(header).roles == ("critic=a/b (temperature=0.0)",)


@pytest.mark.parametrize(
    "change",
    [
        {"limits": "token_limit=9"},
        {"roles": "critic=a/b"},
        {"data_commit": "1"},
        {"model_settings": "temperature=1.0"},
        {"task_version": "2-A"},
    ],
    ids=str,
)
def test_runs_under_other_conditions_are_no_epochs_of_one_configuration(change: dict[str, str]) -> None:
    runs = [*results({"a": 1.0}), *results({"a": 0.0}, run="other", **change)]
    assert len(set(configurations_of(runs))) == 2


def test_only_settings_that_differ_are_named() -> None:
    limits = "message_limit=200, token_limit=100000, working_limit=3600"  # of all runs, so they are not named
    runs = [
        *results({"a": 1.0}, limits=limits),
        *results({"a": 1.0}, limits=f"cost_limit=5, {limits}", agent="codegen"),
        *results({"a": 1.0}, model_settings="seed=1, temperature=0.5", limits=limits, run="b"),
        *results({"a": 1.0}, model_settings="seed=1, temperature=0.7", limits=limits, run="c"),
    ]
    settings = [configuration.settings for configuration in configurations_of(runs)]
    assert settings == ["", "cost_limit=5", "seed=1, temperature=0.5", "seed=1, temperature=0.7"]

    # The last two runs have the same seed, so it is not named if only these two are compared.
    settings = [configuration.settings for configuration in configurations_of(runs[2:])]
    assert settings == ["temperature=0.5", "temperature=0.7"]


def test_runs_of_versions_with_the_same_number_are_of_one_configuration() -> None:
    # By default, results have the version 3-A.
    runs = [*results({"a": 1.0}), *results({"a": 0.0}, run="other", task_version="3-B")]
    assert len(set(configurations_of(runs))) == 1


def test_a_run_records_how_it_chose_its_samples(header: EvalLog) -> None:
    spec = header.eval
    spec.dataset.samples = 8
    assert RunRecord.of(header).selection == "all"
    spec.config.limit = 8
    assert RunRecord.of(header).selection == "all"
    spec.config.limit = (2, 5)  # `all` also stands for a range: it is neither `first` nor `shuffled`
    assert RunRecord.of(header).selection == "all"
    spec.config.limit = 5
    assert RunRecord.of(header).selection == "first"
    spec.dataset.shuffled = True
    assert RunRecord.of(header).selection == "shuffled"


@pytest.mark.parametrize(
    ("sandbox", "expected"),
    [(None, image()), ("local", None), (("docker", "other.yaml"), None), (("k8s", "other.yaml"), None)],
)
def test_a_run_in_another_sandbox_than_the_tasks_own_has_no_image_of_the_task(
    sandbox: Any, expected: str | None
) -> None:
    [log] = inspect_eval(
        demo(sandbox="docker"), model="discoverybench/baseline", sandbox=sandbox, run_samples=False, limit=1
    )
    assert RunRecord.of(log).image == expected


# A task of another package that returns one of ours need not have the argument `sandbox`.
@pytest.mark.parametrize("task_args", [{"sandbox": "k8s"}, {}], ids=["with the argument", "without it"])
def test_the_image_on_kubernetes_is_known_with_and_without_the_argument_sandbox(
    task_args: dict[str, Any], header: EvalLog
) -> None:
    spec = header.eval
    spec.sandbox = SandboxEnvironmentSpec("k8s", "values.yaml")
    spec.metadata = {"provenance": {"image": {"reference": "registry/image"}}}
    spec.task_args = task_args
    assert RunRecord.of(header).image == "registry/image"


def test_unrecorded_use_of_the_judge_and_costs_without_a_price_are_unknown(demo_log: Path) -> None:
    log = read_eval_log(str(demo_log))
    [sample, *_] = log.samples or []
    sample.role_usage = {}  # the sample was judged, and nothing is recorded about it
    sample.model_usage = {
        "a/b": ModelUsage(total_tokens=5, total_cost=0.5),
        "cached": ModelUsage(),  # no tokens, as if all replies were cached: they cost nothing, even without a price
    }
    record = SampleRecord.of(sample, recorded_agent(sample))
    assert record.judge_tokens is None
    assert record.judge_cost is None
    assert record.cost == 0.5
    sample.model_usage["without/price"] = ModelUsage(total_tokens=5)
    record = SampleRecord.of(sample, recorded_agent(sample))
    assert record.cost is None
    sample.scores = None  # the sample was not judged
    record = SampleRecord.of(sample, recorded_agent(sample))
    assert record.judge_tokens == 0


@pytest.mark.parametrize("judge", ["a/judge", "a/b"], ids=["another model", "the agent's model"])
def test_tokens_and_costs_of_the_agent_are_without_those_of_the_judge(demo_log: Path, judge: str) -> None:
    of_agent = ModelUsage(total_tokens=5, total_cost=0.5)
    of_judge = ModelUsage(total_tokens=3, total_cost=0.25)
    log = read_eval_log(str(demo_log))
    [sample, *_] = log.samples or []
    sample.role_usage = {"grader": of_judge}
    sample.model_usage = {"a/b": of_agent, judge: of_judge}
    if judge == "a/b":
        sample.model_usage = {"a/b": of_agent + of_judge}  # Inspect adds the use of a model in all its roles
    record = SampleRecord.of(sample, recorded_agent(sample))
    assert record.tokens == 5
    assert record.cost == pytest.approx(0.5)
    assert record.judge_tokens == 3
    assert record.judge_cost == pytest.approx(0.25)


def write_impossible(demo_log: Path, path: Path) -> None:
    """Write a copy of a log whose first sample has an HMS of 1.5."""
    log = read_eval_log(str(demo_log))
    [sample, *_] = log.samples or []
    sample.scores = {"HMS": Score(value={"hms": 1.5})}
    write_eval_log(log, str(path))


def write_failed(demo_log: Path, path: str, **changes: str) -> None:
    """Write a copy of a log with the status `error`, and with other values of these attributes of `EvalSpec`."""
    log = read_eval_log(str(demo_log))
    log.status = "error"
    log.eval = log.eval.model_copy(update=changes)
    write_eval_log(log, path)


def test_logs_that_cannot_be_used_are_listed_unless_a_later_retry_is_complete(demo_log: Path) -> None:
    Path("logs").mkdir()
    shutil.copy(demo_log, "logs/complete.eval")
    # Of the run of `complete.eval`, which is the retry of this log.
    write_failed(demo_log, "logs/retried.eval")
    # Of the same run, but later than `complete.eval`: it may have samples that `complete.eval` lacks.
    write_failed(demo_log, "logs/extended.eval", created="2100-01-01T00:00:00+00:00")
    write_failed(demo_log, "logs/failed.eval", task_id="other")
    write_failed(demo_log, "logs/shard.eval", task_id="third", eval_set_id="set")
    write_failed(demo_log, "logs/other.eval", task_id="other", task="other/task")
    write_impossible(demo_log, Path("logs/impossible.eval"))
    beginning = demo_log.read_bytes()[:5000]
    Path("logs/truncated.eval").write_bytes(beginning)

    results = read_results(["logs"])
    assert len(results.rows) == 4  # those of `complete.eval`: two samples, two epochs
    reasons = {Path(path).stem: reason for path, reason in results.left_out.items()}
    assert reasons.keys() == {"truncated", "extended", "failed", "shard", "other", "impossible"}
    assert reasons["truncated"].startswith("cannot be read: ")
    folder = Path("logs").resolve()
    retry = f"`inspect eval-retry {folder}/failed.eval --log-dir {folder}`"
    assert reasons["failed"] == f"has the status 'error'; complete it with {retry}"
    # A retry would run the samples of all shards.
    assert reasons["shard"] == "has the status 'error'; repeat the command that ran it"
    assert reasons["other"] == "has no DiscoveryBench results: its task is other/task"
    assert reasons["impossible"].endswith(" has hms = 1.5, not a score from 0 to 1")


@contextmanager
def ordinary_user() -> Iterator[None]:
    """Give up the right of root to read every file, if root runs the tests."""
    is_root = os.geteuid() == 0
    if is_root:
        Path.cwd().chmod(0o755)
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        if is_root:
            os.setresuid(0, 0, 0)


def test_a_log_without_permission_to_read_it_is_not_called_damaged(demo_log: Path) -> None:
    shutil.copy(demo_log, "private.eval")
    Path("private.eval").chmod(0)
    message = r"cannot be read: .*Permission denied.*\. Check its path and permissions\.$"
    with ordinary_user():
        with pytest.raises(DataError, match=message):
            read_results(["private.eval"])
        with pytest.raises(DataError, match=message):
            RunLog.read("private.eval")


def test_a_log_that_is_gone_is_not_called_damaged() -> None:
    with pytest.raises(DataError, match=r"gone\.eval cannot be read: .*\. Check its path and permissions\.$"):
        RunLog.read("gone.eval")


def invalidate_first(path: str, copy: str) -> str:
    """Write a copy of a log whose first sample is invalid. Returns the uuid of that sample."""
    log = read_eval_log(path)
    [first, *_] = log.samples or []
    assert first.uuid
    provenance = ProvenanceData(author="reviewer", reason="The data were wrong.")
    write_eval_log(invalidate_samples(log, [first.uuid], provenance), copy)
    return first.uuid


def test_valid_samples_of_a_log_with_invalid_ones_are_read_and_the_others_are_missing(demo_log: Path) -> None:
    invalid = invalidate_first(str(demo_log), "invalid.eval")
    results = read_results(["invalid.eval"])
    assert not results.left_out
    by_outcome = {row.sample.uuid: row.score.outcome for row in results.rows}
    assert len(by_outcome) == 4
    assert [uuid for uuid, outcome in by_outcome.items() if outcome is SampleOutcome.INVALIDATED] == [invalid]
    assert results.samples.hms.count() == 3

    contents = Contents.of(results)
    [notice] = [text for text in notices(contents.leaderboard, contents.results) if "invalidated" in text]
    assert notice.endswith("count as missing: 1. Replace them: `inspect eval-retry invalid.eval --log-dir .`.")


def test_of_two_copies_of_a_log_the_one_that_was_changed_last_counts(demo_log: Path) -> None:
    shutil.copy(demo_log, "before.eval")
    invalidate_first(str(demo_log), "later.eval")
    os.utime("before.eval", (0, 0))  # changed in 1970
    # Of the four samples, the later copy has invalidated one.
    assert read_results(["before.eval", "later.eval"]).samples.hms.count() == 3


def test_a_retry_replaces_invalid_samples(demo_log: Path) -> None:
    invalid = invalidate_first(str(demo_log), "invalid.eval")
    [retried] = eval_retry("invalid.eval", log_dir="retried")
    results = read_results(["invalid.eval", retried.location])
    assert results.samples.hms.count() == 4
    assert invalid not in set(results.samples.uuid)


def test_logs_are_read_in_order_by_several_processes(tmp_path: Path) -> None:
    run = Run("real", "react", "provider/large", 0.3)
    runs = [run] * MIN_PARALLEL  # fewer are read by one process
    # Inspect does not quote paths in its URLs, so these characters must stay as they are.
    paths = write_logs(runs, tmp_path / "a%20b #1", samples=1)
    results = read_results([tmp_path])
    logs = [Path(row.run.log) for row in results.rows]
    assert logs == paths


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (["empty"], r"The folder 'empty' has no Inspect logs\."),
        (["nowhere"], r"The path 'nowhere' does not exist\."),
        ([], r"There is no log to read\."),
        (["empty.eval"], r"None of 1 logs can be used\. empty.eval: cannot be read"),
    ],
)
def test_no_logs_is_one_clear_line(paths: list[str], message: str) -> None:
    Path("empty").mkdir()
    Path("empty.eval").touch()
    with pytest.raises(DataError, match=message):
        read_results(paths)
