"""Reading a pipe may never end, so that every command refuses one in place of a file."""

import os
from pathlib import Path

import pytest

from tests.command_line import completed, refused
from tests.synthetic_logs import Run, write_logs

EXAMPLE = Path(__file__).parents[2] / "examples" / "lighthouses"
JUDGE = "judge --goal g --gold h --pred p --grader discoverybench/lexical"


@pytest.fixture(autouse=True)
def pipes() -> None:
    """Pipes with the names that the commands expect, beside a log."""
    for name in ("pipe.yaml", "pipe.json", "pipe.csv", "pipe.eval"):
        os.mkfifo(name)
    write_logs([Run("real", "react", "provider/large", 0.3)], Path("logs"), samples=2)


@pytest.mark.parametrize(
    ("command", "pipe"),
    [
        ("run pipe.yaml", "pipe.yaml"),
        ("run pipe.yaml --dry-run", "pipe.yaml"),
        ("status pipe.yaml", "pipe.yaml"),
        (f"{JUDGE} --metadata pipe.json", "pipe.json"),
        ("ask --goal g --model discoverybench/baseline --metadata pipe.json", "pipe.json"),
        ("agree votes pipe.csv --key pipe.csv", "pipe.csv"),
        ("agree sheet pipe.eval --out sheet", "pipe.eval"),
        ("report pipe.eval --out report", "pipe.eval"),
        ("report logs --out report --judge-labels pipe.csv", "pipe.csv"),
        ("compare pipe.eval logs", "pipe.eval"),
    ],
)
def test_a_pipe_is_refused_in_place_of_a_file(command: str, pipe: str) -> None:
    assert f"{pipe} is not a file. Check the path." in refused(command)


def test_a_pipe_among_the_logs_of_a_folder_is_left_out() -> None:
    Path("pipe.eval").rename("logs/pipe.eval")
    completed("report logs --out report")
    # Inspect does not list it.
    assert "/pipe.eval" not in Path("report/report.html").read_text("utf-8")
