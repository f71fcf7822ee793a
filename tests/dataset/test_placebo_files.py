"""The files of the placebo: for any table, each column has the same cells, and everything else is the same bytes."""

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from inspect_discoverybench import custom
from inspect_discoverybench.dataset.text_file import read_text
from tests.dataset.studies import CHANCE, study, write_study

SEPARATORS = ",\t;"

in_bounded_time = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def placebo_of(folder: Path, name: str, content: bytes, columns: Sequence[str]) -> bytes:
    """The placebo of a data file with these columns."""
    described = [{"name": column} for column in columns]
    write_study(folder, study(datasets=[{"name": name, "columns": described}]))
    (folder / name).write_bytes(content)
    task = custom(path=str(folder), sandbox="local", placebo=1)
    files = task.dataset[0].files or {}
    return Path(files[name]).read_bytes()


# Without "x", which is the name of the first column, so that the header always has a described column.
texts = st.text(st.sampled_from("aé日5 .,;\t\"'\r\n-"), max_size=6)
missing = st.sampled_from(["", "NA", "NaN", "null", "-99", "."])
cells = st.one_of(texts, missing, st.integers(-9, 9).map(str), st.floats(allow_nan=True).map(repr))


@st.composite
def rows(draw: st.DrawFn) -> list[list[str]]:
    """A header and two or more rows. A table with one row is refused."""
    width = draw(st.integers(1, 4))
    names = draw(st.lists(texts.filter(str.strip), min_size=width - 1, max_size=width - 1))
    body = draw(st.lists(st.lists(cells, min_size=width, max_size=width), min_size=2, max_size=12))
    return [["x", *names], *body]


def without_other_separators(separator: str, table: list[list[str]]) -> list[list[str]]:
    """The table, with all separators but this one removed from the column names.

    Another separator could divide the header into more values, and would then be taken for that of the file.
    """
    others = str.maketrans("", "", SEPARATORS.replace(separator, ""))
    header, *body = table
    return [[name.translate(others) for name in header], *body]


def parse(content: bytes, separator: str) -> list[list[str]]:
    lines = io.StringIO(content.decode("utf-8-sig"), newline="")
    return [row for row in csv.reader(lines, delimiter=separator) if row]


def columns_of(table: list[list[str]]) -> list[Counter[str]]:
    _, *body = table
    return [Counter(column) for column in zip(*body, strict=True)]


def require_same_cells(before: bytes, after: bytes, separator: str) -> None:
    old = parse(before, separator)
    new = parse(after, separator)
    assert new[0] == old[0]
    assert columns_of(new) == columns_of(old)
    # Also quotes and line breaks.
    assert Counter(after) == Counter(before)


@in_bounded_time
@given(
    table=rows(),
    separator=st.sampled_from(SEPARATORS),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    line_break=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig"]),
    has_last_line_break=st.booleans(),
)
def test_a_table_written_by_the_module_csv_keeps_the_cells_of_each_column(
    tmp_path: Path,
    table: list[list[str]],
    separator: str,
    quoting: Any,
    line_break: str,
    encoding: str,
    has_last_line_break: bool,
) -> None:
    # A table with one column has no separator.
    separator = separator if len(table[0]) > 1 else ","
    table = without_other_separators(separator, table)
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=line_break)
    writer.writerows(table)
    written = text.getvalue()
    if not has_last_line_break:
        written = written.removesuffix(line_break)
    content = written.encode(encoding)
    # The module does not quote "\r" in files whose lines end in "\n", which it then cannot read itself.
    assume(parse(content, separator) == table)
    permuted = placebo_of(tmp_path / "mine", "a.csv", content, table[0])
    require_same_cells(content, permuted, separator)


