"""The judge's request settings, shared by scoring, the judge audit, `discoverybench judge` and Reflexion's oracle."""

import json
import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from inspect_ai.model import GenerateConfig, Model, ResponseSchema

from inspect_discoverybench.replies import Reply, reply_schema

logger = logging.getLogger(__name__)

DEFAULTS = GenerateConfig(temperature=0.0, seed=0)
"""Default settings besides the reply schema. No token limit is set, because reasoning counts towards it."""

REJECTIONS = 2
"""Number of questions after whose rejection the defaults are no longer sent. A single one may have another cause."""

OPERATIONAL = {
    *("max_retries", "timeout", "attempt_timeout", "stream_idle_timeout", "max_connections", "adaptive_connections"),
    *("cache", "cache_prompt", "batch"),
}
"""Model settings that do not change what a model answers."""

_SHOWN = GenerateConfig.model_fields.keys() - {"system_message"} | {"device", "dtype", "quantization"}
"""Names whose texts are recorded. Any other text may be a secret and is recorded as a digest."""


@dataclass(frozen=True)
class RequestSettings:
    """The settings of one request.

    Attributes:
        config: Settings to send in addition to those of the model.
        effective: Everything except the messages that affects the reply, as JSON values without secrets.
        fingerprint: Hash of the effective settings and the reply schema.
    """

    config: GenerateConfig
    effective: dict[str, Any]
    fingerprint: str


@dataclass
class JudgeSettings:
    """The judge's settings in one eval: the defaults, unless the provider rejected them.

    Attributes:
        schema: Whether to send a reply schema.
    """

    schema: bool = True
    _rejections: Counter[Model] = field(default_factory=Counter)
    _requests: dict[tuple[Model, type[Reply], bool], RequestSettings] = field(default_factory=dict)

    def request(self, model: Model, reply_type: type[Reply], *, defaults: bool = True) -> RequestSettings:
        """The settings of a request. Settings of the model, such as those of its role, take precedence.

        Args:
            model: The judge.
            reply_type: Type of the reply.
            defaults: Whether to send the defaults. They are not sent to a provider that rejected them.
        """
        key = (model, reply_type, defaults and self._rejections[model] < REJECTIONS)
        if key not in self._requests:
            self._requests[key] = self._request(*key)
        return self._requests[key]

    def record_rejection(self, model: Model) -> None:
        """Count a question that was answered only without the defaults. Log it once for each model."""
        self._rejections[model] += 1
        if self._rejections[model] == REJECTIONS:
            logger.warning(
                f"The judge {model} does not accept all of the settings temperature 0, seed 0 and reply schema. "
                "Continuing without them."
            )

    def _request(self, model: Model, reply_type: type[Reply], with_defaults: bool) -> RequestSettings:
        defaults: dict[str, Any] = DEFAULTS.model_dump(exclude_none=True) if with_defaults else {}
        if with_defaults and self.schema:
            defaults["response_schema"] = ResponseSchema(name=reply_type.__name__, json_schema=reply_schema(reply_type))
        chosen = model.config.model_dump(exclude_none=True).keys()
        config = GenerateConfig(**{name: value for name, value in defaults.items() if name not in chosen})
        effective = _effective(model, config)
        schema = config.model_dump(mode="json", include={"response_schema"}, exclude_none=True)
        fingerprint = sha256(json.dumps([effective, schema], sort_keys=True).encode()).hexdigest()
        return RequestSettings(config, effective, fingerprint)


def token_limit(model: Model, config: GenerateConfig) -> int | None:
    """The token limit of a request: that of the config, else Inspect's default for the provider, else None."""
    effective = model.config.merge(config)
    return effective.max_tokens or model.api.max_tokens_for_config(effective) or model.api.max_tokens()


def _effective(model: Model, config: GenerateConfig) -> dict[str, Any]:
    merged = model.config.merge(config)
    settings = merged.model_dump(
        mode="json", exclude_none=True, exclude={*OPERATIONAL, "fail_on_refusal", "response_schema"}
    )
    # A base URL set in the environment is available only from the provider's client.
    url = model.api.base_url or getattr(getattr(model.api, "client", None), "base_url", None)
    return {
        "temperature": None,
        "seed": None,
        "reasoning_effort": None,
        **_public(settings),
        "max_tokens": token_limit(model, config),
        "response_schema": merged.response_schema is not None,
        "base_url": _public_url(str(url).rstrip("/")) if url else None,
        "model_args": _public(model.model_args),
    }


def _public(value: Any, name: str = "") -> Any:
    """A value as JSON without secrets: only numbers and the texts of `_SHOWN` names are recorded as they are.

    Other texts are replaced by digests, so that records differ if the values differ. A value of any other type is
    replaced by the name of its type.
    """
    match value:
        case Mapping():
            return {str(key): _public(part, str(key)) for key, part in value.items()}
        case list() | tuple():
            return [_public(part, name) for part in value]
        case str():
            return value if name in _SHOWN else _digest(value)
        case None | bool() | int() | float():
            return value
    return type(value).__name__


def _public_url(url: str) -> str:
    """The address without user, password, query and fragment; a digest of the whole URL shows that it has them."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return _digest(url)
    public = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return public if public == url else f"{public} ({_digest(url)})"


def _digest(text: str) -> str:
    return f"sha256:{sha256(text.encode(errors='surrogatepass')).hexdigest()[:12]}"
