"""Keys are removed from texts, and texts without keys stay as they are."""

import pytest

from inspect_discoverybench.errors.redaction import redact


@pytest.mark.parametrize("name", ["SOME_API_KEY", "AWS_ACCESS_KEY_ID", "PGPASSWORD", "GITHUB_PAT", "api_key"])
def test_values_of_keys_in_the_environment_are_replaced_by_their_names(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "abc-very-secret")
    assert redact("use abc-very-secret") == f"use [{name}]"


def test_what_has_the_form_of_a_key_is_replaced() -> None:
    assert redact("Incorrect key sk-proj-****abcd; Bearer xyz") == "Incorrect key [key]; [key]"


def test_words_that_resemble_keys_stay() -> None:
    text = "task-12 has a key-value store, max_tokens and basic statistics of pk_id"
    assert redact(text) == text
