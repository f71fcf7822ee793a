"""`discoverybench run`: an experiment from a YAML file."""

import json
import shlex
import sys
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from inspect_discoverybench.cli.terminal import interrupt_on_termination, plural, print_table, say
from inspect_discoverybench.errors.exceptions import DataMissing, InvalidArgument
from inspect_discoverybench.errors.redaction import hide_keys
from inspect_discoverybench.experiment.definition import Experiment
from inspect_discoverybench.experiment.export import array_script, command, flow
from inspect_discoverybench.experiment.log_folder import check_no_samples_lost, full_disk_errors, locked, require_space
from inspect_discoverybench.experiment.outcome import Forecast, RunOutcome, forecast
from inspect_discoverybench.experiment.run import ExperimentPlan, MatrixCell, dry_run_in_subprocess, plan_experiment
from inspect_discoverybench.experiment.shard import MAX_SHARDS, Shard, restrict_to_shard, shard_dry_runs, shard_status
from inspect_discoverybench.results.log_files import logs_in, read_summaries
from inspect_discoverybench.sandbox.shipped_files import shipped

File = tuple[Path, Sequence[str], Path | None]
"""Arguments of `plan_experiment`."""

NAMES = ("task", "solver", "model")
COUNTS = ("scored", "unscored", "no_submission", "errors")
STATES = ("running", "missing")
SHARD_COUNTS = ("samples", "finished", "missing", "errors", "unscored")


@click.command()
@click.argument("file")
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
    type=click.Choice(["commands", "flow", "slurm"]),
    help="Print commands, a spec for inspect-flow, or a batch script for Slurm (with --shards), then exit.",
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
    given = {"--model": models, "--set": changes, "--limit": (limit,), "--model-cost-config": (price_file,)}
    words = ["discoverybench", "run", file]
    for option, values in (*given.items(), ("--retries", (retries,))):
        words += [word for value in values if value is not None for word in (option, str(value))]
    changes += (f"models={json.dumps(models)}",) if models else ()
    changes += (f"limits.samples={limit}",) if limit is not None else ()
    experiment = (_resolve(file), changes, price_file)
    modes = [dry_run, form is not None, shard_text is not None, status]
    try:
        shard = Shard.parse(shard_text) if shard_text is not None else None
        is_for_shards = status or form == "slurm"
        is_ignored = (any(slurm.values()) and form != "slurm") or (as_json and form)
        if sum(modes) > 1 or (shards is None) == is_for_shards or is_ignored:
            raise InvalidArgument(
                "These options do not go together. Give one of --dry-run, --print FORMAT, --shard K/N, --shards N "
                "--status, and --shards N --print slurm with --partition, --time, --mem, --container, --sbatch. "
                "--print FORMAT has no --json."
            )
        if form == "slurm" and shards:
            plan = plan_experiment(*experiment)
            plan.dry_run()
            say(array_script(plan.experiment.name, words, shards, **slurm), nl=False)
        elif shards:
            _print_status(experiment, shards, words, as_json=as_json)
        elif dry_run or form:
            _print_plan(experiment, form, as_json=as_json)
        else:
            with interrupt_on_termination():
                _run(experiment, retries, as_json, shard, words)
    except KeyboardInterrupt as error:
        say("Interrupted. Finished samples are in the logs. Repeat the command to continue.", err=True)
        raise click.exceptions.Exit(1) from error


def _run(file: File, retries: int | None, as_json: bool, shard: Shard | None, command: Sequence[str]) -> None:
    whole = plan_experiment(*file)
    log_dir = shard.log_dir(whole.experiment.log_dir) if shard else whole.experiment.log_dir
    with full_disk_errors(), locked(log_dir):
        plan = _checked(whole, file, shard, log_dir)
        # Keep Inspect's progress out of the JSON on standard output.
        with redirect_stdout(sys.stderr) if as_json else nullcontext():
            complete, logs = plan.run(retries) if plan.runs else (True, [])
        require_space(" ".join(log.error.message for log in logs if log.error))
        if complete and len(logs) < len(plan.runs):
            raise KeyboardInterrupt  # `eval_set` reports success if Ctrl-C ends its only attempt
    order = {cell.labels: number for number, (cell, _) in enumerate(plan.runs)}
    outcomes = sorted(map(RunOutcome.of_log, logs), key=lambda o: order.get((o.task, o.solver, o.model), len(order)))
    _print_outcomes(plan, outcomes, as_json=as_json)
    if shard is not None and not as_json:
        say(f"To see all shards, run: {shlex.join([*command, '--shards', str(shard.count), '--status'])}")
    elif not as_json and any(outcome.metric == "hms" and outcome.scored for outcome in outcomes):
        say(f"To make a report, run: discoverybench report {shlex.quote(log_dir)}")
    if not complete or any(outcome.unscored or outcome.errors for outcome in outcomes):
        raise click.exceptions.Exit(1)