@in_bounded_time
@given(
    table=rows(),
    separator=st.sampled_from(SEPARATORS),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    line_break=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig"]),
    missing_text=st.sampled_from(["", "NA", "nan", "-99", "n/a"]),
    data=st.data(),
)
def test_a_table_written_by_pandas_keeps_the_cells_of_each_column(
    tmp_path: Path,
    table: list[list[str]],
    separator: str,
    quoting: Any,
    line_break: str,
    encoding: str,
    missing_text: str,
    data: st.DataObject,
) -> None:
    header, *body = without_other_separators(separator, table)
    frame = pd.DataFrame(body, columns=header)
    frame.insert(1, "number", np.arange(len(body)) / 4)
    frame.insert(2, "when", pd.date_range("2020-01-01", periods=len(body)))
    missing = data.draw(st.lists(st.booleans(), min_size=frame.size, max_size=frame.size))
    frame = frame.mask(np.array(missing).reshape(frame.shape))
    content = frame.to_csv(
        sep=separator, index=False, quoting=quoting, lineterminator=line_break, na_rep=missing_text
    ).encode(encoding)
    # Where pandas does not quote "\r" in a value, the module `csv` reads a new row.
    assume({len(row) for row in parse(content, separator)} == {len(frame.columns)})
    permuted = placebo_of(tmp_path / "mine", "a.csv", content, list(map(str, frame)))
    require_same_cells(content, permuted, separator)


def stata_columns(content: bytes) -> dict[str, Counter[str]]:
    """The codes of each column of a Stata file, without labels."""
    table = pd.read_stata(
        io.BytesIO(content), convert_categoricals=False, convert_dates=False, convert_missing=True, preserve_dtypes=True
    )
    return {str(name): Counter(map(repr, table[name])) for name in table}


def stata_texts(content: bytes) -> Any:
    """What gives the codes a meaning: labels of the columns and the values."""
    with pd.read_stata(io.BytesIO(content), iterator=True) as reader:
        return reader.variable_labels(), reader.value_labels(), reader.data_label


# In the types of whole numbers, Stata uses the numbers above these for missing values.
TYPES: dict[str, st.SearchStrategy[Any]] = {
    "int8": st.integers(-127, 100),
    "int16": st.integers(-32767, 32740),
    "int32": st.integers(-(2**31) + 1, 2**31 - 28),
    "float32": st.floats(-(2.0**99), 2.0**99, width=32),
    "float64": st.floats(-1e300, 1e300) | st.just(float("nan")),
}


@pytest.mark.usefixtures("slow")
@in_bounded_time
@given(
    data=st.data(),
    count=st.integers(2, 8),
    version=st.sampled_from([114, 117, 118, 119]),
    byteorder=st.sampled_from(["little", "big"]),
)
def test_a_file_of_stata_keeps_the_codes_of_each_column_and_the_labels(
    tmp_path: Path, data: st.DataObject, count: int, version: Any, byteorder: Any
) -> None:
    table = pd.DataFrame(index=range(count))
    for name, values in TYPES.items():
        table[name] = np.array(data.draw(st.lists(values, min_size=count, max_size=count)), dtype=name)
    words = st.text(st.sampled_from("ab é<>"), max_size=9)
    for name in ("text", "long_text"):
        table[name] = data.draw(st.lists(words, min_size=count, max_size=count))
    table["day"] = pd.date_range("2020-01-01", periods=count)
    table["labelled"] = pd.Categorical(data.draw(st.lists(st.sampled_from("abc"), min_size=count, max_size=count)))
    file = io.BytesIO()
    table.to_stata(
        file,
        write_index=False,
        version=version,
        byteorder=byteorder,
        convert_dates={"day": "td"},
        convert_strl=["long_text"] if version > 114 else None,
        # These labels contain tags of the format, which must not be taken for the tags of the file.
        data_label="<map> and </data>",
        variable_labels={"text": "A text <data>"},
        # Most codes have no label, and two codes have the same label.
        value_labels={"int8": {1: "North", 2: "Other", 3: "Other"}},
    )
    content = file.getvalue()
    permuted = placebo_of(tmp_path / "mine", "a.dta", content, list(map(str, table)))
    assert stata_columns(permuted) == stata_columns(content)
    assert stata_texts(permuted) == stata_texts(content)
    assert Counter(permuted) == Counter(content)
    if version > 114:  # later formats have tags
        # The tags in the labels come before the data, so the last occurrence of each tag is the one around the data.
        head, _, _ = content.rpartition(b"<data>")
        _, _, tail = content.rpartition(b"</data>")
        assert permuted.startswith(head)
        assert permuted.endswith(tail)


