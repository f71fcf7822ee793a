"""Precision and recall of the transcript scanners on planted transcripts, and the time that a long output takes.

The two sets of transcripts in `planted.yaml` become evals of demo tasks in the local sandbox, with scripted models.
"""

import argparse
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.agent import AgentSubmit, as_solver, react
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalLog
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolChoice, ToolInfo, bash
from inspect_scout import scan, scan_results_df, transcripts_from
from measure import own_folders, show

from inspect_discoverybench import demo
from inspect_discoverybench.scanners.quantity import evidence
from inspect_discoverybench.scanners.scanners import (
    CATEGORIES,
    no_successful_cell,
    questionable_answer,
    unsupported_number,
)
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.submission import submit

PLANTED = Path(__file__).with_name("planted.yaml")
RULES = ("unsupported_number", "no_successful_cell")
LOAD = "import pandas as pd\ndf = pd.read_csv('data.csv')"
JUDGE = {
    '"sizeA"': {"sizeA": 2, "sizeB": 2, "intersection": 1, "explanation": "One is in both."},
    '"match"': {"match": True},
    '"context"': {"hypothesis": [{"text": "t", "context": "all rows", "explanation": "All rows."}]},
}
"""Replies of the scripted judge by a word of the question."""
SAME = {"answer": "A", "explanation": "Both name the same relationship."}


@dataclass(frozen=True)
class Planted:
    """A transcript to make; the attributes are those of the entries in `planted.yaml`."""

    name: str
    data: int
    faults: list[str]
    cells: list[str]
    hypothesis: str
    load: bool = True
    tool: str = "python"
    judge: dict[str, str] | None = None

    @property
    def mark(self) -> str:
        """What tells this transcript in the prompts of the agent."""
        return f"[{self.name}]"

    def turn(self, number: int) -> ModelOutput:
        """The agent's turn of a number."""
        cells = [LOAD, *self.cells] if self.load and self.tool == "python" else self.cells
        if number < len(cells):
            cell = {"code" if self.tool == "python" else "command": cells[number]}
            return ModelOutput.for_tool_call("mockllm/model", self.tool, cell, content="Next.")
        arguments = {"hypothesis": self.hypothesis, "workflow": "Loaded the data and compared the columns."}
        return ModelOutput.for_tool_call("mockllm/model", "submit", arguments)


def make_log(planted: list[Planted]) -> EvalLog:
    """Run the planted transcripts as one eval."""

    def act(messages: list[ChatMessage]) -> ModelOutput:
        text = "\n".join(message.text for message in messages if message.role == "user")
        case = next(case for case in planted if case.mark in text)
        return case.turn(sum(message.role == "assistant" for message in messages))

    def judge(messages: list[ChatMessage]) -> ModelOutput:
        prompt = "\n".join(message.text for message in messages)
        reply = next((reply for word, reply in JUDGE.items() if word in prompt), None)
        case = next((c for c in planted if json.dumps(c.hypothesis, ensure_ascii=False) in prompt), None)
        return ModelOutput.from_content(
            "mockllm/judge", json.dumps(reply or (case.judge if case and case.judge else SAME))
        )

    base = demo()
    samples = [
        base.dataset[case.data].model_copy(
            update={"id": case.name, "input": f"{base.dataset[case.data].input}\n\n{case.mark}"}
        )
        for case in planted
    ]
    [log] = inspect_eval(
        task_with(base, dataset=MemoryDataset(samples, name="planted")),
        model=scripted(act),
        solver=as_solver(react(tools=[python(20), bash()], submit=AgentSubmit(tool=submit(), keep_in_messages=True))),
        model_roles={"grader": scripted(judge)},
    )
    assert log.status == "success", log.error and log.error.message
    return log


def scripted(reply: Callable[[list[ChatMessage]], ModelOutput]) -> Model:
    """A model that gives a function's replies."""

    def output(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        answer = reply(messages)
        answer.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # or a tokenizer is downloaded
        return answer

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def found_faults(log: EvalLog, model: str | None) -> dict[str, set[str]]:
    """The faults that the scanners find, by name of the transcript."""
    scanners = [unsupported_number(), no_successful_cell(), questionable_answer()]
    status = scan(
        scanners,
        transcripts=transcripts_from(log.location),
        scans="scans",
        model=model,
        max_processes=1,
        display="none",
    )
    assert status.complete, status.errors
    frames = scan_results_df(status.location).scanners
    found: dict[str, set[str]] = {}
    for scanner in (*RULES, "questionable_answer"):
        for row in frames[scanner].to_dict("records"):
            is_reported = str(row["value"]).lower() == "true"
            names = json.loads(row["value"]) if row["value_type"] == "array" else [scanner] if is_reported else []
            found.setdefault(row["transcript_task_id"], set()).update(names)
    return found


def share(part: int, whole: int) -> str:
    """A share with the counts behind it."""
    return f"{part / whole:.2f} ({part} of {whole})" if whole else "–"


def long_output() -> tuple[str, str]:
    """Time to compare the numbers of an output of 2 MB with those of its code."""
    generator = random.Random(1)
    text = "\n".join(f"row {n} {generator.gauss(0, 1):.6f} {generator.gauss(0, 1):.6e}" for n in range(62_000))
    start = time.perf_counter()
    [numbers] = evidence([("limit = 4.5", text)])
    return f"{len(text) / 1e6:.1f} MB, {len(numbers):,} numbers", f"{time.perf_counter() - start:.2f}"


def main() -> None:
    """Print the tables, and the transcripts that a scanner got wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="also measure the question to this model")
    arguments = parser.parse_args()
    with own_folders():
        for entries in yaml.safe_load_all(PLANTED.read_text("utf-8")):
            planted = [Planted(**entry) for entry in entries]
            found = found_faults(make_log(planted), arguments.model)
            rows, wrong = [], []
            for fault in (*RULES, *CATEGORIES) if arguments.model else RULES:
                faulty = {case.name for case in planted if fault in case.faults}
                reported = {name for name, faults in found.items() if fault in faults}
                hits = len(faulty & reported)
                precision, recall = share(hits, len(reported)), share(hits, len(faulty))
                rows.append((fault, precision, recall, str(len(planted) - len(faulty))))
                wrong += [f"{fault}: {'missed' if n in faulty else 'false'}: {n}" for n in sorted(faulty ^ reported)]
            title = f"{len(planted)} planted transcripts"
            show(title, ("fault", "precision", "recall", "transcripts without it"), rows, *wrong)
    show("Numbers in one output", ("output", "seconds"), [long_output()])


if __name__ == "__main__":
    main()
