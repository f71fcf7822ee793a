"""Differences between the records of two scores."""

from typing import Any

from inspect_discoverybench.scorer.judge_record import compared_part, differences

RECORD: dict[str, Any] = {
    "judge": "openai/gpt-4o",
    "settings": {"temperature": 0, "seed": 0},
    "prompts": {"variables": "abc"},
    "asked_again": 1,
}


def test_scores_by_the_same_judge_are_comparable_whatever_the_sample_needed() -> None:
    assert differences(RECORD, {**RECORD, "asked_again": 3}) == []
    # A setting without a value is the same as a setting that is not recorded.
    with_default = {**RECORD["settings"], "max_tokens": None}
    assert differences(RECORD, {**RECORD, "settings": with_default}) == []
    assert compared_part({**RECORD, "workflow": "w"}).keys() == {"judge", "settings", "prompts"}
    assert compared_part({"reason": "nothing was submitted"}) == {}


def test_differences_are_named_with_both_values() -> None:
    other = {"judge": "openai/gpt-5", "settings": {"temperature": 0.5, "seed": 0}, "prompts": {}}
    assert differences(RECORD, other) == [
        "judge: openai/gpt-4o and openai/gpt-5",
        "settings.temperature: 0 and 0.5",
        "prompts.variables: abc and not recorded",
    ]
