"""What docs/paper_map.md says of the authors' repository, compared with a copy of it.

`DISCOVERYBENCH_AUTHORS_REPOSITORY` names the git directory of the copy.
"""

import re
import subprocess
from pathlib import Path

import pytest

from inspect_discoverybench.dataset.release import COMMIT
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "paper_map.md").read_text("utf-8")

RELEASED = "c31fcf0"
SCORING_SCRIPTS = "11714fc"

FACTS = [
    # What the page says, the commit, the file, and the text in it.
    ("`eval/new_eval.py` scores", RELEASED, "eval/new_eval.py", "def run_eval_gold_vs_gen_NL_hypo_workflow("),
    ("temperature 1 for extraction and match", RELEASED, "utils/openai_helpers.py", '"temperature": 1.,'),
    ("five tries for the match", RELEASED, "utils/openai_helpers.py", "def get_response(client, prompt, max_retry=5"),
    ("one try for the extraction", RELEASED, "eval/new_eval.py", "model=llm_used, max_retry=1)"),
    ("one try for the other questions", RELEASED, "eval/new_eval.py", "num_retries = 1"),
    ("512 tokens for the other questions", RELEASED, "eval/new_eval.py", "num_tokens = 512"),
    ("temperature 0 for the other questions", RELEASED, "eval/new_eval.py", "temperature=0,"),
    ("gpt-4-1106-preview judges", SCORING_SCRIPTS, "eval/discovery_eval.py", "llm_used='gpt-4-1106-preview'"),
    ("the scripts score as DB-SYNTH", SCORING_SCRIPTS, "eval/discovery_eval.py", 'metadata_type="synth"'),
    ("both scripts do", SCORING_SCRIPTS, "eval/discovery_eval_DV.py", 'metadata_type="synth"'),
    ("workflows are left empty", SCORING_SCRIPTS, "eval/discovery_eval_DV.py", "# gold_workflow=gold_workflow,"),
    ("the scripts read a folder of logs", SCORING_SCRIPTS, "eval/discovery_eval.py", "os.listdir(parsed_folder)"),
    ("both splits in one folder", SCORING_SCRIPTS, "eval/discovery_eval_DV.py", '"discoverybench/real/train_and_test"'),
    ("test of DB-SYNTH", SCORING_SCRIPTS, "eval/discovery_eval_DV.py", '"discoverybench/synth/test"'),
    (
        "the summary of the workflow is the hypothesis",
        SCORING_SCRIPTS,
        "eval/discovery_eval.py",
        "gen_hypothesis = gen_workflow.replace(",
    ),
    ("the examples pass workflows", RELEASED, "eval/example_eval_scripts/test_real_eval_1.sh", "--pred_workflow"),
    ("CodeGen runs its code once", RELEASED, "agents/coder_utils.py", "MAX_TURNS = 1"),
    ("CodeGen has 5 model calls", RELEASED, "agents/coder_agent.py", "max_iterations: int = 5"),
    ("ReAct has 25 iterations", RELEASED, "agents/react_agent.py", "max_iterations: int = 25"),
    ("ReAct's prompt allows code once", RELEASED, "agents/react_agent.py", "execute a python code only once"),
    (
        "unreadable output ends the run",
        RELEASED,
        "agents/react_utils.py",
        'raise ValueError(f"Could not parse LLM output',
    ),
    ("the last iteration ends the run", RELEASED, "agents/react_utils.py", 'early_stopping_method: str = "force"'),
    ("Llama-3 is called as a completion model", RELEASED, "agents/react_agent.py", "llm = Together("),
    ("langchain-openai", RELEASED, "requirements.txt", "langchain-openai==0.1.5"),
    ("langchain-together", RELEASED, "requirements.txt", "langchain-together==0.1.0"),
    ("prompts of the generator", RELEASED, "utils/openai_semantic_gen_prompts.py", "dependent"),
    ("goals of the generator", RELEASED, "utils/openai_query_gen_prompts.py", "PROMPT_QUERY"),
]


def show(repository: Path, commit: str, file: str) -> str:
    """The text of a file at a commit."""
    command = ["git", "--git-dir", str(repository), "show", f"{commit}:{file}"]
    return subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout


def test_the_page_names_the_commits_of_the_data_and_of_the_scoring_scripts() -> None:
    assert COMMIT.startswith(RELEASED)
    assert f"allenai/discoverybench at commit {RELEASED}" in PAGE
    assert f"`iclr_eval` ({SCORING_SCRIPTS})" in PAGE


@pytest.mark.parametrize(("fact", "commit", "file", "text"), FACTS, ids=[fact for fact, *_ in FACTS])
def test_a_fact_of_the_page_is_in_the_repository(
    authors_repository: Path, fact: str, commit: str, file: str, text: str
) -> None:
    assert text in show(authors_repository, commit, file)


def test_the_files_that_the_page_names_are_in_the_repository(authors_repository: Path) -> None:
    released = {file for _, commit, file, _ in FACTS if commit == RELEASED}
    named = set(re.findall(r"`((?:eval|utils)/[\w.]+\.py)`", PAGE))
    assert named
    assert named <= released
    for file in released:
        assert show(authors_repository, RELEASED, file)


def test_agents_of_the_repository_set_no_temperature(authors_repository: Path) -> None:
    for file in ("agents/coder_agent.py", "agents/react_agent.py"):
        assert "temperature" not in show(authors_repository, RELEASED, file)
