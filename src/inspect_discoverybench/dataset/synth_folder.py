"""Names of the folders of DB-SYNTH: `<domain>_<start height>_<target depth>`."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class SynthFolder:
    """The numbers in the name of a folder.

    Attributes:
        start_height: Height above the leaves at which the data set starts in the semantic tree.
        target_depth: Level of the target below the root of the semantic tree.
    """

    start_height: int
    target_depth: int

    @classmethod
    def of(cls, folder: str, domain: str) -> "SynthFolder | None":
        """The numbers in a name; None if it is not the name of a folder of this domain."""
        slug = slug_of(domain)
        match = re.fullmatch(rf"{slug}_(\d+)_(\d+)", folder)
        if match is None:
            return None
        start_height, target_depth = match.groups()
        return cls(int(start_height), int(target_depth))


def slug_of(domain: str) -> str:
    """The name of a domain in the form of a folder name."""
    words = re.findall(r"[a-z0-9]+", domain.lower())
    return "-".join(words)
