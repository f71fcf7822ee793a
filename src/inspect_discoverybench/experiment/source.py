"""Reading an experiment file: line numbers, includes, environment variables, and `--set`."""

import difflib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from inspect_discoverybench.errors import InvalidExperiment
from inspect_discoverybench.experiment.experiment import Experiment

_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Source:
    """The values of a file and its includes, and the line of each value.

    Attributes:
        path: The file.
        values: Plain values.
        places: `file:line` of each value, by its path from the root.
    """

    path: Path
    values: dict[str, Any]
    places: Mapping[Place, str]

    def where(self, place: Place) -> str:
        """`file:line` of a value, or of the nearest value that contains it."""
        while place and place not in self.places:
            place = place[:-1]
        return self.places.get(place, str(self.path))


def load(path: Path, changes: Sequence[str] = ()) -> tuple[Experiment, Source]:
    """Read and validate an experiment.

    Args:
        path: A YAML file.
        changes: `a.b=c` each, where `c` is YAML. Items of a list are numbered from 0.

    Raises:
        InvalidExperiment: The file, or one that it includes, cannot be read or is invalid.
    """
    source = _read(path, ())
    values = source.values
    for change in changes:
        values = _changed(values, change)
    values = _with_environment(values, source, ())
    try:
        return Experiment.model_validate(values), source
    except ValidationError as error:
        # A misspelled key is often a missing key too; the misspelling is what to report.
        first = min(error.errors(), key=lambda details: details["type"] != "extra_forbidden")
        raise InvalidExperiment(f"{source.where(first['loc'])}: {_reason(first)}") from error


def _reason(error: Mapping[str, Any]) -> str:
    place, key = ".".join(str(part) for part in error["loc"]), str(error["loc"][-1]) if error["loc"] else ""
    match error["type"]:
        case "extra_forbidden":
            keys = _keys_at(error["loc"][:-1])
            nearest = difflib.get_close_matches(key, keys, 1, 0.5)
            hint = f" Did you mean {nearest[0]}?" if nearest else ""
            return f"{place}: there is no such key.{hint} The keys are: {', '.join(keys)}."
        case "missing":
            return f"{place} is missing. Add it."
    message = error["msg"].removeprefix("Value error, ")
    given = f" (given: {str(error['input'])[:80]!r})" if not isinstance(error["input"], dict) else ""
    return f"{place}: {message}{given}."


def _keys_at(place: Sequence[str | int]) -> list[str]:
    """Keys that an experiment may have at a place."""
    model: type[BaseModel] = Experiment
    for part in place:
        field = model.model_fields.get(str(part))
        if field is not None:
            model = next(_models_in(field.annotation), model)
    return list(model.model_fields)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _models_in(part)


def _read(path: Path, including: tuple[Path, ...], by: str = "") -> Source:
    """One file with its includes; `by` is where another file includes it."""
    resolved = path.resolve()
    if resolved in including:
        cycle = " includes ".join(str(part) for part in (*including, resolved))
        raise InvalidExperiment(f"{by}circular include: {cycle}. Remove one of them.")
    places: dict[Place, str] = {}
    try:
        node = yaml.compose(path.read_text("utf-8"), Loader=yaml.SafeLoader)
        values = _plain(node, path, (), places) if node is not None else None
    except RecursionError as error:
        raise InvalidExperiment(f"{path}: a YAML anchor contains itself. Remove it.") from error
    except OSError as error:
        raise InvalidExperiment(f"{by}{path} cannot be read ({error.strerror}). Check the path.") from error
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise InvalidExperiment(f"{path}{line}: invalid YAML: {problem}.") from error
    if not isinstance(values, dict):
        raise InvalidExperiment(f"{path}: expected a mapping with the keys {', '.join(Experiment.model_fields)}.")
    includes = values.pop("include", [])
    names = [includes] if isinstance(includes, str) else includes
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        place = places["include",]
        raise InvalidExperiment(f"{place}: include: expected a path or a list of paths (given: {names}).")
    for name in reversed(_with_environment(names, Source(path, {}, places), ("include",))):
        base = _read(path.parent / name, (*including, resolved), f"{places['include',]}: include: ")
        values = _merged(base.values, values)
        places = {**base.places, **places}
    return Source(path, values, places)


def _plain(node: yaml.Node, path: Path, place: Place, places: dict[Place, str]) -> Any:
    """Values of a YAML tree. A duplicate key is an error, because YAML would silently drop the first."""
    places[place] = f"{path}:{node.start_mark.line + 1}"
    if isinstance(node, yaml.MappingNode):
        values: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            line = f"{path}:{key_node.start_mark.line + 1}"
            if not isinstance(key_node, yaml.ScalarNode):
                raise InvalidExperiment(f"{line}: a key must be a word; this one is a list or a mapping.")
            key = _scalar(key_node)
            if key in values:
                raise InvalidExperiment(f"{line}: duplicate key {key}. Remove one.")
            values[key] = _plain(value_node, path, (*place, key), places)
            places[*place, key] = line
        return values
    if isinstance(node, yaml.SequenceNode):
        return [_plain(part, path, (*place, number), places) for number, part in enumerate(node.value)]
    return _scalar(node)


def _scalar(node: yaml.Node) -> Any:
    return yaml.constructor.SafeConstructor().construct_object(node)


def _merged(base: Any, own: Any) -> Any:
    """Own values take precedence. Mappings are merged, lists are replaced."""
    if isinstance(base, dict) and isinstance(own, dict):
        return base | {key: _merged(base[key], value) if key in base else value for key, value in own.items()}
    return own


def _changed(values: dict[str, Any], change: str) -> dict[str, Any]:
    path, equals, text = change.partition("=")
    if not equals or not path:
        raise InvalidExperiment(f"--set {change}: expected a.b=c.")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InvalidExperiment(f"--set {change}: {text} is not valid YAML.") from error
    changed: dict[str, Any] = _put(values, path.split("."), value, change)
    return changed


def _put(within: Any, path: Sequence[str], value: Any, change: str) -> Any:
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(within, list):
        if not first.isdigit() or int(first) >= len(within):
            raise InvalidExperiment(f"--set {change}: there is no item {first}; the items are 0 to {len(within) - 1}.")
        number = int(first)
        return [_put(part, rest, value, change) if n == number else part for n, part in enumerate(within)]
    if within is None:
        within = {}
    if not isinstance(within, dict):
        raise InvalidExperiment(f"--set {change}: {within!r} has no keys.")
    return within | {first: _put(within.get(first), rest, value, change)}


def _with_environment(values: Any, source: Source, place: Place) -> Any:
    if isinstance(values, dict):
        return {key: _with_environment(value, source, (*place, key)) for key, value in values.items()}
    if isinstance(values, list):
        return [_with_environment(value, source, (*place, number)) for number, value in enumerate(values)]
    if not isinstance(values, str):
        return values

    def value_of(variable: re.Match[str]) -> str:
        name = variable["name"]
        value = os.environ.get(name, variable["default"])
        if value is None:
            raise InvalidExperiment(
                f"{source.where(place)}: the environment variable {name} is not set. Set it, or write "
                f"${{{name}:-DEFAULT}}."
            )
        return value

    return _VARIABLE.sub(value_of, values)
