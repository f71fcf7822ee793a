"""What a log of the task `judge_audit` records about its judge."""

from collections.abc import Mapping
from dataclasses import dataclass

from inspect_ai.log import EvalLog, EvalMetric

from inspect_discoverybench.public_names import is_of_package, without_package
from inspect_discoverybench.scorer.facets import FACETS

AUDIT_TASK = "judge_audit"

AUDITED_FACETS = {facet.question: facet.key for facet in FACETS}
"""The key of each facet, by the name of the audit's score that says whether the judge was right about this facet."""

CONSTANT_JUDGE = "always_"
"""Beginning of the names of metrics that are the accuracy of a judge that always gives the same verdict."""


@dataclass(frozen=True)
class AuditedFacet:
    """How often the judge was right about one facet, as shares from 0 to 1.

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
        samples: Number of its completed samples, including those that are not pairs of hypotheses.
        facets: The accuracy on pairs of hypotheses by facet.
    """

    judge: str
    created: str
    samples: int
    facets: Mapping[str, AuditedFacet]

    @classmethod
    def of(cls, header: EvalLog) -> "AuditRecord | None":
        """Read the record from the header of a log; None if the log is not of a finished audit with pairs."""
        name = header.eval.task
        is_audit = is_of_package(name) and without_package(name) == AUDIT_TASK
        if not is_audit or header.status != "success" or header.results is None:
            return None

        facets = {}
        for score in header.results.scores:
            if score.name in AUDITED_FACETS and score.scored_samples:
                facets[AUDITED_FACETS[score.name]] = _facet(score.metrics)
        if not facets:
            return None
        return cls(header.eval.model, header.eval.created, header.results.completed_samples, facets)


def _facet(metrics: Mapping[str, EvalMetric]) -> AuditedFacet:
    constant_accuracies = [metric.value for name, metric in metrics.items() if name.startswith(CONSTANT_JUDGE)]
    return AuditedFacet(
        accuracy=float(metrics["mean"].value),
        best_constant=max(map(float, constant_accuracies), default=None),
    )
