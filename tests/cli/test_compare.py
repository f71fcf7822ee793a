"""`discoverybench compare`: paired comparison of systems."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match

from inspect_discoverybench.cli.main import main
from tests import shared
from tests.shared import build_once
from tests.synthetic_logs import Run, write_logs

OLD_LOGS = Path(__file__).parents[1] / "fixtures" / "logs"
TASKS = 30
STRONG = Run("real", "react", "provider/large", 0.6)
WEAK = Run("real", "react", "provider/small", 0.1)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["compare", *map(str, arguments)], env={"COLUMNS": "80"})


def as_json(*arguments: object) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    """A weak and a strong run on the same tasks."""

    def write() -> list[str]:
        return [str(path) for path in write_logs([WEAK, STRONG], shared.folder() / "compared", samples=TASKS)]

    return [Path(shutil.copy(path, tmp_path)) for path in build_once("compared", write)]


def test_the_candidate_is_compared_with_the_baseline_on_common_tasks(logs: list[Path]) -> None:
    comparison = as_json(*logs)
    [pair] = comparison["pairs"]
    [hms, *_] = pair["keys"]
    assert [key["key"] for key in pair["keys"]] == ["hms", "context", "variables", "relationship"]
    paired, baseline = hms["paired"], hms["baseline"]
    assert hms["candidate"]["mean"] - baseline["mean"] == pytest.approx(paired["difference"])
    assert 0 < baseline["on_these_tasks"]["low"] < baseline["mean"] < baseline["on_these_tasks"]["high"]
    these, new = paired["on_these_tasks"], paired["on_new_studies"]
    assert 0 < these["low"] < 0.5 < these["high"]
    assert paired["wins"] + paired["losses"] + paired["ties"] == pair["common"] == TASKS
    assert these["p_value"] < 0.001 < these["smallest_detectable"] < 0.5
    assert (new["studies"], baseline["on_new_studies"]["studies"]) == (14, 14)
    assert new["low"] <= these["low"] < new["lowest"] < new["macro_average"] < new["highest"] < these["high"]


def test_the_printed_table_fits_a_terminal_of_80_columns(logs: list[Path]) -> None:
    output = run(*logs).output
    assert "…" not in output
    assert max(map(len, output.splitlines())) <= 80
    text = " ".join(output.split())
    assert "Baseline react · provider/small 30 of 239 tasks (30 selected: archaeology 6, " in text
    assert "30 common tasks" in text
    assert "On these tasks, the difference in HMS is significant at level 0.05." in text
    assert "On new studies like these, it is significant at level 0.05 (p < 0.001; 95% CI " in text
    assert "Smallest difference that this test detects with power 0.8: " in text


def test_systems_are_selected_from_one_folder(logs: list[Path]) -> None:
    folder = logs[0].parent
    selection = as_json(f"{folder}:model=provider/small", f"{folder}:agent=react,model=provider/large")
    assert selection["pairs"] == as_json(*logs)["pairs"]
    assert selection["pairs"] == as_json(folder)["pairs"]
    assert as_json(f"{folder}:reveals_gold=none")["pairs"] == selection["pairs"]
    [pair] = as_json(f"{folder}:model=provider/small,goal_type=context", f"{folder}:model=provider/large")["pairs"]
    assert 0 < pair["common"] < TASKS
    assert pair["only_candidate"] == TASKS - pair["common"]


@pytest.mark.usefixtures("sweep")
def test_a_worse_candidate_fails_only_beyond_the_margin(logs: list[Path]) -> None:
    weak, strong = logs
    assert run(weak, strong, "--fail-if-worse", "0.02").exit_code == 0
    assert run(strong, strong, "--fail-if-worse", "0").exit_code == 0
    result = run(strong, weak, "--fail-if-worse", "0.02")
    assert result.exit_code == 1
    assert result.stderr.startswith("The candidate's mean is below the baseline's by more than 0.02: ")
    assert run(strong, weak, "--fail-if-worse", "0.9").exit_code == 0


def test_missing_scores_count_against_the_candidate(tmp_path: Path) -> None:
    logs = write_logs([STRONG, replace(STRONG, errors=0.9)], tmp_path, samples=40)
    result = run(*logs, "--fail-if-worse", "0.1")
    assert (result.exit_code, result.stderr[:13]) == (1, "The candidate")


@pytest.mark.usefixtures("sweep")
def test_more_than_two_systems_are_compared_pairwise_and_ranked(tmp_path: Path) -> None:
    middle = Run("real", "react", "provider/medium", 0.3)
    paths = write_logs([WEAK, STRONG, middle], tmp_path, samples=TASKS)
    comparison = as_json(*paths)
    assert [rank["system"].split("/")[1] for rank in comparison["ranking"]] == ["large", "medium", "small"]
    assert sum(rank["first_share"] for rank in comparison["ranking"]) == pytest.approx(1)
    assert comparison["ranking"][0]["first_share"] > 0.9
    adjusted = comparison["pairs"][0]["keys"][0]["paired"]["on_these_tasks"]
    alone = as_json(*paths[:2])["pairs"][0]["keys"][0]["paired"]["on_these_tasks"]
    assert adjusted["p_value"] == pytest.approx(3 * alone["p_value"])
    assert adjusted["low"] < alone["low"]
    assert adjusted["high"] > alone["high"]
    assert "intervals and p-values adjusted for their number" in run(*paths).output
    assert "needs two systems and a number, got 3 and 0." in run(*paths, "--fail-if-worse", "0").stderr


@pytest.mark.usefixtures("sweep")
def test_differently_judged_scores_are_refused(logs: list[Path]) -> None:
    log = read_eval_log(str(logs[1]))
    for sample in log.samples or []:
        for score in (sample.scores or {}).values():
            score.metadata = {**(score.metadata or {}), "prompts": {"system": "fe9876543210"}}
    write_eval_log(log, str(logs[1]))
    result = run(*logs)
    assert result.exit_code == 2
    assert "prompts.system: 0123456789ab and fe9876543210" in result.stderr
    assert result.stderr.endswith("Use comparable logs, or pass --anyway.\n")
    assert result.stderr.count("\n") == 1
    warning = "Warning: react · provider/small and react · provider/large were judged differently: "
    assert warning in run(*logs, "--anyway").stderr


def test_judges_of_one_log_are_compared_when_asked_for(tmp_path: Path) -> None:
    [log] = write_logs([Run("real", "react", "provider/large", 0.4, second_judge=0.2)], tmp_path, samples=40)
    operands = (f"{log}:score=HMS", f"{log}:score=HMS1")
    assert "judge: provider/judge and provider/judge-2" in run(*operands).stderr
    [pair] = as_json(*operands, "--anyway")["pairs"]
    assert pair["common"] == 40
    assert "only HMS is compared. The logs also have HMS1; select a score with --score." in run(log, log).stderr


@pytest.mark.usefixtures("sweep")
def test_different_gold_hypotheses_data_and_task_versions_are_refused(logs: list[Path]) -> None:
    log = read_eval_log(str(logs[1]))
    assert log.samples
    log.samples[3].target = "Something else."
    write_eval_log(log, str(logs[1]))
    assert f"the gold hypotheses or targets of the sample {log.samples[3].id} differ" in run(*logs).stderr
    log.eval.task_version = "4-A"
    write_eval_log(log, str(logs[1]))
    assert "the task versions differ (3 and 4)" in run(*logs).stderr


def test_differences_in_the_provenance_are_noted_and_changed_data_files_are_refused(logs: list[Path]) -> None:
    for number, path in enumerate(logs):
        log = read_eval_log(str(path))
        log.eval.metadata = {
            "provenance": {
                "package": f"0.{number}.0",
                "image": {"reference": f"sandbox:{number}"},
                "prompts": {"solvers/react": str(number), "solvers/task": "same"},
            }
        }
        log.eval.config.epochs_reducer = ["max"] if number else None
        write_eval_log(log, str(path))
    pair = "react · provider/small and react · provider/large"
    assert as_json(*logs)["notes"] == [
        f"{pair}: the versions of inspect-discoverybench differ (0.0.0 and 0.1.0).",
        f"{pair}: the sandbox images differ (sandbox:0 and sandbox:1).",
        f"{pair}: these prompts differ: solvers/react.",
        "The logs of react · provider/large reduce epochs by max; here, epochs are averaged.",
    ]
    assert f"Note: {pair}: these prompts differ: solvers/react.\n" in run(*logs).stderr
    log = read_eval_log(str(logs[1]))
    assert log.samples
    log.samples[5].metadata["data_checksums"] = {"data.csv": "changed"}
    write_eval_log(log, str(logs[1]))
    assert f"the data files of the sample {log.samples[5].id} differ" in run(*logs).stderr


def other_benchmark(folder: Path, answers: list[str]) -> str:
    """A log of a benchmark that is not ours."""
    outputs = [ModelOutput.from_content("model", answer) for answer in answers]
    for output in outputs:  # otherwise Inspect fetches a tokenizer
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    samples = [Sample(id=number, input=f"{number} + 1 =", target=str(number + 1)) for number in range(len(answers))]
    [log] = inspect_eval(
        Task(name="arithmetic", dataset=samples, scorer=match()),
        model=get_model("mockllm/model", custom_outputs=outputs),
        log_dir=str(folder),
        display="none",
        max_samples=1,
    )
    assert log.status == "success"
    return log.location


def test_logs_of_any_benchmark_are_compared(tmp_path: Path) -> None:
    right, wrong = (other_benchmark(tmp_path, answers) for answers in (["1", "2", "3"], ["0", "2", "0"]))
    [pair] = as_json(wrong, right)["pairs"]
    [key] = pair["keys"]
    assert key["baseline"]["mean"] == pytest.approx(1 / 3)
    assert key["candidate"]["mean"] == 1
    assert (key["paired"]["wins"], key["paired"]["losses"], key["paired"]["ties"]) == (2, 0, 1)
    assert "On new studies like these, nothing can be said" in run(wrong, right).output


def test_logs_that_are_left_out_are_named(logs: list[Path]) -> None:
    (logs[0].parent / "2026-01-02_broken.eval").touch()
    result = run(logs[0].parent)
    assert result.exit_code == 0
    assert f"Left out {logs[0].parent}/2026-01-02_broken.eval: cannot be read: " in result.stderr
    assert len(as_json(logs[0].parent)["left_out"]) == 1


@pytest.mark.parametrize(
    ("operands", "message"),
    [
        (["nowhere", "nowhere"], "The path 'nowhere' does not exist. Check the spelling or pass an absolute path."),
        (["{0}"], "{0} has a single configuration, react · provider/small. Name at least two logs, folders or "),
        (["{0}", "{1}:model=x"], "{1}:model=x: no sample has model=x. Values in the logs: provider/large."),
        (["{0}", "{1}", "--fail-if-worse", "nan"], "--fail-if-worse needs two systems and a number, got 2 and nan."),
        (["{0}", "{1}", "--score", "speed"], "{0} has no numeric score 'speed'. Select one with --score: HMS, "),
    ],
)
@pytest.mark.usefixtures("sweep")
def test_invalid_operands_are_one_line_and_exit_code_2(logs: list[Path], operands: list[str], message: str) -> None:
    result = run(*(operand.format(*logs) for operand in operands))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {message.format(*logs)}")
    assert result.stderr.count("\n") == 1
