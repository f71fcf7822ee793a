"""An experiment file has no secret that Inspect would record in its logs."""

import pytest

from tests.command_line import completed, refused

SECRET = "sesame-open-7731"
REMEDY = "set the key in the provider's environment variable instead, such as OPENAI_API_KEY"

MODEL = "name: discoverybench/baseline"

SECRETS = {
    f"models.0={{{MODEL}, args: {{default_headers: {{Authorization: {SECRET}}}}}}}": "default_headers.Authorization",
    f"models.0={{{MODEL}, config: {{extra_headers: {{X-Api-Key: {SECRET}}}}}}}": "extra_headers.X-Api-Key",
    f"models.0={{{MODEL}, config: {{extra_headers: {{X-Team: Bearer {SECRET}}}}}}}": "extra_headers.X-Team",
    f"models.0={{{MODEL}, config: {{extra_body: {{user: {{token: {SECRET}}}}}}}}}": "extra_body.user.token",
    f"models.0={{{MODEL}, base_url: 'http://me:{SECRET}@localhost/v1'}}": "the user, password or query of the URL",
    f"models.0={{{MODEL}, base_url: 'http://localhost/v1?code={SECRET}'}}": "the user, password or query of the URL",
    f"grader={{{MODEL}, args: {{default_query: {{sig: {SECRET}}}}}}}": "default_query.sig",
    f"roles={{critic: {{{MODEL}, args: {{azure_ad_token: {SECRET}}}}}}}": "azure_ad_token",
    f"solvers=[{{name: discoverybench/react, args: {{api_key: {SECRET}}}}}]": "api_key",
    f"tasks=[{{name: discoverybench/demo, args: {{password: {SECRET}}}}}]": "password",
    f"options.extra_headers={{Cookie: {SECRET}}}": "extra_headers.Cookie",
}
"""Changes of an experiment, and what the refusal names."""


@pytest.mark.parametrize("change", SECRETS)
def test_a_secret_that_inspect_would_record_is_refused(change: str) -> None:
    message = refused(f'run gold.yaml --dry-run --set "{change}"')
    assert f"Inspect would record {SECRETS[change]} in its logs; {REMEDY}" in message
    path, _, _ = change.partition("=")
    assert message.startswith(f"Error: --set {path}=")
    assert SECRET not in message


@pytest.mark.parametrize(
    "change",
    [
        f"models.0={{name: mockllm/m, args: {{api_key: {SECRET}}}}}",
        "models.0={name: mockllm/m, config: {extra_headers: {anthropic-beta: context-1m-2025-08-07}}}",
        "models.0={name: mockllm/m, config: {extra_body: {chat_template_kwargs: {enable_thinking: false}}}}",
        "models.0={name: mockllm/m, base_url: 'https://models.example.org:8443/v1'}",
    ],
)
def test_what_inspect_leaves_out_and_what_is_no_secret_may_be_set(change: str) -> None:
    assert SECRET not in completed(f'run gold.yaml --dry-run --set "{change}"')
