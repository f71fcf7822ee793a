"""Running an agent on one goal, without an experiment file."""

from dataclasses import dataclass
from pathlib import Path

from inspect_ai import eval as inspect_eval
from inspect_ai.scorer import Score
from inspect_ai.solver import SolverSpec

from inspect_discoverybench.answer import Answer, answer_of
from inspect_discoverybench.errors import InvalidExperiment, inspect_errors, one_line
from inspect_discoverybench.hypothesis import SCORE_NAME, Submission
from inspect_discoverybench.tasks import custom


@dataclass(frozen=True)
class GoalOutcome:
    """The outcome of one goal.

    Attributes:
        submission: The submission that the scorer reads; None if there is none.
        explanation: The explanation of the score; None if nothing was scored.
        error: The error of the sample; None if there is none.
        log: Path of the log.
    """

    submission: Submission | None
    explanation: str | None
    error: str | None
    log: str


def ask(metadata: Path, goal: str, solver: str, model: str, grader: str | None, sandbox: str) -> GoalOutcome:
    """Run an agent on one goal.

    Args:
        metadata: Metadata file of the study.
        goal: The discovery goal.
        solver: Name of the solver; `discoverybench/` may be omitted.
        model: The evaluated model.
        grader: The judge; by default that of the task `custom`.
        sandbox: `docker`, `k8s` or `local`.

    Raises:
        InvalidExperiment: The solver or a model cannot be called.
        DiscoveryBenchError: The goal or the metadata file cannot be used.
    """
    task = custom(path=str(metadata), goal=goal, sandbox=sandbox)
    name = solver if "/" in solver else f"discoverybench/{solver}"
    with inspect_errors(InvalidExperiment, f"{name} with {model}"):
        [log] = inspect_eval(
            task,
            model=model,
            solver=SolverSpec(name),
            model_roles={"grader": grader} if grader else None,
            display="none",
        )
    if not log.samples:
        return GoalOutcome(None, None, log.error.message if log.error else log.status, log.location)
    [sample] = log.samples
    score = (sample.scores or {}).get(SCORE_NAME)
    return GoalOutcome(
        submission=None if sample.error else _submission(answer_of(sample), score),
        explanation=score.explanation if score else None,
        error=one_line(Exception(sample.error.message)) if sample.error else None,
        log=log.location,
    )


def _submission(answer: Answer | None, score: Score | None) -> Submission | None:
    """The submission; for a text, the hypothesis that the judge quoted, or the text if the goal was not scored."""
    if answer is None or isinstance(answer, Submission):
        return answer
    if score is None:
        return Submission.truncated(answer.text, "", "whole")
    workflow = (score.metadata or {}).get("workflow") or ""
    return Submission.truncated(score.answer, workflow, "quoted") if score.answer else None
