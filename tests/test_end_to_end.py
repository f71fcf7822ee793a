"""A fresh install of the wheel, the README's command, real containers, a loopback provider: what comes of it."""

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Callable, Iterator
from csv import DictReader
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.event import ModelEvent, SpanBeginEvent, ToolEvent
from inspect_ai.log import EvalSample, read_eval_log

from inspect_discoverybench.hypothesis import SubmissionState
from tests.endpoint import Answer, Endpoint, Request, question, serve, tool_call, truthful

# The first test pays for the installation and for the containers of all; on a busy machine that takes minutes.
pytestmark = pytest.mark.timeout(900)

REPOSITORY = Path(__file__).parents[1]
MODELS = "--model openai/gpt-4o --model-role grader=openai/gpt-4o"
FIVE = f"inspect eval discoverybench/real {MODELS} --limit 5 --display plain"
# With the long name, which must be found as well.
LONG = f"inspect eval inspect_discoverybench/real {MODELS} --limit 1 --display plain"
MANY_FILES = f"{LONG} -T dataset=worldbank_education_gdp_indicators"
TRAIN = f"{LONG} -T split=train"

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

# The walker holds what it looks for in hexadecimal, so that its own code in the agent's requests is no find.
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
    """One eval: its samples, and what the provider was asked."""

    samples: list[EvalSample]
    endpoint: Endpoint

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
        return [*turns, submit][sum(message["role"] == "assistant" for message in request["messages"])]

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
    done = subprocess.run(command.split(), cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def from_wheel() -> Iterator[Path]:
    """Folder of the programs of a new environment that holds the wheel and what it requires, nothing else."""
    # Not a folder of pytest's: it keeps those of three runs, and this one has 700 MB.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = ["wheel", "--no-deps", "--wheel-dir", str(folder), str(REPOSITORY)]
        subprocess.run([sys.executable, "-m", "pip", "--quiet", *wheel], check=True)
        venv.create(folder / "venv", with_pip=True)
        scripts = folder / "venv" / "bin"
        built = str(next(folder.glob("*.whl")))
        # Half of the time would go into compiling what is never imported.
        install = ["install", "--no-compile", built]
        subprocess.run([scripts / "python", "-m", "pip", "--quiet", *install], check=True)
        yield scripts


@pytest.fixture(scope="session")
def from_source() -> Path:
    """Folder of the programs of the environment that runs these tests: an editable install."""
    return Path(sysconfig.get_path("scripts"))


@cache
def run(scripts: Path, upstream: Path, command: str) -> Run:
    """Evaluate once for all the tests that ask about this command."""
    folder = Path(tempfile.mkdtemp(dir=scripts.parents[1]))
    empty = folder / "empty"
    empty.mkdir()
    walk = WALK.replace("GOLDS", repr([gold.encode().hex() for gold in golds(upstream)[:5]]))
    with serve(agent_and_judge(LOAD, *([walk] if command == FIVE else []))) as endpoint:
        provider = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "test"}
        env = environment(scripts, folder, DISCOVERYBENCH_DATA_DIR=str(upstream), **provider)
        shell(command, empty, env)
    assert not list(empty.iterdir())
    log = read_eval_log(str(next((folder / "logs").iterdir())))
    assert log.status == "success", log.error
    return Run(log.samples or [], endpoint)


@pytest.fixture
def evaluated(engine: None, upstream: Path, from_wheel: Path) -> Callable[[str], Run]:
    return lambda command: run(from_wheel, upstream, command)


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


@pytest.mark.docker
@pytest.mark.data
def test_five_samples_are_scored_on_four_keys(evaluated: Callable[[str], Run]) -> None:
    samples = evaluated(FIVE).samples
    assert [sample.id for sample in samples] == [f"test/archaeology/{number}/0" for number in range(5)]
    for sample in samples:
        assert sample.error is None
        assert sample.limit is None
        assert sample.scores
        [score] = sample.scores.values()
        # The judge finds other variables and another relationship in texts that differ.
        assert score.value == {"hms": 0, "context": 0, "variables": 0, "relationship": 0}
        assert score.answer == HYPOTHESIS


@pytest.mark.docker
@pytest.mark.data
def test_the_transcript_holds_the_agents_work(evaluated: Callable[[str], Run]) -> None:
    for sample in evaluated(FIVE).samples:
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
        assert (submission.hypothesis, submission.source) == (HYPOTHESIS, "submit")
        # The viewer shows the result of a tool of this name.
        assert calls[2].result == f"**Hypothesis**\n\n{HYPOTHESIS}\n\n**Workflow**\n\n{submission.workflow}"