def _checked(whole: ExperimentPlan, file: File, shard: Shard | None, log_dir: str) -> ExperimentPlan:
    """The plan, or the part of it that a shard runs, checked to keep the finished samples in its log directory."""
    if shard is None and not logs_in(log_dir):
        return whole
    logs = dry_run_in_subprocess(*file)
    dry_runs = shard_dry_runs(logs, shard.count) if shard else {"": logs}
    plan = restrict_to_shard(whole, shard, dry_runs[str(shard)]) if shard else whole
    if not plan.runs:  # only a shard can have none
        samples = sum(len(log.eval.dataset.sample_ids or []) for log in logs)
        say(f"Shard {shard} has no samples: there are only {samples}. Use at most {samples} shards.", err=True)
    if finished := check_no_samples_lost(whole, dry_runs, str(shard or "")):
        say(f"{plural(finished, 'finished sample')} in {log_dir} will be kept.", err=True)
    return plan


def _print_status(file: File, count: int, command: Sequence[str], *, as_json: bool) -> None:
    """Print the state of each shard, and how to start those that are missing with the command without a shard."""
    plan = plan_experiment(*file)
    experiment, dry_runs = plan.experiment, shard_dry_runs(plan.dry_run(), count)
    check_no_samples_lost(plan, dry_runs)
    folders = {shard: Shard.parse(shard).log_dir(experiment.log_dir) for shard in dry_runs}
    statuses = [shard_status(shard, folders[shard], dry_run) for shard, dry_run in dry_runs.items()]
    is_complete = all(s.state == "finished" and not s.errors and not s.unscored for s in statuses)
    if as_json:
        values = {"name": experiment.name, "log_dir": experiment.log_dir, "complete": is_complete}
        say(json.dumps({**values, "shards": [asdict(status) for status in statuses]}, indent=2))
    else:
        rows = [[s.shard, s.state, *(f"{getattr(s, count):,}" for count in SHARD_COUNTS)] for s in statuses]
        sums = ["all", "", *(f"{sum(getattr(s, count) for s in statuses):,}" for count in SHARD_COUNTS)]
        print_table(_title(experiment), ("shard", "state"), SHARD_COUNTS, rows, sums)
        numbers = {state: [s.shard.partition("/")[0] for s in statuses if s.state == state] for state in STATES}
        for state in STATES:
            if numbers[state]:
                say(f"{state.capitalize()}: {','.join(numbers[state])}")
        if numbers["missing"]:
            first = f"{numbers['missing'][0]}/{count}"
            say(f"To continue, run: {shlex.join([*command, '--shard', first])}")
        elif is_complete:
            say(f"To make a report, run: discoverybench report {shlex.quote(experiment.log_dir)}")
    if not is_complete:
        raise click.exceptions.Exit(1)


def _resolve(file: str) -> Path:
    """The path, or else the shipped experiment with this name."""
    path = Path(file)
    if len(path.parts) == 1 and not path.exists():
        with suppress(DataMissing):
            return shipped(f"evals/{path.stem}.yaml")
    return path


def _print_plan(file: File, form: str | None, *, as_json: bool) -> None:
    """Make every check that precedes a run, then print the dry run or an export."""
    plan = plan_experiment(*file)
    dry_run = plan.dry_run()
    check_no_samples_lost(plan, {"": dry_run})
    cells = [cell for cell, _ in plan.runs]
    if form == "flow":
        say(flow(plan.experiment, cells), nl=False)
    elif form == "commands":
        say("\n".join(command(plan.experiment, cell) for cell in cells))
    else:
        forecasts = forecast(dry_run, read_summaries(plan.experiment.log_dir))
        _print_forecasts(plan.experiment, list(zip(cells, forecasts, strict=True)), as_json=as_json)


