"""`discoverybench ask`: run an agent on one goal."""

from pathlib import Path

import click
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample
from inspect_ai.scorer import Score
from inspect_ai.solver import SolverSpec
from rich.console import Console
from rich.markdown import Markdown

from inspect_discoverybench.cli.terminal import say
from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.provider_failures import inspect_errors, one_line
from inspect_discoverybench.errors.redaction import printable
from inspect_discoverybench.submission.answer import answer_of
from inspect_discoverybench.submission.submission import SCORE_NAME
from inspect_discoverybench.tasks import custom


@click.command()
@click.option("--metadata", required=True, type=click.Path(path_type=Path), help="Metadata file of the study.")
@click.option("--goal", required=True, help="The discovery goal.")
@click.option("--model", required=True, help="The evaluated model: PROVIDER/MODEL.")
@click.option("--solver", default="react", show_default=True, help="The agent. `discoverybench/` may be omitted.")
@click.option("--grader", help="The judge, for a goal with a gold hypothesis. [default: openai/gpt-4o-2024-08-06]")
@click.option("--sandbox", default="docker", show_default=True, help="docker, k8s or local.")
@click.option("--domain-knowledge", is_flag=True, help="Add the background of the study to the task.")
def ask(
    metadata: Path,
    goal: str,
    model: str,
    solver: str,
    grader: str | None,
    sandbox: str,
    domain_knowledge: bool,
) -> None:
    """Run an agent on one goal and print its hypothesis, workflow and score.

    The answer is scored if the metadata file has the same goal with its gold hypothesis.

    The exit code is 0 if a hypothesis was submitted, 1 if not or if the sample ended with an error, and 2 for invalid
    options.
    """
    name = solver if "/" in solver else f"discoverybench/{solver}"
    task = custom(
        path=str(metadata),
        goal=goal,
        domain_knowledge=domain_knowledge,
        sandbox=sandbox,
    )
    with inspect_errors(InvalidExperiment, f"{name} with {model}"):
        # This command is interactive. Inspect's default is to retry indefinitely.
        logs = inspect_eval(
            task,
            model=model,
            solver=SolverSpec(name),
            model_roles={"grader": grader} if grader else None,
            display="none",
            max_retries=3,
        )
    if not logs:  # Inspect handles Ctrl-C itself
        raise click.Abort

    [log] = logs
    sample = log.samples[0] if log.samples else None
    hypothesis = _print_answer(sample) if sample else None
    say(f"Log: {log.location}")
    if hypothesis:
        return

    error = sample.error if sample else log.error
    reason = one_line(error.message) if error else "nothing was submitted"
    say(f"Error: {reason}", err=True)
    raise click.exceptions.Exit(1)


def _print_answer(sample: EvalSample) -> str | None:
    """Print the hypothesis, the workflow and the score of a sample, as far as it has them. Returns the hypothesis."""
    score = (sample.scores or {}).get(SCORE_NAME)
    hypothesis, workflow = _answer(sample, score)
    if hypothesis:
        say(f"Hypothesis: {hypothesis}\n\nWorkflow: {workflow or 'none'}\n")
    if score is not None and score.explanation:
        Console().print(Markdown(printable(score.explanation)))
    return hypothesis


def _answer(sample: EvalSample, score: Score | None) -> tuple[str | None, str]:
    """The hypothesis and the workflow: what was scored, else what was submitted."""
    if score is not None:
        return score.answer, str((score.metadata or {}).get("workflow") or "")
    answer = None if sample.error else answer_of(sample)
    if answer is None:
        return None, ""
    if isinstance(answer, str):
        return answer, ""
    return answer.hypothesis, answer.workflow
