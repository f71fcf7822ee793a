"""One goal on one metadata file, without an experiment file."""

from dataclasses import dataclass
from pathlib import Path

from inspect_ai import eval as inspect_eval
from inspect_ai.solver import SolverSpec

from inspect_discoverybench.errors import InvalidExperiment, one_line
from inspect_discoverybench.hypothesis import Submission, SubmissionState, read_submission
from inspect_discoverybench.scorer.scorer import SCORE_NAME
from inspect_discoverybench.tasks import custom


@dataclass(frozen=True)
class Single:
    """What came of it.

    Attributes:
        submission: What the agent handed in; None if nothing.
        explanation: The judge's verdicts in words; None if nothing was scored.
        error: Why the sample could not be run to its end; None if it was.
        log: Where the log is.
    """

    submission: Submission | None
    explanation: str | None
    error: str | None
    log: str


def ask(
    metadata: Path, goal: str, solver: str, model: str, grader: str | None, sandbox: str, log_dir: str | None
) -> Single:
    """Let an agent answer one goal.

    Raises:
        InvalidExperiment: The solver or a model cannot be called.
        DiscoveryBenchError: The goal or the metadata file cannot be used.
    """
    task = custom(path=str(metadata), goal=goal, sandbox=sandbox)
    name = solver if "/" in solver else f"discoverybench/{solver}"
    try:
        [log] = inspect_eval(
            task,
            model=model,
            solver=SolverSpec(name),
            model_roles={"grader": grader} if grader else None,
            log_dir=log_dir,
            display="none",
        )
    # Whatever Inspect says of names, keys and packages; nothing is hidden, the message carries it.
    except Exception as error:
        raise InvalidExperiment(f"{name} with {model}: {one_line(error)}.") from error
    if not log.samples:
        return Single(None, None, one_line(Exception(log.error.message if log.error else log.status)), log.location)
    [sample] = log.samples
    submission = sample.store_as(SubmissionState).submission or read_submission(sample.output.completion)
    score = (sample.scores or {}).get(SCORE_NAME)
    error_message = sample.error.message if sample.error else None
    return Single(submission, score.explanation if score else None, error_message, log.location)
