"""A fresh install of the wheel, the README's command, real containers, and a loopback provider."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from csv import DictReader
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import ToolEvent
from inspect_ai.log import EvalSample, read_eval_log

from tests import shared
from tests.endpoint import Answer, Request, question, serve, tool_call, truthful

# The first test installs the wheel and runs the containers for all others.
pytestmark = pytest.mark.timeout(900)

REPOSITORY = Path(__file__).parents[1]
MODELS = "--model openai/gpt-4o --model-role grader=openai/gpt-4o"
COMMANDS = {
    "two": f"inspect eval discoverybench/real {MODELS} --limit 2 --display plain",
    # The long name of the package works as well.
    "train": f"inspect eval inspect_discoverybench/real {MODELS} --limit 1 --display plain -T split=train "
    "--solver discoverybench/react",
}

HYPOTHESIS = "Between 3000 and 2000 BCE, the number of hoards rises with the number of monuments."

# Braces in the output, and in the agent's text, are no placeholders to fill in.
LOAD = r"""
from pathlib import Path
data = {path.name: path.read_bytes() for path in sorted(Path().iterdir()) if path.is_file()}
for name, content in data.items():
    print(f"{name}: {{bytes: {len(content)}}} {dict(lines=content.count(10))!r} {{}}")
"""

# The walker holds its search terms in hexadecimal, so that its own code in the agent's requests does not match.
WALK = r"""
import json, os, socket
golds, control = [bytes.fromhex(text) for text in GOLDS], next(iter(data.values()))[:60]
seen = dict(data=list(data), files=0, unread=0, found=[], control=[])
for folder, folders, names in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys", "/dev")]
    for name in names:
        path = os.path.join(folder, name)
        if os.path.islink(path) or not os.path.isfile(path):
            continue
        seen["files"] += 1
        if (name.startswith("meta" "data_") and name.endswith(".json")) or name.startswith("answer" "_key"):
            seen["found"].append(path)
        try:
            content = open(path, "rb").read()
        except PermissionError:
            seen["unread"] += 1
            continue
        if any(gold in content for gold in golds):
            seen["found"].append(path)
        if control in content:
            seen["control"].append(path)
try:
    socket.create_connection(("1.1.1.1", 443), timeout=2)
    seen["network"] = "reached"
except OSError as error:
    seen["network"] = type(error).__name__
