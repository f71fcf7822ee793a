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
        if public != {path: value}:  # the value may have a secret
            text = f"{path}={public[path]}"
        return cls(path, value, ("--set", text))

    def apply(self, values: Arguments) -> Override:
        """Change the value in place.

        If the file has no mapping that can contain the value, one is added. A bare name, such as `openai/gpt-4o` as
        `models.0`, becomes a mapping with the key `name`, so that `models.0.base_url` can be set.

        Args:
            values: The values of the file.

        Returns:
            The override: its place is that of the value or, if mappings were added to contain the value, that of the
            outermost one, because this whole mapping is from the command line.

        Raises:
            InvalidExperiment: There is no such place.
        """
        parts = self.path.split(".")
        container: Any = values
        place: Place = ()
        outermost_added: Place | None = None
        try:
            for part, next_part in pairwise(parts):
                key = _index_or_key(container, part)
                place = (*place, key)
                if isinstance(container, dict) and container.get(key) is None:  # the file has no value here
                    container[key] = {}
                    outermost_added = outermost_added or place
                elif isinstance(container[key], str) and next_part in ModelSpec.model_fields:  # a bare name
                    container[key] = {"name": container[key]}
                container = container[key]

            key = _index_or_key(container, parts[-1])
            place = (*place, key)
            # A copy, because a later change may set a part of the value in the file. This change must stay as it is.
            container[key] = deepcopy(self.value)
        except (LookupError, TypeError, ValueError) as error:
            raise InvalidExperiment(
                f"{self._line}: no such place in the file. List items are numbered from 0."
            ) from error
        return Override(outermost_added or place, self._line)

    @property
    def _line(self) -> str:
        """The words of the command line in one line, although a value can have line breaks."""
        text = " ".join(self.words)
        return " ".join(text.split())


def _index_or_key(container: Any, part: str) -> str | int:
    """What a part of a path is in its container: an index of a list, or a key.

    Raises:
        ValueError: The container is a list, and the part is not made of digits. `int` would also read -1, with which
            Python takes the last item.
    """
    if not isinstance(container, list):
        return part
    if not part.isdecimal():
        raise ValueError(f"{part!r} is no index")
    return int(part)
