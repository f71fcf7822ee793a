"""`discoverybench agree sheet --judge`: from logs to a sheet, to labels in a browser, to the accuracy of the judge."""

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import read_eval_log
from playwright.sync_api import Browser, Page, expect

from inspect_discoverybench.cli.agree import agree
from inspect_discoverybench.validation.answers import Step
from inspect_discoverybench.validation.labels import read_labels
from tests.browser import launched
from tests.validation.logs import SCRIPT, judged

PAIR_COLUMNS = ("sample_id", "log_1", "log_2")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("logs")
    return [judged(folder, name=name) for name in ("", " again", " a third time")]


@pytest.fixture
def sheet(logs: list[str]) -> Path:
    assert run("sheet", "--judge", logs[0], "--seed", 4, "--out", "sheet").exit_code == 0
    return Path("sheet")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(agree, [str(argument) for argument in arguments], env={"COLUMNS": "160"})


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def row_of(output: str, name: str) -> str:
    """A row of a table, with single spaces."""
    return next(" ".join(line.split()) for line in output.splitlines() if line.strip().startswith(name))


def test_a_sheet_reports_what_it_leaves_out(logs: list[str]) -> None:
    result = run("sheet", "--judge", logs[0])
    assert result.exit_code == 0
    assert sorted(result.output.splitlines()) == [
        "Left out 1 sample: no submission",
        "Left out 2 samples: unscored",
        "The logs contain only 5 judged samples, fewer than 200. Using all of them.",
        "Wrote 5 of 5 judged samples with 4 outcomes to judge_labels. Send label.html or sheet.csv to annotators. "
        "Keep key.csv.",
    ]
    assert sorted(path.name for path in Path("judge_labels").iterdir()) == ["key.csv", "label.html", "sheet.csv"]
    assert run("sheet", "--judge", logs[0]).output.startswith("Error: judge_labels already contains sheet.csv, ")
    assert (
        run("sheet", "--judge", *logs, "--samples", "9", "--force")
        .output.splitlines()[-1]
        .startswith("Wrote 9 of 15 judged samples with 4 outcomes to judge_labels.")
    )


def test_pairs_come_from_every_two_of_several_logs(logs: list[str]) -> None:
    result = run("sheet", *logs, "--pairs", "100")
    # Four samples have three different hypotheses each; the other one has the same formula in each log.
    assert "The logs contain only 12 pairs, fewer than 100. Using all of them." in result.output
    ids = [read_eval_log(path, header_only=True).eval.task_id for path in logs]
    pairs = [tuple(row[column] for column in PAIR_COLUMNS) for row in rows(Path("agreement/key.csv"))]
    assert len(set(pairs)) == 12
    assert {frozenset((a, b)) for _, a, b in pairs} == {
        frozenset((ids[0], ids[1])),
        frozenset((ids[0], ids[2])),
        frozenset((ids[1], ids[2])),
    }
    votes = Path("votes.csv")
    votes.write_text("pair,annotator,choice\n" + "".join(f"p{n:03},Ann,=\n" for n in range(1, 13)), "utf-8")
    from_key = run("votes", votes, "--scores", "agreement/key.csv", "--json")
    scores_from = [argument for path in reversed(logs) for argument in ("--scores-from", path)]
    from_logs = run("votes", votes, *scores_from, "--key", "agreement/key.csv", "--json")
    assert from_logs.exit_code == 0
    assert from_logs.output == from_key.output


def test_labels_are_summarized(sheet: Path) -> None:
    items = [row["item"] for row in rows(sheet / "key.csv")]
    lines = [
        f"{item},{name},right,right,right,{variables},right"
        for item in items
        for name, variables in (("Ann", "right"), ("Ben", "wrong" if item == items[0] else "right"))
    ]
    Path("labels.csv").write_text("\n".join(["item,annotator," + ",".join(Step), *lines]) + "\n", "utf-8")
    result = run("votes", "labels.csv", "--key", sheet / "key.csv")
    assert result.exit_code == 0
    assert result.output.splitlines()[0] == "Labels by 2 annotators on 5 of 5 samples"
    assert row_of(result.output, "context match") == "context match 5 1.000 0.566 – 1.000 0.99 0"
    assert row_of(result.output, "variables") == "variables 4 1.000 0.510 – 1.000 0.94 1"
    assert "1 sample with incomplete labels: a step without a majority, or a wrong answer" in result.output
    in_json = json.loads(run("votes", "labels.csv", "--key", sheet / "key.csv", "--json").output)
    assert in_json["steps"][4]["annotators"]["Ben"]["accuracy"] == 0.8
    assert in_json["complete"] == 4


