"""A fresh install of the wheel, the README's command, real containers, and a loopback provider."""

import json
import os
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from csv import DictReader
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import InfoEvent, ModelEvent, SpanBeginEvent, ToolEvent
from inspect_ai.log import EvalSample, read_eval_log

from inspect_discoverybench.hypothesis import SubmissionState
from tests import shared
from tests.endpoint import Answer, Request, question, serve, tool_call, truthful

# The first test installs the wheel and runs the containers for all others.
pytestmark = pytest.mark.timeout(900)

REPOSITORY = Path(__file__).parents[1]
MODELS = "--model openai/gpt-4o --model-role grader=openai/gpt-4o"
# The long name must work as well.
LONG = f"inspect eval inspect_discoverybench/real {MODELS} --limit 1 --display plain"
COMMANDS = {
    "five": f"inspect eval discoverybench/real {MODELS} --limit 5 --display plain",
    "many files": f"{LONG} -T dataset=worldbank_education_gdp_indicators",
    "train": f"{LONG} -T split=train",
}

HYPOTHESIS = "Between 3000 and 2000 BCE, the number of hoards rises with the number of monuments."
JUDGED = {
    "judge: context of the gold hypothesis",
    "judge: context of the predicted hypothesis",
    "judge: match of the contexts",
    "judge: variables",
    "judge: relationship",
}

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


@pytest.fixture(scope="session")
def from_wheel(installed_wheel: Path) -> Path:
    """The `bin` folder of an environment with the wheel."""
    return installed_wheel


@pytest.fixture(scope="session")
def from_source() -> Path:
    """The `bin` folder of the environment that runs these tests: an editable install."""
    return Path(sysconfig.get_path("scripts"))


def run(scripts: Path, upstream: Path, name: str) -> dict[str, Any]:
    """Evaluate, and return the path of the log and the requests to the provider."""
    folder = shared.folder() / f"end to end {name}"
    empty = folder / "empty"
    empty.mkdir(parents=True)
    walk = WALK.replace("GOLDS", repr([gold.encode().hex() for gold in golds(upstream)[:5]]))
    with serve(agent_and_judge(LOAD, *([walk] if name == "five" else []))) as endpoint:
        provider = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "test"}
        env = environment(scripts, folder, DISCOVERYBENCH_DATA_DIR=str(upstream), **provider)
        shell(COMMANDS[name], empty, env)
    assert not list(empty.iterdir())
    [log] = (folder / "logs").iterdir()
    return {"log": str(log), "requests": endpoint.requests}


@pytest.fixture
def eval_run(engine: None, upstream: Path, from_wheel: Path) -> Callable[[str], Run]:
    """Evaluates each command once for all tests."""

    def evaluate(name: str) -> Run:
        result = shared.once(f"end to end {name}", lambda: run(from_wheel, upstream, name))
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


def test_every_sample_has_four_scores(eval_run: Callable[[str], Run]) -> None:
    samples = eval_run("five").samples
    assert [sample.id for sample in samples] == [f"test/archaeology/{number}/0" for number in range(5)]
    for sample in samples:
        assert sample.error is None
        assert sample.limit is None
        assert sample.scores
        [score] = sample.scores.values()
        # The judge finds other variables and another relationship in texts that differ.
        assert score.value == {"hms": 0, "context": 0, "variables": 0, "relationship": 0}
        assert score.answer == HYPOTHESIS


def test_the_transcript_contains_the_calls_of_the_agent(eval_run: Callable[[str], Run]) -> None:
    for sample in eval_run("five").samples:
        calls = [event for event in sample.events if isinstance(event, ToolEvent)]
        assert [call.function for call in calls] == ["python", "python", "submit"]
        assert [call.error for call in calls] == [None] * 3
        for call in calls[:2]:
            assert call.view
            assert call.view.format == "markdown"
        assert calls[0].view
        assert calls[0].view.content == f"```python\n{LOAD}\n```\n"
        assert "capital.csv: {bytes: " in observations(sample)[0]
        submission = sample.store_as(SubmissionState).submission
        assert submission
        assert (submission.hypothesis, submission.source) == (HYPOTHESIS, "call")
        # The viewer shows the result of a tool of this name.
        assert calls[2].result == f"**Hypothesis**\n\n{HYPOTHESIS}\n\n**Workflow**\n\n{submission.workflow}"


