"""The judge's request settings, shared by scoring, the judge audit, `discoverybench judge` and Reflexion's oracle."""

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from inspect_ai.model import GenerateConfig, Model, ResponseSchema

from inspect_discoverybench.errors import causes, http_status
from inspect_discoverybench.scorer.reply import Reply, reply_schema

logger = logging.getLogger(__name__)

DEFAULTS = GenerateConfig(temperature=0.0, seed=0)
"""Default settings besides the reply schema. No token limit is set, because reasoning counts towards it."""

OPTIONAL = ("response_schema", "seed", "temperature")
"""Settings that a provider may reject, in the order in which they are omitted if the error names none."""

_SETTING_PATTERNS = {
    "max_tokens": re.compile(r"token", re.IGNORECASE),
    "response_schema": re.compile(
        r"response[_ ]?(format|mime)|output[_ ]?(format|config)|text\.format|structured[_ ]output|schema|guided_",
        re.IGNORECASE,
    ),
    "seed": re.compile(r"\bseed\b", re.IGNORECASE),
    "temperature": re.compile(r"\btemperature\b", re.IGNORECASE),
}

_ACCOUNT = re.compile(
    r"(api|access)[ _-]?key|credit|quota|billing|payment|authentication|(un|not )authorized|permission[ _]denied",
    re.IGNORECASE,
)
"""Messages about the account. Some providers send them with status 400."""

_ACCOUNT_STATUSES = {401, 402, 403}
_BAD_REQUEST_STATUSES = {400, 422}
_MESSAGE_ATTRIBUTES = ("param", "provider_message", "message")
"""Attributes of provider errors that can name the rejected setting, the most specific first."""

# Settings that affect how a request is sent, but not the reply.
_TRANSPORT = {
    "adaptive_connections",
    "attempt_timeout",
    "batch",
    "cache",
    "cache_prompt",
    "fail_on_refusal",
    "max_connections",
    "max_retries",
    "stream_idle_timeout",
    "timeout",
}

_SHOWN = {
    "api_version",
    "device",
    "device_map",
    "dtype",
    "effort",
    "fallback_models",
    "location",
    "model_type",
    "quantization",
    "reasoning_effort",
    "reasoning_format",
    "reasoning_history",
    "reasoning_mode",
    "reasoning_summary",
    "region",
    "service_tier",
    "stop_seqs",
    "verbosity",
}
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


class JudgeSettings:
    """The judge's settings in one eval: the defaults, without those that the provider rejected."""

    def __init__(self, *, schema: bool = True) -> None:
        """Create settings, none of which has been rejected yet.

        Args:
            schema: Whether to send a reply schema.
        """
        self.schema = schema
        self._rejected: dict[Model, frozenset[str]] = {}
        self._requests: dict[tuple[Model, type[Reply], frozenset[str]], RequestSettings] = {}

    def rejected(self, model: Model) -> frozenset[str]:
        """The settings that the provider of this model has rejected."""
        return self._rejected.get(model, frozenset())

    def record_rejected(self, model: Model, omitted: frozenset[str]) -> None:
        """Record settings that a provider rejected, after a request without them succeeded. Log each of them once."""
        for name in sorted(omitted - self.rejected(model)):
            logger.warning(f"The judge {model} does not accept the setting {name}. Continuing without it.")
        self._rejected[model] = self.rejected(model) | omitted

    def request(self, model: Model, reply_type: type[Reply], omitted: frozenset[str]) -> RequestSettings:
        """The settings of a request. Settings of the model, such as those of its role, take precedence.

        Args:
            model: The judge.
            reply_type: Type of the reply.
            omitted: Settings that the provider rejected.
        """
        key = (model, reply_type, omitted)
        if key not in self._requests:
            self._requests[key] = self._request(*key)
        return self._requests[key]

    def _request(self, model: Model, reply_type: type[Reply], omitted: frozenset[str]) -> RequestSettings:
        defaults: dict[str, Any] = DEFAULTS.model_dump(exclude_none=True)
        if self.schema:
            defaults["response_schema"] = ResponseSchema(name=reply_type.__name__, json_schema=reply_schema(reply_type))
        excluded = omitted | model.config.model_dump(exclude_none=True).keys()
        config = GenerateConfig(**{name: value for name, value in defaults.items() if name not in excluded})
        effective = _effective(model, config)
        schema = config.model_dump(mode="json", include={"response_schema"}, exclude_none=True)
        fingerprint = sha256(json.dumps([effective, schema], sort_keys=True).encode()).hexdigest()
        return RequestSettings(config, effective, fingerprint)


