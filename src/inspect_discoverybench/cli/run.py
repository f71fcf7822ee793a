"""`discoverybench run`: an experiment from a YAML file."""

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from inspect_discoverybench.errors import DataMissing, DiscoveryBenchError
from inspect_discoverybench.experiment.source import load
from inspect_discoverybench.shipped import shipped

if TYPE_CHECKING:
    from inspect_discoverybench.experiment.estimate import Estimate
    from inspect_discoverybench.experiment.form import Experiment
    from inspect_discoverybench.experiment.run import Run

INCOMPLETE = 1
BAD_FILE = 2


@click.command()
@click.argument("file")
@click.option("--check", is_flag=True, help="Only say whether everything could be run.")
@click.option("--dry-run", is_flag=True, help="Show the matrix with expected calls, tokens and cost; run nothing.")
@click.option("--model", "models", multiple=True, help="Run these models instead; may be given several times.")
@click.option("--limit", type=int, help="Samples of each task; the same as --set limits.samples=.")
@click.option("--set", "changes", multiple=True, metavar="A.B=C", help="Change a value of the file.")
@click.option("--prices", type=click.Path(path_type=Path), help="TOML file with prices of your own, for the estimate.")
@click.option(
    "--print",
    "form",
    type=click.Choice(["commands", "run-config"]),
    help="Print every run for plain Inspect: as commands, or as files for `inspect eval --run-config`; run nothing.",
)
@click.option("--retries", default=10, show_default=True, help="How often what failed is tried again.")
@click.option("--json", "as_json", is_flag=True, help="Print for machines.")
def run(
    file: str,
    check: bool,
    dry_run: bool,
    models: tuple[str, ...],
    limit: int | None,
    changes: tuple[str, ...],
    prices: Path | None,
    form: str | None,
    retries: int,
    as_json: bool,
) -> None:
    """Run every task × solver × model of an experiment FILE; a second call runs only what is missing.

    FILE may be the name of one of the package's own: demo, fig4_real, fig4_synth, domain_knowledge, memorization,
    judge_audit, frontier.

    The exit code is 0 if everything is complete, 1 if something is not, 2 if the file cannot be run.
    """
    if models:
        changes = (*changes, f"models={json.dumps(models)}")
    if limit is not None:
        changes = (*changes, f"limits.samples={limit}")
    try:
        # Imported here: they bring the whole package, for which no other command waits.
        from inspect_discoverybench.experiment.estimate import estimate
        from inspect_discoverybench.experiment.estimate import prices as known_prices
        from inspect_discoverybench.experiment.run import run as run_all
        from inspect_discoverybench.experiment.run import runs

        experiment, source = load(_found(file), changes)
        built = runs(experiment, source)
        known = known_prices(prices)
    except DiscoveryBenchError as error:
        error.show()
        raise click.exceptions.Exit(BAD_FILE) from error
    if form is not None:
        _print_plain(experiment, built, form)
        return
    estimates = [estimate(experiment, found, known) for found in built]
    if as_json:
        click.echo(json.dumps(_as_json(experiment, built, estimates), indent=2))
    elif check:
        click.echo(f"{file}: {len(built)} runs of {sum(e.samples for e in estimates)} samples can be run.")
    else:
        _print(experiment, built, estimates, dry_run)
    if check or dry_run:
        return
    complete, logs = run_all(experiment, source, built, retries)
    if not as_json:
        click.echo(f"{sum(log.status == 'success' for log in logs)} of {len(built)} runs are complete.")
    if not complete:
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
    from inspect_discoverybench.experiment.plain import as_yaml, command

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

    table = Table(title=f"{experiment.name}: logs in {experiment.log_dir}", title_justify="left", box=SIMPLE_HEAD)
    for name in ("task", "solver", "model"):
        table.add_column(name)
    for name in ("samples", *(("calls", "judge calls", "tokens in", "tokens out", "US $") if expected else ())):
        table.add_column(name, justify="right")
    for found, e in zip(built, estimates, strict=True):
        solver = "(the task's own)" if found.cell.solver is None else found.cell.solver.name
        names = [found.cell.task.name, solver, found.cell.model.name]
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
