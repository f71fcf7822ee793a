"""The verdict on a pair of hypotheses, for either aggregation."""

from dataclasses import dataclass
from enum import StrEnum

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.product import ProductVerdict, judge_product
from inspect_discoverybench.scorer.subhypotheses import PartsVerdict, judge_parts


class Aggregation(StrEnum):
    """How the judge's replies are aggregated into a score."""

    PRODUCT = "product"
    """HMS = context × variables × relationship of the whole hypotheses."""

    SUBHYPOTHESES = "subhypotheses"
    """Additionally `hms_recall` and `hms_f1`, from sub-hypotheses matched one to one."""

    @classmethod
    def parse(cls, value: str) -> "Aggregation":
        """Parse the name of an aggregation.

        Raises:
            InvalidArgument: The name is unknown.
        """
        if value not in list(cls):
            raise InvalidArgument(f"aggregation must be one of {', '.join(cls)}, got '{value}'.")
        return cls(value)


@dataclass(frozen=True)
class PairVerdict:
    """The judge's verdict on a pair of hypotheses.

    Attributes:
        product: Verdict on the whole hypotheses.
        parts: Verdict on their sub-hypotheses; None with `Aggregation.PRODUCT`.
    """

    product: ProductVerdict
    parts: PartsVerdict | None = None

    @property
    def values(self) -> dict[str, float]:
        """The score keys, with NaN for what is undecided."""
        return self.product.values | (self.parts.values if self.parts else {})


async def compare(
    judge: Judge, comparison: Comparison, gate: bool = False, aggregation: Aggregation = Aggregation.PRODUCT
) -> PairVerdict:
    """Judge a pair of hypotheses.

    Args:
        judge: The judge.
        comparison: The hypotheses.
        gate: Skip variables and relationship if the contexts do not match.
        aggregation: Whether to ask about sub-hypotheses as well.
    """
    product = await judge_product(judge, comparison, gate)
    if aggregation is Aggregation.PRODUCT:
        return PairVerdict(product)
    return PairVerdict(product, await judge_parts(judge, comparison, product))
