"""The judge's settings: the same for scoring, audit, single pairs and the oracle."""

import json
import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from inspect_ai.model import GenerateConfig, Model, ResponseSchema

from inspect_discoverybench.scorer.reply import Reply, schema_of

logger = logging.getLogger(__name__)

DEFAULTS = GenerateConfig(temperature=0.0, seed=0)
"""Settings beside the reply schema. There is no token limit: reasoning models count their reasoning in it."""

OPTIONAL = ("response_schema", "seed", "temperature")
"""Settings that a provider may refuse, in the order of their omission where it does not say which one it refuses."""

_MENTIONS = {
    "max_tokens": re.compile(r"token", re.IGNORECASE),
    "response_schema": re.compile(
        r"response[_ ]?(format|mime)|output[_ ]?(format|config)|text\.format|structured[_ ]output|schema|guided_",
        re.IGNORECASE,
    ),
    "seed": re.compile(r"\bseed\b", re.IGNORECASE),
    "temperature": re.compile(r"\btemperature\b", re.IGNORECASE),
}

_BAD_REQUEST = (400, 422)
_MESSAGES = ("param", "provider_message", "message")
"""Attributes of providers' errors that say what is refused, the most precise one first."""

# How a request is sent. None of these changes what comes back.
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

_SECRET = re.compile(
    r"(^|[_-])(key|token|secret|password|passwd|auth|credentials?|cookie|signature)($|[_-])|"
    r"api-?key|authorization|^aws_",
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(r"\s*(bearer|basic)\s|sk-", re.IGNORECASE)
HIDDEN = "(hidden)"


@dataclass(frozen=True)
class RequestSettings:
    """What a question is asked with.

    Attributes:
        config: Our settings, beside those of the model itself.
        effective: Everything beside the messages that decides on the reply, as JSON values without secrets.
        fingerprint: Changes with the effective settings and with the reply schema.
    """

    config: GenerateConfig
    effective: dict[str, Any]
    fingerprint: str


class JudgeSettings:
    """The settings of the judge in one eval: ours, without those that its provider refused."""

    def __init__(self, *, schema: bool = True) -> None:
        """Start with nothing refused.

        Args:
            schema: Whether to send the contracts of replies as schemas.
        """
        self.schema = schema
        self._refused: dict[Model, frozenset[str]] = {}
        self._requests: dict[tuple[Model, type[Reply], frozenset[str]], RequestSettings] = {}

    def refused(self, model: Model) -> frozenset[str]:
        """The settings that this model is not asked with."""
        return self._refused.get(model, frozenset())

    def note(self, model: Model, omitted: frozenset[str]) -> None:
        """Remember settings that a provider refused, after it has answered without them; each is logged once."""
        for name in sorted(omitted - self.refused(model)):
            logger.warning(f"The judge {model} does not accept the setting {name}. It is asked without it.")
        self._refused[model] = self.refused(model) | omitted

    def request(self, model: Model, contract: type[Reply], omitted: frozenset[str]) -> RequestSettings:
        """What to ask with. Settings of the model itself, such as those of its role, take precedence.

        Args:
            model: The judge.
            contract: The contract of the reply.
            omitted: Settings that the provider refused.
        """
        key = (model, contract, omitted)
        if key not in self._requests:
            self._requests[key] = self._request(*key)
        return self._requests[key]

    def _request(self, model: Model, contract: type[Reply], omitted: frozenset[str]) -> RequestSettings:
        ours: dict[str, Any] = DEFAULTS.model_dump(exclude_none=True)
        if self.schema:
            ours["response_schema"] = ResponseSchema(name=contract.__name__, json_schema=schema_of(contract))
        taken = omitted | model.config.model_dump(exclude_none=True).keys()
        config = GenerateConfig(**{name: value for name, value in ours.items() if name not in taken})
        effective = _effective(model, config)
        schema = config.model_dump(mode="json", include={"response_schema"}, exclude_none=True)
        fingerprint = sha256(json.dumps([effective, schema], sort_keys=True).encode()).hexdigest()
        return RequestSettings(config, effective, fingerprint)


def refused_setting(error: BaseException, config: GenerateConfig) -> str | None:
    """The setting to repeat a request without, after the provider refused it; None if there is no such setting.

    The setting that the provider names, else the one that it mentions first, else the first of `OPTIONAL`.

    Args:
        error: What generating raised.
        config: The config of the request, without the settings of the model itself.
    """
    sent = [name for name in ("max_tokens", *OPTIONAL) if getattr(config, name) is not None]
    causes = list(_causes(error))
    if not sent or not any(_status(cause) in _BAD_REQUEST for cause in causes):
        return None
    for text in (str(getattr(cause, name, None) or "") for cause in causes for name in _MESSAGES):
        mentioned = {name: match.start() for name, pattern in _MENTIONS.items() if (match := pattern.search(text))}
        ours = [name for name in mentioned if name in sent]
        if mentioned:
            return min(ours, key=lambda name: mentioned[name], default=None)
    return sent[0]


def token_limit(model: Model, config: GenerateConfig) -> int | None:
    """The token limit of a request: the config's, else Inspect's own for the provider, else None."""
    effective = model.config.merge(config)
    return effective.max_tokens or model.api.max_tokens_for_config(effective) or model.api.max_tokens()


def _effective(model: Model, config: GenerateConfig) -> dict[str, Any]:
    merged = model.config.merge(config)
    named = merged.model_dump(mode="json", exclude_none=True, exclude={*_TRANSPORT, "response_schema"})
    return {
        "temperature": None,
        "seed": None,
        "reasoning_effort": None,
        **_public(named),
        "max_tokens": token_limit(model, config),
        "response_schema": merged.response_schema is not None,
        "base_url": _public_url(_address(model)),
        "model_args": _public(model.model_args),
    }


def _address(model: Model) -> str | None:
    """Where requests go. An address from the environment is known to the provider's client alone."""
    client = getattr(model.api, "client", None)
    url = model.api.base_url or getattr(client, "base_url", None)
    return str(url).rstrip("/") if url else None


def _causes(error: BaseException) -> Iterable[BaseException]:
    """The innermost cause first: it is the provider's own error, and the others may quote the request."""
    causes = [error]
    while cause := causes[-1].__cause__:
        causes.append(cause)
    return reversed(causes)


def _status(error: BaseException) -> int | None:
    """HTTP status of an error, by the names that providers' packages give it."""
    values = (getattr(error, name, None) for name in ("status_code", "code"))
    return next((value for value in values if isinstance(value, int)), None)


def _public(value: Any) -> Any:
    """A value as JSON without secrets; anything that JSON does not have is its type's name."""
    match value:
        case Mapping():
            return {str(k): HIDDEN if _SECRET.search(str(k)) else _public(v) for k, v in value.items()}
        case list() | tuple():
            return [_public(part) for part in value]
        case str():
            return HIDDEN if _SECRET_VALUE.match(value) else _public_url(value)
        case None | bool() | int() | float():
            return value
    return type(value).__name__


def _public_url(text: str | None) -> str | None:
    """A URL without user, password and query; any other text as it is."""
    if text is None or "://" not in text:
        return text
    parts = urlsplit(text)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