@dataclass(frozen=True)
class RejectedSetting:
    """A setting that the provider may have rejected.

    Attributes:
        setting: Name of the setting.
        named: Whether the error names the setting. If not, it is a guess, and the error may have another reason.
    """

    setting: str
    named: bool


def rejection(error: BaseException, config: GenerateConfig) -> RejectedSetting | None:
    """The setting to omit before repeating a rejected request; None if no such setting was rejected.

    This is the setting that the error names, else the one that its message mentions first, else the first of
    `OPTIONAL`. Settings of the model, which the user chose, are never omitted. Errors about the account, such as an
    invalid API key, do not reject a setting.

    Args:
        error: The error that `generate` raised.
        config: The config of the request, without the settings of the model.
    """
    sent = [name for name in ("max_tokens", *OPTIONAL) if getattr(config, name) is not None]
    # The first cause, which is the provider's error, comes first; the others may quote the request.
    chain = [*causes(error)][::-1]
    statuses = {http_status(cause) for cause in chain}
    if not sent or not statuses & _BAD_REQUEST_STATUSES or statuses & _ACCOUNT_STATUSES:
        return None
    for text in (str(getattr(cause, name, None) or "") for cause in chain for name in _MESSAGE_ATTRIBUTES):
        if _ACCOUNT.search(text):
            return None
        mentioned = {
            name: match.start() for name, pattern in _SETTING_PATTERNS.items() if (match := pattern.search(text))
        }
        if mentioned:
            omittable = [name for name in mentioned if name in sent]
            setting = min(omittable, key=lambda name: mentioned[name], default=None)
            return RejectedSetting(setting, named=True) if setting else None
    return RejectedSetting(sent[0], named=False)


def token_limit(model: Model, config: GenerateConfig) -> int | None:
    """The token limit of a request: that of the config, else Inspect's default for the provider, else None."""
    effective = model.config.merge(config)
    return effective.max_tokens or model.api.max_tokens_for_config(effective) or model.api.max_tokens()


def _effective(model: Model, config: GenerateConfig) -> dict[str, Any]:
    merged = model.config.merge(config)
    settings = merged.model_dump(mode="json", exclude_none=True, exclude={*_TRANSPORT, "response_schema"})
    return {
        "temperature": None,
        "seed": None,
        "reasoning_effort": None,
        **_public(settings),
        "max_tokens": token_limit(model, config),
        "response_schema": merged.response_schema is not None,
        "base_url": _public_url(_address(model)),
        "model_args": _public(model.model_args),
    }


def _address(model: Model) -> str | None:
    """The base URL of requests. One set in the environment is available only from the provider's client."""
    client = getattr(model.api, "client", None)
    url = model.api.base_url or getattr(client, "base_url", None)
    return str(url).rstrip("/") if url else None


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


def _public_url(url: str | None) -> str | None:
    """A URL without user, password, query and fragment. If it has any of them, a digest of the whole URL is added."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return _digest(url)
    if not parts.scheme or not parts.netloc:
        return _digest(url)
    public = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    return public if public == url else f"{public} ({_digest(url)})"


def _digest(text: str) -> str:
    return f"sha256:{sha256(text.encode(errors='surrogatepass')).hexdigest()[:12]}"