def test_a_filled_sheet_is_read(sheet: Path) -> None:
    table = rows(sheet / "sheet.csv")
    table[0] |= {"annotator": "Ann", "context_match": "right"}
    with (sheet / "sheet.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, table[0], delimiter=";")
        writer.writeheader()
        writer.writerows(table)
    result = run("votes", sheet)
    assert result.output.splitlines()[0] == "Labels by 1 annotator on 1 of 5 samples"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["votes", "labels.csv"], "Error: labels.csv: no key.csv. Pass the key.csv that was written with the sheet."),
        (
            ["votes", "labels.csv", "--scores", "key.csv"],
            "Error: --scores and --scores-from are for votes on pairs. For labels, pass --key.",
        ),
        (["sheet", "--judge", "gone.eval"], "Error: The file 'gone.eval' does not exist."),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], line: str) -> None:
    Path("labels.csv").write_text(f"item,annotator,{','.join(Step)}\na,Ann,right,,,,\n", "utf-8")
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.output.startswith(line)
    assert len(result.output.splitlines()) == 1


@pytest.fixture
def browser(chromium: str, sheet: Path) -> Iterator[Browser]:
    """The browser starts after the evals, because both need the event loop of this thread."""
    with launched(chromium) as chromium_browser:
        yield chromium_browser


def open_page(browser: Browser, sheet: Path, problems: list[str]) -> Page:
    """The page, opened from a copy in another folder. Console messages and requests are problems."""
    copy = Path(shutil.copy(sheet / "label.html", "elsewhere.html")).absolute().as_uri()
    page = browser.new_page()
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if request.url != copy else None)
    page.goto(copy)
    page.get_by_label("Your name").fill("=Ann")
    page.keyboard.press("Enter")
    return page


def test_labels_by_keys_are_read(browser: Browser, sheet: Path) -> None:
    problems: list[str] = []
    page = open_page(browser, sheet, problems)
    cards = json.loads(page.locator("#data").text_content() or "")["items"]
    for card in cards:
        heading = page.get_by_role("heading", level=1, name=f"Sample {cards.index(card) + 1} of 5")
        expect(heading).to_be_focused()
        expect(page.locator("#texts .text")).to_have_text(list(card["texts"].values()))
        for step in Step:
            expect(page.locator(f"#question_{step} .answer")).to_contain_text(card["answers"][step]["value"])
        if card["texts"]["predicted_hypothesis"] != "Finding 1":
            for _ in Step:
                page.keyboard.press("r")
            continue
        page.keyboard.press("w")  # gold context
        page.keyboard.press("r")
        page.keyboard.press("r")
        page.keyboard.press("w")
        answer = page.get_by_role("group", name="Variables").get_by_label("Correct answer")
        expect(answer).to_be_focused()
        page.keyboard.type("4 2 2")
        expect(page.get_by_role("alert").last).to_have_text("This is the judge's answer.")
        answer.fill("4 2 3")
        expect(page.get_by_role("alert").last).to_contain_text("shared (at most the smaller one)")
        answer.fill("4 4 3")
        expect(page.get_by_role("alert").last).to_be_empty()
        answer.press("Enter")
        expect(page.get_by_role("group", name="Relationship")).to_be_focused()
        page.keyboard.press("w")
        expect(page.get_by_role("button", name="predicted one is more general")).to_be_disabled()
        page.keyboard.press("a")
    expect(page.get_by_text("Everything is filled in.")).to_be_visible()

    page.reload()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("status")).to_have_text("5 of 5 labelled")
    place = next(n for n, card in enumerate(cards) if card["texts"]["predicted_hypothesis"] == "Finding 1")
    page.get_by_role("button", name=f"Sample {place + 1}", exact=True).click()
    expect(page.get_by_role("group", name="Variables").get_by_label("Correct answer")).to_have_value("4 4 3")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download labels").click()
    assert download.value.suggested_filename == "labels__Ann.csv"
    download.value.save_as("labels.csv")
    assert problems == []

    assert {row["annotator"] for row in rows(Path("labels.csv"))} == {"'=Ann"}
    labels = read_labels([Path("labels.csv"), sheet / "key.csv"])
    differences = [sample for sample in labels.samples if sample.hms != sample.true_hms]
    assert len(labels.complete) == 5
    assert [(sample.hms, sample.true_hms) for sample in differences] == [(1 / 3, 0.75)]
    assert SCRIPT[1] == (True, (4, 2, 2), "B")
    result = run("votes", "labels.csv", "--key", sheet / "key.csv")
    assert row_of(result.output, "- gold").startswith("- gold 5 0.800")


def test_a_verdict_can_be_changed_with_the_mouse(browser: Browser, sheet: Path) -> None:
    problems: list[str] = []
    page = open_page(browser, sheet, problems)
    match = page.get_by_role("group", name="Do the contexts match?")
    match.get_by_role("button", name="Wrong").click()
    expect(match.get_by_text("Correct answer:")).to_be_visible()
    expect(match.get_by_role("button", name="Wrong")).to_have_attribute("aria-pressed", "true")
    match.get_by_role("button", name="Right").click()
    expect(match.get_by_role("button", name="Wrong")).to_have_attribute("aria-pressed", "false")
    expect(match.get_by_text("Correct answer")).to_be_hidden()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", level=1, name="Sample 2 of 5")).to_be_visible()
    assert problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone(browser: Browser, sheet: Path, scheme: str) -> None:
    problems: list[str] = []
    page = open_page(browser, sheet, problems)
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": 360, "height": 740})
    for _ in range(5):
        page.keyboard.press("ArrowDown")
        page.keyboard.press("w")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert problems == []
