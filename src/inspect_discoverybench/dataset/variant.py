"""Easy and hard variants of a goal.

The paper makes two tasks of some hypotheses (§4.1). In the easy one, the data files contain the derived variables. In
the hard one, they must be derived from raw data. Appendix D.2 lists the folders of both.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from inspect_discoverybench.dataset.question import group_by_question
from inspect_discoverybench.dataset.samples import SampleMetadata

PROCESSED_FOLDERS: Mapping[str, str] = MappingProxyType(
    {
        "meta_regression_raw": "meta_regression",
        "worldbank_education_gdp_indicators": "worldbank_education_gdp",
        "nls_bmi_raw": "nls_bmi",  # the two share no question
    }
)
"""Folders of DB-REAL with raw data, each with the folder of the processed data."""


def with_variants(goals: Sequence[SampleMetadata]) -> list[SampleMetadata]:
    """Mark goals with the same question on raw and on processed data as `hard` and `easy`."""
    easy_variants = {
        hard.sample_id: easy.sample_id
        for group in group_by_question(goals, lambda goal: goal.goal)
        for hard in group
        for easy in group
        if easy.dataset == PROCESSED_FOLDERS.get(hard.dataset)
    }
    easy_ids = set(easy_variants.values())

    def variant(goal: SampleMetadata) -> str | None:
        if goal.sample_id in easy_variants:
            return "hard"
        return "easy" if goal.sample_id in easy_ids else None

    return [
        goal.model_copy(update={"variant": variant(goal), "variant_of": easy_variants.get(goal.sample_id)})
        for goal in goals
    ]
