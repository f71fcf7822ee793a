"""The rule-based analyst: what it sends, run in a real Python process, and what it submits."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    get_model,
)
from inspect_ai.tool import ToolCallError, ToolChoice, ToolFunction, ToolInfo

import inspect_discoverybench.offline.provider
from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.prompts import Prompt

DEMO = Path(inspect_discoverybench.offline.provider.__file__).parents[1] / "dataset" / "demo"
DEMO_FOLDERS = sorted(folder.name for folder in DEMO.iterdir() if folder.is_dir())
PYTHON = ToolInfo(name="python", description="Runs code.")
SUBMIT = ToolInfo(name="submit", description="Ends the task.")

# Runs each cell in the namespace of its folder, so that one process serves many tests.
DRIVER = """
import contextlib, io, json, os, sys, traceback
spaces = {}
for line in sys.stdin:
    asked = json.loads(line)
    os.chdir(asked["folder"])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            space = spaces.setdefault(asked["folder"], {"__name__": "__main__"})
            exec(compile(asked["code"], "<cell>", "exec"), space)
        except Exception:
            traceback.print_exc()
    print(json.dumps(printed.getvalue()), flush=True)
"""


class Cells:
    """A Python process that runs cells in folders."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def run(self, code: str, folder: Path) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"code": code, "folder": str(folder.resolve())}) + "\n")
        self.process.stdin.flush()
        return str(json.loads(self.process.stdout.readline()))


@pytest.fixture(scope="module")
def cells() -> Iterator[Cells]:
    running = Cells()
    yield running
    running.process.communicate()


def task_text(study: dict[str, Any], goal: str) -> str:
    """The task as `prompts/solvers/task.txt` says it."""
    described = []
    for file in study["datasets"]:
        columns = file["columns"]["raw"] if isinstance(file["columns"], dict) else file["columns"]
        lines = "\n".join(f"- {column['name']}: {' '.join(column['description'].split())}" for column in columns)
        described.append(
            Prompt.load("solvers/data_file").render(name=file["name"], description=file["description"], columns=lines)
        )
    return Prompt.load("solvers/task").render(data_files="\n\n".join(described), goal=goal, hints="")


def demo_task(folder: str) -> tuple[dict[str, Any], str]:
    study = json.loads((DEMO / folder / "metadata_0.json").read_text("utf-8"))
    goal = study["queries"][0]
    return goal, task_text(study, goal["question"])


def opening(text: str) -> list[ChatMessage]:
    return [ChatMessageSystem(content=Prompt.load("solvers/react").render()), ChatMessageUser(content=text)]


async def ask(messages: Sequence[ChatMessage], *tools: ToolInfo, choice: ToolChoice | None = None) -> ModelOutput:
    return await get_model("discoverybench/baseline").generate(list(messages), tools=list(tools), tool_choice=choice)


def call(output: ModelOutput) -> tuple[str, dict[str, Any]]:
    calls = output.message.tool_calls
    assert calls is not None
    assert len(calls) == 1
    return calls[0].function, calls[0].arguments


def observed(output: ModelOutput, text: str, error: str = "") -> list[ChatMessage]:
    """The model's message and what the tool answered."""
    assert output.message.tool_calls is not None
    answer = ChatMessageTool(
        content=text,
        function=output.message.tool_calls[0].function,
        tool_call_id=output.message.tool_calls[0].id,
        error=ToolCallError("unknown", error) if error else None,
    )
    return [output.message, answer]


async def play(text: str, folder: Path, cells: Cells) -> tuple[dict[str, Any], list[str]]:
    """Play a task to its end: the submission and what each cell printed."""
    messages = opening(text)
    outputs: list[str] = []
    for _ in range(3):
        said = await ask(messages, PYTHON, SUBMIT)
        name, arguments = call(said)
        if name == "submit":
            return arguments, outputs
        outputs.append(cells.run(arguments["code"], folder))
        messages += observed(said, outputs[-1])
    pytest.fail("no submission after three turns")