def _print_forecasts(experiment: Experiment, runs: Sequence[tuple[MatrixCell, Forecast]], *, as_json: bool) -> None:
    """Print the runs with their samples, the limits and the expected use. JSON has null for unknown numbers."""
    limits = experiment.limits.model_dump(exclude_none=True)
    if as_json:
        entries = [
            {name: (part := getattr(cell, name)) and part.model_dump() for name in NAMES}
            | {"model": cell.model.model_dump() | {"args": hide_keys(cell.model.args)}}
            | asdict(expected)
            for cell, expected in runs
        ]
        values = {"name": experiment.name, "log_dir": experiment.log_dir, "limits": limits, "runs": entries}
        say(json.dumps(values, indent=2))
        return
    forecasts = [expected for _, expected in runs]
    total = Forecast(
        samples=sum(expected.samples for expected in forecasts),
        finished=sum(expected.finished for expected in forecasts),
        tokens=_sum([expected.tokens for expected in forecasts]),
        cost=_sum([expected.cost for expected in forecasts]),
    )
    rows = [[*cell.labels, *_expected(expected)] for cell, expected in runs]
    sums = [plural(len(rows), "run"), "", "", *_expected(total)]
    print_table(_title(experiment), NAMES, ("samples", "finished", "tokens", "US $"), rows, sums)
    say(f"Limits: {', '.join(f'{name} {value}' for name, value in limits.items()) or 'those of the tasks'}.")
    if total.finished:
        say("Tokens and cost are extrapolated from the finished samples in the log directory.")
    else:
        say("No sample has finished, so tokens and cost are unknown. Run with --limit 3 first.")


def _expected(expected: Forecast) -> list[str]:
    return [f"{expected.samples:,}", f"{expected.finished:,}", _known(expected.tokens), _known(expected.cost, ".2f")]


def _sum(values: Sequence[float | None]) -> float | None:
    """The sum; None if a value is unknown."""
    return None if None in values else sum(filter(None, values))


def _print_outcomes(plan: ExperimentPlan, outcomes: Sequence[RunOutcome], *, as_json: bool) -> None:
    """Print the outcomes of runs that have a log, and what remains to be done. JSON has null for unknown numbers."""
    if as_json:
        runs = [asdict(outcome) for outcome in outcomes]
        say(json.dumps({"name": plan.experiment.name, "runs": runs}, indent=2))
        return
    score = "HMS" if {outcome.metric for outcome in outcomes} <= {"hms", None} else "score"
    rows = [[o.task, o.solver, o.model, *_measured(o, score)] for o in outcomes]
    headers = (score, "95 % CI on\nthese tasks", *(count.replace("_", " ") for count in COUNTS), "tokens", "US $")
    print_table(f"{plan.experiment.name}: logs in {plan.arguments['log_dir']}", NAMES, headers, rows)
    say(f"{sum(outcome.complete for outcome in outcomes)} of {len(plan.runs)} runs are complete.")
    if any(outcome.cost is None for outcome in outcomes):
        say("? marks a run with a model that has no price. Add prices with --model-cost-config FILE.")
    for error in dict.fromkeys(outcome.error for outcome in outcomes if outcome.error):
        say(f"Error: {error}")
    if sum(outcome.complete for outcome in outcomes) < len(plan.runs):
        say("Repeat the command to complete the others.")
    for outcome in outcomes:
        if outcome.unscored:
            say(f"Unscored samples: {outcome.unscored}. To score them again, run:\n  {outcome.score_command}")
        if outcome.bounds:
            low, high = outcome.bounds
            say(f"  Until then, the score is {low:.3f} if they count as 0, and {high:.3f} if they count as 1.")
        # `eval_set` retries incomplete runs only. With `fail_on_error: false`, a run with errors is complete.
        if outcome.complete and outcome.errors:
            command = f"inspect eval-retry {shlex.quote(outcome.log)}"
            say(f"Samples with an error: {outcome.errors}. To run them again, run:\n  {command}")


def _measured(outcome: RunOutcome, score: str) -> list[str]:
    name = "" if score == "HMS" else f"{outcome.metric} "
    low, high = outcome.interval
    return [
        "–" if outcome.value is None else f"{name}{outcome.value:.3f}",
        "–" if low is None or high is None else f"{low:.3f} to {high:.3f}",
        *(f"{getattr(outcome, count):,}" for count in COUNTS),
        _known(outcome.tokens),
        _known(outcome.cost, ".2f"),
    ]


def _title(experiment: Experiment) -> str:
    return f"{experiment.name}: logs in {experiment.log_dir}"


def _known(value: float | None, decimals: str = ".0f") -> str:
    return "?" if value is None else f"{value:,{decimals}}"
