"""`discoverybench run`: an experiment from a YAML file."""

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import click
from inspect_ai.log import EvalLog

from inspect_discoverybench.cli.exit_code import exit_with_2
from inspect_discoverybench.cli.number import plural
from inspect_discoverybench.cli.run_tables import print_forecasts, print_outcomes, print_statuses
from inspect_discoverybench.cli.termination import interrupt_on_termination
from inspect_discoverybench.errors import DataMissing, InvalidArgument
from inspect_discoverybench.experiment.export import command, flow, run_config
from inspect_discoverybench.experiment.forecast import forecast
from inspect_discoverybench.experiment.full_disk import full_disk_errors, require_space
from inspect_discoverybench.experiment.log_folder import check_no_samples_lost, remove_leftovers
from inspect_discoverybench.experiment.log_lock import locked
from inspect_discoverybench.experiment.outcome import RunOutcome
from inspect_discoverybench.experiment.run import ExperimentFile, ExperimentPlan, dry_run_in_subprocess
from inspect_discoverybench.experiment.shard import MAX_SHARDS, Shard, restrict_to_shard, shard_dry_runs, shard_statuses
from inspect_discoverybench.experiment.slurm import array_script
from inspect_discoverybench.results.log_files import logs_in, read_summaries, sample_keys
from inspect_discoverybench.sandbox import shipped

INCOMPLETE = 1


@click.command()
@click.argument("file")
@click.option("--check", is_flag=True, help="Check that every run can be built and called, then exit.")
@click.option("--dry-run", is_flag=True, help="Print the runs with samples, limits and expected use, then exit.")
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
@click.option("--shard", "shard_text", metavar="K/N", help="Run the K-th of N equal parts of the samples; K is 1 to N.")
@click.option("--shards", type=click.IntRange(1, MAX_SHARDS), help="Number of shards, for --status and --print slurm.")
@click.option("--status", is_flag=True, help="Print which shards are finished, running or missing, then exit.")
@click.option("--partition", help="For --print slurm: the partition.")
@click.option("--time", help="For --print slurm: time limit of a shard, such as 02:00:00.")
@click.option("--mem", help="For --print slurm: memory of a shard, such as 8G.")
@click.option("--container", help="For --print slurm: run in a container, such as 'apptainer exec eval.sif'.")
@click.option("--sbatch", multiple=True, help="For --print slurm: another option of sbatch, such as account=lab.")
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
    shard_text: str | None,
    shards: int | None,
    status: bool,
    retries: int | None,
    as_json: bool,
    **slurm: Any,
) -> None:
    """Run an experiment: every task × solver × model of FILE. Repeat the command to resume.

    FILE is a path, or the name of a shipped experiment: demo, fig4_real, fig4_synth, domain_knowledge, memorization,
    judge_audit, frontier.

    The exit code is 0 if all runs are complete, 1 if a run is incomplete or a sample is unscored or has an error,
    and 2 if the experiment cannot be run.
    """
    given = {"--model": models, "--set": changes, "--limit": limit, "--model-cost-config": price_file}
    words = _command(file, {**given, "--retries": retries})
    changes += (f"models={json.dumps(models)}",) if models else ()
    changes += (f"limits.samples={limit}",) if limit is not None else ()
    experiment = ExperimentFile(_resolve(file), changes, price_file)
    try:
        with exit_with_2():
            shard = Shard.parse(shard_text) if shard_text is not None else None
            modes = [check and "--check", dry_run and "--dry-run", form and f"--print {form}", status and "--status"]
            _check_combination(shard, shards, [mode for mode in modes if mode], slurm)
            if shards and form:
                _print_slurm(experiment, words, shards, slurm)
            elif shards:
                _print_status(experiment, shards, words, as_json=as_json)
            elif form:
                _print_form(experiment, form)
            elif check or dry_run:
                _print_dry_run(experiment, as_json=as_json, check=check)
            else:
                with interrupt_on_termination():
                    _run(experiment, retries, as_json, shard, words)
    except KeyboardInterrupt as error:
        click.echo("Interrupted. Finished samples are in the logs. Repeat the command to continue.", err=True)
        raise click.exceptions.Exit(INCOMPLETE) from error


def _check_combination(
    shard: Shard | None, shards: int | None, modes: Sequence[str], slurm: Mapping[str, object]
) -> None:
    """Check that options are given only in combinations that work together."""
    needing = [mode for mode in modes if mode in ("--status", "--print slurm")]
    if shard is not None and (shards is not None or modes):
        raise InvalidArgument(f"--shard {shard} runs a shard. Omit {modes[0] if modes else '--shards'}, or --shard.")
    if needing and shards is None:
        raise InvalidArgument(f"{needing[0]} requires the number of shards. Add --shards N.")
    if shards is not None and (not needing or len(modes) > 1):
        raise InvalidArgument(
            f"--shards {shards} requires either --status or --print slurm. To run a shard, use --shard K/{shards}."
        )
    if any(slurm.values()) and "--print slurm" not in modes:
        raise InvalidArgument("--partition, --time, --mem, --container and --sbatch require --print slurm.")


