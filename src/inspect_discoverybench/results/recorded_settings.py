"""Settings that a log records, as texts: those of the model, of the models of roles, and any others."""

from collections.abc import Mapping
from typing import Any

from inspect_ai.log import EvalLog, EvalSpec
from inspect_ai.model import GenerateConfig, ModelConfig

from inspect_discoverybench.errors.redaction import public_settings
from inspect_discoverybench.scorer.judge import GRADER
from inspect_discoverybench.scorer.request_settings import OPERATIONAL_SETTINGS

Settings = tuple[str, ...]
"""Settings as texts such as `turns=20`, without secrets and without those that are not set."""


def as_settings(settings: Mapping[str, Any]) -> Settings:
    """Settings as texts in alphabetical order."""
    texts = []
    for name, value in sorted(public_settings(settings).items()):
        text = name if value is True else f"{name}={value}"
        texts.append(text)
    return tuple(texts)


def column_value(value: Any) -> Any:
    """The value of a record's field as the value of a column: settings become one text."""
    return ", ".join(value) if isinstance(value, tuple) else value


def model_settings(log: EvalLog) -> Settings:
    """The settings of the evaluated model."""
    spec = log.eval
    # The plan has the settings of the task and of the eval. They take precedence over the model's own settings.
    config = spec.model_generate_config.merge(log.plan.config)
    return _model_settings_of(config, spec.model_args, spec.model_base_url)


def role_settings(spec: EvalSpec) -> Settings:
    """The models of roles with their settings. The judge is left out: the record of the score has it."""
    roles = {}
    for role, models in (spec.model_roles or {}).items():
        if role != GRADER:
            configs = models if isinstance(models, list) else [models]
            texts = [_model_text(config) for config in configs]
            roles[role] = " and ".join(texts)
    return as_settings(roles)


def _model_text(model: ModelConfig) -> str:
    # The base URL is left out. Inspect also records a URL from the environment as a setting, and the environment
    # differs between machines.
    settings = _model_settings_of(model.config, model.args, base_url=None)
    if not settings:
        return model.model
    listed = ", ".join(settings)
    return f"{model.model} ({listed})"


def _model_settings_of(config: GenerateConfig, arguments: Mapping[str, Any], base_url: str | None) -> Settings:
    settings = config.model_dump(mode="json", exclude_none=True, exclude=set(OPERATIONAL_SETTINGS))
    settings |= arguments
    if base_url:
        settings["base_url"] = base_url
    return as_settings(settings)
