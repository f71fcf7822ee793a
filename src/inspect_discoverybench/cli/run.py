"""`discoverybench run`: an experiment from a YAML file."""

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.table import Table

from inspect_discoverybench.errors import DataMissing, DiscoveryBenchError, InvalidExperiment, one_line
from inspect_discoverybench.experiment.source import load
from inspect_discoverybench.shipped import shipped

if TYPE_CHECKING:
    from inspect_discoverybench.experiment.estimate import Estimate
    from inspect_discoverybench.experiment.form import Experiment
    from inspect_discoverybench.experiment.run import Run

FOR_A_FILE = "needs a FILE; leave it out for one goal"
FOR_ONE_GOAL = "is for one goal without a FILE; a FILE says it itself, or --set does"
INCOMPLETE = 1
BAD_FILE = 2


@click.command()
@click.argument("file", required=False)
@click.option("--check", is_flag=True, help="Only say whether everything could be run.")
@click.option("--dry-run", is_flag=True, help="Show the matrix with expected calls, tokens and cost; run nothing.")
@click.option("--model", "models", multiple=True, help="Run these models instead; may be given several times.")
@click.option("--limit", type=int, help="Samples of each task; the same as --set limits.samples=.")
@click.option("--set", "changes", multiple=True, metavar="A.B=C", help="Change a value of the file.")
@click.option("--prices", type=click.Path(path_type=Path), help="TOML file with prices of your own, for the estimate.")
@click.option(
    "--print",
    "form",
    type=click.Choice(["commands", "run-config", "flow"]),
    help="Print commands, files for `inspect eval --run-config`, or a spec of inspect-flow; run nothing.",
)
@click.option("--task", type=click.Choice(["discoverybench/custom"]), help="For one goal without a FILE; the default.")
@click.option("--metadata", type=click.Path(path_type=Path), help="For one goal: the metadata file of its study.")
@click.option("--goal", help="For one goal: the goal, in words.")
@click.option("--solver", help="For one goal: the agent, such as codegen; react by default.")
@click.option("--grader", help="For one goal: the judge, where the metadata file has this goal's gold hypothesis.")
@click.option("--sandbox", help="For one goal: docker (default) or local.")
@click.option("--retries", default=10, show_default=True, help="How often what failed is tried again.")
@click.option("--json", "as_json", is_flag=True, help="Print for machines.")
def run(
    file: str | None,
    check: bool,
    dry_run: bool,
    models: tuple[str, ...],
    limit: int | None,
    changes: tuple[str, ...],
    prices: Path | None,
    form: str | None,
    task: str | None,
    metadata: Path | None,
    goal: str | None,
    solver: str | None,
    grader: str | None,
    sandbox: str | None,
    retries: int,
    as_json: bool,
) -> None:
    """Run every task × solver × model of an experiment FILE; a second call runs only what is missing.

    FILE may be the name of one of the package's own: demo, fig4_real, fig4_synth, domain_knowledge, memorization,
    judge_audit, frontier.

    Without a FILE, --metadata, --goal and --model run one goal on one metadata file, and print what comes of it.

    The exit code is 0 if everything is complete, 1 if something is not, 2 if the file cannot be run.
    """
    if file is None:
        _refuse_options(
            "check", "dry_run", "limit", "changes", "prices", "form", "retries", "as_json", reason=FOR_A_FILE
        )
        _ask(metadata, goal, solver or "react", models, grader, sandbox or "docker")
        return
    _refuse_options("task", "metadata", "goal", "solver", "grader", "sandbox", reason=FOR_ONE_GOAL)
    if models:
        changes = (*changes, f"models={json.dumps(models)}")
    if limit is not None:
        changes = (*changes, f"limits.samples={limit}")
    shown = "json" if as_json else "check" if check else "dry run" if dry_run else "matrix"
    _run(_found(file), changes, prices, form or shown, retries, runs_it=not (check or dry_run or form))


def _run(path: Path, changes: tuple[str, ...], prices: Path | None, shown: str, retries: int, *, runs_it: bool) -> None:
    try:
        # Imported here: they bring the whole package, for which no other command waits.
        from inspect_discoverybench.experiment.estimate import estimate
        from inspect_discoverybench.experiment.prices import prices as known_prices
        from inspect_discoverybench.experiment.run import run as run_all
        from inspect_discoverybench.experiment.run import runs

        experiment, source = load(path, changes)
        known = known_prices(prices)
        built = runs(experiment, source, known)
    except DiscoveryBenchError as error:
        error.show()
        raise click.exceptions.Exit(BAD_FILE) from error
    try:
        _show(shown, path, experiment, built, [estimate(experiment, found, known) for found in built])
    except DiscoveryBenchError as error:
        error.show()
        raise click.exceptions.Exit(BAD_FILE) from error
    if not runs_it:
        return
    try:
        complete, logs = run_all(experiment, source, built, known, retries)
    # What Inspect refuses, such as a log folder that holds other logs; its errors are no public names.
    except Exception as error:
        raise InvalidExperiment(f"{path}: {one_line(error)}.") from error
    if shown != "json":
        click.echo(f"{sum(log.status == 'success' for log in logs)} of {len(built)} runs are complete.")
    if not complete:
        raise click.exceptions.Exit(INCOMPLETE)


