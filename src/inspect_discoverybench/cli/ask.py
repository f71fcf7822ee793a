"""`discoverybench ask`: run an agent on one goal."""

from pathlib import Path

import click
from rich.console import Console
from rich.markdown import Markdown

from inspect_discoverybench.errors import DiscoveryBenchError
from inspect_discoverybench.experiment.single_goal import ask as ask_goal

UNANSWERED = 1
BAD_INPUT = 2


@click.command()
@click.option("--metadata", required=True, type=click.Path(path_type=Path), help="Metadata file of the study.")
@click.option("--goal", required=True, help="The discovery goal.")
@click.option("--model", required=True, help="The evaluated model: PROVIDER/MODEL.")
@click.option("--solver", default="react", show_default=True, help="The agent. `discoverybench/` may be omitted.")
@click.option("--grader", help="The judge, for a goal with a gold hypothesis. [default: openai/gpt-4o-2024-08-06]")
@click.option("--sandbox", default="docker", show_default=True, help="docker, k8s or local.")
def ask(metadata: Path, goal: str, model: str, solver: str, grader: str | None, sandbox: str) -> None:
    """Run an agent on one goal and print its hypothesis, workflow and score.

    The answer is scored if the metadata file has the same goal with its gold hypothesis.

    The exit code is 0 if a hypothesis was submitted, 1 if not or if the sample ended with an error, and 2 for invalid
    options.
    """
    try:
        outcome = ask_goal(metadata, goal, solver, model, grader, sandbox)
    except DiscoveryBenchError as error:
        error.show()
        raise click.exceptions.Exit(BAD_INPUT) from error
    if outcome.submission is not None:
        click.echo(f"Hypothesis: {outcome.submission.hypothesis}\n")
        click.echo(f"Workflow: {outcome.submission.workflow or 'none'}\n")
    if outcome.explanation is not None:
        Console().print(Markdown(outcome.explanation))
    click.echo(f"Log: {outcome.log}")
    if outcome.error is not None or outcome.submission is None:
        click.echo(f"Error: {outcome.error or 'nothing was submitted'}", err=True)
        raise click.exceptions.Exit(UNANSWERED)
