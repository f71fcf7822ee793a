"""`discoverybench agree`: from logs to a sheet, to votes or labels in a browser, to the statistics."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import read_eval_log, write_eval_log
from playwright.sync_api import Page, expect

from inspect_discoverybench.cli.agree import agree
from inspect_discoverybench.human_study.labels import Step, read_labels
from tests.browser import launched
from tests.human_study.logs import csv_file, judged_logs, rows

VOTES = "pair,annotator,choice"


@pytest.fixture
def vote_sheet() -> Path:
    assert run("sheet", *judged_logs()[:2], "--pairs", "3", "--out", "sheet").exit_code == 0
    return Path("sheet")


@pytest.fixture
def label_sheet() -> Path:
    assert run("sheet", "--judge", judged_logs()[0], "--seed", 4, "--out", "labels").exit_code == 0
    return Path("labels")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(agree, [str(argument) for argument in arguments])


def row_of(output: str, name: str) -> str:
    """A row of a table, with single spaces."""
    return next(" ".join(line.split()) for line in output.splitlines() if line.strip().startswith(name))


def test_a_sheet_uses_all_pairs_if_there_are_fewer_and_replaces_nothing_without_force() -> None:
    result = run("sheet", *judged_logs()[:2])
    assert result.output.splitlines() == [
        "The logs contain fewer than 100. Using all of them.",
        "Wrote 4 pairs to agreement. Send vote.html or sheet.csv to annotators. Do not show them key.csv.",
    ]
    assert sorted(path.name for path in Path("agreement").iterdir()) == ["key.csv", "sheet.csv", "vote.html"]
    again = run("sheet", *judged_logs()[:2])
    assert again.output == (
        "Error: agreement already contains sheet.csv, vote.html, key.csv. Choose another folder with --out, or "
        "overwrite with --force.\n"
    )
    Path("logs").mkdir()
    for path in judged_logs()[:2]:
        shutil.copy(path, "logs")
    write_eval_log(read_eval_log(judged_logs()[0]).model_copy(update={"status": "cancelled"}), "logs/x.eval")
    assert run("sheet", "logs", "logs", "--force", "--pairs", "2").output.startswith("Wrote 2 pairs to agreement.")


def test_votes_are_summarized() -> None:
    scores = csv_file("scores.csv", "pair,hms_1,hms_2", "p1,1,0", "p2,0,1", "p3,0.5,0.5", "p4,1,0", "p5,0,0")
    ann = csv_file("ann.csv", VOTES, "p1,Ann,1", "p2,Ann,2", "p3,Ann,1", "p4,Ann,1")
    others = csv_file("others.csv", VOTES, "p1,Ben,1", "p2,Ben,2", "p3,Ben,1", "p4,Ben,2", "p1,[b]Cy,1", "p2,[b]Cy,=")
    result = run("votes", ann, others, "--scores", scores)
    assert row_of(result.output, "votes") == "votes 10"
    assert row_of(result.output, "pairs without a majority") == "pairs without a majority 1"
    assert row_of(result.output, "HMS agrees with the majority ").endswith("the majority 3 0.667 0.044 – 0.989")
    assert row_of(result.output, "HMS agrees with the majority, ties excluded").endswith("2 1.000 0.012 – 1.000")
    assert row_of(result.output, "HMS agrees with Ben") == "HMS agrees with Ben 4 0.500 0.061 – 0.939"
    assert row_of(result.output, "HMS agrees with [b]Cy").startswith("HMS agrees with [b]Cy 2 0.500")
    assert row_of(result.output, "mean over annotators") == "mean over annotators 3 0.583"
    assert "3 votes each; 2 with another number of votes excluded" in row_of(result.output, "Fleiss' kappa")
    assert row_of(result.output, "Wilcoxon").endswith("zero differences left out: 2 1 0.000 1.000")
    assert result.output.splitlines()[-1].startswith("A p-value above 0.05 does not show that the two rankings are ")
    in_json = run("votes", csv_file("votes.csv", VOTES, "p1,Ann,1"), "--scores", scores, "--json")
    statistics = {row["name"]: row for row in json.loads(in_json.output)}
    assert statistics["HMS agrees with the majority"]["value"] == 1
    assert statistics["Fleiss' kappa"]["value"] is None
    assert statistics["Fleiss' kappa"]["note"] == "not defined: nothing has votes from two annotators"
    assert statistics["exact sign (McNemar)"]["note"] == "not defined: the two rankings are identical"


def test_pairs_come_from_every_two_of_several_logs_and_hms_from_the_key_or_logs() -> None:
    # Four samples have three different hypotheses each; the other one has the same formula in each log.
    assert "Wrote 12 pairs" in run("sheet", *judged_logs(), "--pairs", "100").output
    ids = {read_eval_log(path, header_only=True).eval.task_id for path in judged_logs()}
    pairs = {(row["sample_id"], *sorted((row["log_1"], row["log_2"]))) for row in rows(Path("agreement/key.csv"))}
    assert len(pairs) == 12
    assert {log for _, *logs in pairs for log in logs} == ids
    votes = csv_file("votes.csv", VOTES, *(f"p{number:03},Ann,=" for number in range(1, 13)))
    from_key = run("votes", votes, "--key", "agreement/key.csv", "--json")
    scores_from = [argument for path in reversed(judged_logs()) for argument in ("--scores-from", path)]
    from_logs = run("votes", votes, *scores_from, "--key", "agreement/key.csv", "--json")
    assert from_logs.exit_code == 0
    assert from_logs.output == from_key.output


def test_a_sheet_of_labels_reports_what_it_leaves_out() -> None:
    result = run("sheet", "--judge", judged_logs()[0])
    assert sorted(result.output.splitlines()) == [
        "Left out 1 sample: no submission",
        "Left out 2 samples: unscored",
        "The logs contain fewer than 200. Using all of them.",
        "Wrote 5 items to judge_labels. Send label.html or sheet.csv to annotators. Do not show them key.csv.",
    ]


def test_labels_are_summarized(label_sheet: Path) -> None:
    items = [row["item"] for row in rows(label_sheet / "key.csv")]
    lines = [
        f"{item},{name},right,right,right,{variables},right"
        for item in items
        for name, variables in (("Ann", "right"), ("Ben", "wrong" if item == items[0] else "right"))
    ]
    labels = csv_file("labels.csv", f"item,annotator,{','.join(Step)}", *lines)
    result = run("votes", labels, "--key", label_sheet / "key.csv")
    assert row_of(result.output, "labelled samples") == "labelled samples 5"
    assert row_of(result.output, "judge right: context match").endswith("match 5 1.000 0.393 – 1.000 0.99")
    assert row_of(result.output, "judge right: variables").endswith("without a majority: 1 4 1.000 0.283 – 1.000 0.94")
    assert row_of(result.output, "samples with complete labels").endswith(" 4")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["sheet", "a.eval", "b.eval"], "Error: The path 'a.eval' does not exist."),
        (["votes", "votes.csv"], "Error: No HMS to compare the votes with. Pass --key FILE, the key.csv of the sheet."),
        (["votes", "labels.csv", "--scores-from", "a"], "Error: --scores-from is for votes on pairs. For labels, pass"),
    ],
)
def test_an_input_error_is_one_line(arguments: list[str], line: str) -> None:
    csv_file("votes.csv", VOTES, "p1,Ann,1")
    csv_file("labels.csv", f"item,annotator,{','.join(Step)}", "a,Ann,right,,,,")
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.output.startswith(line)
    assert len(result.output.splitlines()) == 1


OpenPage = Callable[[Path], Page]


@pytest.fixture
def open_page(chromium: str, vote_sheet: Path, label_sheet: Path) -> Iterator[OpenPage]:
    """Opens a copy of a page in another folder. Console messages and requests are problems.

    The browser starts after the evals, because both need the event loop of this thread.
    """
    problems: list[str] = []
    with launched(chromium) as browser:

        def open_copy(path: Path) -> Page:
            copy = Path(shutil.copy(path, "elsewhere.html")).absolute().as_uri()
            page = browser.new_page()
            page.on("console", lambda message: problems.append(message.text))
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.on("request", lambda request: problems.append(request.url) if request.url != copy else None)
            page.goto(copy)
            return page

        yield open_copy
    assert [problem for problem in problems if not problem.startswith("blob:")] == []


def start(page: Page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.keyboard.press("Enter")


def download(page: Page, what: str) -> str:
    """Save the file under its own name."""
    with page.expect_download() as file:
        page.get_by_role("button", name=f"Download {what}").click()
    file.value.save_as(file.value.suggested_filename)
    return str(file.value.suggested_filename)


def test_labels_from_the_page_are_read_and_it_fits_a_phone(open_page: OpenPage, label_sheet: Path) -> None:
    page = open_page(label_sheet / "label.html")
    page.set_viewport_size({"width": 360, "height": 740})
    start(page, "=Ann")
    for number, card in enumerate(json.loads(page.locator("#data").text_content() or "")["items"], 1):
        expect(page.get_by_role("heading", level=1, name=f"Item {number} of 5")).to_be_visible()
        for step in Step:
            expect(page.locator(f"#{step} .answer")).to_contain_text(card["answers"][step]["value"])
        if card["texts"]["predicted_hypothesis"] != "Finding 1":
            for _ in Step:
                page.keyboard.press("r")
            continue
        for key in "wrrw":  # the context of the gold hypothesis and the variables are wrong
            page.keyboard.press(key)
        answer = page.locator("#variables").get_by_label("Correct answer")
        expect(answer).to_be_focused()
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        page.keyboard.type("4 4 3")
        page.keyboard.press("Enter")
        expect(page.locator("#relationship")).to_be_focused()
        page.keyboard.press("w")
        expect(page.locator("#relationship").get_by_label("predicted one is more general")).to_have_count(0)
        page.keyboard.press("a")
    expect(page.get_by_text("Everything is filled in.")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    match = page.locator("#context_match")
    match.get_by_label("Wrong").check()
    match.get_by_label("Right").check()

    name = download(page, "labels")
    assert {row["annotator"] for row in rows(Path(name))} == {"'=Ann"}
    samples = read_labels([Path(name), label_sheet / "key.csv"])
    assert [(one.hms, one.true_hms) for one in samples if one.hms != one.true_hms] == [(1 / 3, 0.75)]
