"""`discoverybench run`: an experiment from a YAML file."""

import json
import math
import shlex
import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import asdict
from pathlib import Path

import click
from inspect_ai.log import EvalLog

from inspect_discoverybench.cli.table import print_table
from inspect_discoverybench.cli.termination import interrupt_on_termination
from inspect_discoverybench.errors import DataMissing, DiscoveryBenchError, DiskFull
from inspect_discoverybench.experiment.estimate import Estimate, estimate, total
from inspect_discoverybench.experiment.export import as_yaml, command, flow
from inspect_discoverybench.experiment.full_disk import full_disk_errors, require_space
from inspect_discoverybench.experiment.log_folder import (
    check_resumption,
    has_logs,
    locked,
    refuse_losses,
    remove_leftovers,
)
from inspect_discoverybench.experiment.outcome import RunOutcome
from inspect_discoverybench.experiment.run import ExperimentPlan, prepare
from inspect_discoverybench.experiment.source import load
from inspect_discoverybench.shipped import shipped

INCOMPLETE = 1
BAD_FILE = 2

NAMES = ("task", "solver", "model")
ESTIMATED = ("samples", "calls", "judge calls", "tokens in", "tokens out", "US $")
MEASURED = ("95 % CI", "scored", "unscored", "no submission", "errors", "tokens", "US $")


@click.command()
@click.argument("file")
@click.option("--check", is_flag=True, help="Check that every run can be built and called, then exit.")
@click.option("--dry-run", is_flag=True, help="Print the matrix with estimated calls, tokens and cost, then exit.")
@click.option("--model", "models", multiple=True, help="Run this model instead of those in FILE. Can be repeated.")
@click.option("--limit", type=int, help="Maximum number of samples of each task. Short for --set limits.samples=N.")
@click.option("--set", "changes", multiple=True, metavar="A.B=C", help="Change a value of FILE. Can be repeated.")
@click.option(
    "--model-cost-config",
    "--prices",
    "price_file",
    type=click.Path(path_type=Path),
    help="File with model prices, in the format of Inspect's --model-cost-config.",
)
@click.option(
    "--print",
    "form",
    type=click.Choice(["commands", "run-config", "flow"]),
    help="Print commands, files for `inspect eval --run-config`, or a spec for inspect-flow, then exit.",
)
@click.option("--retries", type=click.IntRange(min=0), help="Maximum number of retries of a failed run. [default: 10]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def run(
    file: str,
    check: bool,
    dry_run: bool,
    models: tuple[str, ...],
    limit: int | None,
    changes: tuple[str, ...],
    price_file: Path | None,
    form: str | None,
    retries: int | None,
    as_json: bool,
) -> None:
    """Run an experiment: every task × solver × model of FILE. Repeat the command to resume.

    FILE is a path, or the name of a shipped experiment: demo, fig4_real, fig4_synth, domain_knowledge, memorization,
    judge_audit, frontier.

    The exit code is 0 if all runs are complete, 1 if a run is incomplete or a sample is unscored or has an error,
    and 2 if the experiment cannot be run.
    """
    if models:
        changes = (*changes, f"models={json.dumps(models)}")
    if limit is not None:
        changes = (*changes, f"limits.samples={limit}")
    path = _resolve(file)
    try:
        if form:
            _print_form(path, changes, price_file, form)
        elif check or dry_run:
            _print_estimate(path, changes, price_file, as_json=as_json, check=check)
        else:
            with interrupt_on_termination():
                _run(path, changes, price_file, retries, as_json)
    except DiskFull as error:
        error.show()
        raise click.exceptions.Exit(INCOMPLETE) from error
    except KeyboardInterrupt as error:
        click.echo("Interrupted. Finished samples are in the logs. Repeat the command to continue.", err=True)
        raise click.exceptions.Exit(INCOMPLETE) from error
    except DiscoveryBenchError as error:
        error.show()
        raise click.exceptions.Exit(BAD_FILE) from error


def _rehearse(path: Path, changes: tuple[str, ...], price_file: Path | None) -> tuple[ExperimentPlan, list[EvalLog]]:
    """Build the plan and make every check that precedes a run."""
    plan = prepare(*load(path, changes), price_file)
    rehearsal = plan.rehearse()
    refuse_losses(plan, rehearsal)
    return plan, rehearsal


def _run(path: Path, changes: tuple[str, ...], price_file: Path | None, retries: int | None, as_json: bool) -> None:
    plan = prepare(*load(path, changes), price_file)
    log_dir = plan.experiment.log_dir
    with full_disk_errors(log_dir), locked(log_dir):
        if has_logs(log_dir):
            finished = check_resumption(path, changes, price_file)
            click.echo(f"{finished} finished samples in {log_dir} are kept.", err=True)
        # Keep Inspect's progress out of the JSON on standard output.
        with redirect_stdout(sys.stderr) if as_json else nullcontext():
            complete, logs = plan.run(retries)
        require_space(logs, log_dir)
        if complete and len(logs) < len(plan.runs):
            raise KeyboardInterrupt  # `eval_set` reports success if Ctrl-C ends its only attempt
        leftovers = remove_leftovers(logs, log_dir, keep=plan.arguments.get("retry_cleanup") is False)
    order = {run.cell.labels: number for number, run in enumerate(plan.runs)}
    outcomes = sorted(map(RunOutcome.of_log, logs), key=lambda o: order.get((o.task, o.solver, o.model), len(order)))
    if as_json:
        click.echo(json.dumps({"name": plan.experiment.name, "runs": [o.to_json() for o in outcomes]}, indent=2))
    else:
        _print_outcomes(plan, outcomes)
    for leftover in leftovers:
        click.echo(
            f"{leftover} is left over from a killed run. Delete it if no other process is writing to it.", err=True
        )
    if not complete or any(outcome.unscored or outcome.errors for outcome in outcomes):
        raise click.exceptions.Exit(INCOMPLETE)


