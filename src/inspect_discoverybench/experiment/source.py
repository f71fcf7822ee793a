"""Reading an experiment file: lines, includes, the environment, and changes from the command line."""

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
from inspect_discoverybench.experiment.form import Experiment

_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
Place = tuple[str | int, ...]


@dataclass(frozen=True)
class Source:
    """What a file says, its includes merged in, and where each value stands.

    Attributes:
        path: The file that was asked for.
        values: Plain values.
        places: `file:line` of each value by its path from the root.
    """

    path: Path
    values: dict[str, Any]
    places: Mapping[Place, str]

    def where(self, place: Place) -> str:
        """`file:line` of a value, or of the nearest one around it."""
        while place and place not in self.places:
            place = place[:-1]
        return self.places.get(place, str(self.path))


def load(path: Path, changes: Sequence[str] = ()) -> tuple[Experiment, Source]:
    """Read, complete and check one experiment; its source tells where each value stands.

    Args:
        path: A YAML file.
        changes: `a.b=c` each, with `c` in YAML; a number in the path counts the parts of a list from 0.

    Raises:
        InvalidExperiment: The file, or one that it includes, cannot be read or does not follow the form.
    """
    source = _read(path, ())
    values = source.values
    for change in changes:
        values = _changed(values, change)
    values = _with_environment(values, source, ())
    try:
        return Experiment.model_validate(values), source
    except ValidationError as error:
        # A key that is mistyped is often missing too: the former says more.
        first = min(error.errors(), key=lambda found: found["type"] != "extra_forbidden")
        raise InvalidExperiment(f"{source.where(first['loc'])}: {_reason(first)}") from error


def _reason(error: Mapping[str, Any]) -> str:
    place, key = ".".join(str(part) for part in error["loc"]), str(error["loc"][-1]) if error["loc"] else ""
    match error["type"]:
        case "extra_forbidden":
            known = _keys_at(error["loc"][:-1])
            near = difflib.get_close_matches(key, known, 1, 0.5)
            meant = f"; did you mean {near[0]}?" if near else ""
            return f"{place}: there is no such key{meant} Possible are: {', '.join(known)}."
        case "missing":
            return f"{place} is missing; add it."
    given = f" (given: {str(error['input'])[:80]!r})" if not isinstance(error["input"], dict) else ""
    return f"{place}: {error['msg']}{given}."


def _keys_at(place: Sequence[str | int]) -> list[str]:
    """Keys that the form has at a place."""
    model: type[BaseModel] = Experiment
    for part in place:
        found = model.model_fields.get(str(part))
        if found is not None:
            model = next(_models_in(found.annotation), model)
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
        circle = " includes ".join(str(part) for part in (*including, resolved))
        raise InvalidExperiment(f"{by}the includes go in a circle: {circle}. Take one of them out.")
    places: dict[Place, str] = {}
    try:
        node = yaml.compose(path.read_text("utf-8"), Loader=yaml.SafeLoader)
        values = _plain(node, path, (), places) if node is not None else None
    except RecursionError as error:
        raise InvalidExperiment(f"{path}: its anchors go in a circle; take one of them out.") from error
    except OSError as error:
        raise InvalidExperiment(f"{by}{path} cannot be read ({error.strerror}); mend the name.") from error
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise InvalidExperiment(f"{path}{line}: this is no YAML: {problem}.") from error
    if not isinstance(values, dict):
        raise InvalidExperiment(f"{path}: expected a mapping with the keys {', '.join(Experiment.model_fields)}.")
    includes = values.pop("include", [])
    names = [includes] if isinstance(includes, str) else includes
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        place = places["include",]
        raise InvalidExperiment(f"{place}: include: expected the name of a file, or a list of names (given: {names}).")
    for name in reversed(_with_environment(names, Source(path, {}, places), ("include",))):
        base = _read(path.parent / name, (*including, resolved), f"{places['include',]}: include: ")
        values = _merged(base.values, values)
        places = {**base.places, **places}
    return Source(path, values, places)


def _plain(node: yaml.Node, path: Path, place: Place, places: dict[Place, str]) -> Any:
    """Values of a YAML tree; a key that stands twice is an error, since YAML would drop one of them in silence."""
    places[place] = f"{path}:{node.start_mark.line + 1}"
    if isinstance(node, yaml.MappingNode):
        values: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            line = f"{path}:{key_node.start_mark.line + 1}"
            if not isinstance(key_node, yaml.ScalarNode):
                raise InvalidExperiment(f"{line}: a key is a word; this one is a list or a mapping.")
            key = _scalar(key_node)
            if key in values:
                raise InvalidExperiment(f"{line}: {key} stands here twice; drop one.")
            values[key] = _plain(value_node, path, (*place, key), places)
            places[*place, key] = line
        return values
    if isinstance(node, yaml.SequenceNode):
        return [_plain(part, path, (*place, number), places) for number, part in enumerate(node.value)]
    return _scalar(node)


def _scalar(node: yaml.Node) -> Any:
    return yaml.constructor.SafeConstructor().construct_object(node)


def _merged(base: Any, own: Any) -> Any:
    """One's own values win; mappings are merged, lists are not."""
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
        raise InvalidExperiment(f"--set {change}: {text} is no YAML.") from error
    changed: dict[str, Any] = _put(values, path.split("."), value, change)
    return changed


def _put(within: Any, path: Sequence[str], value: Any, change: str) -> Any:
    if not path:
        return value
    first, rest = path[0], path[1:]
    if isinstance(within, list):
        if not first.isdigit() or int(first) >= len(within):
            raise InvalidExperiment(f"--set {change}: {first} is none of the parts 0 to {len(within) - 1}.")
        number = int(first)
        return [_put(part, rest, value, change) if n == number else part for n, part in enumerate(within)]
    if within is None:
        within = {}
    if not isinstance(within, dict):
        raise InvalidExperiment(f"--set {change}: there is nothing below {within!r}.")
    return within | {first: _put(within.get(first), rest, value, change)}


def _with_environment(values: Any, source: Source, place: Place) -> Any:
    if isinstance(values, dict):
        return {key: _with_environment(value, source, (*place, key)) for key, value in values.items()}
    if isinstance(values, list):
        return [_with_environment(value, source, (*place, number)) for number, value in enumerate(values)]
    if not isinstance(values, str):
        return values

    def filled(found: re.Match[str]) -> str:
        value = os.environ.get(found["name"], found["default"])
        if value is None:
            raise InvalidExperiment(
                f"{source.where(place)}: the variable {found['name']} is not set; set it, or write "
                f"${{{found['name']}:-DEFAULT}}."
            )
        return value

    return _VARIABLE.sub(filled, values)
