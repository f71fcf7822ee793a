"""The table of estimates that `discoverybench run --dry-run` prints."""

import math
from collections.abc import Sequence
from dataclasses import asdict

import click

from inspect_discoverybench.cli.number import plural
from inspect_discoverybench.cli.outcomes import NAMES
from inspect_discoverybench.cli.table import print_table
from inspect_discoverybench.experiment.estimate import UsageEstimate, total
from inspect_discoverybench.experiment.run import ExperimentPlan

ESTIMATED = ("samples", "calls", "judge calls", "tokens in", "tokens out", "US $")


def print_estimates(plan: ExperimentPlan, estimates: Sequence[UsageEstimate]) -> None:
    """Print the matrix with the estimates of its runs.

    Args:
        plan: The experiment.
        estimates: One estimate for each run.
    """
    experiment = plan.experiment
    rows = [[*run.cell.labels, *_estimated(e)] for run, e in zip(plan.runs, estimates, strict=True)]
    sums = [plural(len(rows), "run"), "", "", *_estimated(total(estimates))]
    print_table(f"{experiment.name}: logs in {experiment.log_dir}", NAMES, ESTIMATED, rows, sums)
    click.echo("Estimated from the averages in benchmarks/README.md. ? marks an unknown agent or price.")


def estimates_as_json(plan: ExperimentPlan, estimates: Sequence[UsageEstimate]) -> dict[str, object]:
    """The same as JSON values, with null for unknown numbers."""
    runs = [
        {
            "task": run.cell.task.model_dump(),
            "solver": run.cell.solver and run.cell.solver.model_dump(),
            "model": run.cell.model.model_dump(),
            **{name: None if math.isnan(value) else value for name, value in asdict(estimated).items()},
        }
        for run, estimated in zip(plan.runs, estimates, strict=True)
    ]
    return {"name": plan.experiment.name, "log_dir": plan.experiment.log_dir, "runs": runs}


def _estimated(estimated: UsageEstimate) -> list[str]:
    counts = [estimated.calls, estimated.judge_calls, estimated.input_tokens, estimated.output_tokens]
    return [f"{estimated.samples:,}", *[_number(count, ",.0f") for count in counts], _number(estimated.cost, ",.2f")]


def _number(value: float, form: str) -> str:
    return "?" if math.isnan(value) else format(value, form)