@pytest.mark.docker
@pytest.mark.data
def test_the_transcript_holds_the_judges_work(evaluated: Callable[[str], Run]) -> None:
    for sample in evaluated(FIVE).samples:
        spans = {event.id: event.name for event in sample.events if isinstance(event, SpanBeginEvent)}
        asked = [e for e in sample.events if isinstance(e, ModelEvent) and e.role == "grader"]
        assert len(asked) == 5
        assert {spans[event.span_id or ""] for event in asked} == JUDGED


@pytest.mark.docker
@pytest.mark.data
@pytest.mark.parametrize("command", [FIVE, MANY_FILES, TRAIN], ids=["five", "many files", "train"])
def test_no_gold_reaches_the_agent(evaluated: Callable[[str], Run], upstream: Path, command: str) -> None:
    done = evaluated(command)
    secrets = {folded(gold) for gold in golds(upstream)} | {"metadata_", "answer_key"}
    for sample in done.samples:
        secrets |= {folded(text) for text in (str(sample.target), sample.metadata["gold_workflow"]) if text}
    requests = done.endpoint.agent_requests()
    assert len(requests) == sum(1 + len(observations(sample)) for sample in done.samples)
    told = [*words(requests), *(folded(text) for sample in done.samples for text in observations(sample))]
    assert [(secret, text) for text in told for secret in secrets if secret in text] == []
    # The judge was shown the gold, so these texts would have been recognised.
    shown = "\n".join(words([r for r in done.endpoint.requests if question(r)]))
    assert any(secret in shown for secret in secrets)


@pytest.mark.docker
@pytest.mark.data
def test_nothing_to_find_in_the_container(evaluated: Callable[[str], Run]) -> None:
    for seen in evaluated(FIVE).walks():
        assert seen["found"] == []
        # It did walk: the whole system, and what can be found it finds.
        assert seen["files"] > 10_000
        assert seen["unread"] < 100
        assert seen["control"] == [f"/workspace/{seen['data'][0]}"]


@pytest.mark.docker
@pytest.mark.data
def test_no_network_no_root_no_capabilities(evaluated: Callable[[str], Run]) -> None:
    for seen in evaluated(FIVE).walks():
        assert seen["network"] != "reached"
        assert seen["uid"] != 0
        assert {int(capabilities, 16) for capabilities in seen["capabilities"]} == {0}


@pytest.mark.docker
@pytest.mark.data
def test_many_data_files_arrive_unpacked(evaluated: Callable[[str], Run], upstream: Path) -> None:
    done = evaluated(MANY_FILES)
    released = upstream / "discoverybench/real/test/worldbank_education_gdp_indicators"
    files = {path.name: path.stat().st_size for path in released.glob("*.csv")}
    assert len(files) == 6
    # All of them readable, whole, and nothing beside them: the archive is gone.
    lines = observations(done.samples[0])[0].splitlines()
    assert [line.partition("} ")[0] for line in lines] == [f"{name}: {{bytes: {files[name]}" for name in sorted(files)]


@pytest.mark.parametrize("install", ["from_wheel", "from_source"])
def test_both_names_are_found_beside_a_folder_of_that_name(
    request: pytest.FixtureRequest, tmp_path: Path, install: str
) -> None:
    scripts: Path = request.getfixturevalue(install)
    own = tmp_path / "project" / "discoverybench"
    own.mkdir(parents=True)
    (own / "__init__.py").write_text("raise ImportError('not the installed one')\n", encoding="utf-8")
    (own / "notes.md").write_text("My own notes.\n", encoding="utf-8")
    tasks = "discoverybench/demo inspect_discoverybench/demo"
    env = environment(scripts, tmp_path)
    shell(f"inspect eval {tasks} --model discoverybench/baseline --limit 1 --display plain", own.parent, env)
    logs = [read_eval_log(str(path)) for path in (tmp_path / "logs").iterdir()]
    assert [log.eval.task for log in logs] == ["discoverybench/demo"] * 2
    assert {log.status for log in logs} == {"success"}


def test_root_files_are_inside_the_wheel(from_wheel: Path, tmp_path: Path) -> None:
    names = ["compose.yaml", "sandbox/Dockerfile", "sandbox/requirements.txt", "sandbox/.dockerignore"]
    code = f"from inspect_discoverybench.shipped import shipped\nfor name in {names}: print(shipped(name))"
    command = [str(from_wheel / "python"), "-c", code]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
    for name, path in zip(names, map(Path, found), strict=True):
        assert from_wheel.parent in path.parents
        assert path.read_bytes() == (REPOSITORY / name).read_bytes()
