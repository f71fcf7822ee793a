"""One goal on one metadata file, without an experiment file."""

from dataclasses import dataclass
from pathlib import Path

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample
from inspect_ai.model import ModelName
from inspect_ai.solver import SolverSpec, TaskState

from inspect_discoverybench.errors import InvalidExperiment, inspect_errors, one_line
from inspect_discoverybench.hypothesis import Submission, submission_of
from inspect_discoverybench.scorer.scorer import LOGGED_AS
from inspect_discoverybench.tasks import custom


@dataclass(frozen=True)
class GoalOutcome:
    """What an agent answered.

    Attributes:
        submission: What the scorer reads as the submission; None if there is none.
        explanation: The judge's verdicts in words; None if nothing was scored.
        error: Why the sample ended early; None if it did not.
        log: Path of the log.
    """

    submission: Submission | None
    explanation: str | None
    error: str | None
    log: str


def ask(metadata: Path, goal: str, solver: str, model: str, grader: str | None, sandbox: str) -> GoalOutcome:
    """Let an agent answer one goal.

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
    score = (sample.scores or {}).get(LOGGED_AS)
    return GoalOutcome(
        submission=submission_of(_final_state(sample, model)),
        explanation=score.explanation if score else None,
        error=one_line(Exception(sample.error.message)) if sample.error else None,
        log=log.location,
    )


def _final_state(sample: EvalSample, model: str) -> TaskState:
    """The state that the scorer saw."""
    return TaskState(
        model=ModelName(model),
        sample_id=sample.id,
        epoch=sample.epoch,
        input=sample.input,
        messages=sample.messages,
        output=sample.output,
        metadata=sample.metadata,
        store=sample.store,
    )
