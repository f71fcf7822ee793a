"""Fingerprints of what sets scores: they may change only together with the number of the task version.

Run `make fingerprints` after a change of the version in `tasks.py`. `docs/versions.md` describes the policy, and
`tests/test_versions.py` compares the recorded fingerprints with the current ones.
"""

import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from inspect_ai.tool import ToolDef

from inspect_discoverybench.dataset.custom import demo_samples
from inspect_discoverybench.dataset.release import COMMIT, checksums
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.samples import data_checksum
from inspect_discoverybench.dataset.task_text import Hints, task_text
from inspect_discoverybench.prompts.prompt import Prompt, prompt_names
from inspect_discoverybench.sandbox.image import BUILD_INPUTS
from inspect_discoverybench.sandbox.shipped_files import shipped
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.submission import submit
from inspect_discoverybench.tasks import VERSION

RECORD = Path(__file__).with_suffix(".json")
"""The fingerprints of each number of the task version."""

USED_NUMBERS = frozenset({"1", "2"})
"""Numbers of task versions whose fingerprints are final, because logs of them exist outside of development."""

Fingerprints = Mapping[str, str]
"""Fingerprints by name, such as `prompt judge/variables`."""


def current() -> Fingerprints:
    """The fingerprints of the working tree. They do not depend on line endings, or on comments in the image's files."""
    goals = [SampleMetadata.model_validate(sample.metadata) for sample in demo_samples(Hints())]
    hinted = goals[0].model_copy(update={"domain_knowledge": "Background.", "workflow_tags": "Keywords."})
    return {
        **{f"prompt {name}": Prompt.load(name).fingerprint for name in prompt_names(".")},
        "task text": _digest([task_text(goal, Hints()) for goal in goals]),
        "task text with hints": _digest(task_text(hinted, Hints(domain_knowledge=True, workflow_tags=True))),
        **{f"tool {tool.name}": _digest(_interface(tool)) for tool in map(ToolDef, (python(), submit()))},
        **{f"image {name}": _digest(_instructions(shipped("sandbox") / name)) for name in BUILD_INPUTS},
        "compose.yaml": _digest(yaml.safe_load(shipped("compose.yaml").read_text("utf-8"))),
        "released data": _digest({"commit": COMMIT, "files": dict(checksums())}),
        "demo data": data_checksum(demo_samples(Hints()))[:12],
    }


def recorded() -> dict[str, Fingerprints]:
    """The recorded fingerprints by number of the task version."""
    fingerprints: dict[str, Fingerprints] = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    return fingerprints


def problem(version: str, record: Mapping[str, Fingerprints], now: Fingerprints) -> str | None:
    """Why the fingerprints do not fit the task version, and what to do; None if they fit.

    Args:
        version: The task version, such as `2-A`.
        record: The recorded fingerprints by number of the task version.
        now: The current fingerprints.
    """
    number = version.partition("-")[0]
    if number not in record:
        return f"Task version {version} has no fingerprints. Run `make fingerprints` and commit {RECORD.name}."
    names = sorted({*record[number], *now}, key=str)
    differences = [name for name in names if record[number].get(name) != now.get(name)]
    if not differences:
        return None
    if number not in USED_NUMBERS:
        return f"These parts changed: {', '.join(differences)}. No release has used {version}: run `make fingerprints`."
    return (
        f"These parts changed, but the number of the task version did not ({version}): {', '.join(differences)}. "
        f'Undo the change, or set VERSION = "{int(number) + 1}-A" in tasks.py and in eval.yaml, describe the change in '
        "CHANGELOG.md, and run `make fingerprints` (docs/versions.md)."
    )


def update() -> int:
    """Record the current fingerprints. Those of a number that a release has used are never replaced."""
    record, now = recorded(), current()
    number = VERSION.partition("-")[0]
    reason = problem(VERSION, record, now)
    if reason is None or (number in record and number in USED_NUMBERS):
        print(reason or f"The fingerprints of task version {VERSION} are up to date.")
        return 1 if reason else 0
    RECORD.write_text(json.dumps({**record, number: now}, indent=2) + "\n", "utf-8")
    print(f"Recorded the fingerprints of task version {VERSION} in {RECORD.name}.")
    return 0


def _interface(tool: ToolDef) -> Any:
    return [tool.name, tool.description, tool.parameters.model_dump(mode="json", exclude_none=True)]


def _instructions(path: Path) -> list[str]:
    """The lines of a file without comments, blank lines and trailing white space."""
    lines = [line.rstrip() for line in path.read_text("utf-8").splitlines()]
    return [line for line in lines if line and not line.lstrip().startswith("#")]


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


if __name__ == "__main__":
    sys.exit(update())
