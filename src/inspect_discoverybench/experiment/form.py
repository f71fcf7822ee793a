"""The form of an experiment: frozen models, in which an unknown key is an error."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator


class Form(BaseModel):
    """Base of every part of an experiment file."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def _named(value: Any) -> Any:
    """A bare name stands for a part that has nothing else."""
    return {"name": value} if isinstance(value, str) else value


class Named(Form):
    """A task or a solver by its registry name."""

    name: str = Field(min_length=1)
    """Registry name, such as `discoverybench/real`."""

    args: dict[str, Any] = Field(default_factory=dict)
    """Its arguments, as `-T` and `-S` take them."""


class ModelSpec(Form):
    """A model of any Inspect provider."""

    name: str = Field(min_length=1)
    """Provider and model, such as `openai/gpt-4o`."""

    base_url: str | None = None
    """Address of the provider's server."""

    args: dict[str, Any] = Field(default_factory=dict)
    """Arguments of the provider, as `-M` takes them."""

    config: dict[str, Any] = Field(default_factory=dict)
    """Generation settings: the fields of Inspect's `GenerateConfig`."""


PartName = Annotated[Named, BeforeValidator(_named, json_schema_input_type=str | Named)]
PartModel = Annotated[ModelSpec, BeforeValidator(_named, json_schema_input_type=str | ModelSpec)]


class Limits(Form):
    """Limits of every sample, and the number of samples of every task."""

    messages: int | None = Field(default=None, ge=1)
    """Messages of a sample."""

    tokens: int | str | None = None
    """Tokens of a sample: a number, or `output:` and a number."""

    time: int | None = Field(default=None, ge=1)
    """Seconds of a sample."""

    cost: float | None = Field(default=None, gt=0)
    """US dollars of a sample."""

    samples: int | None = Field(default=None, ge=1)
    """Samples of each task; all of them if it is not given."""


class Excluded(Form):
    """Combinations to leave out: those that have every name given here."""

    task: str | None = None
    solver: str | None = None
    model: str | None = None

    @model_validator(mode="after")
    def _names_something(self) -> "Excluded":
        if self.task is None and self.solver is None and self.model is None:
            raise ValueError("name a task, a solver or a model")
        return self


class Defaults(Form):
    """What every part has unless it says otherwise itself."""

    tasks: dict[str, Any] = Field(default_factory=dict)
    """Arguments of every task."""

    solvers: dict[str, Any] = Field(default_factory=dict)
    """Arguments of every solver."""

    models: dict[str, Any] = Field(default_factory=dict)
    """Generation settings of every model."""


class Experiment(Form):
    """Tasks × solvers × models, less what is excluded."""

    name: str = Field(min_length=1)
    """Name of the experiment; runs are tagged with it."""

    description: str = ""
    """What it shows, for people."""

    tasks: tuple[PartName, ...] = Field(min_length=1)
    """What is asked."""

    solvers: tuple[PartName, ...] = ()
    """Who answers; the task's own solver if there is none."""

    models: tuple[PartModel, ...] = Field(min_length=1)
    """By which model."""

    grader: PartModel | None = None
    """The judge; the task's default if it is not given."""

    roles: dict[str, PartModel] = Field(default_factory=dict)
    """Models of further roles, such as `planner` and `critic` of DataVoyager."""

    sandbox: str | None = None
    """Argument `sandbox` of every task: `docker` or `local`."""

    epochs: int = Field(default=1, ge=1)
    """How often each sample is run."""

    limits: Limits = Limits()
    """See `Limits`."""

    max_connections: int | None = Field(default=None, ge=1)
    """Requests to one model at a time."""

    log_dir: str = Field(min_length=1)
    """Folder of the logs: this experiment's own, in which a second run goes on."""

    tags: tuple[str, ...] = ()
    """Tags of every run."""

    exclude: tuple[Excluded, ...] = ()
    """Combinations to leave out."""

    defaults: Defaults = Defaults()
    """See `Defaults`."""


def schema() -> dict[str, Any]:
    """JSON schema of an experiment file, `include` among its keys; editors complete with it."""
    described = Experiment.model_json_schema(mode="validation")
    described["properties"]["include"] = {
        "description": "Files whose values are taken over first; this file's own values win.",
        "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    }
    # What an included file says need not be said again.
    del described["required"]
    return described
