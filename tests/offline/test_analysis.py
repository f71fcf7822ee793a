"""The analyst's program on untidy files. `test_analyst.py` runs it in the session."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

import inspect_discoverybench.offline

PROGRAM = Path(inspect_discoverybench.offline.__path__[0]) / "analysis.py"
GOAL = "How does height affect the yield?"
ROWS = range(60)
TABLE = "height,site,yield\n" + "".join(f"{row},s{row % 3},{2 * row + row % 7}\n" for row in ROWS)

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
        TABLE.encode(),
        TABLE.replace(",", "\t").encode(),
        TABLE.replace(",", ";").encode(),
        b"\xef\xbb\xbf" + TABLE.encode(),
        TABLE.replace("s1", "Böschung").encode("cp1252"),
        TABLE.replace("\n", "\r\n").encode(),
        TABLE.replace("\n", "\r").encode(),
        TABLE.replace("\n1,", "\n,").replace("\n2,s2,6", "\n2,s2").replace("\n3,", "\nNA,").encode(),
        TABLE.replace("site", '"the, ""site"""').replace("s1", '"two\nlines"').encode(),
        (TABLE + "1e999,s1,-1e999\n").encode(),
        (TABLE + "1e200,s1,1\n").encode(),
    ],
    ids=["comma", "tab", "semicolon", "mark", "cp1252", "crlf", "cr", "gaps", "quotes", "infinite", "large"],
)
def test_delimited_text_is_read_in_any_dialect(content: bytes, discover: Discover) -> None:
    Path("data.csv").write_bytes(content)
    hypothesis = discover(GOAL)
    assert hypothesis.startswith("Hypothesis: yield ")
    assert "height" in hypothesis


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("header.csv", b"height,yield\n"),
        ("one.csv", b"height\n1\n2\n"),
        ("tree.txt", b"((height:1,b:2):3,yield:4);"),
        ("quote.csv", b'height,yield\n"' + b"1,2\n" * 50_000),
        ("null.csv", b"height,yield\n\x00,x\n" * 20),
        ("survey.dta", b"<stata_dta>\x00\xff"),
        ("words.csv", b"height,yield\n" + b"tall,good\nsmall,poor\n" * 20),
        ("braces.csv", b"{height},{yield!r}\n" + b"tall,good\n" * 20),
    ],
)
def test_a_file_without_numbers_stops_nothing(name: str, content: bytes, discover: Discover) -> None:
    Path(name).write_bytes(content)
    assert discover(GOAL) == "There is no table with two columns to compare."
    Path("z.csv").write_text(TABLE, "utf-8")
    assert discover(GOAL).startswith("Hypothesis: yield increases linearly with height, by 2 per unit")


def test_no_file_at_all(discover: Discover) -> None:
    assert discover(GOAL) == "There is no table with two columns to compare."


def test_of_several_files_the_one_that_the_goal_names_is_used(discover: Discover) -> None:
    Path("a.csv").write_text(TABLE.replace("height", "width").replace("yield", "colour"), "utf-8")
    Path("b.csv").write_text(TABLE, "utf-8")
    assert discover(GOAL).startswith("Hypothesis: yield increases linearly with height")


def test_a_goal_that_names_no_column_gets_an_answer(discover: Discover) -> None:
    Path("data.csv").write_text(TABLE, "utf-8")
    assert discover("What is going on?").startswith("Hypothesis: yield increases linearly with height")


def test_columns_keep_their_braces(discover: Discover) -> None:
    Path("data.csv").write_text(TABLE.replace("height", "{height!r}"), "utf-8")
    assert "increases linearly with {height!r}, by" in discover(GOAL)


def test_a_weak_relationship_is_not_claimed(discover: Discover) -> None:
    noise = [7, 1, 5, 3, 9, 2, 8, 4, 6, 5] * 6
    Path("data.csv").write_text(
        "height,yield\n" + "".join(f"{row},{value}\n" for row, value in zip(ROWS, noise, strict=True)), "utf-8"
    )
    assert discover(GOAL).startswith("Hypothesis: height has no significant relationship with yield (p = ")


def test_the_context_of_the_goal_is_kept(discover: Discover) -> None:
    Path("data.csv").write_text(TABLE, "utf-8")
    assert discover("Among young oaks, " + GOAL).startswith("Hypothesis: Among young oaks, yield increases")
    assert discover("In what way, if any, does height affect the yield?").startswith("Hypothesis: yield increases")
