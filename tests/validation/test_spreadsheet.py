"""CSV cells: none can run as a formula, and every text is read back as it was written."""

import csv
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from inspect_discoverybench.validation.spreadsheet import escape, read_rows, to_csv

STARTS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]  # noqa: RUF001


@given(st.lists(st.text("=+-@\t\r\n'\",; aé\uff1d\uff0b\uff0d\uff20", max_size=6), min_size=1, max_size=4))
def test_every_text_is_read_back_unchanged_and_none_is_a_formula(texts: list[str]) -> None:
    # Without the name, a row of empty texts would be an empty row, which is skipped.
    rows = [{"name": "n", "first": text, "last": text} for text in texts]
    path = Path("cells.csv")
    path.write_text(to_csv(rows), "utf-8", newline="")
    stripped = [{name: text.strip() for name, text in row.items()} for row in rows]
    assert [dict(row.values) for row in read_rows(path, ("first",))] == stripped
    assert escape("rises by 3") == "rises by 3"
    with path.open(encoding="utf-8", newline="") as file:
        assert [cell for row in csv.reader(file) for cell in row if cell.startswith(tuple(STARTS))] == []
