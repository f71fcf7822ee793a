"""Names of the folders of DB-SYNTH: `<domain>_<start height>_<target depth>`."""

import re


def target_depth(folder: str, domain: str) -> int | None:
    """The level of the target below the root of the semantic tree; None if it is not a folder of this domain."""
    slug = slug_of(domain)
    match = re.fullmatch(rf"{slug}_\d+_(\d+)", folder)
    return int(match[1]) if match else None


def slug_of(domain: str) -> str:
    """The name of a domain in the form of a folder name."""
    words = re.findall(r"[a-z0-9]+", domain.lower())
    return "-".join(words)
