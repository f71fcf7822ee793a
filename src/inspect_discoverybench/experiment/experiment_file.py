"""An experiment file with the changes of a command line."""

from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.invalid_values import did_you_mean
from inspect_discoverybench.errors.redaction import public_settings
from inspect_discoverybench.experiment.change import Change
from inspect_discoverybench.experiment.definition import Experiment, Limits, ModelSpec
from inspect_discoverybench.experiment.yaml_file import YamlFile


@dataclass(frozen=True)
class ExperimentFile:
    """An experiment file, as a command line names it.

    Attributes:
        path: The YAML file.
        changes: Changes of its values, in the order in which they are made.
    """

    path: Path
    changes: tuple[Change, ...] = ()

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
        overrides = []
        for change in self.changes:
            override = change.apply(file.values)  # changes the values in place
            overrides.append(override)
        file = replace(file, overrides=overrides)
        try:
            return Experiment.model_validate(file.values), file
        except ValidationError as error:
            raise InvalidExperiment(_describe(error, file)) from error


def _describe(error: ValidationError, file: YamlFile) -> str:
    """One error in one line: where its value is from, what is wrong, and the value unless it is a mapping."""
    errors = error.errors()
    # A misspelled key often causes a missing key as well. Report the misspelling.
    misspellings = [details for details in errors if details["type"] == "extra_forbidden"]
    details = misspellings[0] if misspellings else errors[0]

    place = details["loc"]
    name = ".".join(map(str, place))
    if misspellings:
        keys = {*Experiment.model_fields, *Limits.model_fields, *ModelSpec.model_fields}
        suggestion = did_you_mean(str(place[-1]), keys)
        return f"{file.where(*place)}: {name}: unknown key.{suggestion} All keys are in docs/experiments.md."

    message = details["msg"].removeprefix("Value error, ")
    if details["type"] == "too_short":
        message = "expected at least one"
    value = details["input"]
    if not isinstance(value, dict):
        public_value = public_settings({name: value})[name]
        message = f"{message}, got {str(public_value)!r}"
    return f"{file.where(*place)}: {name}: {message}."
