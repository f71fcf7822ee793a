"""The names that the package exports."""

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "inspect_discoverybench"


def test_the_task_synth_keeps_its_name_beside_the_subpackage(command_line: None) -> None:
    program = (
        "import inspect_discoverybench, inspect_discoverybench.synth.generate\n"
        "from inspect_discoverybench import synth\n"
        "assert synth is inspect_discoverybench.synth and callable(synth), synth"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_no_two_classes_share_a_name() -> None:
    modules = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                modules[node.name].append(str(path.relative_to(SOURCE)))
    assert len(modules) > 100
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}
