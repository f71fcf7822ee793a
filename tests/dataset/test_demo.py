"""The demo tasks: the trees in examples/trees give them, without a model."""

import os
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval

import inspect_discoverybench.dataset
from inspect_discoverybench import synth_generate

DEMO = Path(inspect_discoverybench.dataset.__file__).parent / "demo"
TREES = Path(__file__).parents[2] / "examples" / "trees"


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of the demo tasks below a folder."""
    files = sorted(folder.glob("*_0_0/*"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.usefixtures("slow")
def test_the_generator_writes_the_files_of_the_demo_byte_by_byte(tmp_path: Path) -> None:
    """To accept a change of the demo, see CONTRIBUTING.md on golden files."""
    out = tmp_path / "demo"
    # The settings with which the demo was generated.
    task = synth_generate(
        out=str(out),
        trees=str(TREES),
        sandbox="local",
        seed=20240703,
        rows=260,
        noise_share=1.0,
        noise_scale=0.2,
        missing=0.02,
    )
    [log] = inspect_eval(task, model="none")
    assert log.status == "success", log.error
    if os.environ.get("DISCOVERYBENCH_ACCEPT_GOLDEN"):
        for name, content in contents(out).items():
            (DEMO / name).parent.mkdir(exist_ok=True)
            (DEMO / name).write_bytes(content)
    assert contents(out) == contents(DEMO)
