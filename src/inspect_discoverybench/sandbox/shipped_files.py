"""Files from the root of the repository that are also shipped inside the wheel."""

from pathlib import Path

from inspect_discoverybench.errors.exceptions import DataError

_PACKAGE = Path(__file__).parents[1]


def shipped(name: str) -> Path:
    """Absolute path of a file or folder from the root of the repository, in a wheel or in an editable install.

    Raises:
        DataError: The installation does not have it.
    """
    wheel, repository = _PACKAGE / "_shipped", _PACKAGE.parents[1]
    for root in (wheel, repository):
        path = root / name
        if path.exists():
            return path
    raise DataError(f"{name} is missing from the installation in {_PACKAGE}. Reinstall inspect-discoverybench.")
