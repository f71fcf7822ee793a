"""What every log records about its data, image, prompts, package and solver."""

import json
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.solver import SolverSpec

from inspect_discoverybench import custom, demo, judge_audit, synth_generate
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.sandbox.image import build_digest, image
from inspect_discoverybench.sandbox.shipped_files import shipped
from tests.docker_images import image_ids

REPOSITORY = Path(__file__).parents[1]
EXAMPLE = REPOSITORY / "examples/lighthouses"
REACT = {"actions": "calls", "cell_seconds": 300, "turns": 25}


def provenance(task: Task) -> dict[str, Any]:
    assert task.metadata
    record: dict[str, Any] = task.metadata["provenance"]
    assert record["package"] == version("inspect-discoverybench")
    assert str(REPOSITORY) not in json.dumps(record)
    return record


def test_a_task_records_its_data_image_prompts_and_default_solver() -> None:
    record = provenance(demo(sandbox="docker"))
    digest = build_digest(shipped("sandbox"))
    assert record["image"] == {"reference": image(), "build_digest": digest}
    assert image().endswith(f":{digest[:12]}")
    assert record["default_solver"] == {"name": "discoverybench/react", "settings": REACT}
    assert record["prompts"]["judge/variables"] == Prompt.load("judge/variables").fingerprint
    assert "solvers/datavoyager/coder" in record["prompts"]
    assert provenance(demo())["image"] is None


def test_the_checksum_is_that_of_the_data(tmp_path: Path) -> None:
    """A changed data file or gold hypothesis changes it; arguments and the path do not."""
    folder = Path(shutil.copytree(EXAMPLE, tmp_path / EXAMPLE.name))  # sample ids have the name of the folder

    def checksum(path: Path, **arguments: Any) -> Any:
        return provenance(custom(path=str(path), sandbox="local", **arguments))["data"]

    original = checksum(EXAMPLE)
    assert original["commit"] is None
    assert checksum(folder, aggregation="released", domain_knowledge=True) == original
    table = next(folder.glob("*.csv"))
    table.write_text(table.read_text("utf-8") + "\n", "utf-8")
    after = checksum(folder)
    assert after != original
    metadata = folder / "metadata_0.json"
    metadata.write_text(metadata.read_text("utf-8").replace("islands", "isles"), "utf-8")
    assert checksum(folder) not in (original, after)


def test_the_audit_and_the_generator_record_theirs(tmp_path: Path) -> None:
    audit = provenance(judge_audit(released=False))
    assert audit["data"]["checksum"]
    assert set(audit["prompts"]) >= {"judge/audit", "judge/relationship"}
    generator = provenance(synth_generate(out=str(tmp_path / "a")))
    assert set(generator["prompts"]) >= {"synth/root"}


@pytest.mark.usefixtures("engine")
def test_the_id_of_the_image_that_ran_is_in_each_sample() -> None:
    solver = SolverSpec("discoverybench/gold")
    [log] = inspect_eval(demo(sandbox="docker"), model="discoverybench/baseline", solver=solver, limit=1)
    assert log.samples
    assert [log.samples[0].store["SandboxImage:image_id"]] == image_ids(image())