def _run(file: ExperimentFile, retries: int | None, as_json: bool, shard: Shard | None, command: Sequence[str]) -> None:
    whole = file.plan()
    log_dir = shard.log_dir(whole.experiment.log_dir) if shard else whole.experiment.log_dir
    with full_disk_errors(log_dir), locked(log_dir):
        plan = _checked(whole, file, shard, log_dir)
        # Keep Inspect's progress out of the JSON on standard output.
        with redirect_stdout(sys.stderr) if as_json else nullcontext():
            complete, logs = plan.run(retries) if plan.runs else (True, [])
        require_space(logs, log_dir)
        if complete and len(logs) < len(plan.runs):
            raise KeyboardInterrupt  # `eval_set` reports success if Ctrl-C ends its only attempt
        leftovers = [] if plan.arguments.get("retry_cleanup") is False else remove_leftovers(logs, log_dir)
    order = {run.cell.labels: number for number, run in enumerate(plan.runs)}
    outcomes = sorted(map(RunOutcome.of_log, logs), key=lambda o: order.get((o.task, o.solver, o.model), len(order)))
    print_outcomes(plan, outcomes, as_json=as_json)
    if shard is not None and not as_json:
        click.echo(f"To see all shards, run: {shlex.join([*command, '--shards', str(shard.count), '--status'])}")
    elif not as_json and any(outcome.metric == "hms" and outcome.scored for outcome in outcomes):
        click.echo(f"To make a report, run: discoverybench report {shlex.quote(log_dir)}")
    for leftover in leftovers:
        click.echo(
            f"{leftover} is left over from a killed run. Delete it if no other process is writing to it.", err=True
        )
    if not complete or any(outcome.unscored or outcome.errors for outcome in outcomes):
        raise click.exceptions.Exit(INCOMPLETE)


def _checked(whole: ExperimentPlan, file: ExperimentFile, shard: Shard | None, log_dir: str) -> ExperimentPlan:
    """The plan, or the part of it that a shard runs, checked to keep the finished samples in its log directory."""
    if shard is None and not logs_in(log_dir):
        return whole
    logs = dry_run_in_subprocess(file)
    dry_runs = shard_dry_runs(logs, shard.count) if shard else {"": logs}
    plan = restrict_to_shard(whole, shard, dry_runs[str(shard)]) if shard else whole
    if not plan.runs:  # only a shard can have none
        samples = sum(len(log.eval.dataset.sample_ids or []) for log in logs)
        click.echo(f"Shard {shard} has no samples: there are only {samples}. Use at most {samples} shards.", err=True)
    if finished := check_no_samples_lost(whole, dry_runs, str(shard or "")):
        click.echo(f"{plural(finished, 'finished sample')} in {log_dir} will be kept.", err=True)
    return plan


def _plan_and_dry_run(file: ExperimentFile) -> tuple[ExperimentPlan, list[EvalLog]]:
    """Make every check that precedes a run without shards."""
    plan = file.plan()
    dry_run = plan.dry_run()
    check_no_samples_lost(plan, {"": dry_run})
    return plan, dry_run


def _print_slurm(file: ExperimentFile, command: Sequence[str], count: int, options: Mapping[str, Any]) -> None:
    plan = file.plan()
    plan.dry_run()
    click.echo(array_script(plan.experiment.name, command, count, **options), nl=False)


def _print_status(file: ExperimentFile, count: int, command: Sequence[str], *, as_json: bool) -> None:
    plan = file.plan()
    dry_runs = shard_dry_runs(plan.dry_run(), count)
    check_no_samples_lost(plan, dry_runs)
    statuses = shard_statuses(plan.experiment.log_dir, dry_runs)
    print_statuses(plan.experiment, statuses, command, as_json=as_json)
    if not all(status.is_complete for status in statuses):
        raise click.exceptions.Exit(INCOMPLETE)


def _print_dry_run(file: ExperimentFile, *, as_json: bool, check: bool) -> None:
    plan, dry_run = _plan_and_dry_run(file)
    if check and not as_json:
        samples = plural(sum(len(sample_keys(log)) for log in dry_run), "sample")
        click.echo(f"{file.path}: {plural(len(plan.runs), 'run')} with {samples} can run.")
        return
    print_forecasts(plan, forecast(dry_run, read_summaries(plan.experiment.log_dir)), as_json=as_json)


def _print_form(file: ExperimentFile, form: str) -> None:
    plan, dry_run = _plan_and_dry_run(file)
    cells = [run.cell for run in plan.runs]
    match form:
        case "flow":
            text = flow(plan.experiment, cells)
        case "commands":
            text = "".join(f"{command(plan.experiment, cell)}\n" for cell in cells)
        case _:
            text = "---\n".join(run_config(plan.experiment, *pair) for pair in zip(cells, dry_run, strict=True))
    click.echo(text, nl=False)


def _command(file: str, options: Mapping[str, Any]) -> list[str]:
    """The command that runs the experiment, without shard and output."""
    words = ["discoverybench", "run", file]
    for option, value in options.items():
        values = value if isinstance(value, tuple) else () if value is None else (value,)
        words += [word for value in values for word in (option, str(value))]
    return words


def _resolve(file: str) -> Path:
    """The path, or else the shipped experiment with this name."""
    path = Path(file)
    if len(path.parts) == 1 and not path.exists():
        with suppress(DataMissing):
            return shipped(f"evals/{path.stem}.yaml")
    return path
