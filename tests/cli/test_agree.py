"""`discoverybench agree`: from two logs to a sheet, to votes in a browser, to the statistics."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from playwright.sync_api import Page, expect

from inspect_discoverybench.cli.agree import agree
from tests.browser import launched
from tests.validation.logs import evaluated

INTERPRETATION = "A p-value above 0.05 does not show that the two rankings are the same."


@pytest.fixture
def logs() -> tuple[str, str]:
    return evaluated()


@pytest.fixture
def sheet(logs: tuple[str, str]) -> Path:
    assert run("sheet", *logs, "--pairs", "3", "--out", "sheet").exit_code == 0
    return Path("sheet")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(agree, [str(argument) for argument in arguments], env={"COLUMNS": "160"})


def csv_file(name: str, *rows: str) -> Path:
    path = Path(name)
    path.write_text("\n".join(("pair,annotator,choice", *rows)) + "\n", "utf-8")
    return path


def row_of(output: str, name: str) -> str:
    """A row of a table, with single spaces."""
    return next(" ".join(line.split()) for line in output.splitlines() if line.strip().startswith(name))


def test_a_sheet_reports_when_there_are_fewer_pairs_than_requested(logs: tuple[str, str]) -> None:
    result = run("sheet", *logs)
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "The logs contain only 4 pairs, fewer than 100. Using all of them.",
        "Wrote 4 pairs to agreement. Send vote.html or sheet.csv to annotators. Do not share key.csv.",
    ]
    assert sorted(path.name for path in Path("agreement").iterdir()) == ["key.csv", "sheet.csv", "vote.html"]
    again = run("sheet", *logs)
    assert again.exit_code == 1
    assert again.output.startswith(
        "Error: agreement already contains sheet.csv, vote.html, key.csv. Choose another folder "
    )
    assert run("sheet", *logs, "--force", "--pairs", "2").output.startswith("Wrote 2 pairs to agreement.")


def test_votes_are_summarized() -> None:
    Path("scores.csv").write_text("pair,hms_1,hms_2\np1,1,0\np2,0,1\np3,0.5,0.5\np4,1,0\np5,0,0\n", "utf-8")
    ann = csv_file("ann.csv", "p1,Ann,1", "p2,Ann,2", "p3,Ann,1", "p4,Ann,1")
    others = csv_file("others.csv", "p1,Ben,1", "p2,Ben,2", "p3,Ben,1", "p4,Ben,2", "p1,[b]Cy,1", "p2,[b]Cy,=")
    result = run("votes", ann, others, "--scores", "scores.csv")
    assert result.exit_code == 0
    assert "10 votes by 3 annotators on 4 of 5 pairs" in result.output
    assert "1 pair without a majority, excluded from the comparison" in result.output
    assert row_of(result.output, "majority ") == "majority 2/3 0.667 0.204 – 0.940"
    assert row_of(result.output, "majority, ties excluded") == "majority, ties excluded 2/2 1.000 0.357 – 1.000"
    assert row_of(result.output, "Ben") == "Ben 2/4 0.500 0.148 – 0.852"
    assert row_of(result.output, "[b]Cy").startswith("[b]Cy 1/2 0.500")
    assert row_of(result.output, "mean over annotators") == "mean over annotators 0.583"
    assert "with 3 votes each; 2 with another number of votes excluded" in row_of(result.output, "Fleiss' kappa")
    rank_test = "Wilcoxon signed-rank zero differences left out: 2 1 0.000 1.000"
    assert row_of(result.output, "Wilcoxon signed-rank") == rank_test
    assert row_of(result.output, "paired t") == "paired t 3 1.000 0.423"
    assert "smallest effect size detectable with power 0.8: 3.264" in result.output
    assert result.output.splitlines()[-1].startswith(INTERPRETATION)


def test_json_has_the_same_statistics_and_null_for_undefined_ones() -> None:
    Path("scores.csv").write_text("pair,hms_1,hms_2\np1,1,0\np2,0,1\n", "utf-8")
    result = run("votes", csv_file("votes.csv", "p1,Ann,1"), "--scores", "scores.csv", "--json")
    statistics = json.loads(result.output)
    assert (statistics["pairs_scored"], statistics["pairs"], statistics["votes"]) == (2, 1, 1)
    assert statistics["agreement"]["share"] == 1
    assert statistics["agreement"]["interval"]["low"] == pytest.approx(0.2176, abs=1e-4)
    assert statistics["kappa"]["kappa"] is None
    assert [test["p_value"] for test in statistics["tests"]] == [1, 1, 1]
    assert statistics["power"] == {"pairs": 1, "effect_size": None, "power": None, "smallest_effect": None}


def test_undefined_statistics_are_explained() -> None:
    Path("scores.csv").write_text("pair,hms_1,hms_2\np1,1,0\n", "utf-8")
    result = run("votes", csv_file("votes.csv", "p1,Ann,1"), "--scores", "scores.csv")
    assert "Fleiss' kappa: not defined: no pair has votes from two annotators" in result.output
    assert row_of(result.output, "paired t") == "paired t cannot be computed: the two rankings are identical 0 – 1.000"
    assert "Power: not defined for fewer than two pairs with a majority" in result.output
    assert "nan" not in result.output.casefold()


def test_hms_can_be_read_from_logs(logs: tuple[str, str], sheet: Path) -> None:
    votes = csv_file("votes.csv", "p001,Ann,1", "p002,Ann,2", "p003,Ann,=")
    from_key = run("votes", votes, "--scores", sheet / "key.csv", "--json")
    from_logs = run(
        "votes", votes, "--scores-from", logs[1], "--scores-from", logs[0], "--key", sheet / "key.csv", "--json"
    )
    assert from_logs.exit_code == 0
    assert from_logs.output == from_key.output


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["sheet", "a.eval", "b.eval"], "Error: The file 'a.eval' does not exist."),
        (
            ["votes", "votes.csv"],
            "Error: No HMS to compare the votes with. Pass --scores FILE, or --scores-from LOG for each log and ",
        ),
        (["votes", "votes.csv", "--scores", "k.csv", "--key", "k.csv"], "Error: No HMS to compare the votes with."),
        (["votes", "votes.csv", "--scores", "gone.csv"], "Error: The file 'gone.csv' does not exist."),
    ],
)
def test_an_input_error_is_one_line(arguments: list[str], line: str) -> None:
    csv_file("votes.csv", "p1,Ann,1")
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.output.startswith(line)
    assert len(result.output.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["sheet", "a.eval"], "Pairs are drawn from two or more logs, got 1. To check the judge, pass --judge."),
        (["sheet", "a", "b", "--samples", "3"], "--samples requires --judge"),
        (["sheet", "a", "--judge", "--pairs", "3"], "--pairs cannot be used with --judge"),
        (["sheet", "a", "b", "--pairs", "0"], "Invalid value for '--pairs': 0"),
        (["sheet", "a", "b", "--json"], "--json"),
        (["votes"], "Missing argument 'FILE...'"),
        (["votes", "votes.csv", "--pairs", "3"], "--pairs"),
    ],
)
def test_a_usage_error_names_the_problem(arguments: list[str], problem: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert problem in result.output.splitlines()[-1]


@pytest.fixture
def page(chromium: str, sheet: Path) -> Iterator[Page]:
    """The voting page, opened from a copy in another folder.

    The browser starts after the evals, because both need the event loop of this thread.
    """
    copy = Path(shutil.copy(sheet / "vote.html", "elsewhere.html"))
    with launched(chromium) as browser:
        tab = browser.new_page()
        tab.goto(copy.absolute().as_uri())
        yield tab


def test_votes_from_the_page_are_read(page: Page, sheet: Path) -> None:
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.keyboard.press("1")
    page.get_by_label("Your name").fill('Zoë "Z", Öz')
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Pair 1 of 3")).to_be_visible()
    expect(page.get_by_role("status")).to_have_text("0 of 3 voted")
    [first, *_] = json.loads(page.locator("#data").text_content() or "")["items"]
    expect(page.locator("#texts .text")).to_have_text(list(first["texts"].values()))

    page.keyboard.press("1")
    expect(page.get_by_role("heading", name="Pair 2 of 3")).to_be_visible()
    page.get_by_role("button", name="Hypothesis 2 is closer").click()
    page.keyboard.press("0")
    expect(page.get_by_text("Everything is filled in.")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("button", name="Hypothesis 2 is closer")).to_have_attribute("aria-pressed", "true")

    page.reload()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("status")).to_have_text("3 of 3 voted")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download votes").click()
    assert download.value.suggested_filename == "votes_Zoë_Z_Öz.csv"
    download.value.save_as("votes.csv")
    assert problems == []
    assert Path("votes.csv").read_text("utf-8") == (
        'pair,annotator,choice\np001,"Zoë ""Z"", Öz",1\np002,"Zoë ""Z"", Öz",2\np003,"Zoë ""Z"", Öz",equal\n'
    )
    result = run("votes", "votes.csv", "--scores", sheet / "key.csv")
    assert result.exit_code == 0
    assert "3 votes by 1 annotator on 3 of 3 pairs" in result.output


def test_votes_are_stored_by_name(page: Page) -> None:
    for name, count in (("Ann", 0), ("Ben", 0), ("ann", 1)):
        page.get_by_label("Your name").fill(name)
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_have_text(f"{count} of 3 voted")
        page.keyboard.press("2")
        page.get_by_title("Continue under another name").click()
