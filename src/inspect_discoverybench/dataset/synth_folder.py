"""Names of the folders of DB-SYNTH: `<domain>_<start height>_<target depth>`."""

import re


def target_depth(folder: str, domain: str) -> int | None:
    """Level of the target below the root of the semantic tree, if the folder is one of this domain of DB-SYNTH."""
    slug = slug_of(domain)
    match = re.fullmatch(rf"{slug}_\d+_(\d+)", folder)
    if match is None:
        return None
    return int(match[1])


def slug_of(domain: str) -> str:
    """The name of a domain in the form of a folder name, such as `meta-science`."""
    words = re.findall(r"[a-z0-9]+", domain.lower())
    return "-".join(words)
