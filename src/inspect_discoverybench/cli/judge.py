"""`discoverybench judge`: the paper's evaluation of one pair of hypotheses."""

import asyncio
import json
from pathlib import Path
from typing import Any

import click
from inspect_ai.model import GenerateConfig
from rich.console import Console
from rich.markdown import Markdown

from inspect_discoverybench.dataset.metadata import Study
from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors import DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.explanation import explain
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE, Judge
from inspect_discoverybench.scorer.record import record
from inspect_discoverybench.scorer.verdict import Aggregation, PairVerdict, compare

# Somebody waits for this answer: Inspect itself would retry without end.
PATIENCE = GenerateConfig(max_retries=3, timeout=120)
BAD_INPUT = 2
UNSCORED = 3


@click.command()
@click.option("--goal", required=True, help="The discovery goal.")
@click.option("--gold", required=True, help="The gold hypothesis.")
@click.option("--gold-workflow", default="", help="Its workflow, if it is public.")
@click.option("--pred", required=True, help="The predicted hypothesis.")
@click.option("--pred-workflow", default="", help="Its workflow.")
@click.option(
    "--metadata", required=True, type=click.Path(path_type=Path), help="Metadata file that describes the data."
)
@click.option("--kind", type=click.Choice(["real", "synth"]), help="Form that the metadata file must have.")
@click.option("--grader", default=DEFAULT_JUDGE, show_default=True, help="The judge: PROVIDER/MODEL.")
@click.option("--aggregation", default=Aggregation.PRODUCT.value, show_default=True, help="product or subhypotheses.")
@click.option("--gate", is_flag=True, help="Ask about variables and relationship only where the contexts match.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="File to write scores, answers and raw replies to, as JSON."
)
def judge(
    goal: str,
    gold: str,
    gold_workflow: str,
    pred: str,
    pred_workflow: str,
    metadata: Path,
    kind: str | None,
    grader: str,
    aggregation: str,
    gate: bool,
    out: Path | None,
) -> None:
    """Judge one predicted hypothesis against its gold hypothesis.

    The exit code is 0 if it was scored, 2 for bad input, 3 if the judge gave no usable answer.
    """
    try:
        aggregated_by = Aggregation.read(aggregation)
        pair = Comparison(
            goal=_required("goal", goal),
            data_files=_study(metadata, kind).data_files,
            gold_hypothesis=_required("gold", gold),
            gold_workflow=_valid_text(gold_workflow) or None,
            predicted_hypothesis=_required("pred", pred),
            predicted_workflow=_valid_text(pred_workflow),
        )
        if out is not None and not out.absolute().parent.is_dir():
            raise InvalidArgument(f"--out {out}: the folder is not there; make it, or name another.")
        if out is not None and out.is_dir():
            raise InvalidArgument(f"--out {out}: this is a folder; name a file.")
        pair_judge = Judge.of_eval(grader, transport=PATIENCE)
    except DiscoveryBenchError as error:
        error.show()
        raise click.exceptions.Exit(BAD_INPUT) from error
    verdict = asyncio.run(compare(pair_judge, pair, gate, aggregated_by))
    Console().print(Markdown(explain(pair, verdict, "submit")))
    if out is not None:
        written = {"scores": _numbers(verdict), **record(pair_judge, verdict, gate, aggregated_by)}
        out.write_text(json.dumps(written, indent=2, ensure_ascii=False) + "\n", "utf-8")
    if verdict.values is None:
        raise click.exceptions.Exit(UNSCORED)


def _required(option: str, text: str) -> str:
    if not text.strip():
        raise InvalidArgument(f"--{option} is empty; give the text.")
    return _valid_text(text)


def _valid_text(text: str) -> str:
    """A command line may hold bytes that are no text."""
    return text.encode("utf-8", "replace").decode()


def _study(path: Path, kind: str | None) -> Study:
    """The described study; its form is recognised, and compared with the one that is asked for."""
    study = Study.read(path)
    queries: Any = json.loads(read_text(path))["queries"]
    form = "real" if isinstance(queries[0], list) else "synth"
    if kind is not None and kind != form:
        raise InvalidArgument(f"--kind {kind}: {path} has the form of DB-{form.upper()}; leave --kind out, or mend it.")
    return study


def _numbers(verdict: PairVerdict) -> dict[str, float | None] | None:
    """The score keys; None for one that was not asked about, as JSON has no NaN."""
    values = verdict.values
    return None if values is None else {key: value if value == value else None for key, value in values.items()}
