"""Names of the folders of DB-SYNTH: `<domain>_<start height>_<target depth>`."""

import re


def target_depth(folder: str, domain: str) -> int | None:
    """Level of the target below the root of the semantic tree; None if this is no folder of the domain in DB-SYNTH."""
    slug = slug_of(domain)
    match = re.fullmatch(rf"{slug}_(?P<start_height>\d+)_(?P<target_depth>\d+)", folder)
    if match is None:
        return None
    return int(match["target_depth"])


def slug_of(domain: str) -> str:
    """The name of a domain in the form of a folder name, such as `meta-science`."""
    words = re.findall(r"[a-z0-9]+", domain.lower())
    return "-".join(words)
