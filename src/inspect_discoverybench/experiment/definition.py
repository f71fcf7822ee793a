"""The models of an experiment file. They are frozen and reject unknown keys."""

import os
import re
from typing import Annotated, Any
from urllib.parse import urlparse

from inspect_ai.model import GenerateConfig
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PositiveFloat,
    PositiveInt,
    WithJsonSchema,
)

from inspect_discoverybench.errors.redaction import public_settings, public_url, secret_settings
from inspect_discoverybench.scorer.judge import GRADER
from inspect_discoverybench.scorer.request_settings import OPERATIONAL_SETTINGS

Arguments = dict[str, Any]
"""Arguments or settings by name."""


class StrictModel(BaseModel):
    """Base of every part of an experiment file."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


NonEmpty = Annotated[str, Field(min_length=1)]


def _from_name(value: Any) -> Any:
    """Expand a bare name to a mapping with only a name."""
    match value:
        case str():
            return {"name": value}
        case dict() | Component():
            return value
    raise ValueError("expected a name, or a mapping with the key name")


def _as_list(value: Any) -> Any:
    """Put a single value, such as a model, into a list. A list stays as it is."""
    match value:
        case str() | dict():
            return [value]
        case list() | tuple():
            return value
    raise ValueError("expected a name, or a list of names")


def _refuse_secrets(settings: Arguments) -> Arguments:
    """Refuse settings with secrets, which Inspect would record in its logs (docs/security.md)."""
    names = secret_settings(settings)
    if names:
        raise ValueError(
            f"Inspect would record {', '.join(names)} in its logs; set the key in the provider's environment variable "
            "instead, such as OPENAI_API_KEY"
        )
    return settings


def _refuse_recorded_secrets(args: Arguments) -> Arguments:
    """Refuse secrets in those arguments of a model that Inspect records. Others, such as `api_key`, may be secrets."""
    recorded = {name: value for name, value in args.items() if _is_recorded(name)}
    _refuse_secrets(recorded)
    return args


def _is_recorded(name: str) -> bool:
    """Whether Inspect records an argument of a model in its logs.

    The rule is that of `model_args_for_log` in
    https://github.com/UKGovernmentBEIS/inspect_ai/blob/main/src/inspect_ai/model/_model_config.py.
    """
    return name != "api_key" and not name.startswith("aws_")


def _refuse_secrets_in_url(url: str) -> str:
    if public_url(url) != url:
        raise ValueError(
            "Inspect would record the user, password or query of the URL in its logs; set the key in the provider's "
            "environment variable instead, such as OPENAI_API_KEY"
        )
    return url


def _refuse_secrets_in_config(config: GenerateConfig) -> GenerateConfig:
    _refuse_secrets(config.model_dump(exclude_none=True))
    return config


def _require_connections(config: GenerateConfig) -> GenerateConfig:
    # With 0 connections of the evaluated model, Inspect would wait forever.
    if config.max_connections is not None and config.max_connections < 1:
        raise ValueError(f"max_connections must be a positive integer, got {config.max_connections}")
    return config


RecordedArguments = Annotated[Arguments, AfterValidator(_refuse_secrets)]


class Component(StrictModel):
    """A task or a solver."""

    name: NonEmpty
    """Registry name, such as `discoverybench/real`; of a model, its provider and name, such as `openai/gpt-4o`."""

    args: RecordedArguments = {}
    """Its arguments, as for `-T` and `-S`."""


class ModelSpec(Component):
    """A model of any Inspect provider."""

    args: Annotated[Arguments, AfterValidator(_refuse_recorded_secrets)] = {}
    """Its arguments, as for `-M`."""

    base_url: Annotated[str, AfterValidator(_refuse_secrets_in_url)] | None = None
    """Base URL of the provider's API."""

    config: Annotated[
        GenerateConfig,
        AfterValidator(_refuse_secrets_in_config),
        AfterValidator(_require_connections),
        WithJsonSchema({"type": "object"}),
    ] = Field(default_factory=GenerateConfig)
    """Generation settings: the fields of Inspect's `GenerateConfig`."""

    @property
    def settings(self) -> Arguments:
        """The generation settings in `config`. Settings of the connection change no answer, so they are left out."""
        return self.config.model_dump(exclude_none=True, exclude=OPERATIONAL_SETTINGS)


NamedComponent = Annotated[Component, BeforeValidator(_from_name, json_schema_input_type=str | Component)]
NamedModel = Annotated[ModelSpec, BeforeValidator(_from_name, json_schema_input_type=str | ModelSpec)]

Components = tuple[NamedComponent, ...]
SomeComponents = Annotated[Components, Field(min_length=1)]
SomeModels = Annotated[tuple[NamedModel, ...], Field(min_length=1)]


def _refuse_zero_tokens(limit: int | str | None) -> int | str | None:
    """Refuse a limit of 0 that is written as text, such as `output:0k`, because Inspect accepts it.

    `PositiveInt` refuses the integer 0, and Inspect refuses a text that is not a token limit.
    """
    if isinstance(limit, str) and re.fullmatch("(.*:)?[ 0.]+[kmb]?", limit.strip(), re.IGNORECASE):
        raise ValueError("must be greater than 0")
    return limit