def test_the_transcript_contains_the_calls_of_the_judge(eval_run: Callable[[str], Run]) -> None:
    for sample in eval_run("five").samples:
        spans = {event.id: event.name for event in sample.events if isinstance(event, SpanBeginEvent)}
        calls = [event for event in sample.events if isinstance(event, ModelEvent) and event.role == "grader"]
        # All samples submit the same hypothesis, so its context may come from the cache.
        cache_events = [
            event for event in sample.events if isinstance(event, InfoEvent) and event.source == "judge cache"
        ]
        assert len(calls + cache_events) == 5
        names = {spans[event.span_id or ""] for event in calls}
        for event in cache_events:
            assert isinstance(event.data, dict)
            names.add(f"judge: {event.data['name']}")
        assert names == JUDGED


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


def test_the_container_does_not_contain_the_answer(eval_run: Callable[[str], Run]) -> None:
    for walk in eval_run("five").walks():
        assert walk["found"] == []
        # The walk covered the whole system and found the control.
        assert walk["files"] > 10_000
        assert walk["unread"] < 100
        assert walk["control"] == [f"/workspace/{walk['data'][0]}"]


def test_the_container_has_no_network_root_or_capabilities(eval_run: Callable[[str], Run]) -> None:
    for walk in eval_run("five").walks():
        assert walk["network"] != "reached"
        assert walk["uid"] != 0
        assert {int(capabilities, 16) for capabilities in walk["capabilities"]} == {0}


def test_many_data_files_are_unpacked_in_the_container(eval_run: Callable[[str], Run], upstream: Path) -> None:
    run = eval_run("many files")
    released = upstream / "discoverybench/real/test/worldbank_education_gdp_indicators"
    files = {path.name: path.stat().st_size for path in released.glob("*.csv")}
    assert len(files) == 6
    # All files are readable and complete, and there are no others: the archive is gone.
    lines = observations(run.samples[0])[0].splitlines()
    assert [line.partition("} ")[0] for line in lines] == [f"{name}: {{bytes: {files[name]}" for name in sorted(files)]


@pytest.mark.usefixtures("command_line")
def test_both_names_work_beside_a_folder_of_that_name_from_source(from_source: Path, tmp_path: Path) -> None:
    run_beside_a_folder_of_that_name(from_source, tmp_path, "react")


def test_both_names_work_beside_a_folder_of_that_name_from_a_wheel(from_wheel: Path, tmp_path: Path) -> None:
    run_beside_a_folder_of_that_name(from_wheel, tmp_path, "gold")


def run_beside_a_folder_of_that_name(scripts: Path, tmp_path: Path, solver: str) -> None:
    own = tmp_path / "project" / "discoverybench"
    own.mkdir(parents=True)
    (own / "__init__.py").write_text("raise ImportError('not the installed one')\n", encoding="utf-8")
    (own / "notes.md").write_text("My own notes.\n", encoding="utf-8")
    tasks = "discoverybench/demo inspect_discoverybench/demo"
    env = environment(scripts, tmp_path)
    options = f"--solver discoverybench/{solver} --model discoverybench/baseline --limit 1 --display plain"
    shell(f"inspect eval {tasks} {options}", own.parent, env)
    logs = [read_eval_log(str(path)) for path in (tmp_path / "logs").iterdir()]
    assert [log.eval.task for log in logs] == ["discoverybench/demo"] * 2
    assert {log.status for log in logs} == {"success"}


def test_root_files_are_inside_the_wheel(from_wheel: Path, tmp_path: Path) -> None:
    names = [
        "compose.yaml",
        "sandbox/Dockerfile",
        "sandbox/requirements.txt",
        "sandbox/init.py",
        "sandbox/helm-values.yaml",
        "sandbox/.dockerignore",
    ]
    code = f"from inspect_discoverybench.shipped import shipped\nfor name in {names}: print(shipped(name))"
    command = [str(from_wheel / "python"), "-c", code]
    lines = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
    for name, path in zip(names, map(Path, lines), strict=True):
        assert from_wheel.parent in path.parents
        assert path.read_bytes() == (REPOSITORY / name).read_bytes()
