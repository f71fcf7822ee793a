"""What every log records about its data, image, prompts, package and solver."""

import json
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.solver import SolverSpec, chain, use_tools

from inspect_discoverybench import custom, demo, judge_audit, synth_generate
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.results.frame import read_results
from inspect_discoverybench.sandbox.image import build_digest, image
from inspect_discoverybench.sandbox.shipped_files import shipped
from inspect_discoverybench.solvers.codegen import codegen
from tests.docker_images import image_ids

REPOSITORY = Path(__file__).parents[1]
EXAMPLE = REPOSITORY / "examples/lighthouses"
REACT = {"actions": "calls", "cell_seconds": 300, "turns": 25}
TURNS = {"turns": 3}


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
    trees = provenance(synth_generate(out=str(tmp_path / "a"), trees=str(REPOSITORY / "examples/trees")))
    assert trees["data"]["checksum"]
    assert set(trees["prompts"]) >= {"synth/root"}


def settings(log: EvalLog) -> Any:
    return json.loads(read_results([log.location]).samples.agent_settings.iloc[0])


def run(task: Task, **arguments: Any) -> EvalLog:
    [log] = inspect_eval(task, model="discoverybench/baseline", limit=1, **arguments)
    assert log.status == "success", log.error
    return log


def test_all_settings_of_the_solver_that_ran_are_read_from_the_log() -> None:
    """Also defaults, which the header of a log does not have."""
    log = run(demo())
    assert not log.eval.solver_args
    assert settings(log) == REACT
    assert log.samples
    assert "SandboxImage:image_id" not in log.samples[0].store
    assert settings(run(demo(), solver=SolverSpec("discoverybench/react", args=TURNS, args_passed=TURNS))) == {
        **REACT,
        "turns": 3,
    }
    assert settings(run(task_with(demo(), solver=chain(use_tools(), codegen(cell_seconds=9)))))["cell_seconds"] == 9


@pytest.mark.usefixtures("engine")
def test_the_id_of_the_image_that_ran_is_in_each_sample() -> None:
    log = run(demo(sandbox="docker"), solver=SolverSpec("discoverybench/gold"))
    assert log.samples
    assert [log.samples[0].store["SandboxImage:image_id"]] == image_ids(image())
    assert read_results([log.location]).samples.image_id.tolist() == image_ids(image())
