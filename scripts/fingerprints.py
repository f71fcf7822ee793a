"""Fingerprints of what sets scores: they may change only together with the number of the task version.

Run `make fingerprints` after a change of the version in `tasks.py`. `docs/versions.md` describes the policy, and
`tests/test_versions.py` compares the recorded fingerprints with the current ones.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import yaml
from inspect_ai.tool import ToolDef

from inspect_discoverybench.dataset.custom import demo_samples
from inspect_discoverybench.dataset.release import COMMIT, checksums
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.samples import samples_checksum
from inspect_discoverybench.dataset.task_text import Hints, task_text
from inspect_discoverybench.prompts.prompt import Prompt, prompt_names
from inspect_discoverybench.sandbox.image import BUILD_INPUTS
from inspect_discoverybench.sandbox.shipped_files import shipped
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.submission import submit
from inspect_discoverybench.tasks import VERSION

RECORD = Path(__file__).with_suffix(".json")
"""The fingerprints of each number of the task version."""

NUMBER = VERSION.partition("-")[0]

USED_NUMBERS = frozenset({"1", "2"})
"""Numbers of task versions whose fingerprints are final, because logs of them exist outside of development."""

Fingerprints = dict[str, str]
"""Fingerprints by name, such as `prompt judge/variables`."""


def current() -> Fingerprints:
    """The fingerprints of the working tree. They do not depend on line endings, or on comments in the image's files."""
    fingerprints = {f"prompt {name}": Prompt.load(name).fingerprint for name in prompt_names(".")}

    goals = [SampleMetadata.model_validate(sample.metadata) for sample in demo_samples(Hints())]
    hinted = goals[0].model_copy(update={"domain_knowledge": "Background.", "workflow_tags": "Keywords."})
    hints = Hints(domain_knowledge=True, workflow_tags=True)
    fingerprints["task text"] = _digest([task_text(goal, Hints()) for goal in goals])
    fingerprints["task text with hints"] = _digest(task_text(hinted, hints))

    for tool in (ToolDef(python()), ToolDef(submit())):
        parameters = tool.parameters.model_dump(mode="json", exclude_none=True)
        fingerprints[f"tool {tool.name}"] = _digest([tool.name, tool.description, parameters])

    for name in BUILD_INPUTS:
        fingerprints[f"image {name}"] = _digest(_instructions(shipped("sandbox") / name))
    compose = yaml.safe_load(shipped("compose.yaml").read_text("utf-8"))
    fingerprints["compose.yaml"] = _digest(compose)

    fingerprints["released data"] = _digest({"commit": COMMIT, "files": dict(checksums())})
    fingerprints["demo data"] = samples_checksum(demo_samples(Hints()))[:12]
    return fingerprints


def recorded() -> dict[str, Fingerprints]:
    """The recorded fingerprints by number of the task version."""
    record: dict[str, Fingerprints] = json.loads(RECORD.read_text("utf-8"))
    return record


def changed_names() -> list[str]:
    """Names of fingerprints that are not those that are recorded for the number of the task version."""
    before, now = recorded().get(NUMBER, {}), current()
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def main() -> int:
    """Record the current fingerprints, unless a release has used the number. Returns 1 if it has."""
    names = changed_names()
    if names and NUMBER in USED_NUMBERS:
        print(
            f"These parts changed, but the number of the task version did not ({VERSION}): {', '.join(names)}. Undo "
            f'the change, or set VERSION = "{int(NUMBER) + 1}-A" in tasks.py and in eval.yaml (docs/versions.md).'
        )
        return 1
    RECORD.write_text(json.dumps({**recorded(), NUMBER: current()}, indent=2) + "\n", "utf-8")
    print(f"Recorded the fingerprints of task version {VERSION} in {RECORD.name}.")
    return 0


def _instructions(path: Path) -> list[str]:
    """The lines of a file without comments, blank lines and trailing white space."""
    lines = [line.rstrip() for line in path.read_text("utf-8").splitlines()]
    return [line for line in lines if line and not line.lstrip().startswith("#")]


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


if __name__ == "__main__":
    sys.exit(main())
