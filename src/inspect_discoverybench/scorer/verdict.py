"""The verdict on a pair of hypotheses, by either way of aggregating the judge's answers."""

from dataclasses import dataclass
from enum import StrEnum

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.scorer.comparison import Comparison
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.product import ProductVerdict, judge_product
from inspect_discoverybench.scorer.subhypotheses import PartsVerdict, judge_parts


class Aggregation(StrEnum):
    """How the judge's answers become a score."""

    PRODUCT = "product"
    """HMS = context × variables × relationship, each for the whole hypothesis."""

    SUBHYPOTHESES = "subhypotheses"
    """In addition `hms_recall` and `hms_f1`, from sub-hypotheses that are matched one to one."""

    @classmethod
    def read(cls, value: str) -> "Aggregation":
        """The aggregation of this name.

        Raises:
            InvalidArgument: There is none.
        """
        if value not in list(cls):
            raise InvalidArgument(f"aggregation={value} is not possible; possible are: {', '.join(cls)}.")
        return cls(value)


@dataclass(frozen=True)
class PairVerdict:
    """What the judge decided about a pair.

    Attributes:
        product: The whole hypotheses.
        parts: Their sub-hypotheses; None if these are not aggregated.
    """

    product: ProductVerdict
    parts: PartsVerdict | None = None

    @property
    def values(self) -> dict[str, float] | None:
        """The score keys; NaN for one that is undecided. None if HMS is not determined."""
        values = self.product.values
        return values if values is None or self.parts is None else values | self.parts.values


async def compare(
    judge: Judge, comparison: Comparison, gate: bool = False, aggregation: Aggregation = Aggregation.PRODUCT
) -> PairVerdict:
    """Ask the judge about a pair.

    Args:
        judge: The judge.
        comparison: The pair.
        gate: Ask about variables and relationship only if the contexts match.
        aggregation: Whether to ask about the sub-hypotheses too.
    """
    product = await judge_product(judge, comparison, gate)
    if aggregation is Aggregation.PRODUCT:
        return PairVerdict(product)
    return PairVerdict(product, await judge_parts(judge, comparison, product))
