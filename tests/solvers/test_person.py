"""A person as the agent: Inspect's `human_cli` in our container, and the instructions that the person sees."""

import json
import os
import shlex
import subprocess
import sysconfig
import time
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

from inspect_discoverybench import real
from inspect_discoverybench.submission.answer import answer_of
from inspect_discoverybench.submission.submission import Submission
from tests.solvers.scripted import score

TITLE = "## If you are a person"
INSPECT = Path(sysconfig.get_path("scripts")) / "inspect"
COMMAND = (
    "eval discoverybench/real --solver human_cli -S record_session=false --working-limit 14400 --limit 1 "
    "-T dataset=archaeology --model-role grader=discoverybench/lexical"
)
SERVICE = "/var/tmp/sandbox-services/human_agent/human_agent.py"
"""Inspect writes this file after it has printed how to log in. Until then, the command `task` fails."""

WORK = r"""
task stop && task start
python -c "import pandas, pathlib; print('rows', [len(pandas.read_csv(path)) for path in pathlib.Path().glob('*.csv')])"
touch /opt/human_agent/planted || echo refused
cat > answer.txt
"""


def shell(container: str, commands: str, keys: str = "") -> str:
    """Log in as Inspect tells the person to, with a terminal, and run commands that read keys."""
    # `docker exec -t` would need a terminal here; `script` makes one in the container.
    login = f"bash -lic {shlex.quote(commands)}"
    command = ["docker", "exec", "-i", container, "script", "-qec", login, "/dev/null"]
    run = subprocess.run(command, input=keys, capture_output=True, text=True, timeout=120, check=True)
    return run.stdout.replace("\r\n", "\n")


@pytest.mark.usefixtures("engine", "upstream", "command_line")
@pytest.mark.timeout(900)
def test_a_person_solves_a_sample_in_a_shell_of_the_container(tmp_path: Path) -> None:
    gold = real(dataset="archaeology").dataset[0]
    command = [str(INSPECT), *COMMAND.split()]
    environment = {**os.environ, "INSPECT_DISPLAY": "plain", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment) as run:
        assert run.stdout
        login = next(line for line in run.stdout if line.startswith("docker exec -it ")).split()
        assert login[4:] == ["bash", "-l"]
        container = login[3]
        while subprocess.run(["docker", "exec", container, "test", "-e", SERVICE], check=False).returncode:
            time.sleep(1)
        # Plain text would be quoted by the judge, which is not a language model here.
        answer = json.dumps({"hypothesis": str(gold.target), "workflow": "I looked at its axes."})
        screen = shell(container, WORK, f"{answer}\n\x04")  # Ctrl-D ends `cat`
        shell(container, 'echo yes | task submit "$(cat answer.txt)"')
        output = run.stdout.read()
    assert run.returncode == 0, output
    assert TITLE in screen
    assert "task submit" in screen
    assert "The task ends after 240 minutes" in screen  # the working limit of 14,400 s
    assert "Status:" in screen  # of the command `task`
    assert "rows [" in screen  # Python reads the data files
    assert "refused" in screen  # the person cannot write to the folder of `task`
    [path] = (tmp_path / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    assert log.samples
    [sample] = log.samples
    assert score(sample) == 1
    submission = answer_of(sample)
    assert isinstance(submission, Submission)
    assert (submission.hypothesis, submission.workflow) == (gold.target, "I looked at its axes.")
    assert sample.store["HumanAgentState:accumulated_time"] > 0