def _print_outcomes(plan: ExperimentPlan, outcomes: list[RunOutcome]) -> None:
    experiment = plan.experiment
    metrics = {outcome.metric for outcome in outcomes} - {None}
    score = "HMS" if metrics <= {"hms"} else "score"
    rows = [[o.task, o.solver, o.model, _score(o, score), *_measured(o)] for o in outcomes]
    print_table(f"{experiment.name}: logs in {experiment.log_dir}", NAMES, (score, *MEASURED), rows)
    click.echo(f"{sum(outcome.complete for outcome in outcomes)} of {len(plan.runs)} runs are complete.")
    if any(math.isnan(outcome.cost) for outcome in outcomes):
        click.echo("? marks a run whose models do not all have a price. Add prices with --model-cost-config FILE.")
    for error in dict.fromkeys(outcome.error for outcome in outcomes if outcome.error):
        click.echo(f"Error: {error}")
    if len(outcomes) < len(plan.runs) or not all(outcome.complete for outcome in outcomes):
        click.echo("Repeat the command to complete the others.")
    unscored = [outcome for outcome in outcomes if outcome.unscored]
    if unscored:
        click.echo(f"{sum(outcome.unscored for outcome in unscored)} samples are unscored. To score them again, run:")
    for outcome in unscored:
        click.echo(f"  {outcome.score_command}")
        if outcome.bounds:
            low, high = outcome.bounds
            click.echo(f"  Until then, its score is {low:.3f} if they all score 0 and {high:.3f} if they all score 1.")
    # `eval_set` retries incomplete runs only. With `fail_on_error: false`, a run with errors is complete.
    errored = [outcome for outcome in outcomes if outcome.complete and outcome.errors]
    if errored:
        click.echo(f"{sum(outcome.errors for outcome in errored)} samples ended with an error. To repeat them, run:")
    for outcome in errored:
        click.echo(f"  inspect eval-retry {shlex.quote(outcome.log)}")
    if any(outcome.metric == "hms" and outcome.scored for outcome in outcomes):
        click.echo(f"To make a report, run: discoverybench report {shlex.quote(str(experiment.log_dir))}")


def _score(outcome: RunOutcome, header: str) -> str:
    if math.isnan(outcome.value):
        return "–"
    return f"{outcome.value:.3f}" if header == "HMS" else f"{outcome.metric} {outcome.value:.3f}"


def _measured(outcome: RunOutcome) -> list[str]:
    low, high = outcome.interval
    return [
        "–" if math.isnan(low) else f"{low:.3f} to {high:.3f}",
        f"{outcome.scored:,}",
        f"{outcome.unscored:,}",
        f"{outcome.no_submission:,}",
        f"{outcome.errors:,}",
        f"{outcome.tokens:,}",
        _number(outcome.cost, ",.2f"),
    ]


def _print_estimate(
    path: Path, changes: tuple[str, ...], price_file: Path | None, *, as_json: bool, check: bool
) -> None:
    plan, rehearsal = _rehearse(path, changes, price_file)
    experiment = plan.experiment
    sizes = [len(log.eval.dataset.sample_ids or []) * (log.eval.config.epochs or 1) for log in rehearsal]
    estimates = [estimate(run, size, experiment, plan.prices) for run, size in zip(plan.runs, sizes, strict=True)]
    if as_json:
        click.echo(json.dumps(_estimates_as_json(plan, estimates), indent=2))
        return
    if check:
        click.echo(f"{path}: {len(plan.runs)} runs with {sum(sizes)} samples can run.")
        return
    rows = [[*run.cell.labels, *_estimated(e)] for run, e in zip(plan.runs, estimates, strict=True)]
    sums = [f"{len(rows)} runs", "", "", *_estimated(total(estimates))]
    print_table(f"{experiment.name}: logs in {experiment.log_dir}", NAMES, ESTIMATED, rows, sums)
    click.echo("Estimated from the averages in benchmarks/README.md. ? marks an unknown agent or price.")


def _estimates_as_json(plan: ExperimentPlan, estimates: list[Estimate]) -> dict[str, object]:
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


def _estimated(estimated: Estimate) -> list[str]:
    counts = [estimated.calls, estimated.judge_calls, estimated.input_tokens, estimated.output_tokens]
    return [f"{estimated.samples:,}", *[_number(count, ",.0f") for count in counts], _number(estimated.cost, ",.2f")]


def _number(value: float, form: str) -> str:
    return "?" if math.isnan(value) else format(value, form)


def _print_form(path: Path, changes: tuple[str, ...], price_file: Path | None, form: str) -> None:
    plan, rehearsal = _rehearse(path, changes, price_file)
    cells = [run.cell for run in plan.runs]
    match form:
        case "flow":
            click.echo(flow(plan.experiment, cells), nl=False)
        case "commands":
            click.echo("\n".join(command(plan.experiment, cell) for cell in cells))
        case _:
            files = [as_yaml(plan.experiment, cell, log) for cell, log in zip(cells, rehearsal, strict=True)]
            click.echo("---\n".join(files), nl=False)


def _resolve(file: str) -> Path:
    """The path, or else the shipped experiment with this name."""
    path, name = Path(file), f"evals/{Path(file).stem}.yaml"
    return path if path.exists() or len(path.parts) > 1 or not _is_shipped(name) else shipped(name)


def _is_shipped(name: str) -> bool:
    try:
        return shipped(name).is_file()
    except DataMissing:
        return False