async def test_only_two_models_exist() -> None:
    with pytest.raises(
        InvalidArgument, match=r"discoverybench/guess.*discoverybench/baseline or discoverybench/lexical"
    ):
        get_model("discoverybench/guess")


async def test_equal_messages_give_equal_turns_with_usage() -> None:
    messages = opening(demo_task(DEMO_FOLDERS[0])[1])
    first, second = [await ask(messages, PYTHON, SUBMIT) for _ in range(2)]
    assert (first.message.text, call(first)) == (second.message.text, call(second))
    assert first.usage is not None
    assert first.usage.input_tokens > 0
    assert first.usage.output_tokens > 0
    assert "no language model" in first.message.text
    assert first.stop_reason == "tool_calls"


@pytest.mark.parametrize("folder", DEMO_FOLDERS)
async def test_demo_tasks_are_played_to_a_submission(folder: str, cells: Cells) -> None:
    goal, text = demo_task(folder)
    submission, outputs = await play(text, DEMO / folder, cells)
    assert len(outputs) == 2
    assert all(len(output.encode()) < 10_000 and "Traceback" not in output for output in outputs)
    assert set(submission) == {"hypothesis", "workflow"}
    assert all(column in submission["hypothesis"] for column in goal["relevant_cols"])
    assert "p < 0.001" in submission["hypothesis"]
    assert "no language model" in submission["workflow"]


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("beekeeping_0_0", "increases linearly with flowering_hectares: each additional unit of flowering_hectares"),
        ("stoneware-ceramics_0_0", "quadratic"),
        ("library-lending_0_0", "ratio of reservations to copies"),
        ("ferry-operations_0_0", "is lower by 5"),
        ("street-trees_0_0", "threshold of soil_salinity_ds_m"),
        ("river-ice_0_0", "From 1940 to 2019, ice_breakup_day decreased linearly over time by 0.2"),
        ("artisan-bakeries_0_0", "proofing_hours and hydration_percent interact"),
        ("emergency-dispatch_0_0", "only where shift is night"),
    ],
)
async def test_the_planted_form_is_found(folder: str, words: str, cells: Cells) -> None:
    submission, _ = await play(demo_task(folder)[1], DEMO / folder, cells)
    assert words in submission["hypothesis"]


async def test_one_program_where_submit_is_not_offered(cells: Cells) -> None:
    goal, text = demo_task("beekeeping_0_0")
    messages = opening(text)
    program = await ask(messages, PYTHON)
    output = cells.run(call(program)[1]["code"], DEMO / "beekeeping_0_0")
    messages += observed(program, output)
    name, submission = call(await ask(messages, PYTHON, SUBMIT, choice=ToolFunction(name="submit")))
    assert name == "submit"
    assert all(column in submission["hypothesis"] for column in goal["relevant_cols"])


async def test_without_python_it_guesses_and_says_so() -> None:
    name, submission = call(await ask(opening(demo_task("beekeeping_0_0")[1]), SUBMIT))
    assert name == "submit"
    assert "honey_yield_kg increases with flowering_hectares" in submission["hypothesis"]
    assert "not tested" in submission["hypothesis"]


@pytest.mark.parametrize("choice", [None, "none"])
async def test_without_tools_it_answers_in_json(choice: ToolChoice | None) -> None:
    tools = [PYTHON, SUBMIT] if choice else []
    answer = await ask(opening(demo_task("beekeeping_0_0")[1]), *tools, choice=choice)
    assert not answer.message.tool_calls
    assert set(json.loads(answer.completion)) == {"hypothesis", "workflow"}


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("Traceback (most recent call last):\nModuleNotFoundError: No module named 'pandas'", ""),
        ("[The session died while this ran: all variables are lost.]", ""),
        ("", "PermissionError: not allowed"),
        ("", ""),
        ('DISCOVERY-PROFILE {"file": "data.csv", "rows": 240, "colu', ""),
    ],
)
async def test_a_failed_first_cell_ends_in_a_submission_that_says_so(text: str, error: str) -> None:
    messages = opening(demo_task("beekeeping_0_0")[1])
    messages += observed(await ask(messages, PYTHON, SUBMIT), text, error)
    name, submission = call(await ask(messages, PYTHON, SUBMIT))
    assert name == "submit"
    assert "could not be done" in submission["workflow"]
    reason = error or (text.splitlines() or ["no output"])[-1]
    assert reason in submission["workflow"]


