"""CSV files: harmless in a spreadsheet and on a terminal, and read back as they were written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspect_discoverybench.errors.exceptions import DataError
from inspect_discoverybench.human_study.spreadsheet import read_rows, to_csv
from tests.human_study.logs import csv_file, rows

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001
"""Starts of formulas in Excel, LibreOffice and Google Sheets."""


@given(st.text("=+-@\t\r\n\x1b\x9b\0'\",; aé\uff1d\uff0b\uff0d\uff20", max_size=6))
def test_every_text_is_read_back_without_control_characters_and_none_is_a_formula(text: str) -> None:
    path = Path("cells.csv")
    written = to_csv([{"name": "n", "text": text}])
    path.write_text(written, "utf-8", newline="")
    [row] = read_rows(path)
    removed = str.maketrans("", "", "\r\x1b\x9b\0")
    assert row.values["text"] == text.translate(removed).strip()
    # As a spreadsheet reads the file, and not as we do.
    [cells] = rows(path)
    assert not cells["text"].startswith(STARTS)


def test_texts_that_are_no_formulas_are_written_unchanged() -> None:
    assert to_csv([{"text": "rises by 3 = a lot"}]) == "text\r\nrises by 3 = a lot\r\n"


def test_files_saved_by_spreadsheets_are_read() -> None:
    path = csv_file("saved.csv", "\ufefftext; name ;choice", '"two', 'lines";Zoë; 1', ";;", "x;Ben;2")
    assert [row.values for row in read_rows(path)] == [
        {"text": "two\nlines", "name": "Zoë", "choice": "1"},
        {"text": "x", "name": "Ben", "choice": "2"},
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,choice\nx", "cells.csv: line 2 has 1 values, expected 2. The file may be truncated, or a value with"),
        ('name,choice\nx,"1', "cells.csv: line 2: unexpected end of data. The file may be truncated."),
        ("name,choice,choice\nx,1,2", "cells.csv: the column 'choice' occurs twice."),
        ("name,choice, choice\nx,1,2", "cells.csv: the column 'choice' occurs twice."),
        ('"name",choice,name\nx,1,y', "cells.csv: the column 'name' occurs twice."),
        ("\ufeffname;choice;name\nx;1;y", "cells.csv: the column 'name' occurs twice."),
    ],
)
def test_a_malformed_file_is_refused_with_the_reason(text: str, message: str) -> None:
    path = csv_file("cells.csv", text)
    with pytest.raises(DataError) as raised:
        list(read_rows(path))
    assert raised.value.message.startswith(message)
