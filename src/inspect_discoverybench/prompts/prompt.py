"""Prompts, one file each: the first line names the origin, and the rest is a `string.Template`."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template


@dataclass(frozen=True)
class Prompt:
    """One prompt.

    Attributes:
        name: Path relative to `prompts/`, without the suffix, such as `judge/variables`.
        origin: Source of the wording: a listing of the paper, or "inspect-discoverybench".
        text: Template with `$name` placeholders.
    """

    name: str
    origin: str
    text: str

    @classmethod
    @cache
    def load(cls, name: str) -> "Prompt":
        """Read `prompts/<name>.txt`."""
        content = files(__package__).joinpath(f"{name}.txt").read_text("utf-8")
        first_line, _, text = content.partition("\n")
        return cls(name, origin=first_line.removeprefix("# origin: "), text=text.strip("\n"))

    @property
    def fingerprint(self) -> str:
        """The first twelve hexadecimal digits of the SHA-256 of the text."""
        return sha256(self.text.encode()).hexdigest()[:12]

    def render(self, **values: str) -> str:
        """Fill the placeholders.

        Raises:
            KeyError: A placeholder has no value.
        """
        return Template(self.text).substitute(values)


def prompt_names(folder: str) -> list[str]:
    """Names of all prompts in a folder and its subfolders, in alphabetical order.

    Args:
        folder: Path relative to `prompts/`, such as `judge`.
    """
    root = Path(str(files(__package__)))
    paths = (root / folder).rglob("*.txt")
    names = [path.relative_to(root).with_suffix("").as_posix() for path in paths]
    return sorted(names)
