"""Every command in the README and in docs, run as written except for the models.

Offline models replace models that need an API key, and each evaluation runs one sample in the local sandbox. The
commands of a page run in order in one folder, as a reader would run them.
"""

import csv
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from inspect_discoverybench.validation.answers import Step
from tests.documentation.commands import PAGES, REPOSITORY, commands_of, run_command

NOT_RUN = {
    "pip install inspect-discoverybench": "test_end_to_end.py installs the wheel",
    "inspect view": "a server; test_viewer.py starts it",
    "scout view": "a server",
    "discoverybench report logs/fig4_real --judge-labels judge_labels": "needs labels; test_judge_errors.py has some",
    "make demo": "creates an environment; CI does so with `make check`",
    ".venv/bin/inspect eval discoverybench/real --limit 5 --model none --solver discoverybench/gold "
    "--model-role grader=discoverybench/lexical": "needs Docker; test_suite.py runs it in containers",
    "python evals/suite/nightly.py --min-hms 0.8": "test_suite.py runs it",
    "python evals/suite/nightly.py --task discoverybench/real --model openai/gpt-5 --grader openai/gpt-4o-2024-08-06 "
    "--limit 40 --min-hms 0.1 --log-dir logs/2026-11-22": "test_suite.py runs the script with offline models",
    "inspect eval discoverybench/demo --model openai/gpt-4o --approval evals/suite/approval.yaml": (
        "asks a person; test_suite.py answers"
    ),
    "discoverybench run fig4_real --model openai/gpt-4o-2024-08-06": "all test samples; the dry run before it is run",
    "discoverybench run fig4_synth --model openai/gpt-4o-2024-08-06": "all test samples; the dry run before it is run",
    ".venv/bin/python scripts/evaluation_report.py logs/fig4_real logs/fig4_synth": "test_evaluation_report.py runs it",
    "discoverybench doctor --model openai/gpt-4o --grader openai/gpt-4o-2024-08-06": (
        "the offline judge fails its audit; doctor/ sends the requests to a loopback server"
    ),
    "inspect eval-set discoverybench/real --solver human_cli -S record_session=false --sample-shuffle 1 --limit 10 "
    "--max-samples 1 --working-limit 14400 --log-dir logs/human": "needs a person; solvers/test_person.py plays one",
    "inspect eval discoverybench/real --model openai/gpt-4o -T sandbox=k8s -T image=NAME:TAG@DIGEST": (
        "needs a cluster; test_kubernetes.py checks the values"
    ),
    "make image-push REGISTRY=registry.example.org/team": "needs a registry; test_sandbox.py runs the script's checks",
    "sbatch demo.sh": "experiment/test_slurm.py submits the script",
    "sbatch --array=1-4%2 demo.sh": "the same",
    "sbatch --array=2,4 demo.sh": "the same",
    "seq 16 | parallel -j 4 discoverybench run mine.yaml --shard {}/16": "GNU parallel; other shards are run",
    "discoverybench data fetch": "downloads; dataset/test_released.py fetches from a loopback server",
}
"""Commands that this test does not run, and where they are covered."""

EXIT_CODES = {"discoverybench run mine.yaml --shards 16 --status": 1}
"""Exit codes other than 0: here, shards are missing."""

PLACEHOLDERS = {
    "$((JOB_COMPLETION_INDEX + 1))": "1",
    "FILE": "examples/lighthouses/metadata_0.json",
    "PROVIDER/MODEL": "discoverybench/baseline",
    "A.eval B.eval": "logs/earlier/react.eval logs/earlier/codegen.eval",
    "BASELINE CANDIDATE": "logs/earlier/react.eval logs/earlier/codegen.eval",
    "old.eval new.eval": "logs/earlier/react.eval logs/earlier/react.eval",
    "logs/LOG.eval": "logs/earlier/react.eval",
    "…": "How do visitors depend on the height of the tower?",
}
ANSWER_KEY = """\
dataset,metadataid,query_id,gold_hypo
lighthouses,0,0,"On islands, each metre of tower height goes with about 80 more visitors a year."
"""
EXPERIMENT = """\
name: mine
tasks: [discoverybench/demo]
solvers: [discoverybench/gold]
models: [discoverybench/baseline]
log_dir: logs/mine
"""
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "TOGETHER_API_KEY", "GOOGLE_API_KEY", "GROQ_API_KEY")


