"""Token usage and costs that logs record."""

from collections.abc import Iterable

from inspect_ai.log import EvalSample
from inspect_ai.model import ModelUsage

from inspect_discoverybench.scorer.judge import GRADER


def total_cost(usages: Iterable[ModelUsage]) -> float | None:
    """Costs in US dollars; None if one of them is unknown."""
    total = 0.0
    for usage in usages:
        if usage.total_cost is not None:
            total += usage.total_cost
        elif usage.total_tokens:  # a model without a price; usage without tokens costs nothing
            return None
    return total


def judge_usage(sample: EvalSample) -> list[ModelUsage] | None:
    """The judge's usage in a sample: empty if the judge was not asked.

    None if it is unknown, because `inspect score` does not record it.
    """
    recorded = _recorded_judge_usage(sample)
    if recorded:
        return recorded

    scores = (sample.scores or {}).values()
    was_asked = any((score.metadata or {}).get("replies") for score in scores)
    if was_asked:
        return None
    return []


def _recorded_judge_usage(sample: EvalSample) -> list[ModelUsage]:
    """The judge's usage while the sample ran, which the log's sums include; empty if there was none.

    Its usage in `inspect score` is in no sum of the log.
    """
    usage = (sample.role_usage or {}).get(GRADER)
    return [] if usage is None else [usage]


def agent_tokens(sample: EvalSample) -> int:
    """Tokens of all models except the judge."""
    used = (sample.model_usage or {}).values()
    return total_tokens(used) - total_tokens(_recorded_judge_usage(sample))


def agent_cost(sample: EvalSample) -> float | None:
    """Costs of all models except the judge in US dollars; None if a price is unknown."""
    used = total_cost((sample.model_usage or {}).values())
    of_judge = total_cost(_recorded_judge_usage(sample))
    if used is None or of_judge is None:
        return None
    return used - of_judge


def total_tokens(usages: Iterable[ModelUsage]) -> int:
    """Sum of all tokens."""
    return sum(usage.total_tokens for usage in usages)
