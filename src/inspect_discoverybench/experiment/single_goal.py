"""Running an agent on one goal, without an experiment file."""

from pathlib import Path

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.solver import SolverSpec

from inspect_discoverybench.answer import answer_of
from inspect_discoverybench.errors import InvalidExperiment, inspect_errors
from inspect_discoverybench.hypothesis import SCORE_NAME, Submission
from inspect_discoverybench.tasks import custom


def run_goal(metadata: Path, goal: str, solver: str, model: str, grader: str | None, sandbox: str) -> EvalLog:
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
    roles = {"grader": grader} if grader else None
    with inspect_errors(InvalidExperiment, f"{name} with {model}"):
        [log] = inspect_eval(task, model=model, solver=SolverSpec(name), model_roles=roles, display="none")
    return log


def submission_of(sample: EvalSample) -> Submission | None:
    """The submission that the scorer reads; None if there is none, or if the sample ended with an error.

    For a text, it is the hypothesis that the judge quoted, or the text if the goal was not scored.
    """
    answer = None if sample.error else answer_of(sample)
    score = (sample.scores or {}).get(SCORE_NAME)
    if answer is None or isinstance(answer, Submission):
        return answer
    if score is None:
        return Submission.truncated(answer.text, "", "whole")
    workflow = (score.metadata or {}).get("workflow") or ""
    return Submission.truncated(score.answer, workflow, "quoted") if score.answer else None
