"""Changes of an experiment file by the command line."""

from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.redaction import public_settings
from inspect_discoverybench.experiment.definition import Arguments, ModelSpec
from inspect_discoverybench.experiment.yaml_file import Override, Place, parse_yaml


@dataclass(frozen=True)
class Change:
    """A change of one value of an experiment file.

    Attributes:
        path: Where the value is, such as `models.0.name`. List items are numbered from 0.
        value: The new value.
        words: The words of the command line that ask for it, without secrets.
    """

    path: str
    value: Any
    words: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Change":
        """Read what follows `--set`: `a.b=c`, where `c` is YAML.

        Raises:
            InvalidExperiment: The text is not of this form.
        """
        path, equals, yaml = text.partition("=")
        if not equals:
            raise InvalidExperiment(f"--set {text}: expected a.b=c.")
        value = parse_yaml(yaml, f"--set {path}")
        public = public_settings({path: value})
        if public != {path: value}:  # the value has a secret
            text = f"{path}={public[path]}"
        return cls(path, value, ("--set", text))

    def apply(self, values: Arguments) -> Override:
        """Change the value in place. Mappings that are missing on the way to it are added.

        A bare name of a component on the way becomes a mapping with this name. For instance, `models.0.base_url` can
        be set if `models.0` is `openai/gpt-4o`.

        Args:
            values: The values of the file.

        Returns:
            The place that was set: the place of the value. If mappings were added on the way to it, it is the place of
            the outermost of them, because this whole mapping is from the command line.

        Raises:
            InvalidExperiment: There is no such place.
        """
        parts = self.path.split(".")
        container: Any = values
        place: Place = ()
        is_in_added_mapping = False
        try:
            for part, next_part in pairwise(parts):
                key = _index_or_key(container, part)
                if not is_in_added_mapping:
                    place = (*place, key)
                if isinstance(container, dict) and container.get(key) is None:
                    container[key] = {}
                    is_in_added_mapping = True
                elif isinstance(container[key], str) and next_part in ModelSpec.model_fields:
                    container[key] = {"name": container[key]}
                container = container[key]

            key = _index_or_key(container, parts[-1])
            # A copy, because a later change may set a part of the value in the file. This change must stay as it is.
            container[key] = deepcopy(self.value)
        except (LookupError, TypeError, ValueError) as error:
            raise InvalidExperiment(
                f"{self._line}: no such place in the file. List items are numbered from 0."
            ) from error
        if not is_in_added_mapping:
            place = (*place, key)
        return Override(place, self._line)

    @property
    def _line(self) -> str:
        """The words of the command line in one line."""
        words = " ".join(self.words).split()
        return " ".join(words)


def _index_or_key(container: Any, part: str) -> str | int:
    if not isinstance(container, list):
        return part
    if not part.isdecimal():  # `int` would read -1, which is Python's index of the last item
        raise ValueError(part)
    return int(part)
