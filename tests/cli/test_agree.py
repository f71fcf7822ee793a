"""`discoverybench agree`: from logs to a sheet, to votes or labels in a browser, to the statistics."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from inspect_discoverybench.human_study.labels import read_labels
from inspect_discoverybench.human_study.votes import read_ballots
from inspect_discoverybench.scorer.facets import MAX_GOLD_VARIABLES
from tests.browser import launched
from tests.command_line import completed, refused, without_layout
from tests.human_study.logs import csv_file, judged_logs, rows

VOTES = "item,annotator,choice"
LABELS = "item,annotator,gold_context,predicted_context,context_match,variables,relationship"


@pytest.fixture
def vote_sheet() -> Path:
    """A sheet with three pairs of hypotheses from two logs."""
    first, second, _ = judged_logs()
    completed(f"agree sheet {first} {second} --pairs 3 --out votes")
    return Path("votes")


@pytest.fixture
def label_sheet() -> Path:
    """A sheet with the five judged samples of a log."""
    log, *_ = judged_logs()
    completed(f"agree sheet --judge {log} --seed 4 --out labels")
    return Path("labels")


@pytest.mark.usefixtures("slow")
def test_a_sheet_uses_all_pairs_if_there_are_fewer_and_replaces_nothing() -> None:
    first, second, _ = judged_logs()
    command = f"agree sheet {first} {second}"
    output = completed(command)
    # In each log, two samples are unscored and one has no submission. Of the other five, one has the same hypothesis in
    # both logs, and four are pairs.
    assert output.splitlines() == [
        "Left out 4 samples: unscored",
        "Left out 2 samples: no submission",
        "The logs contain fewer than 100. Using all of them.",
        "Wrote 4 items to sheet. Send vote.html or sheet.csv to annotators. Do not show them key.csv.",
    ]
    message = refused(command)
    assert message == "Error: sheet already contains sheet.csv. Choose another folder with --out."


def test_votes_are_summarized() -> None:
    # HMS prefers 1 of item a, 2 of b, neither of c and 1 of d. Both annotators choose 1 of a, 2 of b and 1 of c, and
    # they differ on d. So HMS agrees with two of three majorities, and the annotators agree on three of four items.
    # Nobody votes on e.
    csv_file("key.csv", "item,hms_1,hms_2", "a,1,0", "b,0,1", "c,0.5,0.5", "d,1,0", "e,0,0")
    csv_file("ann.csv", VOTES, "a,Ann,1", "b,Ann,2", "c,Ann,1", "d,Ann,1")
    csv_file("ben.csv", VOTES, "a,Ben,1", "b,Ben,2", "c,Ben,1", "d,Ben,2")
    output = completed("agree votes ann.csv ben.csv --key key.csv")
    text = without_layout(output)
    # The number of majorities, the share, and its 95 % interval.
    assert "HMS agrees with the majority 3 0.667 0.094 – 0.992 " in text
    assert " 0.95 " in text  # the paper's value
    assert "Fleiss' kappa annotators agree in 75.0% 4 " in text


@pytest.mark.usefixtures("slow")
def test_labels_are_summarized(label_sheet: Path) -> None:
    key = label_sheet / "key.csv"
    labels = []
    for row in rows(key):
        item = row["item"]
        labels.append(f"{item},Ann,right,right,right,right,wrong")
    csv_file("labels.csv", LABELS, *labels)
    output = completed(f"agree votes labels.csv --key {key}")
    text = without_layout(output)
    # The number of labels, the share, and its 95 % interval.
    assert "judge right: context match 5 1.000 0.478 – 1.000 " in text
    assert "judge right: relationship 5 0.000 0.000 – 0.522 " in text


def test_votes_need_the_key_of_their_sheet() -> None:
    csv_file("votes.csv", VOTES, "a,Ann,1")
    message = refused("agree votes votes.csv")
    assert message == "Error: No HMS to compare the votes with. Pass --key FILE, the key.csv of the sheet."


OpenPage = Callable[[Path], Page]


@pytest.fixture
def open_page(chromium: str, vote_sheet: Path, label_sheet: Path) -> Iterator[OpenPage]:
    """Opens a page. Console messages, errors and requests other than that for the page are problems.

    The browser starts after the evals, because both need the event loop of this thread.
    """
    problems: list[str] = []
    with launched(chromium) as browser, browser.new_context() as context:

        def open_file(path: Path) -> Page:
            page = context.new_page()
            page.on("console", lambda message: problems.append(message.text))
            page.on("pageerror", lambda error: problems.append(error.message))
            page.on("request", lambda request: problems.append(request.url))
            file = path.absolute()
            url = file.as_uri()
            page.goto(url)
            problems.remove(url)
            return page

        yield open_file
    for problem in problems:
        assert problem.startswith("blob:")  # the download of what was filled in, which the page itself makes


def start(page: Page, name: str) -> None:
    field = page.get_by_label("Your name")
    field.fill(name)
    page.keyboard.press("Enter")


def download(page: Page, what: str) -> Path:
    """When everything is filled in, save the file under its own name."""
    end = page.get_by_text("Everything is filled in.")
    expect(end).to_be_visible()
    button = page.get_by_role("button", name=f"Download {what}")
    with page.expect_download() as event:
        button.click()
    file = event.value
    file.save_as(file.suggested_filename)
    return Path(file.suggested_filename)


def test_votes_from_the_page_are_read(open_page: OpenPage, vote_sheet: Path) -> None:
    page = open_page(vote_sheet / "vote.html")
    start(page, "Ann")
    page.keyboard.type("120")  # hypothesis 1, hypothesis 2, and 0 for equal

    votes = download(page, "votes")
    key = vote_sheet / "key.csv"
    ballots = read_ballots([votes], key)
    choices = [ballot.votes["Ann"] for ballot in ballots]
    assert sorted(choices) == ["1", "2", "equal"]


def test_votes_in_two_tabs_are_all_kept(open_page: OpenPage, vote_sheet: Path) -> None:
    first = open_page(vote_sheet / "vote.html")
    start(first, "Ann")
    second = open_page(vote_sheet / "vote.html")
    start(second, "Ann")
    second.keyboard.type("12")  # votes on the first two pairs
    # The first tab, which was opened before these votes, leaves out the two pairs and votes on the third.
    first.get_by_role("button", name="Next").click(click_count=2)
    first.keyboard.press("0")

    votes = download(first, "votes")
    ballots = read_ballots([votes], vote_sheet / "key.csv")
    choices = [ballot.votes["Ann"] for ballot in ballots]
    assert sorted(choices) == ["1", "2", "equal"]

    with second.expect_download() as event:
        second.get_by_role("button", name="Download votes").click()
    assert event.value.path().read_bytes() == votes.read_bytes()
    expect(second.get_by_text("Everything is filled in.")).to_be_visible()


def test_labels_from_the_page_are_read_and_the_page_fits_a_phone(open_page: OpenPage, label_sheet: Path) -> None:
    page = open_page(label_sheet / "label.html")
    page.set_viewport_size({"width": 360, "height": 740})
    start(page, "=Ann")  # in a spreadsheet, a formula
    to_correct = page.get_by_text("Finding 1", exact=True)
    for _ in range(5):  # the page shows the five samples one after the other, in random order
        if to_correct.is_visible():
            correct_variables_and_relationship(page)  # checks that the page fits, too
        else:
            page.keyboard.type("rrrrr")  # right, in each of the five steps

    labels = download(page, "labels")
    annotators = {row["annotator"] for row in rows(labels)}
    assert annotators == {"'=Ann"}  # with an apostrophe, it is a text
    key = label_sheet / "key.csv"
    samples = read_labels([labels, key])
    [corrected] = [sample for sample in samples if sample.hms != sample.true_hms]
    # By the judge, the contexts match, the variables `4 2 2` have F1 2/3, and the relationship B is 0.5. By the labels,
    # the variables `4 4 3` have F1 3/4, and the relationship A is 1.
    assert corrected.hms == 1 / 3
    assert corrected.true_hms == 0.75


@pytest.mark.parametrize("counts", ["4 3", "4 3 9", "0 3 0", f"{MAX_GOLD_VARIABLES + 1} 3 2"])
def test_counts_that_cannot_be_read_are_not_downloaded(open_page: OpenPage, label_sheet: Path, counts: str) -> None:
    page = open_page(label_sheet / "label.html")
    start(page, "Ann")
    page.keyboard.type("rrrw")  # right: gold context, predicted context, context match; wrong: variables
    correction = page.locator("#variables").get_by_label("Correct answer")
    correction.fill(counts)
    page.locator("#relationship").get_by_label("Right").check()
    expect(page.locator("#title")).to_have_text("Item 1 of 5")
    expect(correction).to_be_focused()

    button = page.get_by_role("button", name="Download labels")
    with page.expect_download() as event:
        button.click()
    event.value.save_as("labels.csv")
    [row] = rows(Path("labels.csv"))
    assert row["relationship"] == "right"
    assert row["true_variables"] == ""

    correction.fill("4 3 2")
    page.keyboard.press("Enter")
    expect(page.locator("#title")).to_have_text("Item 2 of 5")


def correct_variables_and_relationship(page: Page) -> None:
    """Label `Finding 1`, for which the judge has the variables `4 2 2` and the relationship B.

    The judge is also wrong about the context of the gold hypothesis, which needs no correct answer. While all fields of
    the variables are shown, check that nothing is wider than the phone.
    """
    page.keyboard.type("wrrw")  # gold context, predicted context, context match, variables
    variables = page.locator("#variables")
    correction = variables.get_by_label("Correct answer")
    expect(variables).to_contain_text("4 2 2")
    expect(correction).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.keyboard.type("4 4 3")
    page.keyboard.press("Enter")

    relationship = page.locator("#relationship")
    judges_answer = relationship.get_by_label("predicted one is more general")
    expect(relationship).to_be_focused()
    page.keyboard.press("w")
    expect(judges_answer).to_have_count(0)  # it is wrong, so it cannot be chosen
    page.keyboard.press("a")
