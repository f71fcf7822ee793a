"""Experiment files: line numbers, includes, environment variables and `--set`."""

import difflib
import inspect
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

import yaml
from inspect_ai import eval_set
from inspect_ai.log import EvalConfig
from inspect_ai.model import GenerateConfig, GenerateConfigArgs
from pydantic import TypeAdapter, ValidationError

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.experiment.definition import Experiment, Limits, StrictModel

_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
MAX_BYTES, MAX_VALUES = 200_000, 10_000
"""Bounds of an experiment file, far above those of real ones: a few aliases can stand for billions of values."""

Place = tuple[str | int, ...]
"""Path from the root to a value: keys of mappings and indices of lists."""


@dataclass(frozen=True)
class Source:
    """An experiment file, and `file:line` of each value in it and its includes."""

    path: Path
    places: Mapping[Place, str]

    def where(self, *place: str | int) -> str:
        """`file:line` of a value, or of the nearest value that contains it."""
        while place and place not in self.places:
            place = place[:-1]
        return self.places.get(place, str(self.path))


def load(path: Path, changes: Sequence[str] = ()) -> tuple[Experiment, Source]:
    """Read and validate an experiment.

    Args:
        path: A YAML file.
        changes: Changes of the form `a.b=c`, where `c` is YAML. List items are numbered from 0.

    Raises:
        InvalidExperiment: The file, or one that it includes, cannot be read or is invalid.
    """
    values, places = _read(path, ())
    source = Source(path, places)
    for change in changes:
        _apply(change, values)
    if "include" in values:  # those of the file have been read
        raise InvalidExperiment(f"--set include={values['include']} has no effect. Write it into the file.")
    values = _with_variables(values, source.where)
    try:
        return Experiment.model_validate(values), source
    except ValidationError as error:
        # A misspelled key often causes a missing key as well. Report the misspelling.
        first = min(error.errors(), key=lambda details: details["type"] != "extra_forbidden")
        place = ".".join(map(str, first["loc"]))
        reason = f"{place}: {reason_of_error(first)}"
        if first["type"] == "extra_forbidden":
            keys = [key for model in StrictModel.__subclasses__() for key in [*model.model_fields]]
            suggestion = did_you_mean(str(first["loc"][-1]), keys)
            reason = f"{place}: unknown key.{suggestion} All keys are in docs/experiments.md."
        raise InvalidExperiment(f"{source.where(*first['loc'])}: {reason}") from error


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """A sentence with the name that is most similar to a misspelled one; empty if none is."""
    nearest = difflib.get_close_matches(name, names, 1, 0.5)
    return f" Did you mean {nearest[0]}?" if nearest else ""


def reason_of_error(error: Mapping[str, Any]) -> str:
    """What pydantic says about an invalid value, with the value unless it is a mapping."""
    value = "" if isinstance(error["input"], dict) else f", got {str(error['input'])[:80]!r}"
    return f"{error['msg'].removeprefix('Value error, ')}{value}."


def _read(path: Path, including: tuple[Path, ...], included_at: str = "") -> tuple[dict[str, Any], dict[Place, str]]:
    """Read the values and places of a file and its includes. `including` is the chain of files that include it."""
    places: dict[Place, str] = {}
    values = read_yaml(path, places, included_at)
    chain = (*including, path.resolve())
    if chain[-1] in including:
        raise InvalidExperiment(f"{included_at}circular include: {' includes '.join(map(str, chain))}. Remove one.")
    if not isinstance(values, dict):
        raise InvalidExperiment(f"{path}: expected a mapping with the keys {', '.join(Experiment.model_fields)}.")
    names, where = values.pop("include", []), f"{places.get(('include',), path)}: include: "
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidExperiment(f"{where}expected a path or a list of paths, got {names}.")
    for name in reversed(_with_variables(names, lambda *_: str(path))):
        base, base_places = _read(path.parent / name, chain, where)
        values, places = _merged(base, values), base_places | places
    return values, places


def read_yaml(path: Path, places: dict[Place, str] | None = None, where: str = "") -> Any:
    """Read a YAML file of bounded size, depth and number of values; see `_parse`.

    Raises:
        InvalidExperiment: The file cannot be read, is not YAML or exceeds a bound. The message begins with `where`.
    """
    try:
        if path.exists() and not path.is_file():  # reading a pipe would not end
            raise InvalidExperiment(f"{where}{path} is not a regular file. Check the path.")
        if path.stat().st_size > MAX_BYTES:
            raise InvalidExperiment(f"{where}{path} is larger than {MAX_BYTES:,} bytes. Divide it.")
        text = path.read_text("utf-8")
    except (OSError, ValueError) as error:  # a null byte in the path, or no UTF-8
        reason = f"{where}{path} cannot be read ({getattr(error, 'strerror', None) or error})"
        raise InvalidExperiment(f"{reason}. Check the path.") from error
    return _parse(text, str(path), {} if places is None else places)


