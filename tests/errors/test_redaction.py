"""What of a model's settings is shown."""

import json
from typing import Any

import pytest

from inspect_discoverybench.errors import redaction
from inspect_discoverybench.errors.redaction import public_settings, public_url, redact, remember_keys, secret_settings

PUBLIC: dict[str, Any] = {
    "temperature": 0.5,
    "stop_seqs": ["a", "b"],
    "logprobs": True,
    "top_p": None,
    "base_url": "https://models.example.org:8443/v1",
    "model_args": {"tokenizer": "cl100k", "device": "cuda:0"},
    "roles": {"author": "openai/gpt-4o"},
    "answer_key": "keys/answers.csv",
    "token_limit": 5000,
    "token_budget": 10,
    "goal": "How? Why?",
    "image": "ghcr.io/lab/agent:1.0@sha256:4f5e",
    "log_dir": "s3://team/users/me@example.org/logs",
}
"""Settings without secrets. Some names and values resemble those of secrets."""

SECRET: list[dict[str, Any]] = [
    {"api_key": "hush-hush"},
    {"api_key": 12345678},
    {"model_args": {"azure_ad_token": "hush-hush", "AWS_SECRET_ACCESS_KEY": "hush-hush"}},
    {"credentials": {"user": "hush-hush"}},
    {"session_cookie": "hush-hush"},
    {"extra_headers": {"X-Custom": "hush-hush"}},
    {"extra_body": {"user": "hush-hush", "pin": 12345678}},
    {"default_query": {"sig": ["hush-hush"]}},
    {"http_proxy": "see http://user:hush-hush@example.org"},
    {"note": "Bearer hush-hush"},
    {"note": "sk-hush-hush-0123456789"},
    {"base_url": "http://[hush-hush"},
    {"proxy": "me:hush-hush@localhost:3128"},
    {"base_url": "localhost:8000/v1?token=hush-hush"},
    {"base_url": "https:/me:hush-hush@example.org/v1"},
    {"base_url": "https://me:hush/hush-hush@example.org/v1"},
    {"fallbacks": "http://a.example.org http://me:hush-hush@b.example.org"},
    {"base_url": "http://proxy/http://me:hush-hush@example.org"},
]


def test_names_and_plain_values_are_shown() -> None:
    assert public_settings(PUBLIC) == PUBLIC


@pytest.mark.parametrize("settings", SECRET, ids=str)
def test_secrets_are_not_shown_but_their_names_are(settings: dict[str, Any]) -> None:
    public = public_settings(settings)
    assert public != settings
    assert [*public] == [*settings]
    shown = json.dumps(public)
    assert "hush-hush" not in shown
    assert "12345678" not in shown


RECORDABLE: dict[str, Any] = {
    **PUBLIC,
    "default_headers": {"X-Team": "red", "anthropic-beta": "context-1m-2025-08-07"},
    "default_query": {"api-version": "2024-10-21"},
    "extra_body": {"chat_template_kwargs": {"enable_thinking": False}, "provider": {"order": ["openai"]}},
    "use_auth": False,
    "api_key": None,
}

NOT_RECORDABLE: list[tuple[dict[str, Any], str]] = [
    ({"default_headers": {"Authorization": "Basic hush"}}, "default_headers.Authorization"),
    ({"extra_headers": {"X-Api-Key": "hush-hush"}}, "extra_headers.X-Api-Key"),
    ({"extra_headers": {"Cookie": "hush"}}, "extra_headers.Cookie"),
    ({"extra_headers": {"X-Gateway": "Bearer hush-hush"}}, "extra_headers.X-Gateway"),
    ({"default_query": {"sig": "hush"}}, "default_query.sig"),
    ({"default_query": {"subscription-key": 12345678}}, "default_query.subscription-key"),
    ({"extra_body": {"user": {"access_token": "hush"}}}, "extra_body.user.access_token"),
    ({"fallbacks": [{"base_url": "http://me:hush@example.org"}]}, "fallbacks.0.base_url"),
    ({"base_url": "https://example.org/v1?code=hush"}, "base_url"),
    ({"credentials": {"user": "hush"}}, "credentials"),
]


def test_settings_without_secrets_may_be_recorded() -> None:
    assert secret_settings(RECORDABLE) == []


@pytest.mark.parametrize(("settings", "name"), NOT_RECORDABLE)
def test_settings_with_secrets_are_named_with_their_place(settings: dict[str, Any], name: str) -> None:
    assert secret_settings(settings) == [name]


