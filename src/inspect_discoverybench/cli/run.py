"""`discoverybench run`: an experiment from a YAML file."""

import json
import shlex
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path

import click
from inspect_ai.log import EvalLog

from inspect_discoverybench.cli.estimates import estimates_as_json, print_estimates
from inspect_discoverybench.cli.number import plural
from inspect_discoverybench.cli.outcomes import print_outcomes
from inspect_discoverybench.cli.shards import is_complete, print_states, refuse_combinations, states_as_json
from inspect_discoverybench.cli.slurm import slurm_options
from inspect_discoverybench.cli.termination import interrupt_on_termination
from inspect_discoverybench.errors import DataMissing, DiscoveryBenchError, DiskFull
from inspect_discoverybench.experiment.estimate import estimate
from inspect_discoverybench.experiment.export import as_yaml, command, flow
from inspect_discoverybench.experiment.full_disk import full_disk_errors, require_space
from inspect_discoverybench.experiment.log_folder import (
    has_logs,
    locked,
    refuse_losses,
    rehearse_apart,
    remove_leftovers,
)
from inspect_discoverybench.experiment.outcome import RunOutcome
from inspect_discoverybench.experiment.run import ExperimentPlan, prepare
from inspect_discoverybench.experiment.shard import MAX_SHARDS, Shard, deal, part, sample_ids
from inspect_discoverybench.experiment.shard_record import enter, refuse_shards
from inspect_discoverybench.experiment.shard_state import shard_states
from inspect_discoverybench.experiment.slurm import SlurmOptions, array_script
from inspect_discoverybench.experiment.source import load
from inspect_discoverybench.shipped import shipped

INCOMPLETE = 1
BAD_FILE = 2


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
    type=click.Choice(["commands", "run-config", "flow", "slurm"]),
    help="Print commands, files for `inspect eval --run-config`, a spec for inspect-flow, or a batch script for Slurm "
    "(with --shards), then exit.",
)
@click.option("--shard", "part_text", metavar="K/N", help="Run the K-th of N equal parts of the samples; K is 1 to N.")
@click.option(
    "--shards",
    type=click.IntRange(1, MAX_SHARDS),
    metavar="N",
    help="Number of shards, for --status and --print slurm.",
)
@click.option("--status", is_flag=True, help="Print which shards are finished, running or missing, then exit.")
@slurm_options
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
    part_text: str | None,
    shards: int | None,
    status: bool,
    retries: int | None,
    as_json: bool,
    slurm: SlurmOptions,
) -> None:
    """Run an experiment: every task × solver × model of FILE. Repeat the command to resume.

    FILE is a path, or the name of a shipped experiment: demo, fig4_real, fig4_synth, domain_knowledge, memorization,
    judge_audit, frontier.

    The exit code is 0 if all runs are complete, 1 if a run is incomplete or a sample is unscored or has an error,
    and 2 if the experiment cannot be run.
    """
    command = _command(file, models, limit, changes, price_file, retries)
    if models:
        changes = (*changes, f"models={json.dumps(models)}")
    if limit is not None:
        changes = (*changes, f"limits.samples={limit}")
    path = _resolve(file)
    try:
        shard = Shard.parse(part_text) if part_text is not None else None
        modes = [check and "--check", dry_run and "--dry-run", form and f"--print {form}", status and "--status"]
        refuse_combinations(shard, shards, [mode for mode in modes if mode], slurm)
        if shards and form:
            plan, _ = _rehearse(path, changes, price_file, may_have_shards=True)
            click.echo(array_script(plan.experiment.name, command, shards, slurm), nl=False)
        elif shards:
            _print_states(path, changes, price_file, shards, command, as_json=as_json)
        elif form:
            _print_form(path, changes, price_file, form)
        elif check or dry_run:
            _print_estimate(path, changes, price_file, as_json=as_json, check=check)
        else:
            with interrupt_on_termination():
                _run(path, changes, price_file, retries, as_json, shard, command)
    except DiskFull as error:
        error.show()
        raise click.exceptions.Exit(INCOMPLETE) from error
    except KeyboardInterrupt as error:
        click.echo("Interrupted. Finished samples are in the logs. Repeat the command to continue.", err=True)
        raise click.exceptions.Exit(INCOMPLETE) from error
    except DiscoveryBenchError as error:
        error.show()
        raise click.exceptions.Exit(BAD_FILE) from error


def _rehearse(
    path: Path, changes: tuple[str, ...], price_file: Path | None, *, may_have_shards: bool = False
) -> tuple[ExperimentPlan, list[EvalLog]]:
    """Build the plan and make every check that precedes a run."""
    plan = prepare(*load(path, changes), price_file)
    rehearsal = plan.rehearse()
    if not may_have_shards:
        refuse_shards(plan.experiment.log_dir)
        refuse_losses(plan, rehearsal)
    return plan, rehearsal


