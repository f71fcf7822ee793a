"""The analyst's program on untidy files. `test_baseline.py` runs it in the session."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

import inspect_discoverybench.offline

PROGRAM = Path(inspect_discoverybench.offline.__path__[0]) / "analysis.py"
GOAL = "How does height affect the yield?"
TABLE = "height,site,yield\n" + "".join(f"{row},s{row % 3},{2 * row + row % 7}\n" for row in range(60))

Discover = Callable[[str], str]


@pytest.fixture
def discover(capsys: pytest.CaptureFixture[str]) -> Discover:
    """Run the program in the working folder, which is empty at first, and return its last line."""

    def run(goal: str) -> str:
        runpy.run_path(str(PROGRAM))["discover"](goal)
        return capsys.readouterr().out.splitlines()[-1]

    return run


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(TABLE.replace(",", "\t").encode(), id="tab"),
        pytest.param(TABLE.replace("s1", "Böschung").encode("cp1252"), id="cp1252"),
        pytest.param(TABLE.replace("\n1,", "\n,").replace("\n2,s2,6", "\n2,s2").encode(), id="gaps"),
        pytest.param(TABLE.replace("\n0,s0,0\n", "\n0,s0,0,9\n").encode(), id="a cell too many"),
    ],
)
def test_delimited_text_is_read_in_any_dialect(content: bytes, discover: Discover) -> None:
    Path("data.csv").write_bytes(content)
    assert discover(GOAL).startswith("Hypothesis: yield increases linearly with height, by ")


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b'height,yield\n"' + b"1,2\n" * 50_000, id="unclosed quote"),
        pytest.param(b"<stata_dta>\x00\xff", id="binary"),
        pytest.param(b"a,b\n" + b"x,1\n" * 20, id="labels"),
    ],
)
def test_a_file_without_numbers_stops_nothing(content: bytes, discover: Discover) -> None:
    Path("a.csv").write_bytes(content)
    assert discover(GOAL) == "There is no table with two columns of numbers."
    Path("z.csv").write_text(TABLE, "utf-8")
    assert discover(GOAL).startswith("Hypothesis: yield increases")
