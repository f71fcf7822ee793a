"""Files from the root of the repository that are shipped inside the wheel."""

from pathlib import Path

from inspect_discoverybench.errors import DataMissing

_PACKAGE = Path(__file__).parent


def shipped(name: str) -> Path:
    """Absolute path of a shipped file or folder, in a wheel or in an editable install.

    Args:
        name: Path relative to the root of the repository, such as `compose.yaml`.

    Raises:
        DataMissing: The installation does not have it.
    """
    for root in (_PACKAGE / "_shipped", _PACKAGE.parents[1]):
        if (root / name).exists():
            return root / name
    raise DataMissing(f"{name} is missing from the installation in {_PACKAGE}. Reinstall inspect-discoverybench.")
