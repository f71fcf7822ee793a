#!/usr/bin/env python
"""The evaluation report: a table of results from logs, with what is needed to repeat them.

Run `scripts/evaluation_report.py LOG_DIR…`. It prints Markdown in the form that reviewers of Inspect Evals ask for:
full model names, the judge, versions, scores with intervals, the paper's numbers, and commands.
`docs/evaluation_report.md` has the report of this version.
"""

import argparse
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from inspect_ai.log import EvalLog, read_eval_log

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.report.aggregates import HIGH, HMS, KEYS, LOW, aggregate, task_table
from inspect_discoverybench.report.report_columns import add_report_columns
from inspect_discoverybench.report.section import MISSING, cell_text
from inspect_discoverybench.report.sections import published
from inspect_discoverybench.results.frame import read_results
from inspect_discoverybench.results.sample_score import Outcome

PACKAGE = "inspect-discoverybench"

HEADER = (
    "Task",
    "Agent",
    "Model",
    "HMS × 100 (95 % interval)",
    "Samples",
    "Unscored, errors",
    "Paper: GPT-4o, GPT-4p, Llama-3",
    "Date",
)


def evaluation_report(paths: Sequence[str]) -> str:
    """The report as Markdown.

    Args:
        paths: Logs, and folders of logs.

    Raises:
        DataMissing: There is no log, or none of the logs can be used.
        InvalidArgument: The logs have several judges or versions, so their scores do not belong in one table.
    """
    samples = add_report_columns(read_results(paths).samples)
    headers = {str(log): read_eval_log(str(log), header_only=True) for log in samples.log.unique()}
    judge = _only("judges", samples.judge)
    version = _only("task versions", samples.task_version)
    package = _only("versions of the package", [header.eval.packages.get(PACKAGE) for header in headers.values()])
    _only("data commits", samples.data_commit)
    inspect_versions = sorted({header.eval.packages["inspect_ai"] for header in headers.values()})
    lines = [
        f"Task version {version}, {PACKAGE} {package}, inspect_ai {', '.join(inspect_versions)}. Judge: `{judge}`.",
        "",
        _line(HEADER),
        _line(["---"] * len(HEADER)),
        *map(_line, _rows(samples, headers)),
        "",
        "The paper’s numbers are those of the same agent with its own models and judge (Figure 4, left).",
        "",
        "```bash",
        *dict.fromkeys(command(header) for header in headers.values()),
        "```",
    ]
    return "\n".join(lines)


def command(log: EvalLog) -> str:
    """The command that repeats the run of a log. Settings of models and options of the runner are left out.

    Args:
        log: The log; its header is enough.
    """
    spec, config = log.eval, log.eval.config
    # Experiments pass the solver as an object, which Inspect does not name in the log.
    metadata = spec.metadata or {}
    solver = metadata.get("solver") or spec.solver
    solver_args = metadata.get("solver_args") or spec.solver_args_passed or {}
    words = ["inspect", "eval", spec.task, *_pairs("-T", spec.task_args_passed)]
    if solver is not None:
        words += ["--solver", str(solver), *_pairs("-S", solver_args)]
    words += ["--model", "none" if spec.model == "none/none" else spec.model]
    for role, model in (spec.model_roles or {}).items():
        names = [each.model for each in (model if isinstance(model, list) else [model])]
        words += [word for name in names for word in ("--model-role", f"{role}={name}")]
    if config.limit is not None:
        limit = config.limit
        words += ["--limit", str(limit) if isinstance(limit, int) else f"{limit[0] + 1}-{limit[1]}"]
    if config.sample_id is not None:
        ids = config.sample_id if isinstance(config.sample_id, list) else [config.sample_id]
        words += ["--sample-id", ",".join(map(str, ids))]
    if config.epochs not in (None, 1):
        words += ["--epochs", str(config.epochs)]
    return shlex.join(words)


def _rows(samples: pd.DataFrame, headers: Mapping[str, EvalLog]) -> Iterator[list[str]]:
    """One row per benchmark and configuration, as in `HEADER`."""
    groups = samples.groupby(KEYS)
    paper = published()
    table = aggregate(task_table(samples)).sort_values(["benchmark", HMS], ascending=[True, False], kind="stable")
    for row in table.to_dict("records"):
        group = groups.get_group((row["benchmark"], row["configuration"]))
        agent, model = group.agent.iloc[0], group.model.iloc[0]
        logs = [headers[str(log)] for log in group.log.unique()]
        total = max(log.eval.dataset.samples or 0 for log in logs)
        numbers = [cell_text(row[name], ".1f") for name in (HMS, LOW, HIGH)]
        yield [
            row["benchmark"],
            f"`{agent}`" + row["configuration"].removeprefix(f"{agent} · {model}"),
            "none" if model == "none/none" else f"`{model}`",
            f"{numbers[0]} ({numbers[1]}–{numbers[2]})",
            f"{group.id.nunique()} of {total}",
            f"{row[Outcome.UNSCORED]}, {row[Outcome.ERROR]}",
            ", ".join(map(str, paper.get(row["benchmark"], {}).get(agent, {}).values())) or MISSING,
            max(log.eval.created[:10] for log in logs),
        ]


def _only(noun: str, values: "Sequence[Any] | pd.Series[Any]") -> str:
    """The single known value.

    Raises:
        InvalidArgument: There are several.
    """
    distinct = sorted({str(value) for value in pd.Series(values).dropna()})
    if len(distinct) > 1:
        raise InvalidArgument(
            f"The logs have several {noun}: {', '.join(distinct)}. Their scores are not comparable; "
            "make a report of each."
        )
    return distinct[0] if distinct else "none"


def _pairs(flag: str, arguments: Mapping[str, Any]) -> list[str]:
    return [word for name, value in arguments.items() for word in (flag, f"{name}={_value(value)}")]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Print the report. Returns 2 if there is none."""
    parser = argparse.ArgumentParser(description="Print the evaluation report of logs as Markdown.")
    parser.add_argument("logs", nargs="+", metavar="LOG_DIR", help="logs, and folders of logs")
    try:
        print(evaluation_report(parser.parse_args().logs))
    except DiscoveryBenchError as error:
        print(f"Error: {error.message}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
