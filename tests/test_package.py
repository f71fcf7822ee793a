"""The names that the package exports."""

import subprocess
import sys


def test_the_task_synth_keeps_its_name_beside_the_subpackage(command_line: None) -> None:
    program = (
        "import inspect_discoverybench, inspect_discoverybench.synth.generate\n"
        "from inspect_discoverybench import synth\n"
        "assert synth is inspect_discoverybench.synth and callable(synth), synth"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
