"""`discoverybench agree`: from two logs to a sheet, to votes in a browser, to the numbers."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from playwright.sync_api import Page, expect

from inspect_discoverybench.cli.agree import agree
from tests.agreement.logs import evaluated
from tests.browser import launched

READING = "A p above 0.05 does not prove that the two rankings are the same"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    return evaluated(tmp_path_factory.mktemp("logs"), 3)


@pytest.fixture
def sheet(logs: tuple[str, str]) -> Path:
    assert run("--sample", *logs, "--pairs", "3", "--out", "sheet").exit_code == 0
    return Path("sheet")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(agree, [str(argument) for argument in arguments], env={"COLUMNS": "160"})


def written(name: str, *rows: str) -> Path:
    path = Path(name)
    path.write_text("\n".join(("pair,annotator,choice", *rows)) + "\n", "utf-8")
    return path


def row_of(output: str, name: str) -> str:
    """A row of a table, with single spaces."""
    return next(" ".join(line.split()) for line in output.splitlines() if line.strip().startswith(name))


def test_a_sheet_of_fewer_pairs_than_asked_for_says_so(logs: tuple[str, str]) -> None:
    done = run("--sample", *logs)
    assert done.exit_code == 0
    assert done.output.splitlines() == [
        "100 pairs were asked for, but the logs make 3: all of them are used.",
        "3 pairs are in agreement: give vote.html or sheet.csv to annotators, never key.csv.",
    ]
    assert sorted(path.name for path in Path("agreement").iterdir()) == ["key.csv", "sheet.csv", "vote.html"]
    again = run("--sample", *logs)
    assert again.exit_code == 1
    assert again.output.startswith("Error: agreement holds sheet.csv, vote.html, key.csv already; --out names another ")
    assert run("--sample", *logs, "--force", "--pairs", "2").output.startswith("2 pairs are in agreement")


def test_votes_become_numbers() -> None:
    Path("scores.csv").write_text("pair,hms_1,hms_2\np1,1,0\np2,0,1\np3,0.5,0.5\np4,1,0\np5,0,0\n", "utf-8")
    ann = written("ann.csv", "p1,Ann,1", "p2,Ann,2", "p3,Ann,1", "p4,Ann,1")
    others = written("others.csv", "p1,Ben,1", "p2,Ben,2", "p3,Ben,1", "p4,Ben,2", "p1,[b]Cy,1", "p2,[b]Cy,=")
    done = run(ann, others, "--scores", "scores.csv")
    assert done.exit_code == 0
    assert "10 votes of 3 annotators on 4 of 5 pairs" in done.output
    assert "1 pair without majority" in done.output
    assert row_of(done.output, "majority ") == "majority 2/3 0.667 0.208 – 0.939"
    assert row_of(done.output, "majority, no side equal") == "majority, no side equal 2/2 1.000 0.342 – 1.000"
    assert row_of(done.output, "Ben") == "Ben 2/4 0.500 0.150 – 0.850"
    assert row_of(done.output, "[b]Cy").startswith("[b]Cy 1/2 0.500")
    assert row_of(done.output, "mean of the annotators") == "mean of the annotators 0.583"
    assert "with 3 votes each; left out with another number of votes: 2" in row_of(done.output, "Fleiss' kappa")
    assert row_of(done.output, "Wilcoxon signed-rank").startswith(
        "Wilcoxon signed-rank 1 0.000 1.000 left out without a difference: 2"
    )
    assert row_of(done.output, "paired t") == "paired t 3 1.000 0.423"
    assert "the smallest effect size found with power 0.8 is 3.264" in done.output
    assert done.output.splitlines()[-1].startswith(READING)


def test_json_has_the_same_numbers_and_none_for_what_is_not_defined() -> None:
    Path("scores.csv").write_text("pair,hms_1,hms_2\np1,1,0\np2,0,1\n", "utf-8")
    done = run(written("votes.csv", "p1,Ann,1"), "--scores", "scores.csv", "--json")
    found = json.loads(done.output)
    assert (found["pairs_scored"], found["pairs"], found["votes"]) == (2, 1, 1)
    assert found["agreement"]["share"] == 1
    assert found["agreement"]["interval"]["low"] == pytest.approx(0.2065, abs=1e-4)
    assert found["kappa"]["kappa"] is None
    assert [test["p_value"] for test in found["tests"]] == [1, 1, 1]
    assert found["power"] == {"pairs": 1, "effect_size": None, "power": None, "smallest_effect": None}


def test_what_is_not_defined_is_said_in_words() -> None:
    Path("scores.csv").write_text("pair,hms_1,hms_2\np1,1,0\n", "utf-8")
    done = run(written("votes.csv", "p1,Ann,1"), "--scores", "scores.csv")
    assert "Fleiss' kappa: not defined: no pair has votes of two annotators" in done.output
    assert row_of(done.output, "paired t").endswith("– 1.000 cannot be computed: the two rankings are identical")
    assert "Power: not defined below two pairs with a majority" in done.output
    assert "nan" not in done.output.casefold()


def test_hms_may_be_read_from_logs(logs: tuple[str, str], sheet: Path) -> None:
    votes = written("votes.csv", "p001,Ann,1", "p002,Ann,2", "p003,Ann,=")
    from_key = run(votes, "--scores", sheet / "key.csv", "--json")
    from_logs = run(votes, "--scores-from", *reversed(logs), "--key", sheet / "key.csv", "--json")
    assert from_logs.exit_code == 0
    assert from_logs.output == from_key.output


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "Error: Nothing to do: expected files with votes, or --sample LOG_A LOG_B."),
        (["--sample", "a", "b", "votes.csv"], "Error: VOTES has no meaning with --sample; leave one of them out."),
        (["--sample", "a", "b", "--json"], "Error: --json has no meaning with --sample; leave one of them out."),
        (["--sample", "a", "b", "--pairs", "0"], "Error: pairs=0 is not possible; expected a whole number from 1 on."),
        (["--sample", "a.eval", "b.eval"], "Error: a.eval: there is no such file."),
        (["votes.csv", "--pairs", "3"], "Error: --pairs has no meaning with votes; leave one of them out."),
        (
            ["votes.csv"],
            "Error: Votes need HMS; expected either --scores FILE or --scores-from LOG_A LOG_B --key FILE.",
        ),
        (["votes.csv", "--scores", "k.csv", "--key", "k.csv"], "Error: Votes need HMS; expected either --scores FILE"),
        (["votes.csv", "--scores", "gone.csv"], "Error: gone.csv: there is no such file."),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], line: str) -> None:
    written("votes.csv", "p1,Ann,1")
    done = run(*arguments)
    assert done.exit_code == 1
    assert done.output.startswith(line)
    assert len(done.output.splitlines()) == 1


@pytest.fixture
def page(chromium: str, sheet: Path) -> Iterator[Page]:
    """The page to vote on, opened from a file; it must not matter where that lies.

    The browser starts after the evals, as both want the event loop of this thread.
    """
    copy = Path(shutil.copy(sheet / "vote.html", "elsewhere.html"))
    with launched(chromium) as browser:
        opened = browser.new_page()
        opened.goto(copy.absolute().as_uri())
        yield opened


def test_votes_of_the_page_are_understood(page: Page, sheet: Path) -> None:
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.keyboard.press("1")
    page.get_by_label("Your name").fill('Zoë "Z", Öz')
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="Pair 1 of 3")).to_be_visible()
    expect(page.get_by_role("status")).to_have_text("0 of 3 voted")
    for field, text in json.loads(page.locator("#pairs").text_content() or "")[0].items():
        if field != "pair":
            expect(page.locator(f"#{field}")).to_have_text(text)

    page.keyboard.press("1")
    expect(page.get_by_role("heading", name="Pair 2 of 3")).to_be_visible()
    page.get_by_role("button", name="Hypothesis 2 is closer").click()
    page.keyboard.press("0")
    expect(page.get_by_text("Every pair has your vote.")).to_be_visible()
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
    done = run("votes.csv", "--scores", sheet / "key.csv")
    assert done.exit_code == 0
    assert "3 votes of 1 annotator on 3 of 3 pairs" in done.output


def test_each_name_has_votes_of_its_own(page: Page) -> None:
    for name, count in (("Ann", 0), ("Ben", 0), ("ann", 1)):
        page.get_by_label("Your name").fill(name)
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_have_text(f"{count} of 3 voted")
        page.keyboard.press("2")
        page.get_by_title("Vote under another name").click()
