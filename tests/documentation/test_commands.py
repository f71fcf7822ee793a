"""Every command in the README and in docs, run as written except for the models.

Offline models replace models that need an API key, and each evaluation runs one sample in the local sandbox. The
commands of a page run in order in one folder, as a reader would run them.
"""

import os
import re
import shutil
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from tests.documentation.commands import PAGES, REPOSITORY, commands_of, run_command

NOT_RUN = re.compile(
    # Installation, servers, downloads and release: the wheel and the scripts have tests or CI jobs of their own.
    r"(pip|make|export|python|source|\.venv/bin/\w+) |(inspect|scout) view( --log-dir \S+)?$|discoverybench data fetch"
    # Images with other agents (`make test-agents`).
    r"|(base|folder)=|docker build |.*--solver inspect_swe/"
    # A public repository, an object store, and a run that outlives the test.
    r"|git clone |.*path=neurodiscoverybench/|.* s3://|.* --detach"
    # A person, a cluster, Slurm, GNU parallel, a provider, and files of annotators: their tests stand in for these.
    r"|.* (--approval|--solver human_cli|-T sandbox=k8s)|(sbatch|seq) |discoverybench doctor"
    r"|discoverybench (agree votes|status)|.*--judge-labels|discoverybench run fig4_\w+ --model \S+$"
)
"""Commands that this test does not run."""

PLACEHOLDERS = {
    "$((JOB_COMPLETION_INDEX + 1))": "1",
    "PROVIDER/MODEL": "discoverybench/baseline",
    "BASELINE CANDIDATE": "logs/earlier/react.eval logs/earlier/codegen.eval",
    "old.eval new.eval": "logs/earlier/codegen.eval logs/earlier/react.eval",
    "logs/LOG.eval": "logs/earlier/react.eval",
    # The study of the test has a metadata file already.
    "describe my_studies/lighthouses/visits.csv": "describe undescribed/visits.csv",
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
PRICES = "openai/gpt-4o: {input: 2.5, output: 10, input_cache_write: 2.5, input_cache_read: 1.25}\n"


def offline(command: str) -> str:
    """The command with offline models instead of those that need a key, and with the offline judge."""
    judge = "discoverybench/lexical"
    if command.startswith(("inspect eval ", "inspect score ")) and "grader=" not in command:
        command += f" --model-role grader={judge}"
    for placeholder, value in PLACEHOLDERS.items():
        command = command.replace(placeholder, value)
    command = command.partition(" > ")[0]
    judges = r"(grader=|judge_audit --model |--judge )(openai|anthropic|ollama)/[\w.:-]+"
    command = re.sub(judges, rf"\g<1>{judge}", command)
    agents = r"\b(openai|anthropic|ollama)/[\w.:-]+"
    return re.sub(agents, "discoverybench/baseline", command)


@pytest.fixture(scope="module")
def demo_logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of each of two agents."""
    folder = tmp_path_factory.mktemp("demo")
    logs = tmp_path_factory.mktemp("logs")
    demo = "inspect eval discoverybench/demo --model discoverybench/baseline --limit 2 --display none"
    for solver in ("react", "codegen"):
        command = f"{demo} --solver discoverybench/{solver} --log-dir {solver}"
        code, output = run_command(command, folder, os.environ)
        assert code == 0, output
        [log] = (folder / solver).glob("*.eval")
        log.rename(logs / f"{solver}.eval")
    return logs


@pytest.fixture
def documented(demo_logs: Path, tmp_path: Path, page: Path) -> Path:
    """A folder with the files that the documentation assumes its reader to have."""
    folder = tmp_path / "project"
    # A page that runs an experiment starts without its logs.
    text = page.read_text("utf-8")
    for name in ("earlier", "demo", "fig4_real", "fig4_synth"):
        is_run = re.search(rf"run (evals/)?{name}\b", text)
        if not is_run:
            shutil.copytree(demo_logs, folder / "logs" / name)
    examples = REPOSITORY / "examples"
    (folder / "evals").symlink_to(REPOSITORY / "evals")
    (folder / "examples").symlink_to(examples)
    shutil.copytree(examples / "lighthouses", folder / "my_studies" / "lighthouses")
    (folder / "undescribed").mkdir()
    shutil.copy(examples / "lighthouses" / "visits.csv", folder / "undescribed")
    (folder / "key.csv").write_text(ANSWER_KEY, "utf-8")
    (folder / "mine.yaml").write_text(EXPERIMENT, "utf-8")
    (folder / "prices.yaml").write_text(PRICES, "utf-8")
    trees = examples / "trees"
    [tree, *_] = trees.glob("*.json")
    shutil.copy(tree, folder / "library.json")
    return folder


# A page may have a dozen commands, each of which loads Inspect with its plugins, and `try` runs all agents in Docker.
@pytest.mark.timeout(900)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run(
    page: Path, upstream: Path, documented: Path, slow: None, command_line: None
) -> None:
    environment = {
        **os.environ,
        "OPENAI_API_KEY": "not-used",
        "ANTHROPIC_API_KEY": "not-used",
        "TOGETHER_API_KEY": "not-used",
        "GOOGLE_API_KEY": "not-used",
        "GROQ_API_KEY": "not-used",
        "DISCOVERYBENCH_DATA_DIR": str(upstream),
        # A command that calls a provider all the same fails at once.
        "OPENAI_BASE_URL": "http://127.0.0.1:9",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
        "INSPECT_EVAL_MAX_RETRIES": "0",
        "INSPECT_EVAL_SANDBOX": "local",
        "INSPECT_LOG_DIR": "logs",
        "INSPECT_DISPLAY": "none",
    }
    for command in commands_of(page):
        if NOT_RUN.match(command):
            continue
        variables = dict(environment)
        if "--sample-id" not in command:
            variables["INSPECT_EVAL_LIMIT"] = "1"
        code, output = run_command(offline(command), documented, variables)
        assert code == 0, f"{command}: exit code {code}\n{output}"

    for info in list_eval_logs(str(documented / "logs")):
        log = read_eval_log(info, header_only=True)
        assert log.status == "success", info.name
        # Inspect reads `--sample-shuffle 1` as true, without a seed: each run would have other samples.
        assert log.eval.config.sample_shuffle is not True, info.name
