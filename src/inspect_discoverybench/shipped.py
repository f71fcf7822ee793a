"""Files that stand at the root of the repository and are shipped inside the wheel."""

from pathlib import Path

from inspect_discoverybench.errors import DataMissing

_PACKAGE = Path(__file__).parent


def shipped(name: str) -> Path:
    """Absolute path of a root file such as `compose.yaml`, in a wheel and in an editable install.

    Raises:
        DataMissing: It is in neither place, so the installation is damaged.
    """
    for root in (_PACKAGE / "_shipped", _PACKAGE.parents[1]):
        if (root / name).exists():
            return root / name
    raise DataMissing(f"{name} is missing from the installation in {_PACKAGE}; install inspect-discoverybench again.")
