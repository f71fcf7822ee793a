"""Irregularities of the released goals, which their samples have as flags."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal

from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.replies import normalize_case_and_spaces

VARIANTS: Mapping[str, Literal["easy", "hard"]] = {
    "meta_regression": "easy",
    "meta_regression_raw": "hard",
    "worldbank_education_gdp": "easy",
    "worldbank_education_gdp_indicators": "hard",
}
"""Folders of DB-REAL that share questions: `easy` has the processed data, `hard` the raw data (paper, appendix D.2)."""

REVEALED_SHARE = 0.8
"""A text that has at least this share of the words of a gold hypothesis counts as revealing it.

The value is a choice of this package."""

# Words with fewer than four letters, such as "the" and "for", are left out, because they are in most texts.
_WORD = re.compile(r"[^\W\d_]{4,}|\d+(?:\.\d+)?")


def reveals(text: str, gold: str) -> bool:
    """Whether a text contains at least `REVEALED_SHARE` of the numbers and longer words of a gold hypothesis."""
    gold_words = set(_WORD.findall(gold.casefold()))
    if not gold_words:
        return False
    text_words = set(_WORD.findall(text.casefold()))
    revealed = gold_words & text_words
    return len(revealed) >= REVEALED_SHARE * len(gold_words)


def flag_repeated_questions(goals: Sequence[SampleMetadata]) -> list[SampleMetadata]:
    """Flag goals that ask the same question.

    The flags are the id of the first of these goals, whether they have different gold hypotheses, and whether a goal is
    the easy or the hard variant. The paper makes two tasks of some hypotheses (§4.1). In the easy task, the data files
    contain the derived variables. In the hard task, the agent must derive them from raw data.
    """
    questions = [normalize_case_and_spaces(goal.goal) for goal in goals]
    groups: dict[str, list[SampleMetadata]] = defaultdict(list)
    for question, goal in zip(questions, goals, strict=True):
        groups[question].append(goal)

    flagged = []
    for question, goal in zip(questions, goals, strict=True):
        group = groups[question]
        first_id = group[0].sample_id
        golds = {other.gold_hypothesis for other in group}
        datasets = {other.dataset for other in group}
        flags = {
            "duplicate_of": None if goal.sample_id == first_id else first_id,
            "conflicting_gold": len(golds) > 1,
            "variant": VARIANTS.get(goal.dataset) if len(datasets) > 1 else None,
        }
        flagged.append(goal.model_copy(update=flags))
    return flagged
