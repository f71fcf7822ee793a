"""Values that a user or a file gave and that are invalid."""

from pydantic import ValidationError

from inspect_discoverybench.errors.exceptions import InvalidArgument


def first_reason(error: ValidationError) -> str:
    """The first message of a validation error, with the field."""
    first = error.errors()[0]
    field, message = ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
    return f"{field}: {message}." if field else f"{message}."


def require_positive(name: str, value: object) -> None:
    """Raise `InvalidArgument` if the argument `name` is not a positive integer."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidArgument(f"{name} must be a positive integer, got {value}.")
