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
from inspect_ai.event import SandboxEvent, ToolEvent
from inspect_ai.log import EvalSample, read_eval_log

from inspect_discoverybench.submission.submission import SubmissionState
from tests import shared
from tests.endpoint import Answer, Request, question, serve, tool_call, truthful

# The first test installs the wheel and runs the containers for all others.
pytestmark = pytest.mark.timeout(900)

REPOSITORY = Path(__file__).parents[1]
MODELS = "--model openai/gpt-4o --model-role grader=openai/gpt-4o"
COMMANDS = {
    "two": f"inspect eval discoverybench/real {MODELS} --limit 2 --display plain",
    # The long name must work as well.
    "train": f"inspect eval inspect_discoverybench/real {MODELS} --limit 1 --display plain -T split=train",
}

HYPOTHESIS = "Between 3000 and 2000 BCE, the number of hoards rises with the number of monuments."
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
    """One eval: its samples, and the requests to the provider."""

    samples: list[EvalSample]
    requests: list[Request]

    def walks(self) -> list[dict[str, Any]]:
        return [json.loads(observations(sample)[1]) for sample in self.samples]


def golds(upstream: Path) -> list[str]:
    """Every gold hypothesis of the test split, in the order of its samples."""
    with (upstream / "eval/answer_key_real.csv").open(encoding="utf-8", newline="") as file:
        rows = sorted(DictReader(file), key=lambda row: (row["dataset"], int(row["metadataid"]), int(row["query_id"])))
    return [row["gold_hypo"].strip() for row in rows]


def agent_and_judge(*cells: str) -> Callable[[Request], Answer]:
    """An agent that runs these cells and submits; a judge that compares texts."""
    turns = [tool_call("python", "Next, the {data}.", code=code) for code in cells]
    submit = tool_call("submit", "Done.", hypothesis=HYPOTHESIS, workflow="1. Load the data files. 2. Correlate.")

    def answer(request: Request) -> Answer:
        if question(request):
            return truthful(request)
        turn: Answer = [*turns, submit][sum(message["role"] == "assistant" for message in request["messages"])]
        return turn

    return answer


def environment(scripts: Path, folder: Path, **more: str) -> dict[str, str]:
    """The environment of someone who has just installed the package and opened a shell."""
    return {
        **os.environ,
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
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
    empty = folder / "empty"
    empty.mkdir(parents=True)
    walk = WALK.replace("GOLDS", repr([gold.encode().hex() for gold in golds(upstream)[:2]]))
    with serve(agent_and_judge(LOAD, *([walk] if name == "two" else []))) as endpoint:
        provider = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "test"}
        env = environment(scripts, folder, DISCOVERYBENCH_DATA_DIR=str(upstream), **provider)
        shell(COMMANDS[name], empty, env)
    assert not list(empty.iterdir())
    [log] = (folder / "logs").iterdir()
    return {"log": str(log), "requests": endpoint.requests}


@pytest.fixture
def eval_run(engine: None, upstream: Path, installed_wheel: Path) -> Callable[[str], Run]:
    """Evaluates each command once for all tests."""

    def evaluate(name: str) -> Run:
        result = shared.build_once(f"end to end {name}", lambda: run(installed_wheel, upstream, name))
        log = read_eval_log(result["log"])
        assert log.status == "success", log.error
        return Run(log.samples or [], result["requests"])

    return evaluate


def observations(sample: EvalSample) -> list[str]:
    return [str(event.result) for event in sample.events if isinstance(event, ToolEvent) and event.function == "python"]


def folded(text: str) -> str:
    return " ".join(text.casefold().split())


def words(value: object) -> Iterator[str]:
    """Every text in a request, folded; JSON inside a text is opened."""
    match value:
        case dict():
            yield from words([*value.keys(), *value.values()])
        case list():
            for part in value:
                yield from words(part)
        case str() if value.startswith("{"):
            yield from words(json.loads(value))
        case _:
            yield folded(str(value))


