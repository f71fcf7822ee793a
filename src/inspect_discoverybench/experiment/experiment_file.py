"""An experiment file with the changes of a command line."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.invalid_values import did_you_mean
from inspect_discoverybench.errors.redaction import public_settings
from inspect_discoverybench.experiment.definition import Arguments, Experiment, Limits, ModelSpec
from inspect_discoverybench.experiment.yaml_file import YamlFile, parse_yaml


@dataclass(frozen=True)
class ExperimentFile:
    """An experiment file, as a command line names it.

    Attributes:
        path: The YAML file.
        changes: Changes of the form `a.b=c`, where `c` is YAML. List items are numbered from 0.
    """

    path: Path
    changes: tuple[str, ...] = ()

    def read(self) -> tuple[Experiment, YamlFile]:
        """Read and validate the experiment.

        Raises:
            InvalidExperiment: The file or a change is invalid.
            DataError: The file cannot be read.
        """
        file = YamlFile.read(self.path)
        if not isinstance(file.values, dict):
            keys = ", ".join(Experiment.model_fields)
            raise InvalidExperiment(f"{self.path}: expected a mapping with the keys {keys}.")
        for change in self.changes:
            _apply(change, file.values)
        try:
            return Experiment.model_validate(file.values), file
        except ValidationError as error:
            raise InvalidExperiment(_describe(error, file)) from error


def _describe(error: ValidationError, file: YamlFile) -> str:
    """The first error in one line, with its place in the file, and the value unless it is a mapping."""
    errors = error.errors()
    # A misspelled key often causes a missing key as well. Report the misspelling.
    misspellings = [details for details in errors if details["type"] == "extra_forbidden"]
    first = (misspellings or errors)[0]

    place = first["loc"]
    name = ".".join(map(str, place))
    message = first["msg"].removeprefix("Value error, ")
    value = first["input"]
    if misspellings:
        keys = {*Experiment.model_fields, *Limits.model_fields, *ModelSpec.model_fields}
        suggestion = did_you_mean(str(place[-1]), keys)
        message = f"unknown key.{suggestion} All keys are in docs/experiments.md"
    elif not isinstance(value, dict):
        shown = public_settings({name: value})
        message = f"{message}, got {str(shown[name])!r}"
    return f"{file.where(*place)}: {name}: {message}."


def _apply(change: str, values: Arguments) -> None:
    """Change a value in place. Mappings that are missing on the way to it are added."""
    path, equals, text = change.partition("=")
    if not equals:
        raise InvalidExperiment(f"--set {change}: expected a.b=c.")
    new_value = parse_yaml(text, f"--set {path}")
    *parents, last = path.split(".")
    container: Any = values
    try:
        for parent in parents:
            if isinstance(container, dict) and container.get(parent) is None:
                container[parent] = {}
            container = container[_key(container, parent)]
        container[_key(container, last)] = new_value
    except (LookupError, TypeError, ValueError) as error:
        raise InvalidExperiment(f"--set {path}: no such place in the file. List items are numbered from 0.") from error


def _key(container: Any, part: str) -> str | int:
    if isinstance(container, list):
        return int(part)
    return part