def _parse(text: str, path: str, places: dict[Place, str]) -> Any:
    """Parse YAML from a file, or from what `path` names instead. See `_plain_value`."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        return _plain_value(node, path, (), places) if node is not None else None
    except RecursionError as error:
        raise InvalidExperiment(f"{path}: the values are nested too deeply.") from error
    except (yaml.YAMLError, ValueError, TypeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise InvalidExperiment(f"{path}{line}: invalid YAML: {getattr(error, 'problem', None) or error}.") from error


def _plain_value(node: yaml.Node, path: str, place: Place, places: dict[Place, str]) -> Any:
    """The plain value of a YAML node. Duplicate keys are errors, because YAML would silently drop the first.

    Adds `file:line` of each value to `places`; for the values of a mapping, that of the key.
    """
    places.setdefault(place, f"{path}:{node.start_mark.line + 1}")
    if len(places) > MAX_VALUES:
        raise InvalidExperiment(
            f"{path}: more than {MAX_VALUES:,} values; an alias counts as the values it stands for."
        )
    if isinstance(node, yaml.SequenceNode):
        return [_plain_value(item, path, (*place, number), places) for number, item in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        value = yaml.constructor.SafeConstructor().construct_object(node)
        if isinstance(value, float) and not math.isfinite(value):
            raise InvalidExperiment(f"{places[place]}: {value} is not a finite number. Choose another value.")
        return value
    values: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = yaml.constructor.SafeConstructor().construct_object(key_node)
        line = f"{path}:{key_node.start_mark.line + 1}"
        if key in values:
            raise InvalidExperiment(f"{line}: duplicate key {key}. Remove one.")
        places[*place, key] = line
        values[key] = _plain_value(value_node, path, (*place, key), places)
    return values


def _with_variables(value: Any, where: Callable[..., str], place: Place = ()) -> Any:
    """A value with the environment variables that it names, after includes and `--set` have replaced their parts."""

    def value_of(variable: re.Match[str]) -> str:
        name = variable["name"]
        text = os.environ.get(name, variable["default"])
        if text is None:
            remedy = f"Set it, or write ${{{name}:-DEFAULT}}"
            raise InvalidExperiment(f"{where(*place)}: the environment variable {name} is not set. {remedy}.")
        return text

    match value:
        case dict():
            return {key: _with_variables(part, where, (*place, key)) for key, part in value.items()}
        case list():
            return [_with_variables(part, where, (*place, number)) for number, part in enumerate(value)]
        case str():
            return _VARIABLE.sub(value_of, value)
    return value


def _merged(base: Any, own: Any) -> Any:
    """Own values take precedence. Mappings are merged, lists are replaced."""
    if isinstance(base, dict) and isinstance(own, dict):
        return base | {key: _merged(base[key], value) if key in base else value for key, value in own.items()}
    return own


def _apply(change: str, values: Any) -> None:
    """Change a value in place."""
    path, equals, text = change.partition("=")
    value = _parse(text, f"--set {change[:200]}", {})
    *parents, last = path.split(".")
    try:
        for part in parents:
            if isinstance(values, dict):
                values[part] = {} if values.get(part) is None else values[part]
            values = values[int(part) if isinstance(values, list) else part]
        values[int(last) if isinstance(values, list) else last] = value
    except (LookupError, TypeError, ValueError) as error:
        raise InvalidExperiment(
            f"--set {change}: no such place in the file. List items are numbered from 0."
        ) from error
    if not equals or not path:
        raise InvalidExperiment(f"--set {change}: expected a.b=c.")


INSTEAD = {
    **{name: name for name in ("tasks", "log_dir", "epochs", "max_connections", "tags")},
    **{str(field.serialization_alias): f"limits.{limit}" for limit, field in Limits.model_fields.items()},
    "task_args": "tasks",
    "solver": "solvers",
    "model": "models",
    "model_base_url": "models",
    "model_args": "models",
    "model_roles": "roles",
    "scanner": "`scout scan` on the logs",
}
"""Arguments of `eval_set` that are no options, and what to use instead."""

_SETTINGS = set(GenerateConfigArgs.__annotations__) - set(INSTEAD)
_ARGUMENTS = set(inspect.signature(eval_set).parameters) - {"kwargs"} - set(INSTEAD) | _SETTINGS


def eval_set_options(options: Mapping[str, Any], source: Source) -> dict[str, Any]:
    """Convert the options to arguments of `eval_set`.

    Raises:
        InvalidExperiment: `eval_set` has no such argument, it is set in another way, or the value has the wrong type.
    """
    arguments = {}
    for name, value in options.items():
        where = f"{source.where('options', name)}: options.{name}"
        if name in INSTEAD:
            raise InvalidExperiment(f"{where}: use {INSTEAD[name]} instead.")
        if name not in _ARGUMENTS:
            raise InvalidExperiment(f"{where}: eval_set has no such argument.{did_you_mean(name, [*_ARGUMENTS])}")
        try:
            arguments[name] = _argument(name, value)
        except ValidationError as error:
            raise InvalidExperiment(f"{where}: {reason_of_error(error.errors()[0])}") from error
    return arguments


def _argument(name: str, value: Any) -> Any:
    """The argument in the type that `eval_set` takes."""
    if name in _SETTINGS:
        return getattr(GenerateConfig.model_validate({name: value}), name)
    if name in ("approval", "review"):  # a path, or the contents of the file
        return value if isinstance(value, str) else getattr(EvalConfig.model_validate({name: value}), name)
    if name == "sandbox" and isinstance(value, str) and ":" in value:  # as for Inspect's `--sandbox`
        return tuple(value.split(":", 1))
    return TypeAdapter(get_type_hints(eval_set)[name]).validate_python(value)
