"""Find the lowest version of Inspect that the package works with, by bisection.

Usage: scripts/lowest_inspect.py LOW HIGH, such as 0.3.240 0.3.285. HIGH must work. Needs `make test-lowest`, whose
environment it changes. The result belongs into `dependencies` of pyproject.toml.
"""

import json
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
PYTHON = str(REPOSITORY / ".venv-lowest" / "bin" / "python")
UV = str(REPOSITORY / ".venv" / "bin" / "uv")
TESTS = ("tests/test_registry.py", "tests/scorer", "tests/results", "tests/solvers/test_react.py")
MARKS = "not docker and not browser and not wheel and not sweep and not process"


def works(version: str) -> bool:
    """Whether the tests pass with a version of Inspect."""
    install = [UV, "pip", "install", "--quiet", "--python", PYTHON, "--no-deps", f"inspect-ai=={version}"]
    subprocess.run(install, check=True)
    command = [PYTHON, "-m", "pytest", "-x", "-q", "--numprocesses", "logical", "-m", MARKS, *TESTS]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    print(f"{version}: {'works' if run.returncode == 0 else run.stdout.strip().splitlines()[-2:]}", flush=True)
    return run.returncode == 0


def main() -> None:
    """Bisect, and print each version that is tried."""
    low, high = sys.argv[1:]
    command = [str(REPOSITORY / ".venv/bin/python"), "-m", "pip", "index", "versions", "inspect-ai", "--json"]
    releases = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    versions = json.loads(releases)["versions"][::-1]
    candidates = versions[versions.index(low) : versions.index(high) + 1]
    first, last = 0, len(candidates) - 1
    while first < last:
        middle = (first + last) // 2
        if works(candidates[middle]):
            last = middle
        else:
            first = middle + 1
    print(f"The lowest version is {candidates[last]}.")


if __name__ == "__main__":
    main()
