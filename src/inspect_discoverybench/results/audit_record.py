"""What a log of the task `judge_audit` records about its judge."""

from collections.abc import Mapping
from dataclasses import dataclass

from inspect_ai.log import EvalLog, EvalMetric

from inspect_discoverybench.results.agent_record import is_of_package, without_package

AUDIT_TASK = "judge_audit"

QUESTIONS = {"context_match": "context", "variables": "variables", "relationship": "relationship"}
"""Names of the judge's questions by the audit's key of their accuracy."""

CONSTANT_JUDGE = "always_"
"""Beginning of the names of metrics that are the accuracy of a judge that always gives the same verdict."""


@dataclass(frozen=True)
class AuditedQuestion:
    """How often the judge was right about one question, as shares from 0 to 1.

    Attributes:
        accuracy: Its accuracy.
        best_constant: The highest accuracy of a judge that always gives the same verdict; None for the variables, which
            have no verdict that could always be given.
    """

    accuracy: float
    best_constant: float | None


@dataclass(frozen=True)
class AuditRecord:
    """An audit of a judge.

    Attributes:
        judge: The audited model.
        created: When the audit started, in ISO format.
        samples: Number of pairs and texts of the audit.
        questions: The accuracy on pairs of hypotheses by the name of the question.
    """

    judge: str
    created: str
    samples: int
    questions: Mapping[str, AuditedQuestion]

    @classmethod
    def of(cls, header: EvalLog) -> "AuditRecord | None":
        """Read the record from the header of a log; None if it is not that of a finished audit with pairs."""
        name = header.eval.task
        is_audit = is_of_package(name) and without_package(name) == AUDIT_TASK
        if not is_audit or header.results is None:
            return None

        questions = {
            QUESTIONS[score.name]: _question(score.metrics)
            for score in header.results.scores
            if score.name in QUESTIONS and score.scored_samples
        }
        if header.status != "success" or not questions:
            return None
        return cls(header.eval.model, header.eval.created, header.results.completed_samples, questions)


def _question(metrics: Mapping[str, EvalMetric]) -> AuditedQuestion:
    constant = [metric.value for name, metric in metrics.items() if name.startswith(CONSTANT_JUDGE)]
    return AuditedQuestion(
        accuracy=float(metrics["mean"].value),
        best_constant=max(map(float, constant), default=None),
    )
