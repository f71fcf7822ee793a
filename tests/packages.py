"""Fake installed packages."""

from pathlib import Path


def installed(folder: Path, package: str, version: str) -> None:
    """Make this version appear to be the installed one."""
    info = folder / f"{package}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n", "utf-8")