def _run(
    path: Path,
    changes: tuple[str, ...],
    price_file: Path | None,
    retries: int | None,
    as_json: bool,
    shard: Shard | None,
    command: Sequence[str],
) -> None:
    plan = prepare(*load(path, changes), price_file)
    whole_dir = plan.experiment.log_dir
    if shard is not None:
        plan = enter(plan, shard)
    log_dir = plan.experiment.log_dir
    with full_disk_errors(log_dir), locked(log_dir):
        plan = _checked(plan, shard, path, changes, price_file)
        # Keep Inspect's progress out of the JSON on standard output.
        with redirect_stdout(sys.stderr) if as_json else nullcontext():
            complete, logs = plan.run(retries) if plan.runs else (True, [])
        require_space(logs, log_dir)
        if complete and len(logs) < len(plan.runs):
            raise KeyboardInterrupt  # `eval_set` reports success if Ctrl-C ends its only attempt
        leftovers = remove_leftovers(logs, log_dir, keep=plan.arguments.get("retry_cleanup") is False)
    order = {run.cell.labels: number for number, run in enumerate(plan.runs)}
    outcomes = sorted(map(RunOutcome.of_log, logs), key=lambda o: order.get((o.task, o.solver, o.model), len(order)))
    if as_json:
        click.echo(json.dumps({"name": plan.experiment.name, "runs": [o.to_json() for o in outcomes]}, indent=2))
    else:
        print_outcomes(plan, outcomes)
        if shard is not None:
            click.echo(f"To see all shards, run: {shlex.join([*command, '--shards', str(shard.count), '--status'])}")
        elif any(outcome.metric == "hms" and outcome.scored for outcome in outcomes):
            click.echo(f"To make a report, run: discoverybench report {shlex.quote(whole_dir)}")
    for leftover in leftovers:
        click.echo(
            f"{leftover} is left over from a killed run. Delete it if no other process is writing to it.", err=True
        )
    if not complete or any(outcome.unscored or outcome.errors for outcome in outcomes):
        raise click.exceptions.Exit(INCOMPLETE)


def _checked(
    plan: ExperimentPlan, shard: Shard | None, path: Path, changes: tuple[str, ...], price_file: Path | None
) -> ExperimentPlan:
    """The plan, or the part of it that a shard runs, checked to keep the finished samples in its log directory."""
    log_dir = plan.experiment.log_dir
    if shard is None:
        refuse_shards(log_dir)
        if not has_logs(log_dir):
            return plan
    rehearsal = rehearse_apart(path, changes, price_file)
    if shard is not None:
        samples = deal(sample_ids(rehearsal), shard.count)[shard.number - 1]
        plan, rehearsal = part(plan, rehearsal, samples)
    if finished := refuse_losses(plan, rehearsal):
        click.echo(f"{plural(finished, 'finished sample')} in {log_dir} will be kept.", err=True)
    return plan


def _print_states(
    path: Path,
    changes: tuple[str, ...],
    price_file: Path | None,
    shards: int,
    command: Sequence[str],
    *,
    as_json: bool,
) -> None:
    plan, rehearsal = _rehearse(path, changes, price_file, may_have_shards=True)
    states = shard_states(plan, rehearsal, shards)
    experiment = plan.experiment
    if as_json:
        click.echo(states_as_json(experiment.name, experiment.log_dir, states))
    else:
        print_states(experiment.name, experiment.log_dir, states, command)
    if not is_complete(states):
        raise click.exceptions.Exit(INCOMPLETE)


def _command(
    file: str,
    models: tuple[str, ...],
    limit: int | None,
    changes: tuple[str, ...],
    price_file: Path | None,
    retries: int | None,
) -> list[str]:
    """The command that runs the experiment, without shard and output."""
    words = ["discoverybench", "run", file]
    for option, values in (("--model", models), ("--set", changes)):
        words += [word for value in values for word in (option, value)]
    for option, value in (("--limit", limit), ("--model-cost-config", price_file), ("--retries", retries)):
        words += [] if value is None else [option, str(value)]
    return words


def _print_estimate(
    path: Path, changes: tuple[str, ...], price_file: Path | None, *, as_json: bool, check: bool
) -> None:
    plan, rehearsal = _rehearse(path, changes, price_file)
    sizes = [len(log.eval.dataset.sample_ids or []) * (log.eval.config.epochs or 1) for log in rehearsal]
    estimates = [estimate(run, size, plan.experiment, plan.prices) for run, size in zip(plan.runs, sizes, strict=True)]
    if as_json:
        click.echo(json.dumps(estimates_as_json(plan, estimates), indent=2))
        return
    if check:
        click.echo(f"{path}: {plural(len(plan.runs), 'run')} with {plural(sum(sizes), 'sample')} can run.")
        return
    print_estimates(plan, estimates)


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
