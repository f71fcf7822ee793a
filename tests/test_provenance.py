"""What every log records about its data, image, prompts and package."""

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
from tests.docker_images import sandbox_image_ids

REPOSITORY = Path(__file__).parents[1]
EXAMPLE = REPOSITORY / "examples/lighthouses"


def provenance(task: Task) -> dict[str, Any]:
    """What a task records. Checks that it names the version of the package and no path of this machine."""
    assert task.metadata
    record: dict[str, Any] = task.metadata["provenance"]
    assert record["package"] == version("inspect-discoverybench")
    assert str(REPOSITORY) not in json.dumps(record)
    return record


def test_a_task_records_its_image_and_prompts() -> None:
    task = demo(sandbox="docker")
    record = provenance(task)
    digest = build_digest(shipped("sandbox"))
    assert record["image"] == {
        "reference": image(),
        "build_digest": digest,
    }
    prompt = Prompt.load("judge/variables")
    assert record["prompts"]["judge/variables"] == prompt.fingerprint
    assert "solvers/datavoyager/coder" in record["prompts"]

    local = provenance(demo())
    assert local["image"] is None


def test_the_checksum_is_that_of_the_data(tmp_path: Path) -> None:
    """A changed data file or gold hypothesis changes it; arguments and the path do not."""
    folder = tmp_path / EXAMPLE.name  # sample ids have the name of the folder
    shutil.copytree(EXAMPLE, folder)
    original = data_of(EXAMPLE)
    assert original["commit"] is None  # only released data have one
    assert data_of(folder, aggregation="released", domain_knowledge=True) == original

    table = next(folder.glob("*.csv"))
    with table.open("a") as file:
        file.write("\n")
    changed_table = data_of(folder)
    assert changed_table != original

    metadata = folder / "metadata_0.json"
    text = metadata.read_text("utf-8").replace("islands", "isles")
    metadata.write_text(text, "utf-8")
    assert data_of(folder) not in (original, changed_table)


def data_of(path: Path, **arguments: Any) -> Any:
    task = custom(path=str(path), sandbox="local", **arguments)
    return provenance(task)["data"]


def test_the_audit_records_its_pairs_and_prompts_and_the_generator_its_prompts(tmp_path: Path) -> None:
    audit = provenance(judge_audit(released=False))
    assert audit["data"]["checksum"]
    assert "judge_audit/audit" in audit["prompts"]
    generator = provenance(synth_generate(out=str(tmp_path / "a")))
    assert "synth/root" in generator["prompts"]


@pytest.mark.usefixtures("engine")
def test_the_id_of_the_image_that_ran_is_in_each_sample() -> None:
    solver = SolverSpec("discoverybench/gold")
    [log] = inspect_eval(demo(sandbox="docker"), model="discoverybench/baseline", solver=solver, limit=1)
    assert log.samples
    assert [log.samples[0].store["SandboxImage:image_id"]] == sandbox_image_ids()
