"""`plan --print slurm`: the script passes every word unchanged."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import completed, refused

STUB = f"""#!{sys.executable}
import json, sys
print(json.dumps(sys.argv[1:]))
"""


def test_every_word_reaches_the_shard_unchanged(tmp_path: Path) -> None:
    stub = tmp_path / "bin" / "discoverybench"
    stub.parent.mkdir()
    stub.write_text(STUB, "utf-8")
    stub.chmod(0o755)
    change = shlex.quote('tags=["it\'s; $(date)"]')
    options = f"--model discoverybench/baseline --set {change} --limit 2"
    sbatch = "--sbatch 'partition=long runs' --sbatch account=lab --sbatch exclusive"
    script = completed(f"plan small.yaml {options} --print slurm --shards 4 {sbatch}")
    lines = script.splitlines()
    assert {"#SBATCH --array=1-4", "#SBATCH --partition=long\\ runs", "#SBATCH --account=lab"} < set(lines)

    environment = os.environ | {"PATH": f"{stub.parent}:{os.environ['PATH']}", "SLURM_ARRAY_TASK_ID": "3"}
    result = subprocess.run(["bash"], input=script, env=environment, capture_output=True, text=True, check=True)
    as_changes = f"--set {change} --set 'models=[\"discoverybench/baseline\"]' --set limits.samples=2"
    assert json.loads(result.stdout) == shlex.split(f"run small.yaml {as_changes} --shard 3/4")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ("--print slurm", "--print slurm needs the number of shards. Add --shards N."),
        ("--print commands --sbatch mem=8G", "--shards and --sbatch are for --print slurm."),
        ("--print slurm --shards 4 --sbatch 'comment=a\nb'", "cannot have a line break in a value"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(options: str, line: str) -> None:
    assert line in refused(f"plan small.yaml {options}")
