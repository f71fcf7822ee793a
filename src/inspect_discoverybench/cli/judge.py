"""`discoverybench judge`: score one predicted hypothesis against its gold hypothesis."""

import asyncio
import json
from math import isnan
from pathlib import Path

import click
from inspect_ai.model import GenerateConfig
from rich.console import Console
from rich.markdown import Markdown

from inspect_discoverybench.dataset.metadata import Study
from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, InvalidArgument, JudgeFailed
from inspect_discoverybench.errors.provider_failures import inspect_errors, named_model
from inspect_discoverybench.errors.redaction import printable
from inspect_discoverybench.json_text import replace_surrogates
from inspect_discoverybench.scorer.explanation import explain
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE, Judge
from inspect_discoverybench.scorer.judge_record import judge_record
from inspect_discoverybench.scorer.released_form import PRODUCT, is_released
from inspect_discoverybench.scorer.reply_cache import ReplyCache
from inspect_discoverybench.scorer.verdict import ask_verdict


@click.command()
@click.option("--goal", required=True, help="The discovery goal.")
@click.option("--gold", required=True, help="The gold hypothesis.")
@click.option("--gold-workflow", default="", help="Workflow of the gold hypothesis.")
@click.option("--pred", required=True, help="The predicted hypothesis.")
@click.option("--pred-workflow", default="", help="Workflow of the predicted hypothesis.")
@click.option("--metadata", required=True, type=click.Path(path_type=Path), help="Metadata file of the study.")
@click.option("--grader", default=DEFAULT_JUDGE, show_default=True, help="The judge, as PROVIDER/MODEL.")
@click.option("--aggregation", default=PRODUCT, show_default=True, help="product or released.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="JSON file for the scores and raw replies."
)
def judge(
    goal: str,
    gold: str,
    gold_workflow: str,
    pred: str,
    pred_workflow: str,
    metadata: Path,
    grader: str,
    aggregation: str,
    out: Path | None,
) -> None:
    """Score one predicted hypothesis against its gold hypothesis.

    Exit codes: 0 scored, 1 judge failed, 2 invalid input, 3 not scored because the judge's replies were invalid.
    """
    with_released = is_released(aggregation)
    # Arguments that are not valid UTF-8 have lone surrogates, which cannot be sent to the judge.
    pair = HypothesisPair(
        goal=replace_surrogates(_nonempty("goal", goal)),
        data_files=Study.read(metadata).data_files,
        gold_hypothesis=replace_surrogates(_nonempty("gold", gold)),
        gold_workflow=replace_surrogates(gold_workflow) or None,
        predicted_hypothesis=replace_surrogates(_nonempty("pred", pred)),
        predicted_workflow=replace_surrogates(pred_workflow),
    )
    failure = f"The judge {grader} cannot be called"
    with inspect_errors(DiscoveryBenchError, failure, remedy="Choose another one with --grader."):
        model = named_model(grader)

    # An invalid folder is refused here, before the judge is paid for.
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
    # A user waits for this command, so failed requests are given up soon. Inspect's default is to retry indefinitely.
    transport = GenerateConfig(max_retries=3, timeout=120)
    judge = Judge(model, transport, ReplyCache.for_model(model))
    try:
        verdict = asyncio.run(ask_verdict(judge, pair, with_released))
    except JudgeFailed as error:
        raise JudgeFailed(error.failure, "Try again, or choose another judge.") from error

    Console().print(Markdown(printable(explain(pair, verdict))))
    if out is not None:
        # An undecided score is NaN, which JSON does not have.
        scores = {key: None if isnan(value) else value for key, value in verdict.values.items()}
        result = {"scores": scores, **judge_record(judge, verdict)}
        out.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", "utf-8")
    if any(map(isnan, verdict.values.values())):
        raise click.exceptions.Exit(3)


def _nonempty(option: str, text: str) -> str:
    if not text.strip():
        raise InvalidArgument(f"--{option} is empty. Pass a non-empty text.")
    return text
