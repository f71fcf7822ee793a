"""`discoverybench agree`: from logs to a sheet, to votes or labels in a browser, to the statistics."""

import csv
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import read_eval_log, write_eval_log
from playwright.sync_api import Page, expect

from inspect_discoverybench.cli.agree import agree
from inspect_discoverybench.validation.answers import Step
from inspect_discoverybench.validation.labels import read_labels
from tests.browser import launched
from tests.validation.logs import SCRIPT, judged

INTERPRETATION = "A p-value above 0.05 does not show that the two rankings are the same."


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("logs")
    return [judged(folder, name=name) for name in ("", " again", " a third time")]


@pytest.fixture
def vote_sheet(logs: list[str]) -> Path:
    assert run("sheet", *logs[:2], "--pairs", "3", "--out", "sheet").exit_code == 0
    return Path("sheet")


@pytest.fixture
def label_sheet(logs: list[str]) -> Path:
    assert run("sheet", "--judge", logs[0], "--seed", 4, "--out", "labels").exit_code == 0
    return Path("labels")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(agree, [str(argument) for argument in arguments], env={"COLUMNS": "160"})


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def csv_file(name: str, *rows: str) -> Path:
    path = Path(name)
    path.write_text("\n".join(("pair,annotator,choice", *rows)) + "\n", "utf-8")
    return path


def row_of(output: str, name: str) -> str:
    """A row of a table, with single spaces."""
    return next(" ".join(line.split()) for line in output.splitlines() if line.strip().startswith(name))


def test_a_sheet_reports_when_there_are_fewer_pairs_than_requested(logs: list[str]) -> None:
    result = run("sheet", *logs[:2])
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "The logs contain only 4 pairs, fewer than 100. Using all of them.",
        "Wrote 4 pairs to agreement. Send vote.html or sheet.csv to annotators. Do not share key.csv.",
    ]
    assert sorted(path.name for path in Path("agreement").iterdir()) == ["key.csv", "sheet.csv", "vote.html"]
    again = run("sheet", *logs[:2])
    assert again.exit_code == 1
    assert again.output.startswith(
        "Error: agreement already contains sheet.csv, vote.html, key.csv. Choose another folder "
    )
    assert run("sheet", *logs[:2], "--force", "--pairs", "2").output.startswith("Wrote 2 pairs to agreement.")


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


def test_pairs_come_from_every_two_of_several_logs(logs: list[str]) -> None:
    result = run("sheet", *logs, "--pairs", "100")
    # Four samples have three different hypotheses each; the other one has the same formula in each log.
    assert "The logs contain only 12 pairs, fewer than 100. Using all of them." in result.output
    ids = [read_eval_log(path, header_only=True).eval.task_id for path in logs]
    pairs = [
        tuple(row[column] for column in ("sample_id", "log_1", "log_2")) for row in rows(Path("agreement/key.csv"))
    ]
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


def test_differently_judged_logs_need_anyway(logs: list[str]) -> None:
    other = read_eval_log(logs[1])
    for sample in other.samples or []:
        for score in (sample.scores or {}).values():
            (score.metadata or {})["judge"] = "openai/gpt-4o"
    write_eval_log(other, "other.eval")
    refused = run("sheet", logs[0], "other.eval")
    assert refused.exit_code == 1
    assert "were judged differently: judge: mockllm/judge and openai/gpt-4o" in refused.output
    assert len(refused.output.splitlines()) == 1
    assert run("sheet", logs[0], "other.eval", "--anyway").exit_code == 0
    csv_file("votes.csv", "p001,Ann,1")
    from_logs = ("--scores-from", logs[0], "--scores-from", "other.eval", "--key", "agreement/key.csv")
    accepted = run("votes", "votes.csv", *from_logs, "--anyway", "--json")
    assert accepted.stdout.startswith("{")
    assert "judge: mockllm/judge and openai/gpt-4o" in accepted.stderr


def test_a_sheet_of_labels_reports_what_it_leaves_out(logs: list[str]) -> None:
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


