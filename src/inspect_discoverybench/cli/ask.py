"""`discoverybench ask`: run an agent on one goal."""

from pathlib import Path
from shlex import quote
from typing import Any

import click
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import Score
from rich.console import Console
from rich.markdown import Markdown

from inspect_discoverybench.cli.eval_options import (
    limit_options,
    model_options,
    named_values,
    require_judge,
    require_model,
)
from inspect_discoverybench.cli.terminal import say, waiting
from inspect_discoverybench.discovery import DEFAULT_JUDGE_KEY
from inspect_discoverybench.doctor.connection import MAX_RETRIES
from inspect_discoverybench.errors.exceptions import InvalidArgument, InvalidExperiment
from inspect_discoverybench.errors.provider_failures import inspect_errors, one_line
from inspect_discoverybench.errors.redaction import printable
from inspect_discoverybench.scorer.judge import GRADER
from inspect_discoverybench.solvers.named_agent import AgentFile, named_agent
from inspect_discoverybench.submission.answer import answer_of
from inspect_discoverybench.submission.submission import SCORE_NAME, SubmissionState
from inspect_discoverybench.tasks import custom


@click.command()
@click.option(
    "--data",
    "data_files",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE [FILE]...",
    help="Data files, without a metadata file. The answer is not scored.",
)
# An option of click takes one value. Of `--data FILE FILE`, the second file is an argument of the command, and is taken
# here. The help shows it as part of `--data`, so the empty `metavar` hides the argument from the usage line.
@click.argument("more_data_files", nargs=-1, type=click.Path(path_type=Path), metavar="")
@click.option("--metadata", type=click.Path(path_type=Path), help="Metadata file of a study, instead of --data.")
@click.option("--goal", required=True, help="The discovery goal.")
@click.option("--model", required=True, help="The evaluated model: PROVIDER/MODEL.")
@click.option(
    "--solver", default="react", show_default=True, help="The agent, or FILE.py@NAME. `discoverybench/` may be omitted."
)
@click.option(
    "-S",
    "solver_args",
    multiple=True,
    callback=named_values,
    metavar="NAME=VALUE",
    help="Argument of the agent. Can be repeated.",
)
@click.option("--grader", help="The judge, for a goal with a gold hypothesis. [default: openai/gpt-4o-2024-08-06]")
@click.option("--sandbox", default="docker", show_default=True, help="docker, k8s or local.")
@click.option("--domain-knowledge", is_flag=True, help="Add the background of the study to the task.")
@model_options
@limit_options
# The default is not `logs`, the folder of evaluations. A report of that folder would count the goal as a sample.
@click.option("--log-dir", default="logs-ask", show_default=True, help="Folder of the log.")
def ask(
    data_files: tuple[Path, ...],
    more_data_files: tuple[Path, ...],
    metadata: Path | None,
    goal: str,
    model: str,
    solver: str,
    solver_args: dict[str, Any],
    grader: str | None,
    sandbox: str,
    domain_knowledge: bool,
    **options: Any,  # of the model, the limits and the log, as arguments of Inspect's `eval`
) -> None:
    """Run an agent on one goal and print its hypothesis and workflow.

    With --data, the columns are read from the files, and no descriptions are needed:

        discoverybench ask --data visits.csv --goal "What do the visits depend on?" --model openai/gpt-4o

    With --metadata, the agent also sees the descriptions of the study. The answer is scored if the metadata file has
    the same goal with its gold hypothesis.

    The exit code is 0 if a hypothesis was submitted, 1 if not or if the sample ended with an error, and 2 for invalid
    options.
    """
    if more_data_files and not data_files:
        raise InvalidArgument(f"{more_data_files[0]}: pass data files after --data.")
    study_arguments = _study_arguments([*data_files, *more_data_files], metadata)
    agent = _full_name(solver)
    agent_with_model = f"{agent} with {model}"
    with waiting("Loading the data, and Inspect with its plugins"):
        # The task creates the agent itself. It is created here, too, so that the message of an error names the option.
        with inspect_errors(InvalidExperiment, f"--solver {solver}"):
            named_agent(agent, solver_args)
        task = custom(
            **study_arguments,
            goal=goal,
            domain_knowledge=domain_knowledge,
            sandbox=sandbox,
            agent=agent,
            agent_args=solver_args,
        )
        default_judge = (task.metadata or {}).get(DEFAULT_JUDGE_KEY)
        # A task has a scorer and a default judge only if its goal has a gold hypothesis.
        if default_judge is not None:
            require_judge(grader or default_judge, option="--grader")
        require_model(agent_with_model, model, options)

    place = "on this machine" if sandbox == "local" else f"in a {sandbox} sandbox"
    with waiting(f"{agent} works {place} with {model}"), inspect_errors(InvalidExperiment, agent_with_model):
        logs = inspect_eval(
            task,
            model=model,
            model_roles={GRADER: grader} if grader else None,
            display="none",
            max_retries=MAX_RETRIES,
            **options,
        )
    if not logs:  # Inspect handles Ctrl-C itself, and then returns no log
        raise click.Abort

    [log] = logs
    _print_result(log, options["log_dir"], is_scored=default_judge is not None)


