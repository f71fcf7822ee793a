"""The judge's request settings, shared by scoring, the judge audit, `discoverybench judge` and Reflexion's oracle."""

import json
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

from inspect_ai.model import GenerateConfig, Model, ResponseSchema

from inspect_discoverybench.errors.redaction import public_settings, public_url
from inspect_discoverybench.replies import Reply, reply_schema
from inspect_discoverybench.scorer.acceptance import acceptance_of

OPERATIONAL_SETTINGS = {
    "max_retries",
    "timeout",
    "attempt_timeout",
    "stream_idle_timeout",
    "max_connections",
    "adaptive_connections",
    "cache",
    "cache_prompt",
    "batch",
}
"""Model settings that do not change what a model answers."""


@dataclass(frozen=True)
class RequestSettings:
    """The settings of one request.

    Attributes:
        config: Settings to send in addition to those of the model.
        effective: All that affects the reply, apart from the messages, as JSON values without secrets. Of the reply
            schema, it has only whether one is sent.
        fingerprint: Hash of the effective settings and the reply schema.
    """

    config: GenerateConfig
    effective: dict[str, Any]
    fingerprint: str

    @property
    def has_defaults(self) -> bool:
        """Whether there are settings that the user did not choose."""
        return bool(self.config.model_fields_set)


def request_settings(model: Model, reply_type: type[Reply], *, defaults: bool = True) -> RequestSettings:
    """The settings of a request. Settings of the model, such as those of its role, take precedence.

    Args:
        model: The judge.
        reply_type: Type of the reply.
        defaults: Whether to send the defaults. A judge that is known to refuse them never gets them.
    """
    # Evaluated at each request, outside the cached function: a judge may turn out to refuse the defaults.
    with_defaults = defaults and not acceptance_of(model).refuses_defaults
    return _cached_settings(model, reply_type, with_defaults)


@cache
def _cached_settings(model: Model, reply_type: type[Reply], with_defaults: bool) -> RequestSettings:
    config = _defaults(model, reply_type) if with_defaults else GenerateConfig()
    effective = _effective(model, config)
    # `effective` says only whether a reply schema is sent. Another schema can lead to another reply, so the fingerprint
    # also depends on the schema in `config`.
    schema = config.model_dump(mode="json", include={"response_schema"}, exclude_none=True)
    content = json.dumps([effective, schema], sort_keys=True)
    return RequestSettings(config, effective, fingerprint=sha256(content.encode()).hexdigest())


def _defaults(model: Model, reply_type: type[Reply]) -> GenerateConfig:
    """Defaults for settings that the user has not set. No token limit is set, because reasoning counts towards it."""
    schema = ResponseSchema(name=reply_type.__name__, json_schema=reply_schema(reply_type))
    defaults = {"temperature": 0.0, "seed": 0, "response_schema": schema}
    for chosen in model.config.model_dump(exclude_none=True):
        defaults.pop(chosen, None)
    return GenerateConfig.model_validate(defaults)


def _effective(model: Model, config: GenerateConfig) -> dict[str, Any]:
    merged = model.config.merge(config)
    # `fail_on_refusal` tells Inspect what to do with a refusal, and does not change the reply. Of the schema, only
    # whether one is sent is recorded: `response_schema` below.
    excluded = {*OPERATIONAL_SETTINGS, "fail_on_refusal", "response_schema"}
    settings = merged.model_dump(mode="json", exclude_none=True, exclude=excluded)
    # A base URL set in the environment is available only from the provider's client.
    client = getattr(model.api, "client", None)
    url = model.api.base_url or str(getattr(client, "base_url", ""))
    return {
        # These are recorded even if they are not set. None stands for the provider's default.
        "temperature": None,
        "seed": None,
        "reasoning_effort": None,
        "max_tokens": None,
        **public_settings(settings),
        "response_schema": merged.response_schema is not None,
        "base_url": public_url(url.rstrip("/")) if url else None,
        "model_args": public_settings(model.model_args),
    }