def test_labels_are_summarized(label_sheet: Path) -> None:
    items = [row["item"] for row in rows(label_sheet / "key.csv")]
    lines = [
        f"{item},{name},right,right,right,{variables},right"
        for item in items
        for name, variables in (("Ann", "right"), ("Ben", "wrong" if item == items[0] else "right"))
    ]
    Path("labels.csv").write_text("\n".join(["item,annotator," + ",".join(Step), *lines]) + "\n", "utf-8")
    result = run("votes", "labels.csv", "--key", label_sheet / "key.csv")
    assert result.exit_code == 0
    assert result.output.splitlines()[0] == "Labels by 2 annotators on 5 of 5 samples"
    assert row_of(result.output, "context match") == "context match 5 1.000 0.566 – 1.000 0.99 0"
    assert row_of(result.output, "variables") == "variables 4 1.000 0.510 – 1.000 0.94 1"
    assert "1 sample with incomplete labels: a step without a majority, or a wrong answer" in result.output
    in_json = json.loads(run("votes", "labels.csv", "--key", label_sheet / "key.csv", "--json").output)
    assert in_json["steps"][4]["annotators"]["Ben"]["accuracy"] == 0.8
    assert in_json["complete"] == 4


def test_a_filled_sheet_is_read(label_sheet: Path) -> None:
    table = rows(label_sheet / "sheet.csv")
    table[0] |= {"annotator": "Ann", "context_match": "right"}
    with (label_sheet / "sheet.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, table[0], delimiter=";")
        writer.writeheader()
        writer.writerows(table)
    result = run("votes", label_sheet)
    assert result.output.splitlines()[0] == "Labels by 1 annotator on 1 of 5 samples"


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
        (["votes", "labels.csv"], "Error: labels.csv: no key.csv. Pass the key.csv that was written with the sheet."),
        (
            ["votes", "labels.csv", "--scores", "key.csv"],
            "Error: --scores and --scores-from are for votes on pairs. For labels, pass --key.",
        ),
    ],
)
def test_an_input_error_is_one_line(arguments: list[str], line: str) -> None:
    csv_file("votes.csv", "p1,Ann,1")
    Path("labels.csv").write_text(f"item,annotator,{','.join(Step)}\na,Ann,right,,,,\n", "utf-8")
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


def test_votes_from_the_page_are_read(open_page: OpenPage, vote_sheet: Path) -> None:
    page = open_page(vote_sheet / "vote.html")
    page.keyboard.press("1")
    start(page, 'Zoë "Z", Öz')
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
    assert Path("votes.csv").read_text("utf-8") == (
        'pair,annotator,choice\np001,"Zoë ""Z"", Öz",1\np002,"Zoë ""Z"", Öz",2\np003,"Zoë ""Z"", Öz",equal\n'
    )
    result = run("votes", "votes.csv", "--scores", vote_sheet / "key.csv")
    assert result.exit_code == 0
    assert "3 votes by 1 annotator on 3 of 3 pairs" in result.output


def test_votes_are_stored_by_name(open_page: OpenPage, vote_sheet: Path) -> None:
    page = open_page(vote_sheet / "vote.html")
    for name, count in (("Ann", 0), ("Ben", 0), ("ann", 1)):
        start(page, name)
        expect(page.get_by_role("status")).to_have_text(f"{count} of 3 voted")
        page.keyboard.press("2")
        page.get_by_title("Continue under another name").click()


def test_labels_by_keys_are_read(open_page: OpenPage, label_sheet: Path) -> None:
    page = open_page(label_sheet / "label.html")
    start(page, "=Ann")
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

    assert {row["annotator"] for row in rows(Path("labels.csv"))} == {"'=Ann"}
    labels = read_labels([Path("labels.csv"), label_sheet / "key.csv"])
    differences = [sample for sample in labels.samples if sample.hms != sample.true_hms]
    assert len(labels.complete) == 5
    assert [(sample.hms, sample.true_hms) for sample in differences] == [(1 / 3, 0.75)]
    assert SCRIPT[1] == (True, (4, 2, 2), "B")
    result = run("votes", "labels.csv", "--key", label_sheet / "key.csv")
    assert row_of(result.output, "- gold").startswith("- gold 5 0.800")


def test_a_verdict_can_be_changed_with_the_mouse(open_page: OpenPage, label_sheet: Path) -> None:
    page = open_page(label_sheet / "label.html")
    start(page, "=Ann")
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


def test_the_page_fits_a_phone(open_page: OpenPage, label_sheet: Path) -> None:
    page = open_page(label_sheet / "label.html")
    start(page, "=Ann")
    page.set_viewport_size({"width": 360, "height": 740})
    for _ in range(5):
        page.keyboard.press("ArrowDown")
        page.keyboard.press("w")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
