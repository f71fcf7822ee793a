"""The argument and the options that `run` and `status` share: an experiment file and changes to it."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from inspect_discoverybench.cli.terminal import waiting
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.errors.invalid_values import did_you_mean
from inspect_discoverybench.experiment.change import Change
from inspect_discoverybench.experiment.experiment_file import ExperimentFile
from inspect_discoverybench.sandbox.shipped_files import shipped


@dataclass(frozen=True)
class ExperimentOptions:
    """An experiment file, as it is typed, and changes to it."""

    file: str
    changes: tuple[Change, ...]

    def experiment_file(self) -> ExperimentFile:
        """The file with the changes.

        Raises:
            InvalidArgument: There is no such file and no such shipped experiment.
        """
        return ExperimentFile(_path(self.file), self.changes)

    def preparing(self) -> AbstractContextManager[None]:
        """Say in a terminal that the experiment is prepared, until the context ends."""
        if not sys.stderr.isatty():
            return nullcontext()
        # Inspect imports all its plugins when the first model is created, which takes seconds.
        return waiting(f"Preparing {self.file}: loading Inspect's plugins, the data and the models")

    @property
    def words(self) -> list[str]:
        """The file and the changes as words of a command line, without secrets."""
        words = [self.file]
        for change in self.changes:
            words += change.words
        return words


def experiment_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the argument and the options to a command, whose first parameter is an `ExperimentOptions` made from them."""

    @click.argument("file")
    @click.option("--model", "models", multiple=True, help="Run this model instead of those in FILE. Can be repeated.")
    @click.option("--limit", type=int, help="Maximum number of samples of each task.")
    @click.option("--set", "changes", multiple=True, metavar="A.B=C", help="Change a value of FILE. Can be repeated.")
    @wraps(command)  # keeps the name, the help and the other options
    def with_options(
        file: str,
        models: tuple[str, ...],
        limit: int | None,
        changes: tuple[str, ...],
        **others: Any,
    ) -> None:
        all_changes = [Change.parse(change) for change in changes]
        if models:
            words: list[str] = []
            for model in models:
                words += ["--model", model]
            all_changes.append(Change(path="models", value=[*models], words=tuple(words)))
        if limit is not None:
            all_changes.append(Change(path="limits.samples", value=limit, words=("--limit", str(limit))))
        command(ExperimentOptions(file, tuple(all_changes)), **others)

    return with_options


def _path(file: str) -> Path:
    """The path of an experiment file, or of the shipped experiment with this name, with or without its suffix."""
    path = Path(file)
    has_folder = len(path.parts) != 1
    # `demo` is the demo experiment, even if there is a folder `demo` here, for example with the logs of the experiment.
    is_own_file = path.exists() and not path.is_dir()
    if has_folder or is_own_file:
        return path

    experiments = {shipped_file.stem: shipped_file for shipped_file in shipped("evals").glob("*.yaml")}
    del experiments["scan"]  # settings of the transcript scanners, and no experiment
    if path.stem in experiments:
        return experiments[path.stem]
    suggestion = did_you_mean(path.stem, experiments)
    names = ", ".join(sorted(experiments))
    raise InvalidArgument(
        f"{file} is neither a file nor a shipped experiment.{suggestion} Shipped experiments: {names}."
    )
