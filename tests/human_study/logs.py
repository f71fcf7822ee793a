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

INVALID = "no JSON"

SAME_CONTEXT = 6
"""The sample whose contexts are identical, so that the judge is not asked about the match."""

# The judge's answers by number of the sample. In samples 3 and 4 a facet is undecided, so they are unscored.
MATCHES = {0: True, 1: True, 2: False, 3: True, 4: True, 6: True, 7: False}
COUNTS = {0: "4 4 4", 1: "4 2 2", 2: "3 3 1", 4: "2 2 2", 6: "2 2 2", 7: "3 1 0"}
LETTERS = {0: "A", 1: "B", 2: "A", 3: "C", 6: "A", 7: "C"}

SCORED = (0, 1, 2, 6, 7)


def rows(path: Path) -> list[dict[str, str]]:
    """Rows of a CSV file as a spreadsheet sees them."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def csv_file(name: str, *lines: str) -> Path:
    path = Path(name)
    path.write_text("\n".join(lines) + "\n", "utf-8")
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
    predictions = [f"Finding {number}{name}" for number in range(len(golds))]
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
            same_context = (golds[SAME_CONTEXT], predictions[SAME_CONTEXT])
            return extraction(values["hypothesis"], same_context)
        if question(request) == "match":
            number = golds.index(values["gold_hypothesis"])
            return json.dumps({"match": MATCHES[number]})
        number = golds.index(values["HypoA"])
        if question(request) == "relationship":
            return relationship(number)
        return variables(number)

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


def extraction(text: str, same_context: tuple[str, str]) -> str:
    context = "among all" if text in same_context else f"where {text}"
    part = {"text": text, "context": context}
    return json.dumps({"hypothesis": [part]})


def relationship(number: int) -> str:
    if number not in LETTERS:
        return INVALID
    return json.dumps({"answer": LETTERS[number], "explanation": "compared"})


def variables(number: int) -> str:
    if number not in COUNTS:
        return INVALID
    gold, predicted, shared_count = COUNTS[number].split()
    return json.dumps({"sizeA": gold, "sizeB": predicted, "intersection": shared_count, "explanation": "counted"})
