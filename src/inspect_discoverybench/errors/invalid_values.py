"""Values that a user or a file gave and that are invalid."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from pydantic import ValidationError

from inspect_discoverybench.errors.exceptions import InvalidArgument

Parameters = ParamSpec("Parameters")
Created = TypeVar("Created")


def first_reason(error: ValidationError) -> str:
    """The first message of a validation error, with the field."""
    first = error.errors()[0]
    message = first["msg"].removeprefix("Value error, ")
    parts = [str(part) for part in first["loc"]]
    field = ".".join(parts)
    if not field:
        return f"{message}."
    return f"{field}: {message}."


def require_positive(name: str, value: object) -> None:
    """Raise `InvalidArgument` if the argument `name` is not a positive integer."""
    if type(value) is not int or value < 1:  # a boolean is no integer here
        raise InvalidArgument(f"{name} must be a positive integer, got {value}.")


def require_boolean(name: str, value: object) -> None:
    """Raise `InvalidArgument` if the argument `name` is not a boolean.

    Inspect has already read true, yes and on as `True`.
    """
    if not isinstance(value, bool):
        raise InvalidArgument(f"{name} must be true or false, got {value}.")


def require_given(function: Callable[..., Any], name: str, value: object) -> None:
    """Raise `InvalidArgument` if the argument `name` of a task is None."""
    if value is None:
        raise InvalidArgument(f"{function.__name__} needs {name}. Pass it, such as -T {name}=VALUE.")


def refuse_together(function: Callable[..., Any], name: str, **others: object) -> None:
    """Raise `InvalidArgument` if a task got an argument that `name` excludes.

    Args:
        function: The task.
        name: An argument that was given.
        others: The arguments that it excludes, by name; None if not given. The first given one is reported.
    """
    for other, value in others.items():
        if value is not None:
            raise InvalidArgument(f"{function.__name__}: {name} and {other} exclude one another. Pass one of them.")


def refuse_unknown(function: Callable[..., Any], arguments: Iterable[str]) -> None:
    """Raise `InvalidArgument` for the first argument that is none of the named parameters of a task or solver."""
    parameters = signature(function).parameters.values()
    names = [parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD]
    possible = ", ".join(names) or "none"
    for argument in arguments:
        if argument not in names:
            suggestion = did_you_mean(argument, names)
            message = f"{function.__name__} has no argument {argument}.{suggestion} Possible arguments: {possible}."
            if not suggestion and "agent_args" in names:
                message += (
                    f" If it is an argument of the agent, pass -T 'agent_args={{{argument}: VALUE}}' with -T agent, or "
                    "in an experiment put it into the solver's args."
                )
            raise InvalidArgument(message)


def refusing_unknown(create: Callable[Parameters, Created]) -> Callable[Parameters, Created]:
    """Decorate a function, such as that of a solver. An argument that it does not have is then a one-line error."""

    @wraps(create)
    def checked(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Created:
        refuse_unknown(create, kwargs)
        return create(*args, **kwargs)

    return checked


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The question " Did you mean …?" with the name that is most similar to a misspelled one.

    It begins with a space, because it follows a sentence. It is empty if no name is similar.
    """
    matches = get_close_matches(name, names, n=1)
    if not matches:
        return ""
    return f" Did you mean {matches[0]}?"
