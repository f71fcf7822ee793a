"""Easy and hard variants of a goal.

From some hypotheses the paper derives two tasks (§4.1): in the easy one the data files have the derived variables, in
the hard one these have to be derived from raw data. Appendix D.2 lists the folders of both.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from inspect_discoverybench.dataset.question import group_by_question
from inspect_discoverybench.dataset.samples import SampleMetadata

PROCESSED_FOLDERS: Mapping[str, str] = MappingProxyType(
    {
        "meta_regression_raw": "meta_regression",
        "worldbank_education_gdp_indicators": "worldbank_education_gdp",
        "nls_bmi_raw": "nls_bmi",  # they share no question
    }
)
"""The folder with processed data for each folder of DB-REAL with the raw data."""


def with_variants(goals: Sequence[SampleMetadata]) -> list[SampleMetadata]:
    """The same goals; those that ask the same question of raw and of processed data are marked `hard` and `easy`."""
    easy_variants = {
        hard.sample_id: easy.sample_id
        for group in group_by_question(goals, lambda goal: goal.goal)
        for hard in group
        for easy in group
        if easy.dataset == PROCESSED_FOLDERS.get(hard.dataset)
    }
    easy_ids = set(easy_variants.values())
    return [
        goal.model_copy(
            update={
                "variant": "hard"
                if goal.sample_id in easy_variants
                else "easy"
                if goal.sample_id in easy_ids
                else None,
                "variant_of": easy_variants.get(goal.sample_id),
            }
        )
        for goal in goals
    ]