def test_a_key_of_the_environment_is_a_secret_under_any_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_API_KEY", "open-sesame")
    assert secret_settings({"extra_body": {"user": "open-sesame"}}) == ["extra_body.user"]


def test_values_of_headers_are_shown_as_digests_which_are_equal_for_equal_values() -> None:
    headers = {"X-Team": "red", "X-Other": "blue", "X-Same": "red"}
    public = public_settings({"extra_headers": headers})
    digests = public["extra_headers"]
    assert digests["X-Team"].startswith("sha256:")
    assert digests["X-Team"] != digests["X-Other"]
    assert digests["X-Team"] == digests["X-Same"]


PLAIN_URL = "https://example.org:8443/v1"


def test_a_url_without_secrets_is_shown() -> None:
    assert public_url(PLAIN_URL) == PLAIN_URL


@pytest.mark.parametrize("url", ["https://user:pw@example.org:8443/v1", f"{PLAIN_URL}?token=x", f"{PLAIN_URL}#x"])
def test_of_other_urls_scheme_host_and_path_are_shown(url: str) -> None:
    shown = public_url(url)
    assert shown.startswith(f"{PLAIN_URL} (sha256:")


@pytest.mark.parametrize("spelling", ["ab/cd+ef/gh", "ab/cd%2Bef/gh", "ab%2Fcd%2Bef%2Fgh"])
def test_a_key_is_found_as_it_is_and_in_urls(spelling: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_API_KEY", "ab/cd+ef/gh")
    text = redact(f"GET https://example.org/{spelling}?a=1")
    assert text == "GET https://example.org/[OUR_API_KEY]?a=1"


REMEMBERED: list[dict[str, Any]] = [
    {"config": {"extra_headers": {"X-Gateway": "sesame-open-7731"}}},
    {"base_url": "https://me:sesame-open-7731@example.org/v1"},
    {"base_url": "https://example.org/v1?code=sesame-open-7731"},
    {"credentials": {"user": "sesame-open-7731"}},
    {"logit_bias": {50256: -100}, "api_key": "sesame-open-7731"},  # in YAML, a name can be a number
]


@pytest.mark.parametrize("settings", REMEMBERED, ids=str)
def test_what_is_secret_in_settings_is_found_in_texts(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redaction, "_argument_keys", {})  # forget the same secret of the other rows
    remember_keys(settings)
    assert "sesame" not in redact("I do not know sesame-open-7731.")


def test_other_values_in_settings_stay_in_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_argument_keys", {})
    remember_keys({"config": {"system_message": "Be concise, please."}, "base_url": "https://example.org/v1"})
    text = "https://example.org/v1 has got: Be concise, please."
    assert redact(text) == text


@pytest.mark.parametrize("spelling", ["open/sesame 7731", "open%2Fsesame+7731", "open%2fsesame%207731"])
@pytest.mark.parametrize("url", ["https://me:{}@example.org/v1", "https://example.org/v1?code={}&user=me"])
def test_a_secret_of_a_url_is_found_decoded_and_encoded(
    url: str, spelling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redaction, "_argument_keys", {})
    remember_keys({"base_url": url.format("open%2fsesame%207731")})
    assert "sesame" not in redact(f"I do not know {spelling}.")


@pytest.mark.parametrize("password", ["sesame[open-7731", "sesame/open-7731", "sesame?open-7731"])
def test_a_url_whose_password_is_not_clear_is_not_shown(password: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python refuses an unpaired bracket, and takes a slash or a question mark for the end of the host."""
    monkeypatch.setattr(redaction, "_argument_keys", {})
    url = f"https://me:{password}@example.org/v1"
    remember_keys({"base_url": url})
    assert redact(f"No answer from {url}.") == "No answer from [URL]."


def test_a_password_that_is_taken_for_a_port_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_argument_keys", {})
    remember_keys({"base_url": "https://me:open-sesame/7731@example.org/v1"})
    assert redact("Invalid port: 'open-sesame'") == "Invalid port: '[password]'"


def test_a_key_in_the_path_of_a_url_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_TOKEN", "sesame-open-7731")
    assert public_url("https://gateway/sesame-open-7731/v1").startswith("https://gateway/[GATEWAY_TOKEN]/v1 (sha256:")


def test_an_object_is_shown_by_its_type() -> None:
    settings = {"http_client": object(), "count": 3}
    public = public_settings(settings)
    assert public == {"http_client": "object", "count": 3}
