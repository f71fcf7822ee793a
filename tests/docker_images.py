"""Images of the Docker engine."""

import subprocess

from inspect_discoverybench.sandbox.image import image


def sandbox_image_ids() -> list[str]:
    """Full ids of the images with the name and tag of the sandbox image."""
    name = image()
    command = ["docker", "image", "ls", "--quiet", "--no-trunc", name]
    listing = subprocess.check_output(command, text=True)
    return listing.split()
