"""The installed versions of the required packages. A module without Inspect, which may be too old to be imported."""

from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError

PACKAGE = "inspect-discoverybench"


def check_versions() -> str:
    """Check that every required package is installed in a supported version."""
    for requirement in map(Requirement, requires(PACKAGE) or []):
        # Extras are optional, and some requirements are for other platforms.
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            installed = version(requirement.name)
        except PackageNotFoundError as error:
            raise DiscoveryBenchError(f"{error}. Run: pip install --upgrade {PACKAGE}") from error
        if not requirement.specifier.contains(installed, prereleases=True):
            raise DiscoveryBenchError(
                f"{requirement.name} {installed} is installed, but {requirement.specifier} is required. "
                f"Run: pip install --upgrade {PACKAGE}"
            )
    return f"{PACKAGE} {version(PACKAGE)}, inspect-ai {version('inspect-ai')}"
