"""The files of both sheets: blind, and harmless; and what is read back from them."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError
from inspect_discoverybench.human_study.judged_sample import read_judged_samples
from inspect_discoverybench.human_study.labels import LABELS, draw_samples
from inspect_discoverybench.human_study.sheet import (
    Form,
    Item,
    escape,
    page,
    read_marks,
    read_rows,
    to_csv,
    write_sheet,
)
from inspect_discoverybench.human_study.votes import VOTES, draw_pairs
from tests.human_study.logs import FORMULA, judged_logs, rows

HOSTILE = '</script><script>alert("1")</script><!-- $pairs & <b>'
FORMS = pytest.mark.parametrize("form", [VOTES, LABELS], ids=lambda form: form.name)
HEADER = "pair,annotator,choice\n"


@pytest.fixture(scope="module")
def items() -> dict[Form, list[Item]]:
    """The items of a sheet of each form, with a text that a spreadsheet would run."""
    samples, _ = read_judged_samples(judged_logs(), "HMS")
    sheets = {VOTES: draw_pairs(samples, 4, seed=3), LABELS: draw_samples(samples, 200, seed=3)}
    return {form: [replace(item, texts={**item.texts, "goal": FORMULA}) for item in sheets[form]] for form in sheets}


def read_votes(text: str) -> dict[str, dict[str, str]]:
    """Choices by pair and annotator."""
    Path("key.csv").write_text("pair,hms_1,hms_2\np001,1,0\np002,0,1\n", "utf-8")
    Path("votes.csv").write_text(text, "utf-8")
    marked = read_marks(VOTES, [Path("votes.csv")], [Path("key.csv")], ("hms_1", "hms_2"))
    return {key.values["pair"]: {name: row.values["choice"] for name, row in votes.items()} for key, votes in marked}


@FORMS
def test_sheets_are_blind_and_no_cell_is_a_formula(items: dict[Form, list[Item]], form: Form) -> None:
    write_sheet(form, items[form], Path())
    sheet, key = rows(Path("sheet.csv")), rows(Path("key.csv"))
    assert [cell for row in sheet + key for cell in row.values() if cell.startswith(("=", "+", "-", "@"))] == []
    assert [row[form.item] for row in sheet] == [row[form.item] for row in key] == [item.name for item in items[form]]
    hidden = ("sample_id", "log", "log_1", "log_2", "gold")
    telling = {"hms", "stratum", ".eval", *(row[name] for row in key for name in hidden if name in row)}
    for name in ("sheet.csv", form.page):
        text = Path(name).read_text("utf-8")
        assert [word for word in telling if word in text] == []


@FORMS
def test_texts_of_models_are_data_in_the_page(items: dict[Form, list[Item]], form: Form) -> None:
    item = items[form][0]
    answers = {step: {**answer, "reason": HOSTILE} for step, answer in item.answers.items()}
    text = page(form, [replace(item, texts={**item.texts, "goal": HOSTILE}, answers=answers)])
    assert text.count("</script>") == 2
    assert "<!--" not in text
    [embedded] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert json.loads(embedded)["items"][0]["texts"]["goal"] == HOSTILE
    assert re.findall(r"(?:src|href)=|https?:|@import|url\(", text) == []


def test_files_saved_by_spreadsheets_are_read() -> None:
    text = (
        '\ufeffgoal;choice; pair ;annotator\n"two\nlines";1;p001; Zoë  Öz \n;;;\n"";2;p002;zoë öz\nunvoted;;p001;Ann\n'
    )
    assert read_votes(text) == {"p001": {"Zoë Öz": "1"}, "p002": {"Zoë Öz": "2"}}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("pair,choice\np001,1\n", "line 1: missing column annotator. Expected the columns pair, annotator, choice."),
        (HEADER + "p001, ,1\n", "line 2: annotator must be a text, got ''."),
        (
            HEADER + "p001,Ann,1\np001,ann,2\n",
            "line 3: a second row for pair p001 by Ann (votes.csv: line 2). Remove one of the two rows.",
        ),
        (HEADER + "p9,Ann,1\n", "line 2: pair p9 is not in the key. Pass the key.csv that was written with the sheet."),
        (
            HEADER + "p001,Ann\n",
            "line 2 has 2 values, expected 3. The file may be truncated, or a value with ',' or a line break is not in "
            "double quotes.",
        ),
        (HEADER + 'p001,"Ann,1\n', "line 2: unexpected end of data. The file may be truncated."),
    ],
)
def test_a_mistake_is_one_line(text: str, line: str) -> None:
    with pytest.raises(DiscoveryBenchError) as raised:
        read_votes(text)
    assert raised.value.message == f"votes.csv: {line}"


STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001


@given(st.lists(st.text("=+-@\t\r\n'\",; aé\uff1d\uff0b\uff0d\uff20", max_size=6), min_size=1, max_size=4))
def test_every_text_is_read_back_unchanged_and_none_is_a_formula(texts: list[str]) -> None:
    # Without the name, a row of empty texts would be an empty row, which is skipped.
    written = [{"name": "n", "first": text, "last": text} for text in texts]
    path = Path("cells.csv")
    path.write_text(to_csv(written), "utf-8", newline="")
    stripped = [{name: text.strip() for name, text in row.items()} for row in written]
    assert [dict(row.values) for row in read_rows(path, ("first",))] == stripped
    assert escape("rises by 3") == "rises by 3"
    assert [cell for row in rows(path) for cell in row.values() if cell.startswith(STARTS)] == []