def _full_name(solver: str) -> str:
    """The registered name of an agent, or `FILE.py@NAME`; the package's own agents may be named without the package."""
    if "/" in solver or AgentFile.of(solver) is not None:
        return solver
    return f"discoverybench/{solver}"


def _print_result(log: EvalLog, log_dir: str, is_scored: bool) -> None:
    """Print the answer, its score and where the log is. Exit with 1 if there is an error or no hypothesis.

    The log has no sample if the evaluation failed before the sample began.
    """
    sample = log.samples[0] if log.samples else None
    score = _score(sample) if sample else None
    answer = _answer(sample, score) if sample else None

    if answer is not None:
        hypothesis, workflow = answer
        say(f"Hypothesis: {hypothesis}\n\nWorkflow: {workflow or 'none'}\n")
    if score is not None and score.explanation:
        Console().print(Markdown(printable(score.explanation)))
    if answer is not None and not is_scored:
        say("This answer is not scored: no gold hypothesis is given for the goal.")
    say(f"Log: {log.location}")
    say(f"To read it, run: inspect view --log-dir {quote(log_dir)}")

    error = sample.error if sample else log.error
    if answer is None or error is not None:
        reason = one_line(error.message) if error else "nothing was submitted"
        say(f"Error: {reason}", err=True)
        raise click.exceptions.Exit(1)


def _study_arguments(data_files: list[Path], metadata: Path | None) -> dict[str, Any]:
    """The arguments of the task `custom` that say what the goal is about."""
    if metadata is not None and data_files:
        raise InvalidArgument("--data and --metadata exclude one another. Pass one of them.")
    if data_files:
        return {"data": [str(file) for file in data_files]}
    if metadata is None:
        raise InvalidArgument(
            "Name the data files, as --data FILE, or the metadata file of a study, as --metadata FILE."
        )
    if metadata.suffix.lower() != ".json":
        raise InvalidArgument(
            f"{metadata} is no metadata file, which is JSON. To ask about a data file, pass --data {metadata}"
        )
    return {"path": str(metadata)}


def _score(sample: EvalSample) -> Score | None:
    return (sample.scores or {}).get(SCORE_NAME)


def _answer(sample: EvalSample, score: Score | None) -> tuple[str, str] | None:
    """The hypothesis and the workflow that were scored or, if the sample has no score, those that were submitted.

    Returns:
        None without a hypothesis. The workflow is empty if there is none.
    """
    if score is not None:
        if not score.answer:
            return None
        workflow = (score.metadata or {}).get("workflow") or ""
        return score.answer, str(workflow)

    # If an error ended the sample, the agent may have been at any step. So the text that it wrote last is no answer. An
    # accepted call of `submit` is an answer, whatever failed after it, such as the judge.
    answer = sample.store_as(SubmissionState).submission if sample.error else answer_of(sample)
    if not answer:
        return None
    if isinstance(answer, str):
        return answer, ""
    return answer.hypothesis, answer.workflow