def offline(command: str) -> str:
    """The command with offline models instead of those that need a key, and with the offline judge."""
    judge = "discoverybench/lexical"
    if command.startswith(("inspect eval ", "inspect score ")) and "grader=" not in command:
        command += f" --model-role grader={judge}"
    for placeholder, value in PLACEHOLDERS.items():
        command = command.replace(placeholder, value)
    command = re.sub(r"(grader=|judge_audit --model )(openai|anthropic)/[\w.-]+", rf"\g<1>{judge}", command)
    command = command.partition(" > ")[0]
    return re.sub(r"\b(openai|anthropic)/[\w.-]+", "discoverybench/baseline", command)


@pytest.fixture(scope="module")
def demo_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of each of two agents."""
    folder = tmp_path_factory.mktemp("demo")
    for solver in ("react", "codegen"):
        command = f"inspect eval discoverybench/demo --model discoverybench/baseline --solver discoverybench/{solver}"
        code, output = run_command(f"{command} --limit 2 --log-dir {solver} --display none", folder, os.environ)
        assert code == 0, output
        [log] = (folder / solver).glob("*.eval")
        log.rename(folder / f"{solver}.eval")
    return folder


@pytest.fixture
def documented(demo_logs: Path, tmp_path: Path, page: Path) -> Path:
    """A folder with the files that the documentation assumes its reader to have."""
    folder = tmp_path / "project"
    # A page that runs an experiment starts without its logs.
    text = page.read_text("utf-8")
    others = [name for name in ("demo", "fig4_real", "fig4_synth") if not re.search(rf"run (evals/)?{name}\b", text)]
    for name in ("earlier", *others):
        (folder / "logs" / name).mkdir(parents=True)
        for log in demo_logs.glob("*.eval"):
            shutil.copy(log, folder / "logs" / name)
    for name in ("evals", "examples"):
        (folder / name).symlink_to(REPOSITORY / name)
    shutil.copytree(REPOSITORY / "examples" / "lighthouses", folder / "my_studies" / "lighthouses")
    (folder / "key.csv").write_text(ANSWER_KEY, "utf-8")
    (folder / "mine.yaml").write_text(EXPERIMENT, "utf-8")
    shutil.copy(next((REPOSITORY / "examples" / "trees").glob("*.json")), folder / "library.json")
    return folder


def write_votes(folder: Path) -> None:
    """The files that three annotators of `sheet` send back."""
    pairs = [row["pair"] for row in rows(folder / "sheet" / "key.csv")]
    for annotator in ("Ann", "Ben", "Chloé"):
        lines = ["pair,annotator,choice", *(f"{pair},{annotator},1" for pair in pairs)]
        (folder / f"votes_{annotator}.csv").write_text("\n".join(lines), "utf-8")


def write_labels(folder: Path) -> None:
    """The files that two annotators of `judge_labels` send back."""
    items = [row["item"] for row in rows(folder / "judge_labels" / "key.csv") if row["relationship"]]
    for annotator in ("Ann", "Ben"):
        lines = [f"item,annotator,{','.join(Step)}", *(f"{item},{annotator},,,,,right" for item in items)]
        (folder / f"labels_{annotator}.csv").write_text("\n".join(lines), "utf-8")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


PREPARE: dict[str, Callable[[Path], None]] = {
    "discoverybench agree votes labels_": write_labels,
    "discoverybench agree votes votes_": write_votes,
}
"""What people do before a command that begins like this."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run(
    page: Path, upstream: Path, documented: Path, sweep: None, command_line: None
) -> None:
    environment = {
        **os.environ,
        **dict.fromkeys(KEYS, "not-used"),
        "DISCOVERYBENCH_DATA_DIR": str(upstream),
        # A command that calls a provider all the same fails at once.
        **dict.fromkeys(("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"), "http://127.0.0.1:9"),
        "INSPECT_EVAL_MAX_RETRIES": "0",
        "INSPECT_EVAL_SANDBOX": "local",
        "INSPECT_LOG_DIR": "logs",
        "INSPECT_DISPLAY": "none",
    }
    failures = []
    for command in commands_of(page):
        if command in NOT_RUN:
            continue
        for beginning, prepare in PREPARE.items():
            if command.startswith(beginning):
                prepare(documented)
        limit = {} if "--limit" in command or "--sample-id" in command else {"INSPECT_EVAL_LIMIT": "1"}
        code, output = run_command(offline(command), documented, {**environment, **limit})
        if code != EXIT_CODES.get(command, 0):
            failures.append(f"{command}: exit code {code}\n{output}")
    assert not failures, "\n".join(failures)
    for log in list_eval_logs(str(documented / "logs")):
        assert read_eval_log(log, header_only=True).status == "success", log.name


def test_every_exception_is_still_documented() -> None:
    assert set(NOT_RUN) <= {command for page in PAGES for command in commands_of(page)}
