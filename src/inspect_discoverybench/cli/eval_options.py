"""Options that `ask` and `try` have in common with `inspect eval`. Inspect's definitions of them are not public."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click
from inspect_ai.model import GenerateConfig, Model

from inspect_discoverybench.doctor.connection import MAX_RETRIES, connection_problem
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.errors.provider_failures import inspect_errors, named_model
from inspect_discoverybench.errors.redaction import remember_keys
from inspect_discoverybench.experiment.yaml_file import parse_yaml

Command = Callable[..., None]


def named_values(_context: click.Context, parameter: click.Parameter, arguments: tuple[str, ...]) -> dict[str, Any]:
    """The callback with which click reads an option NAME=VALUE that can be repeated. Each value is YAML."""
    option = parameter.opts[0]
    values = {}
    for argument in arguments:
        name, separator, value = argument.partition("=")
        if not separator:
            raise InvalidArgument(f"{option} {name}: expected NAME=VALUE.")
        values[name] = parse_yaml(value, f"{option} {name}")
    remember_keys(values)  # an argument may be an API key, which no message may show
    return values


_MODEL_OPTIONS = (
    click.option(
        "-M",
        "model_args",
        multiple=True,
        callback=named_values,
        metavar="NAME=VALUE",
        help="Argument of the model. Can be repeated.",
    ),
    click.option("--model-base-url", help="Base URL of the model's API."),
    click.option("--max-tokens", type=int, help="Maximum number of tokens of a reply."),
    click.option("--max-connections", type=int, help="Maximum number of simultaneous requests."),
)

_LIMIT_OPTIONS = (
    click.option("--token-limit", help="Maximum number of tokens, such as 500k or output:100k."),
    click.option("--message-limit", type=int, help="Maximum number of messages."),
    click.option("--time-limit", type=int, help="Maximum number of seconds."),
    click.option(
        "--working-limit", type=int, help="Maximum number of seconds, without waiting for retries and rate limits."
    ),
    click.option("--cost-limit", type=float, help="Maximum cost in US dollars. Needs prices: --model-cost-config."),
    click.option("--model-cost-config", help="File with prices of models, in Inspect's format."),
)


def require_model(failure: str, name: str, options: Mapping[str, Any]) -> None:
    """Refuse an evaluated model that cannot be called, or whose server cannot be reached, before anything is run.

    Args:
        failure: The beginning of the message if the model cannot be called.
        name: Name of the model.
        options: Options of the command, as arguments of Inspect's `eval`.

    Raises:
        InvalidArgument: The model cannot be called, or its server cannot be reached.
    """
    config = {key: value for key, value in options.items() if key in GenerateConfig.model_fields}
    remember_keys({"base_url": options["model_base_url"]})  # an error may repeat its password
    with inspect_errors(InvalidArgument, failure):
        # These are the arguments with which `eval` creates the model later. For the same arguments, Inspect returns the
        # same model, so a model that runs in this process is loaded only once.
        model = named_model(
            name,
            config=GenerateConfig(**config, max_retries=MAX_RETRIES),
            base_url=options["model_base_url"],
            **options["model_args"],
        )
    _require_connection(model)


def require_judge(name: str, option: str) -> None:
    """Refuse a judge that cannot be called, or whose server cannot be reached, before anything is run.

    Args:
        name: Name of the model.
        option: The option that chooses it, such as `--grader`.

    Raises:
        InvalidArgument: The judge cannot be called, or its server cannot be reached.
    """
    with inspect_errors(InvalidArgument, f"The judge {name} cannot be called", f"Choose another one with {option}."):
        model = named_model(name)
    _require_connection(model)


def _require_connection(model: Model) -> None:
    problem = connection_problem(model)
    if problem is not None:
        raise InvalidArgument(problem)


def model_options(command: Command) -> Command:
    """Add the options of the evaluated model, by the names of the parameters of Inspect's `eval`."""
    return _with_options(command, _MODEL_OPTIONS)


def limit_options(command: Command) -> Command:
    """Add the limits of a sample, by the names of the parameters of Inspect's `eval`."""
    return _with_options(command, _LIMIT_OPTIONS)


def _with_options(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    # The help lists the last added option first.
    for option in reversed(options):
        command = option(command)
    return command