status = dict(line.split(":\t", 1) for line in open("/proc/self/status"))
seen.update(uid=os.getuid(), capabilities=[status[key].strip() for key in ("CapEff", "CapPrm", "CapBnd")])
print(json.dumps(seen))
"""


@dataclass(frozen=True)
class Run:
    """One eval: its samples, and the requests to the provider, those of the agent and those of the judge."""

    samples: list[EvalSample]
    agent_requests: list[Request]
    judge_requests: list[Request]


def golds(upstream: Path) -> list[str]:
    """Every gold hypothesis of the test split."""
    key = upstream / "eval/answer_key_real.csv"
    rows = DictReader(key.read_text("utf-8").splitlines(keepends=True))
    return [row["gold_hypo"].strip() for row in rows]


def agent_and_judge(*cells: str) -> Callable[[Request], Answer]:
    """An agent that runs these cells and submits; a judge that compares texts."""
    turns = [tool_call("python", "Next, the {data}.", code=code) for code in cells]
    turns.append(tool_call("submit", "Done.", hypothesis=HYPOTHESIS, workflow="1. Load the data files. 2. Correlate."))

    def answer(request: Request) -> Answer:
        if question(request):
            return truthful(request)
        earlier = [message for message in request["messages"] if message["role"] == "assistant"]
        return turns[len(earlier)]

    return answer


def environment(scripts: Path, folder: Path, **more: str) -> dict[str, str]:
    """The environment of someone who has just installed the package and opened a shell."""
    path = os.environ["PATH"]
    return {
        **os.environ,
        "PATH": f"{scripts}{os.pathsep}{path}",
        "INSPECT_CACHE_DIR": str(folder / "cache"),
        "INSPECT_LOG_DIR": str(folder / "logs"),
        **more,
    }


def shell(command: str, folder: Path, env: dict[str, str]) -> None:
    process = subprocess.run(command.split(), cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr


def run(scripts: Path, upstream: Path, name: str) -> dict[str, Any]:
    """Evaluate, and return the path of the log and the requests to the provider."""
    folder = shared.folder() / f"end to end {name}"
    project = folder / "project"
    own = project / "discoverybench"
    own.mkdir(parents=True)
    # A folder of the user with the short name of the package, which must not be imported.
    (own / "__init__.py").write_text("raise ImportError('not the installed one')\n", "utf-8")
    cells = [LOAD]
    if name == "two":
        # A copy of the answer key has all hypotheses, and looking for all of them takes a minute.
        terms = [gold.encode().hex() for gold in golds(upstream)[::30]]
        cells.append(WALK.replace("GOLDS", repr(terms)))
    with serve(agent_and_judge(*cells)) as endpoint:
        env = environment(
            scripts,
            folder,
            DISCOVERYBENCH_DATA_DIR=str(upstream),
            OPENAI_BASE_URL=endpoint.url,
            OPENAI_API_KEY="test",
        )
        shell(COMMANDS[name], project, env)
    assert list(project.iterdir()) == [own]
    [log] = (folder / "logs").iterdir()
    return {"log": str(log), "requests": endpoint.requests}


@pytest.fixture
def eval_run(engine: None, upstream: Path, installed_wheel: Path) -> Callable[[str], Run]:
    """Evaluates each command once for all tests."""

    def evaluate(name: str) -> Run:
        result = shared.build_once(f"end to end {name}", lambda: run(installed_wheel, upstream, name))
        log = read_eval_log(result["log"])
        assert log.status == "success", log.error
        assert log.eval.task == "discoverybench/real"
        agent = [request for request in result["requests"] if not question(request)]
        judge = [request for request in result["requests"] if question(request)]
        return Run(log.samples or [], agent, judge)

    return evaluate


def calls_of(sample: EvalSample) -> list[ToolEvent]:
    return [event for event in sample.events if isinstance(event, ToolEvent)]


def folded(text: object) -> str:
    return " ".join(str(text).casefold().split())


def folded_texts(value: object) -> Iterator[str]:
    """Every text in a request, folded; JSON inside a text is opened."""
    if isinstance(value, str) and value.startswith("{"):
        yield from folded_texts(json.loads(value))
    elif isinstance(value, dict):
        for key, part in value.items():
            yield folded(key)
            yield from folded_texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from folded_texts(part)
    else:
        yield folded(value)


def test_every_sample_has_four_scores_and_the_calls_of_the_agent(eval_run: Callable[[str], Run]) -> None:
    samples = eval_run("two").samples
    assert [sample.id for sample in samples] == ["test/archaeology/0/0", "test/archaeology/1/0"]
    for sample in samples:
        assert sample.scores
        [score] = sample.scores.values()
        # The judge (`truthful`) compares texts. In texts that differ, no facet matches.
        assert score.value == {"hms": 0, "context": 0, "variables": 0, "relationship": 0}
        assert score.answer == HYPOTHESIS
        calls = calls_of(sample)
        assert [call.function for call in calls] == ["python", "python", "submit"]
        assert not any(call.error for call in calls)
        assert "capital.csv: {bytes: " in str(calls[0].result)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_agent_does_not_see_gold_hypotheses(eval_run: Callable[[str], Run], upstream: Path, command: str) -> None:
    run = eval_run(command)
    secrets = {"metadata_", "answer_key"}
    secrets.update(folded(gold) for gold in golds(upstream))
    for sample in run.samples:
        secrets.add(folded(sample.target))
        secrets.add(folded(sample.metadata["gold_workflow"] or sample.target))

    texts = list(folded_texts(run.agent_requests))
    for secret in secrets:
        assert not [text for text in texts if secret in text]
    # The judge was shown the gold, so these texts would have been recognised.
    judge_texts = "\n".join(folded_texts(run.judge_requests))
    for sample in run.samples:
        assert folded(sample.target) in judge_texts


def test_the_container_has_the_data_and_no_answer_network_root_or_capabilities(
    eval_run: Callable[[str], Run],
) -> None:
    for sample in eval_run("two").samples:
        walk = json.loads(str(calls_of(sample)[1].result))
        names = [file["name"] for file in sample.metadata["data_files"]]
        assert walk["data"] == sorted(names)
        assert walk["found"] == []
        # The walk covered the whole system and found the control: the beginning of the first data file.
        assert walk["files"] > 10_000
        assert walk["unread"] < 100
        assert walk["control"] == [f"/workspace/{min(names)}"]
        assert walk["network"] != "reached"
        assert walk["uid"] != 0
        for capabilities in walk["capabilities"]:
            assert int(capabilities, 16) == 0


def test_root_files_are_inside_the_wheel(installed_wheel: Path) -> None:
    [folder] = installed_wheel.parent.glob("lib/*/site-packages/inspect_discoverybench/_shipped")
    for name in ("compose.yaml", "sandbox/Dockerfile", "sandbox/.dockerignore", "sandbox/helm-values.yaml"):
        assert (folder / name).read_bytes() == (REPOSITORY / name).read_bytes()
