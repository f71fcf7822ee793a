"""Logs of the demo task with a scripted judge."""

import csv
import json
from pathlib import Path

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


def _replies(match: bool, sizes: str, answer: str) -> str:
    """One reply to all questions about a sample. Each question reads only its own fields."""
    gold, predicted, shared = sizes.split()
    reply = {
        "match": match,
        "sizeA": gold,
        "sizeB": predicted,
        "intersection": shared,
        "answer": answer,
        "explanation": "compared",
    }
    return json.dumps(reply)


REPLIES = {
    0: _replies(True, "4 4 4", "A"),
    1: _replies(True, "4 2 2", "B"),
    2: _replies(False, "3 3 1", "A"),
    3: _replies(True, "4 4 4", "C"),
    4: _replies(True, "2 2 2", "A"),
    6: _replies(True, "2 2 2", "A"),
    7: _replies(False, "3 1 0", "C"),
}
"""By number of the sample."""

INVALID = ((3, "variables"), (4, "relationship"))
"""Samples and questions without a valid reply, so that they are unscored."""


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
        name = question(request)
        if name == "extract":
            text = values["hypothesis"]
            is_same = text in (golds[SAME_CONTEXT], predictions[SAME_CONTEXT])
            context = "among all" if is_same else f"where {text}"
            return json.dumps({"hypothesis": [{"context": context}]})
        gold = values.get("gold_hypothesis") or values["HypoA"]
        number = golds.index(gold)
        return "no JSON" if (number, name) in INVALID else REPLIES[number]

    [log] = inspect_eval(
        task_with(task, scorer=hms()),
        model="mockllm/model",
        model_roles={"grader": InProcessJudge(answer).model},
        solver=writes_predictions(),
        log_dir=str(folder),
    )
    assert log.status == "success", log.error
    return log.location