def test_two_codes_with_one_label_stay_codes(tmp_path: Path) -> None:
    """Pandas refuses to convert codes that share a label, so the placebo reads the codes."""
    numbers = np.random.default_rng(0).normal(size=60)
    table = pd.DataFrame({"region": np.arange(60) % 3 + 1, "x": numbers, "y": 2 * numbers})
    file = io.BytesIO()
    labels: Any = {"region": {1: "North", 2: "Other", 3: "Other"}}
    table.to_stata(file, write_index=False, version=118, value_labels=labels)
    permuted = placebo_of(tmp_path / "mine", "a.dta", file.getvalue(), list(map(str, table)))
    read = pd.read_stata(io.BytesIO(permuted), convert_categoricals=False)
    assert sorted(read.region) == sorted(table.region)
    assert abs(read.x.corr(read.y)) < CHANCE


def test_dates_that_pandas_cannot_convert_stay_codes(tmp_path: Path) -> None:
    table = pd.DataFrame({"x": range(4), "day": [1e18, 1, 2, 3]})
    file = io.BytesIO()
    table.to_stata(file, write_index=False, version=118)
    content = file.getvalue().replace(b"%10.0g", b"%td\0\0\0")  # the format of `day`: a date
    permuted = placebo_of(tmp_path / "mine", "a.dta", content, ["x", "day"])
    assert stata_columns(permuted) == stata_columns(content)


def test_a_byte_order_mark_before_a_quoted_header_stays(tmp_path: Path) -> None:
    content = '\ufeff"x, in m";y\n"1;5";2\n"3;5";4\n"5;5";6\n'.encode()
    permuted = placebo_of(tmp_path / "mine", "a.csv", content, ["x, in m", "y"])
    require_same_cells(content, permuted, ";")


TABLES: dict[str, tuple[str, str, str]] = {
    # what stands before the rows, a row for the numbers a and b, and the separator
    "a comma in the header": ("x, in m;y\n", "0,{a};{b}", ";"),
    "a comma in each name": ("x, in m;y, in m;z, in m\n", "0,{a};{b},5;0,5", ";"),
    "an inch mark in the header": ('x in 5" pipes;y\n', "0,{a};{b}", ";"),
    "commas in names and values": ("x\ty, of persons, by name\tz\n", "{a}\t{b}\tDoe, John", "\t"),
    "as many tabs as commas": ("x\ty, of persons\n", "{a}\t{b}", "\t"),
    "semicolons within values": ("x,y,lat;lon\n", "{a},{b},52.1;13.4", ","),
    "blank lines before the header": ("\n\nx;y\n", "{a};{b}", ";"),
}


def number_in(cell: str) -> int:
    """The number a or b of a row: the only number with three digits in its cell."""
    [digits] = re.findall(r"\d{3}", cell)
    return int(digits)


@pytest.mark.parametrize("name", TABLES)
def test_the_separator_is_the_one_that_divides_all_rows(tmp_path: Path, name: str) -> None:
    header, row, separator = TABLES[name]
    rows = [row.format(a=number, b=2 * number) for number in range(100, 160)]
    content = (header + "\n".join(rows)).encode()
    permuted = placebo_of(tmp_path / "mine", "a.csv", content, [])
    assert permuted.decode().startswith(header)
    assert Counter(permuted) == Counter(content)
    _, *body = parse(permuted, separator)
    first, second, *_ = zip(*body, strict=True)
    x = [number_in(cell) for cell in first]
    y = [number_in(cell) for cell in second]
    # With a wrong separator, both numbers of a row would be in one cell, and would stay together.
    assert abs(np.corrcoef(x, y)[0, 1]) < CHANCE


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_described_column_is_found_in_each_encoding(tmp_path: Path, encoding: str) -> None:
    content = "größe,länge\n1,2\n3,4\n".encode(encoding)
    # The file would be refused if its first row had no described column.
    permuted = placebo_of(tmp_path / "mine", "a.csv", content, ["größe"])
    (tmp_path / "permuted.csv").write_bytes(permuted)
    assert read_text(tmp_path / "permuted.csv").startswith("größe,länge\n")
