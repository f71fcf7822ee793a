"""Differences between the records of two scores."""

from typing import Any

from inspect_discoverybench.scorer.judge_record import compared_part, differences

RECORD: dict[str, Any] = {
    "judge": "openai/gpt-4o",
    "settings": {"temperature": 0, "seed": 0},
    "prompts": {"variables": "abc"},
    "asked_again": 1,
}


def test_the_judge_its_settings_and_its_prompts_are_compared() -> None:
    assert compared_part({**RECORD, "workflow": "w"}).keys() == {"judge", "settings", "prompts"}
    # Without a submission, the judge was not asked.
    assert compared_part({"reason": "nothing was submitted"}) == {}


def test_questions_that_were_asked_again_are_no_difference() -> None:
    assert differences(RECORD, {**RECORD, "asked_again": 3}) == []


def test_a_setting_without_a_value_is_the_same_as_one_that_is_not_recorded() -> None:
    with_default = {**RECORD["settings"], "max_tokens": None}
    assert differences(RECORD, {**RECORD, "settings": with_default}) == []


def test_differences_are_named_with_both_values() -> None:
    other = {"judge": "openai/gpt-5", "settings": {"temperature": 0.5, "seed": 0}, "prompts": {}}
    assert differences(RECORD, other) == [
        "judge: openai/gpt-4o and openai/gpt-5",
        "settings.temperature: 0 and 0.5",
        "prompts.variables: abc and not recorded",
    ]
