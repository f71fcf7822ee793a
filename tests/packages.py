"""Fake installed packages."""

from pathlib import Path

METADATA = """Metadata-Version: 2.1
Name: {package}
Version: {version}
"""


def installed(folder: Path, package: str, version: str, requires: str = "") -> None:
    """Make this version appear to be the installed one."""
    info = folder / f"{package}-{version}.dist-info"
    info.mkdir()
    content = METADATA.format(package=package, version=version)
    if requires:
        content += f"Requires-Dist: {requires}\n"
    (info / "METADATA").write_text(content, "utf-8")
