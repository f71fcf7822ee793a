"""Irregularities of the released goals, which their samples have as flags."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.submission.text import normalize_case_and_spaces

PROCESSED_FOLDERS: Mapping[str, str] = {
    "meta_regression_raw": "meta_regression",
    "worldbank_education_gdp_indicators": "worldbank_education_gdp",
    "nls_bmi_raw": "nls_bmi",  # the two share no question
}
"""Folders of DB-REAL with raw data, each with the folder of the processed data (paper, appendix D.2)."""

REVEALED_SHARE = 0.8
"""Share of the words of a gold hypothesis from which a text counts as revealing it. A choice of this package."""

Flags = dict[str, str | bool]
"""Fields of `SampleMetadata`."""

# Shorter words, such as "the" and "than", are in most texts.
_WORD = re.compile(r"[^\W\d_]{4,}|\d+(?:\.\d+)?")


def reveals(text: str, gold: str) -> bool:
    """Whether a text contains at least `REVEALED_SHARE` of the numbers and longer words of a gold hypothesis."""
    gold_words = set(_WORD.findall(gold.casefold()))
    text_words = set(_WORD.findall(text.casefold()))
    common = gold_words & text_words
    return len(common) >= REVEALED_SHARE * len(gold_words) > 0


def flag_repeated_questions(goals: Sequence[SampleMetadata]) -> list[SampleMetadata]:
    """Flag goals that ask the same question: duplicates, different gold hypotheses, and easy and hard variants.

    The paper makes two tasks of some hypotheses (§4.1). In the easy one, the data files contain the derived variables.
    In the hard one, they must be derived from raw data.
    """
    groups: dict[str, list[SampleMetadata]] = defaultdict(list)
    for goal in goals:
        question = normalize_case_and_spaces(goal.goal)
        groups[question].append(goal)

    flags: dict[str, Flags] = defaultdict(dict)
    for group in groups.values():
        first, *repeated = group
        for goal in repeated:
            flags[goal.sample_id]["duplicate_of"] = first.sample_id

        golds = {goal.gold_hypothesis for goal in group}
        conflicting = len(golds) > 1
        for goal in group:
            flags[goal.sample_id]["conflicting_gold"] = conflicting

        by_folder = {goal.dataset: goal for goal in group}
        for hard in group:
            easy_folder = PROCESSED_FOLDERS.get(hard.dataset)
            if easy_folder not in by_folder:
                continue
            easy = by_folder[easy_folder]
            flags[easy.sample_id]["variant"] = "easy"
            flags[hard.sample_id]["variant"] = "hard"
            flags[hard.sample_id]["variant_of"] = easy.sample_id

    return [goal.model_copy(update=flags[goal.sample_id]) for goal in goals]
