"""Checks of Python, the packages and the data."""

import os
import platform
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

from inspect_discoverybench.dataset import released
from inspect_discoverybench.doctor.check import Finding, Status
from inspect_discoverybench.errors import DataMissing

PACKAGE = "inspect-discoverybench"


def check_python() -> Finding:
    """The version of Python. The package cannot be installed for a version that is too old."""
    return Finding(Status.OK, f"{platform.python_version()} on {platform.system()} {platform.machine()}")


def check_packages() -> Finding:
    """Whether every required package is installed in a supported version."""
    requirements = [Requirement(text) for text in requires(PACKAGE) or []]
    # Skip extras, which are optional, and requirements whose markers are for other machines.
    applicable = [r for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})]
    problems = [problem for requirement in applicable if (problem := _problem(requirement))]
    if problems:
        return Finding(Status.FAILURE, "; ".join(problems), f"Run: pip install --upgrade {PACKAGE}")
    names = ", ".join(f"{name} {version(name)}" for name in (PACKAGE, "inspect-ai"))
    return Finding(Status.OK, f"{names}; all {len(applicable)} requirements are met")


def check_data() -> Finding:
    """Whether the released data are present and every file matches the release."""
    try:
        root = released.local_root()
    except DataMissing as error:
        if os.environ.get(released.DATA_DIR_VARIABLE):
            what, _, remedy = error.message.partition(". ")
            return Finding(Status.FAILURE, what, remedy)
        message = "the released data are not downloaded; `real` and `synth` download them on first use"
        return Finding(Status.WARNING, message, "Run: discoverybench data fetch")
    report = released.verify(root)
    if not report.clean:
        return Finding(Status.FAILURE, f"{root}: {report}", released.remedy(root))
    return Finding(Status.OK, f"all {report.checked} files in {root} match the release")


def _problem(requirement: Requirement) -> str | None:
    try:
        installed = version(requirement.name)
    except PackageNotFoundError:
        return f"{requirement.name} is not installed"
    if requirement.specifier.contains(installed, prereleases=True):
        return None
    return f"{requirement.name} {installed} is installed, but {requirement.specifier} is required"