class Limits(StrictModel):
    """Limits of every sample, and the number of samples of every task."""

    messages: PositiveInt | None = None
    """Maximum number of messages of a sample."""

    tokens: Annotated[PositiveInt | str | None, AfterValidator(_refuse_zero_tokens)] = None
    """Maximum number of tokens of a sample, as for Inspect's `--token-limit`: `500k`, `output:100k`."""

    time: PositiveInt | None = None
    """Maximum seconds of a sample."""

    working: PositiveInt | None = None
    """Maximum working seconds of a sample: without waiting for retries, rate limits and free connections."""

    cost: PositiveFloat | None = None
    """Maximum cost of a sample in US dollars."""

    samples: PositiveInt | None = None
    """Maximum number of samples of each task; all by default."""


LIMIT_ARGUMENTS = {
    "messages": "message_limit",
    "tokens": "token_limit",
    "time": "time_limit",
    "working": "working_limit",
    "cost": "cost_limit",
    "samples": "limit",
}
"""The argument of `eval_set` for each limit."""


def _log_dir(address: str) -> str:
    """The address of a log directory, with the home folder in place of `~`."""
    if not address.isprintable():
        raise ValueError("a log directory has no line breaks and no other control characters; choose another one")
    if urlparse(address).scheme:
        if public_url(address) != address:  # commands and tables show the address
            raise ValueError(
                "a log directory has no user name, password or query; set variables of the storage instead"
            )
        return address

    if set(address) & set("#?%"):
        raise ValueError("Inspect cannot resume runs in a folder with #, ? or % in its name; choose another one")
    return os.path.expanduser(address)  # noqa: PTH111 - Path.expanduser() raises RuntimeError


class Experiment(StrictModel):
    """Tasks × solvers × models."""

    name: NonEmpty
    """Name of the experiment; every run is tagged with it."""

    description: str = ""
    """What the experiment shows."""

    tasks: Annotated[SomeComponents, BeforeValidator(_as_list, json_schema_input_type=NamedComponent | SomeComponents)]
    """The tasks."""

    solvers: Annotated[Components, BeforeValidator(_as_list, json_schema_input_type=NamedComponent | Components)] = ()
    """The agents; the task's own solver by default."""

    models: Annotated[SomeModels, BeforeValidator(_as_list, json_schema_input_type=NamedModel | SomeModels)]
    """The evaluated models."""

    grader: NamedModel | None = None
    """The judge; the task's default judge by default."""

    roles: dict[str, NamedModel] = {}
    """Models of further roles, such as `planner` and `critic` of DataVoyager."""

    sandbox: str | None = None
    """Argument `sandbox` of every task: `docker`, `k8s` or `local`."""

    epochs: PositiveInt = 1
    """Number of times each sample is run."""

    limits: Limits = Limits()
    """See `Limits`."""

    options: RecordedArguments = {}
    """Any other argument of Inspect's `eval_set`, such as `max_connections` or `retry_on_error`."""

    log_dir: Annotated[NonEmpty, AfterValidator(_log_dir)]
    """Log directory, used only by this experiment. A second run resumes the logs in it."""

    tags: Annotated[tuple[str, ...], BeforeValidator(_as_list, json_schema_input_type=str | tuple[str, ...])] = ()
    """Tags of every run."""

    @property
    def settings(self) -> Arguments:
        """What all runs have in common: the models of roles, the limits of a sample, and generation settings.

        Secrets are left out, and so is what does not change a sample, such as the number of connections.
        """
        roles = {}
        for role, model in self.all_roles.items():
            roles[role] = {"model": model.name, **public_settings({**model.settings, **model.args})}
        setting_names = GenerateConfig.model_fields.keys() - OPERATIONAL_SETTINGS
        generation_settings = {name: value for name, value in self.options.items() if name in setting_names}
        return {
            "roles": roles,
            "limits": self.limits.model_dump(exclude_none=True, exclude={"samples"}),
            "options": public_settings(generation_settings),
        }

    def is_batched(self, model: ModelSpec) -> bool:
        """Whether agents with this evaluated model wait for a provider's batch interface.

        A batch may take hours, which Inspect counts as working time. So `build_eval_set` removes the working limit of
        a task for these agents. A judge in a batch does not count: samples wait for its replies, too, but no working
        limit applies while it is asked.
        """
        if self.options.get("batch"):
            return True
        role_models = [spec for role, spec in self.roles.items() if role != GRADER]
        return any(spec.config.batch for spec in [model, *role_models])

    @property
    def all_roles(self) -> dict[str, ModelSpec]:
        """The models of all roles, with the judge. The key `grader` takes precedence over a role of this name."""
        if self.grader is None:
            return self.roles
        return {**self.roles, GRADER: self.grader}

    @property
    def arguments_besides_options(self) -> Arguments:
        """Arguments of `eval_set` from the keys `limits`, `epochs` and `tags`, and the metadata of the logs."""
        arguments: Arguments = {}
        for name, limit in self.limits.model_dump(exclude_none=True).items():
            arguments[LIMIT_ARGUMENTS[name]] = limit
        arguments["epochs"] = self.epochs
        arguments["tags"] = [self.name, *self.tags]
        # `eval_set` receives these metadata in place of those of `options`, so those are included.
        metadata = self.options.get("metadata") or {}
        arguments["metadata"] = {**metadata, "experiment": self.name, "settings": self.settings}
        return arguments
