"""The table of a dry run: the runs with their samples, the limits and the expected use."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from inspect_discoverybench.cli.terminal import number_or_unknown, plural, print_table, say
from inspect_discoverybench.errors.redaction import public_settings
from inspect_discoverybench.experiment.definition import Component
from inspect_discoverybench.experiment.eval_set import EvalSet
from inspect_discoverybench.experiment.forecast import Forecast
from inspect_discoverybench.experiment.matrix import MatrixCell


def print_forecasts(eval_set: EvalSet, forecasts: Sequence[Forecast], *, as_json: bool) -> None:
    """Print the runs with their forecasts. JSON has null for unknown numbers."""
    experiment = eval_set.experiment
    limits = experiment.limits.model_dump(exclude_none=True)
    runs = list(zip(eval_set.cells, forecasts, strict=True))
    if as_json:
        entries = [_as_json(cell, forecast) for cell, forecast in runs]
        values = {"name": experiment.name, "log_dir": experiment.log_dir, "limits": limits, "runs": entries}
        say(json.dumps(values, indent=2))
        return

    total = Forecast.sum(forecasts)
    rows = [[*cell.labels, *_numbers(forecast)] for cell, forecast in runs]
    print_table(
        f"{experiment.name}: logs in {experiment.log_dir}",
        ("task", "solver", "model"),
        ("samples", "finished", "tokens", "US $"),
        rows,
        total=[plural(len(rows), "run"), "", "", *_numbers(total)],
    )
    limit_texts = [f"{name} {value}" for name, value in limits.items()]
    say(f"Limits: {', '.join(limit_texts) or 'those of the tasks'}.")
    if total.finished:
        say("Tokens and cost are extrapolated from the finished samples in the log directory.")
    else:
        say("No sample has finished, so tokens and cost are unknown. Run with --limit 3 first.")


def _as_json(cell: MatrixCell, forecast: Forecast) -> dict[str, Any]:
    return {
        "task": _shown(cell.task),
        "solver": cell.solver and _shown(cell.solver),
        "model": _shown(cell.model),
        **asdict(forecast),
    }


def _shown(part: Component) -> dict[str, Any]:
    return public_settings(part.model_dump(exclude_none=True))


def _numbers(forecast: Forecast) -> list[str]:
    return [
        f"{forecast.samples:,}",
        f"{forecast.finished:,}",
        number_or_unknown(forecast.tokens),
        number_or_unknown(forecast.cost, decimals=2),
    ]
