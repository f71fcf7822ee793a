"""`discoverybench ask`: run an agent on one goal."""

from pathlib import Path

import click
from rich.console import Console
from rich.markdown import Markdown

from inspect_discoverybench.cli.exit_code import exit_with_2
from inspect_discoverybench.errors import one_line
from inspect_discoverybench.experiment.single_goal import run_goal, submission_of
from inspect_discoverybench.hypothesis import SCORE_NAME

UNANSWERED = 1


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
    with exit_with_2():
        log = run_goal(metadata, goal, solver, model, grader, sandbox)
    sample = log.samples[0] if log.samples else None
    submission = submission_of(sample) if sample else None
    if submission is not None:
        click.echo(f"Hypothesis: {submission.hypothesis}\n\nWorkflow: {submission.workflow or 'none'}\n")
    score = (sample.scores or {}).get(SCORE_NAME) if sample else None
    if score is not None and score.explanation:
        Console().print(Markdown(score.explanation))
    click.echo(f"Log: {log.location}")
    if submission is None:
        error = sample.error if sample else log.error
        click.echo(f"Error: {one_line(Exception(error.message)) if error else 'nothing was submitted'}", err=True)
        raise click.exceptions.Exit(UNANSWERED)
