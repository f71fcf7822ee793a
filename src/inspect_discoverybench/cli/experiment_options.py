"""The argument and the options that `run`, `plan` and `status` share: an experiment file and changes to it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.errors.invalid_values import did_you_mean
from inspect_discoverybench.errors.redaction import public_settings
from inspect_discoverybench.experiment.experiment_file import ExperimentFile
from inspect_discoverybench.experiment.yaml_file import parse_yaml
from inspect_discoverybench.sandbox.shipped_files import shipped


@dataclass(frozen=True)
class ExperimentOptions:
    """An experiment file and changes to it, as they were typed."""

    file: str
    models: tuple[str, ...]
    limit: int | None
    retries: int | None
    changes: tuple[str, ...]

    def experiment_file(self) -> ExperimentFile:
        """The file, and the options as changes of it.

        Raises:
            InvalidArgument: There is no such file and no such shipped experiment.
        """
        changes = list(self.changes)
        if self.models:
            changes.append(f"models={json.dumps(self.models)}")
        if self.limit is not None:
            changes.append(f"limits.samples={self.limit}")
        if self.retries is not None:
            changes.append(f"options.retry_attempts={self.retries}")
        return ExperimentFile(_path(self.file), tuple(changes))

    def refuse_secrets(self) -> None:
        """Check that the words can be exported.

        Raises:
            InvalidArgument: A change sets a secret.
        """
        for change in self.changes:
            public = _public(change)
            if public != change:
                raise InvalidArgument(
                    f"--set {public} stands for a secret, which is not exported. Set the environment variable of the "
                    "provider instead, such as OPENAI_API_KEY or OPENAI_BASE_URL."
                )

    @property
    def words(self) -> list[str]:
        """The words of the command line that repeat them, without secrets."""
        words = [self.file]
        for model in self.models:
            words += ["--model", model]
        for change in self.changes:
            words += ["--set", _public(change)]
        if self.limit is not None:
            words += ["--limit", str(self.limit)]
        if self.retries is not None:
            words += ["--retries", str(self.retries)]
        return words


def experiment_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument and the options to a command, which takes them as its first parameter."""

    @click.argument("file")
    @click.option("--model", "models", multiple=True, help="Run this model instead of those in FILE. Can be repeated.")
    @click.option("--limit", type=int, help="Maximum number of samples of each task.")
    @click.option("--retries", type=click.IntRange(min=0), help="Maximum number of retries of a run. [default: 10]")
    @click.option("--set", "changes", multiple=True, metavar="A.B=C", help="Change a value of FILE. Can be repeated.")
    @wraps(command)
    def with_options(
        file: str,
        models: tuple[str, ...],
        limit: int | None,
        retries: int | None,
        changes: tuple[str, ...],
        **others: Any,
    ) -> None:
        options = ExperimentOptions(file, models, limit, retries, changes)
        command(options, **others)

    return with_options


def _public(change: str) -> str:
    """A change as it may be shown: unchanged if it has no secrets."""
    name, _, text = change.partition("=")
    settings = {name: parse_yaml(text, f"--set {name}")}
    public = public_settings(settings)
    if public == settings:
        return change
    return f"{name}={public[name]}"


def _path(file: str) -> Path:
    """The path of an experiment file, or of the shipped experiment with this name."""
    path = Path(file)
    if len(path.parts) != 1 or path.exists():
        return path

    experiments = {file.stem: file for file in shipped("evals").glob("*.yaml")}
    del experiments["scan"]  # a scan of transcripts
    if path.stem in experiments:
        return experiments[path.stem]
    names = sorted(experiments)
    raise InvalidArgument(
        f"{file} is neither a file nor a shipped experiment.{did_you_mean(path.stem, names)} "
        f"Shipped experiments: {', '.join(names)}."
    )
