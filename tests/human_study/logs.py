"""Logs of the demo task with a scripted judge."""

import csv
import json
from pathlib import Path
from typing import NamedTuple

from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_discoverybench import demo
from inspect_discoverybench.scorer.scorer import hms
from tests import shared
from tests.endpoint import Answer, Request, question, slots
from tests.scorer.judging import InProcessJudge

FORMULA = '=HYPERLINK("http://evil.example","click")'
"""A predicted hypothesis that a spreadsheet would run: that of sample 7 in each log."""

SILENT = 5
"""The sample without a submission."""

SAME_CONTEXT = 6
"""The sample whose contexts are identical, so that the judge is not asked about the match."""


class Replies(NamedTuple):
    """The judge's answers about a sample; a dash is an invalid reply, which leaves the sample unscored."""

    match: str
    counts: str
    letter: str


REPLIES = {
    0: Replies("yes", "4 4 4", "A"),
    1: Replies("yes", "4 2 2", "B"),
    2: Replies("no", "3 3 1", "A"),
    3: Replies("yes", "-", "C"),
    4: Replies("yes", "2 2 2", "-"),
    6: Replies("yes", "2 2 2", "A"),
    7: Replies("no", "3 1 0", "C"),
}


def rows(path: Path) -> list[dict[str, str]]:
    """Rows of a CSV file as a spreadsheet sees them."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def csv_file(name: str, *lines: str) -> Path:
    path = Path(name)
    text = "\n".join(lines)
    path.write_text(f"{text}\n", "utf-8")
    return path


def judged_logs() -> list[str]:
    """Paths of three logs of the same samples with different predictions, except the formula."""
    folder = shared.folder() / "judged"

    def build() -> list[str]:
        return [judged(folder, name) for name in ("", " again", " a third time")]

    paths: list[str] = shared.build_once("judged", build)
    return paths


def judged(folder: Path, name: str) -> str:
    """Path of a log of the demo task. The name is added to the predicted hypotheses."""
    task = demo()
    golds = [str(sample.target) for sample in task.dataset]
    predictions = [f"Finding {number}{name}" for number in range(8)]
    predictions[7] = FORMULA

    @solver
    def writes_predictions() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            number = golds.index(state.target.text)
            submission = json.dumps({"hypothesis": predictions[number]})
            text = "" if number == SILENT else submission
            state.output = ModelOutput.from_content("writer", text)
            return state

        return solve

    def answer(request: Request) -> Answer:
        values = slots(request)
        if question(request) == "extract":
            text = values["hypothesis"]
            is_same = text in (golds[SAME_CONTEXT], predictions[SAME_CONTEXT])
            context = "among all" if is_same else f"where {text}"
            return json.dumps({"hypothesis": [{"context": context}]})
        gold = values.get("gold_hypothesis") or values["HypoA"]
        replies = REPLIES[golds.index(gold)]
        return reply(str(question(request)), replies)

    [log] = inspect_eval(
        task_with(task, scorer=hms()),
        model="mockllm/model",
        model_roles={"grader": InProcessJudge(answer).model},
        solver=writes_predictions(),
        log_dir=str(folder),
        display="none",
    )
    assert log.status == "success", log.error
    return log.location


def reply(asked: str, replies: Replies) -> str:
    if asked == "match":
        return json.dumps({"match": replies.match == "yes"})
    if asked == "relationship":
        return json.dumps({"answer": replies.letter, "explanation": "compared"})
    if replies.counts == "-":
        return "no JSON"
    gold, predicted, both = replies.counts.split()
    return json.dumps(
        {
            "sizeA": gold,
            "sizeB": predicted,
            "intersection": both,
            "explanation": "counted",
        }
    )