async def test_a_lost_session_ends_in_a_submission_that_says_so(cells: Cells) -> None:
    messages = opening(demo_task("beekeeping_0_0")[1])
    first = await ask(messages, PYTHON, SUBMIT)
    messages += observed(first, cells.run(call(first)[1]["code"], DEMO / "beekeeping_0_0"))
    messages += observed(await ask(messages, PYTHON, SUBMIT), "NameError: name 'FRAMES' is not defined")
    name, submission = call(await ask(messages, PYTHON, SUBMIT))
    assert name == "submit"
    assert "FRAMES" in submission["workflow"]


async def test_a_text_without_the_task_s_headings_is_the_goal() -> None:
    name, submission = call(await ask([ChatMessageUser(content="Is the sky {blue}?")], SUBMIT))
    assert name == "submit"
    assert "Is the sky {blue}?" in submission["hypothesis"]


@pytest.mark.filterwarnings("ignore")
async def test_untidy_files_are_read(tmp_path: Path, cells: Cells) -> None:
    rows = range(60)
    tabs = "höhe\tname\tconst\tgap\tertrag\n" + "".join(f'"{i},5"\tn{i % 3}\t1\t\t"{2 * i + i % 7},25"\n' for i in rows)
    (tmp_path / "tabs.csv").write_bytes(tabs.encode("latin-1"))
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    (tmp_path / "tree.txt").write_text("((a:1,b:2):3,c:4);", encoding="utf-8")
    (tmp_path / "broken.dta").write_bytes(b"no stata file")
    (tmp_path / "one.csv").write_text("a\n1\n", encoding="utf-8")
    study = {
        "datasets": [
            {
                "name": "tabs.csv",
                "description": "Plots.",
                "columns": [{"name": "höhe", "description": "height"}, {"name": "ertrag", "description": "yield"}],
            }
        ]
    }
    submission, outputs = await play(task_text(study, "How does height affect the yield?"), tmp_path, cells)
    assert "Traceback" not in "".join(outputs)
    assert "not read: broken.dta" in outputs[0]
    assert "ertrag increases linearly with höhe" in submission["hypothesis"]


async def test_years_in_columns_become_rows(tmp_path: Path, cells: Cells) -> None:
    years = range(1990, 2010)
    header = "Country,Code," + ",".join(f"{year} [YR{year}]" for year in years)
    for name, slope in (("Spending", 2.0), ("Income", 6.0)):
        rows = [
            f"{place},{place[0]}," + ",".join(str(start + slope * (year - 1990) + year % 3) for year in years)
            for place, start in (("North", 10), ("South", 30))
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *rows]), encoding="utf-8")
    study = {"datasets": [{"name": f"{name}.csv", "description": "", "columns": []} for name in ("Spending", "Income")]}
    submission, outputs = await play(task_text(study, "How does spending affect income?"), tmp_path, cells)
    assert '"file": "Income.csv + Spending.csv", "rows": 40' in outputs[0]
    assert "Income increases" in submission["hypothesis"]


@pytest.mark.data
def test_every_real_folder_gives_findings(upstream: Path, cells: Cells) -> None:
    # Not a coroutine: a fixture that skips reads better, and the models need no loop of their own here.
    import anyio

    folders = sorted({path.parent for path in (upstream / "discoverybench" / "real").glob("*/*/metadata_*.json")})
    assert len(folders) == 14
    for folder in folders:
        study = json.loads(min(folder.glob("metadata_*.json")).read_text("utf-8"))
        goal = study["queries"][0][0]["question"]
        submission, outputs = anyio.run(play, task_text(study, goal), folder, cells)
        assert "Traceback" not in "".join(outputs), folder
        assert "DISCOVERY-FINDINGS" in outputs[-1], folder
        assert all(len(output.encode()) < 10_000 for output in outputs), folder
        assert submission["hypothesis"], folder
