"""What `pip install` of this repository brings into an empty environment, beside Inspect AI alone."""

import json
import subprocess
import sys
import time
from pathlib import Path

from measure import own_folders, show

ROOT = Path(__file__).resolve().parents[1]
TARGET = 110
PIP = {"pip", "setuptools", "wheel"}


def install(python: Path, what: str) -> tuple[set[str], float, float]:
    """Install; names of the distributions then, their size in MB, and seconds of the installation."""
    start = time.perf_counter()
    subprocess.run([str(python), "-m", "pip", "install", "-qq", what], check=True)
    seconds = time.perf_counter() - start
    command = [str(python), "-m", "pip", "list", "--format", "json"]
    packages = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    bytes_ = sum(file.stat().st_size for file in python.parents[1].rglob("*") if file.is_file())
    return {entry["name"] for entry in packages} - PIP, bytes_ / 1e6, seconds


def main() -> None:
    """Install Inspect AI, then this repository on top of it, and print."""
    with own_folders() as folder:
        python = folder / "environment" / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", str(python.parents[1])], check=True)
        inspect, inspect_size, inspect_seconds = install(python, "inspect-ai")
        ours, size, seconds = install(python, str(ROOT))
    show(
        "Installation",
        ("what", "distributions", "MB", "seconds", "target"),
        [
            ("inspect-ai alone", str(len(inspect)), f"{inspect_size:.0f}", f"{inspect_seconds:.0f}", ""),
            ("with inspect-discoverybench", str(len(ours)), f"{size:.0f}", f"{seconds:.0f} more", str(TARGET)),
        ],
        f"pip and setuptools are not counted. Added: {', '.join(sorted(ours - inspect))}.",
    )


if __name__ == "__main__":
    main()