def test_every_sample_has_four_scores_and_the_calls_of_the_agent(eval_run: Callable[[str], Run]) -> None:
    samples = eval_run("two").samples
    assert [sample.id for sample in samples] == [f"test/archaeology/{number}/0" for number in range(2)]
    for sample in samples:
        assert (sample.error, sample.limit) == (None, None)
        assert sample.scores
        [score] = sample.scores.values()
        # The judge finds other variables and another relationship in texts that differ.
        assert score.value == {"hms": 0, "context": 0, "variables": 0, "relationship": 0}
        assert score.answer == HYPOTHESIS
        calls = [event for event in sample.events if isinstance(event, ToolEvent)]
        assert [(call.function, call.error) for call in calls] == [("python", None)] * 2 + [("submit", None)]
        assert "capital.csv: {bytes: " in observations(sample)[0]
        submission = sample.store_as(SubmissionState).submission
        assert submission
        assert (submission.hypothesis, submission.source) == (HYPOTHESIS, "call")
        assert calls[2].result == f"**Hypothesis**\n\n{HYPOTHESIS}\n\n**Workflow**\n\n{submission.workflow}"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_agent_does_not_see_gold_hypotheses(eval_run: Callable[[str], Run], upstream: Path, command: str) -> None:
    run = eval_run(command)
    secrets = {folded(gold) for gold in golds(upstream)} | {"metadata_", "answer_key"}
    for sample in run.samples:
        secrets |= {folded(text) for text in (str(sample.target), sample.metadata["gold_workflow"]) if text}
    requests = [request for request in run.requests if not question(request)]
    assert len(requests) == sum(1 + len(observations(sample)) for sample in run.samples)
    texts = [*words(requests), *(folded(text) for sample in run.samples for text in observations(sample))]
    assert [(secret, text) for text in texts for secret in secrets if secret in text] == []
    # The judge was shown the gold, so these texts would have been recognised.
    judge_texts = "\n".join(words([r for r in run.requests if question(r)]))
    assert all(folded(str(sample.target)) in judge_texts for sample in run.samples)


def test_the_container_has_no_answer_network_root_or_capabilities(eval_run: Callable[[str], Run]) -> None:
    for walk in eval_run("two").walks():
        assert walk["found"] == []
        # The walk covered the whole system and found the control.
        assert walk["files"] > 10_000
        assert walk["unread"] < 100
        assert walk["control"] == [f"/workspace/{walk['data'][0]}"]
        assert walk["network"] != "reached"
        assert walk["uid"] != 0
        assert {int(capabilities, 16) for capabilities in walk["capabilities"]} == {0}


def test_nothing_runs_in_the_container_after_the_last_call(eval_run: Callable[[str], Run]) -> None:
    for sample in eval_run("two").samples:
        calls = [number for number, event in enumerate(sample.events) if isinstance(event, ToolEvent)]
        assert any(isinstance(event, SandboxEvent) for event in sample.events[: calls[-1]])
        assert not any(isinstance(event, SandboxEvent) for event in sample.events[calls[-1] :])


def test_the_data_files_are_complete_and_alone_in_the_container(eval_run: Callable[[str], Run], upstream: Path) -> None:
    sample = eval_run("two").samples[0]
    released = upstream / "discoverybench/real/test/archaeology"
    names = sorted(file["name"] for file in json.loads((released / "metadata_0.json").read_text("utf-8"))["datasets"])
    assert len(names) == 3
    lines = [line.partition("} ")[0] for line in observations(sample)[0].splitlines()]
    assert lines == [f"{name}: {{bytes: {(released / name).stat().st_size}" for name in names]


def test_both_names_work_beside_a_folder_of_that_name(installed_wheel: Path, tmp_path: Path) -> None:
    own = tmp_path / "project" / "discoverybench"
    own.mkdir(parents=True)
    (own / "__init__.py").write_text("raise ImportError('not the installed one')\n", encoding="utf-8")
    tasks = "discoverybench/demo inspect_discoverybench/demo"
    env = environment(installed_wheel, tmp_path)
    options = "--solver discoverybench/gold --model discoverybench/baseline --limit 1 --display plain"
    shell(f"inspect eval {tasks} {options}", own.parent, env)
    logs = [read_eval_log(str(path)) for path in (tmp_path / "logs").iterdir()]
    assert [log.eval.task for log in logs] == ["discoverybench/demo"] * 2
    assert {log.status for log in logs} == {"success"}


def test_root_files_are_inside_the_wheel(installed_wheel: Path) -> None:
    names = ["Dockerfile", "requirements.txt", "init.py", "helm-values.yaml", ".dockerignore"]
    [folder] = installed_wheel.parent.glob("lib/*/site-packages/inspect_discoverybench/_shipped")
    for name in ("compose.yaml", *(f"sandbox/{name}" for name in names)):
        assert (folder / name).read_bytes() == (REPOSITORY / name).read_bytes()
