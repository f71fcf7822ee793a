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


def rows(path: Path) -> list[dict[str, str]]:
    """Rows of a CSV file as a spreadsheet sees them."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def csv_file(name: str, *lines: str) -> Path:
    path = Path(name)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def judged_logs() -> list[str]:
    """Paths of three logs of the same samples with different predictions, but one: the formula is in each."""
    folder = shared.folder() / "judged"
    names = ("", " again", " a third time")
    paths: list[str] = shared.build_once("judged", lambda: [judged(folder, name=name) for name in names])
    return paths


FORMULA = '=HYPERLINK("http://evil.example","click")'
"""A predicted hypothesis that a spreadsheet would run."""

INVALID = "no JSON"

# The judge's answers by number of the sample: match, variables and relationship.
SCRIPT = {
    0: (True, (4, 4, 4), "A"),
    1: (True, (4, 2, 2), "B"),
    2: (False, (3, 3, 1), "A"),
    3: (True, None, "C"),
    4: (True, (2, 2, 2), None),
    6: (True, (2, 2, 2), "A"),
    7: (False, (3, 1, 0), "C"),
}
"""In samples 3 and 4 a facet is undecided, so they are unscored. Sample 5 has no submission."""


def judged(folder: Path, *, name: str = "") -> str:
    """Path of a log of the demo task, with the answers of `SCRIPT`. The name is added to the predicted hypotheses."""
    task = demo()
    golds = [str(sample.target) for sample in task.dataset]
    predictions = [f"Finding {number}{name}" if number != 7 else FORMULA for number in range(len(golds))]

    @solver
    def writes_predictions() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            number = golds.index(state.target.text)
            text = "" if number == 5 else json.dumps({"hypothesis": predictions[number]})
            state.output = ModelOutput.from_content("writer", text)
            return state

        return solve

    def answer(request: Request) -> Answer:
        values = slots(request)
        if question(request) == "extract":
            text = values["hypothesis"]
            context = "among all" if text in (golds[6], predictions[6]) else f"where {text}"
            return json.dumps({"hypothesis": [{"text": text, "context": context, "explanation": "<b>found</b>"}]})
        gold = values["gold_hypothesis"] if question(request) == "match" else values["HypoA"]
        match, variables, relationship = SCRIPT[golds.index(gold)]
        if question(request) == "match":
            return json.dumps({"match": match})
        if question(request) == "relationship":
            return json.dumps({"answer": relationship, "explanation": "compared"}) if relationship else INVALID
        counts = variables and dict(zip(("sizeA", "sizeB", "intersection"), variables, strict=True))
        return json.dumps({**counts, "explanation": "counted"}) if counts else INVALID

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
