"""Options of `ask` and `try` that are those of `inspect eval`. Inspect's own are not public."""

from collections.abc import Callable
from typing import Any

import click

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.errors.redaction import remember_keys
from inspect_discoverybench.experiment.yaml_file import parse_yaml


def named_values(_context: click.Context, parameter: click.Parameter, arguments: tuple[str, ...]) -> dict[str, Any]:
    """Callback of click for an option NAME=VALUE that can be repeated: the values, which are YAML, by name."""
    option = parameter.opts[0]
    values = {}
    for argument in arguments:
        name, separator, value = argument.partition("=")
        if not separator:
            raise InvalidArgument(f"{option} {name}: expected NAME=VALUE.")
        values[name] = parse_yaml(value, f"{option} {name}")
    remember_keys(values)
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
    click.option("--working-limit", type=int, help="Maximum number of seconds, without waiting for the provider."),
    click.option("--cost-limit", type=float, help="Maximum cost in US dollars. Needs prices: --model-cost-config."),
    click.option("--model-cost-config", help="File with prices of models, in Inspect's format."),
)


def model_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of the evaluated model, by the names of the parameters of Inspect's `eval`."""
    for option in reversed(_MODEL_OPTIONS):
        command = option(command)
    return command


def limit_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the limits of a sample, by the names of the parameters of Inspect's `eval`."""
    for option in reversed(_LIMIT_OPTIONS):
        command = option(command)
    return command
