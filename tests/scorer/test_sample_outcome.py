"""How samples end: the words of the glossary."""

import re

import pytest

from inspect_discoverybench.scorer.sample_outcome import SampleOutcome
from tests.conftest import REPOSITORY


@pytest.mark.parametrize("outcome", SampleOutcome)
def test_every_outcome_is_in_the_glossary_among_those_with_a_score_or_those_without(outcome: SampleOutcome) -> None:
    glossary = (REPOSITORY / "docs" / "glossary.md").read_text("utf-8")
    [entry] = re.findall(r"(?ms)^- \*\*outcome\*\*: .*?(?=^- )", glossary)
    scored, _, missing = " ".join(entry.split()).partition("*Missing*")
    assert f"*{outcome}*" in (scored if outcome.is_scored else missing)
