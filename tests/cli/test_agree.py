"""`discoverybench agree`: from logs to a sheet, to votes or labels in a browser, to the statistics."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from playwright.sync_api import Page, expect

from inspect_discoverybench.cli.agree import agree
from inspect_discoverybench.human_study.labels import read_labels
from inspect_discoverybench.human_study.votes import read_ballots
from tests.browser import launched
from tests.human_study.logs import csv_file, judged_logs, rows

VOTES = "item,annotator,choice"


@pytest.fixture
def vote_sheet() -> Path:
    first, second, *_ = judged_logs()
    completed_sheet(first, second, "--pairs", "3", "--out", "votes")
    return Path("votes")


@pytest.fixture
def label_sheet() -> Path:
    first, *_ = judged_logs()
    completed_sheet("--judge", first, "--seed", "4", "--out", "labels")
    return Path("labels")


def run(*arguments: object) -> Result:
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(agree, words)


def completed_sheet(*arguments: object) -> list[str]:
    """The lines that are printed with a new sheet."""
    result = run("sheet", *arguments)
    assert result.exit_code == 0, result.output
    return result.output.splitlines()


def row_of(output: str, name: str) -> str:
    """A row of a table, with single spaces."""
    [line] = [line for line in output.splitlines() if line.startswith(f" {name} ")]
    return " ".join(line.split())


def test_a_sheet_uses_all_pairs_if_there_are_fewer_and_replaces_nothing() -> None:
    first, second, *_ = judged_logs()
    assert completed_sheet(first, second) == [
        "Left out 4 samples: unscored",
        "Left out 2 samples: no submission",
        "The logs contain fewer than 100. Using all of them.",
        "Wrote 4 items to sheet. Send vote.html or sheet.csv to annotators. Do not show them key.csv.",
    ]
    again = run("sheet", first, second)
    assert again.output == "Error: sheet already contains sheet.csv. Choose another folder with --out.\n"


def test_a_sheet_of_labels_reports_what_it_leaves_out() -> None:
    first, *_ = judged_logs()
    lines = completed_sheet("--judge", first)
    assert sorted(lines) == [
        "Left out 1 sample: no submission",
        "Left out 2 samples: unscored",
        "The logs contain fewer than 100. Using all of them.",
        "Wrote 5 items to sheet. Send label.html or sheet.csv to annotators. Do not show them key.csv.",
    ]


def test_votes_are_summarized() -> None:
    key = csv_file("key.csv", "item,hms_1,hms_2", "a,1,0", "b,0,1", "c,0.5,0.5", "d,1,0", "e,0,0")
    ann = csv_file("ann.csv", VOTES, "a,Ann,1", "b,Ann,2", "c,Ann,1", "d,Ann,1")
    others = csv_file("others.csv", VOTES, "a,Ben,1", "b,Ben,2", "c,Ben,1", "d,Ben,2", "a,[b]Cy,1", "b,[b]Cy,equal")
    output = run("votes", ann, others, "--key", key).output
    majority = row_of(output, "HMS agrees with the majority")
    assert majority.startswith("HMS agrees with the majority 3 0.667 0.")
    assert majority.endswith(" 0.95")
    kappa = row_of(output, "Fleiss' kappa")
    assert kappa.startswith("Fleiss' kappa annotators agree in 58.3% 4 ")


def test_labels_are_summarized(label_sheet: Path) -> None:
    lines: list[str] = []
    for row in rows(label_sheet / "key.csv"):
        item = row["item"]
        lines.append(f"{item},Ann,right,right,right,right,right")
        lines.append(f"{item},Ben,right,right,right,right,right")
    lines[1] = lines[1].replace("right,right,right,right,right", "right,right,right,wrong,right")
    columns = "item,annotator,gold_context,predicted_context,context_match,variables,relationship"
    labels = csv_file("labels.csv", columns, *lines)
    output = run("votes", labels, "--key", label_sheet / "key.csv").output
    context = row_of(output, "judge right: context match")
    assert "match 5 1.000 0." in context
    variables = row_of(output, "judge right: variables")
    assert "without a majority: 1 4 1.000 0." in variables


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["sheet", "a.eval", "b.eval"], "Error: The path 'a.eval' does not exist."),
        (["votes", "votes.csv"], "Error: No HMS to compare the votes with. Pass --key FILE, the key.csv of the sheet."),
    ],
)
def test_an_input_error_is_one_line(arguments: list[str], line: str) -> None:
    csv_file("votes.csv", VOTES, "a,Ann,1")
    result = run(*arguments)
    [message] = result.output.splitlines()
    assert result.exit_code == 1
    assert message.startswith(line)


OpenPage = Callable[[Path], Page]


@pytest.fixture
def open_page(chromium: str, vote_sheet: Path, label_sheet: Path) -> Iterator[OpenPage]:
    """Opens a copy of a page in another folder. Console messages and requests are problems.

    The browser starts after the evals, because both need the event loop of this thread.
    """
    problems: list[str] = []
    with launched(chromium) as browser:

        def open_copy(path: Path) -> Page:
            shutil.copy(path, "elsewhere.html")
            copy = Path("elsewhere.html").absolute().as_uri()
            page = browser.new_page()
            page.on("console", lambda message: problems.append(message.text))
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.on("request", lambda request: problems.append(request.url))
            page.goto(copy)
            problems.remove(copy)
            return page

        yield open_copy
    for problem in problems:
        assert problem.startswith("blob:")


def start(page: Page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.keyboard.press("Enter")


def download(page: Page, what: str) -> Path:
    """Save the file under its own name."""
    with page.expect_download() as file:
        button = page.get_by_role("button", name=f"Download {what}")
        button.click()
    name = file.value.suggested_filename
    file.value.save_as(name)
    return Path(name)


def test_votes_from_the_page_are_read(open_page: OpenPage, vote_sheet: Path) -> None:
    page = open_page(vote_sheet / "vote.html")
    start(page, "Ann")
    for key in ("1", "2", "0"):
        page.keyboard.press(key)
    expect(page.get_by_text("Everything is filled in.")).to_be_visible()

    votes = download(page, "votes")
    ballots = read_ballots([votes], vote_sheet / "key.csv")
    choices = [ballot.votes["Ann"] for ballot in ballots]
    assert sorted(choices) == ["1", "2", "equal"]


def test_labels_from_the_page_are_read_and_it_fits_a_phone(open_page: OpenPage, label_sheet: Path) -> None:
    page = open_page(label_sheet / "label.html")
    page.set_viewport_size({"width": 360, "height": 740})
    start(page, "=Ann")
    data = page.locator("#data").text_content() or ""
    cards = json.loads(data)["items"]
    for number, card in enumerate(cards, 1):
        heading = page.get_by_role("heading", level=1, name=f"Item {number} of 5")
        expect(heading).to_be_visible()
        for step, answer in card["answers"].items():
            shown = page.locator(f"#{step} .answer")
            expect(shown).to_contain_text(answer["value"])

        texts = card["texts"]
        if texts["predicted_hypothesis"] == "Finding 1":
            correct_variables_and_relationship(page)
        else:
            page.keyboard.type("rrrrr")
    expect(page.get_by_text("Everything is filled in.")).to_be_visible()

    name = download(page, "labels")
    annotators = {row["annotator"] for row in rows(name)}
    assert annotators == {"'=Ann"}
    samples = read_labels([name, label_sheet / "key.csv"])
    [corrected] = [sample for sample in samples if sample.hms != sample.true_hms]
    assert corrected.hms == 1 / 3
    assert corrected.true_hms == 0.75


def correct_variables_and_relationship(page: Page) -> None:
    """The context of the gold hypothesis is wrong too."""
    page.keyboard.type("wrrw")
    variables = page.locator("#variables")
    expect(variables.get_by_label("Correct answer")).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.keyboard.type("4 4 3")
    page.keyboard.press("Enter")

    relationship = page.locator("#relationship")
    expect(relationship).to_be_focused()
    page.keyboard.press("w")
    expect(relationship.get_by_label("predicted one is more general")).to_have_count(0)
    page.keyboard.press("a")
