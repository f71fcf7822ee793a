"""Images of the Docker engine."""

import subprocess


def image_ids(name: str) -> list[str]:
    """Full ids of the images that have this name and tag."""
    command = ["docker", "image", "ls", "--quiet", "--no-trunc", name]
    listing = subprocess.run(command, capture_output=True, text=True, check=True)
    return listing.stdout.split()