def _show(shown: str, path: Path, experiment: "Experiment", built: list["Run"], estimates: list["Estimate"]) -> None:
    match shown:
        case "json":
            click.echo(json.dumps(_as_json(experiment, built, estimates), indent=2))
        case "check":
            click.echo(f"{path}: {len(built)} runs of {sum(e.samples for e in estimates)} samples can be run.")
        case "commands" | "run-config" | "flow":
            _print_plain(experiment, built, shown)
        case _:
            _print(experiment, built, estimates, shown == "dry run")


def _refuse_options(*names: str, reason: str) -> None:
    """Options of the other use would have no effect."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name in names and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{parameter.opts[0]} {reason}.")


def _ask(
    metadata: Path | None, goal: str | None, solver: str, models: tuple[str, ...], grader: str | None, sandbox: str
) -> None:
    """One goal: hypothesis, workflow and, where there is a gold hypothesis, the score."""
    if metadata is None or goal is None or len(models) != 1:
        raise click.UsageError("Name a FILE; or --metadata, --goal and one --model.")
    from inspect_discoverybench.experiment.single import ask

    try:
        answer = ask(metadata, goal, solver, models[0], grader, sandbox, None)
    except DiscoveryBenchError as error:
        error.show()
        raise click.exceptions.Exit(BAD_FILE) from error
    if answer.submission is not None:
        click.echo(
            f"Hypothesis: {answer.submission.hypothesis}\n\nWorkflow: {answer.submission.workflow or 'none given'}\n"
        )
    if answer.explanation is not None:
        Console().print(Markdown(answer.explanation))
    click.echo(f"Log: {answer.log}")
    if answer.error is not None or answer.submission is None:
        click.echo(f"Error: {answer.error or 'nothing was submitted'}", err=True)
        raise click.exceptions.Exit(INCOMPLETE)


def _found(file: str) -> Path:
    """The file of this name; else the one of the package's own, which may be named without its suffix."""
    path, own = Path(file), f"evals/{Path(file).stem}.yaml"
    return path if path.exists() or len(path.parts) > 1 or not _is_shipped(own) else shipped(own)


def _is_shipped(name: str) -> bool:
    try:
        return shipped(name).is_file()
    except DataMissing:
        return False


def _print_plain(experiment: "Experiment", built: list["Run"], form: str) -> None:
    from inspect_discoverybench.experiment.plain import as_yaml, command, flow

    if form == "flow":
        click.echo(flow(experiment, [found.cell for found in built]), nl=False)
        return
    for number, found in enumerate(built):
        if form == "commands":
            click.echo(command(experiment, found.cell))
        else:
            click.echo(("---\n" if number else "") + as_yaml(experiment, found.cell), nl=False)


def _as_json(experiment: "Experiment", built: list["Run"], estimates: list["Estimate"]) -> dict[str, object]:
    cells = [
        {
            "task": found.cell.task.model_dump(),
            "solver": found.cell.solver and found.cell.solver.model_dump(),
            "model": found.cell.model.model_dump(),
            **{name: None if math.isnan(value) else value for name, value in asdict(expected).items()},
        }
        for found, expected in zip(built, estimates, strict=True)
    ]
    return {"name": experiment.name, "log_dir": experiment.log_dir, "runs": cells}


def _print(experiment: "Experiment", built: list["Run"], estimates: list["Estimate"], expected: bool) -> None:
    from inspect_discoverybench.experiment.estimate import total
    from inspect_discoverybench.experiment.matrix import shown

    table = Table(title=f"{experiment.name}: logs in {experiment.log_dir}", title_justify="left", box=SIMPLE_HEAD)
    for name in ("task", "solver", "model"):
        table.add_column(name)
    for name in ("samples", *(("calls", "judge calls", "tokens in", "tokens out", "US $") if expected else ())):
        table.add_column(name, justify="right")
    for found, e in zip(built, estimates, strict=True):
        solver = "(the task's own)" if found.cell.solver is None else shown(found.cell.solver)
        names = [shown(found.cell.task), solver, found.cell.model.name]
        table.add_row(*map(escape, names), *_numbers(e, expected))
    table.add_section()
    table.add_row(f"{len(built)} runs", "", "", *_numbers(total(estimates), expected))
    Console().print(table)
    if expected:
        click.echo("Estimated from the averages of benchmarks/README.md; ? where an agent or a price is not known.")


def _numbers(estimated: "Estimate", expected: bool) -> list[str]:
    counts = [estimated.calls, estimated.judge_calls, estimated.read, estimated.written]
    shown = ["?" if math.isnan(count) else f"{count:,.0f}" for count in counts]
    cost = "?" if math.isnan(estimated.cost) else f"{estimated.cost:,.2f}"
    return [f"{estimated.samples:,}", *([*shown, cost] if expected else [])]
