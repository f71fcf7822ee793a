"""The baseline's first cell: load every data file and print what its columns are like.

It is sent as text to the session, so it imports nothing of this package.
"""

import json
import re
import struct
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

warnings.simplefilter("ignore")

READABLE = (".csv", ".tsv", ".dta", ".xls", ".xlsx")
MAX_CHARACTERS = 7_000  # The session cuts the output of one call at 10 KB, and a cut line is lost.


def read_table(path: Path) -> pd.DataFrame:
    """Read one file, whatever its encoding and separator."""
    if path.suffix == ".dta":
        return pd.read_stata(path, convert_categoricals=False)
    if path.suffix in (".xls", ".xlsx"):
        return pd.read_excel(path)
    raw = path.read_bytes()
    try:
        encoding, head = "utf-8", raw.decode("utf-8")[:20_000]
    except UnicodeDecodeError:
        encoding, head = "latin-1", raw.decode("latin-1")[:20_000]
    header = head.split("\n", 1)[0]
    separator = max(",\t;", key=header.count)
    return pd.read_csv(path, sep=separator, encoding=encoding, low_memory=False)


def tidy(column: pd.Series) -> pd.Series:
    """Numbers as numbers, also when they were written with a decimal comma; the rest as text."""
    if pd.api.types.is_bool_dtype(column.dtype):
        return column
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.replace([np.inf, -np.inf], np.nan)
    text = column.astype("object").where(column.notna())
    present = text.dropna().map(str).str.strip()
    parsed = pd.to_numeric(present.str.replace(",", ".", regex=False), errors="coerce")
    if len(present) and parsed.notna().mean() >= 0.8:
        return parsed.replace([np.inf, -np.inf], np.nan).reindex(column.index)
    return present.reindex(column.index)


def lengthen(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Turn one column per year into one row per year, and series stacked in rows into columns."""
    years = [column for column in table.columns if re.match(r"(1[5-9]|20)\d\d\b", str(column))]
    if len(years) < 10:
        return table
    labels = [column for column in table.columns if column not in years]
    series = next((label for label in labels if re.search("series|indicator", label, re.IGNORECASE)), None)
    long = table.melt(id_vars=labels, value_vars=years, var_name="year", value_name=name)
    long["year"] = long["year"].astype(str).str[:4].astype(int)
    long[name] = pd.to_numeric(long[name], errors="coerce")
    if series is None:
        return long
    keys = [label for label in labels if "series" not in label.lower() and "indicator" not in label.lower()]
    return long.pivot_table(index=[*keys, "year"], columns=series, values=name, aggfunc="mean").reset_index()


def load_frames() -> dict[str, pd.DataFrame]:
    """Every table in the working directory by its file name, and tables that share a key joined into one."""
    frames: dict[str, pd.DataFrame] = {}
    for path in sorted(Path().iterdir()):
        if path.suffix.lower() not in READABLE or not path.is_file():
            continue
        try:
            table = lengthen(read_table(path), path.stem)
        except (ValueError, OSError, ImportError, struct.error) as error:
            print(f"not read: {path.name}: {error}")
            continue
        table.columns = [str(column) for column in table.columns]
        kept = [column for column in table.columns if not column.startswith("Unnamed")]
        frames[path.name] = pd.DataFrame({column: tidy(table[column]) for column in dict.fromkeys(kept)})
    return frames | join(frames)


def join(frames: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The tables that one key identifies row by row, side by side."""
    joined = pd.DataFrame()
    names: list[str] = []
    for name, table in frames.items():
        keys = [column for column in table.columns if column in joined.columns]
        if not names:
            joined, names = table, [name]
        elif keys and not table.duplicated(keys).any() and not joined.duplicated(keys).any():
            try:
                wider = joined.merge(table, on=keys)
            except ValueError:  # the shared column is text here and a number there
                continue
            if len(wider) >= 20:
                joined, names = wider, [*names, name]
    return {" + ".join(names): joined} if len(names) > 1 else {}


def kind(name: str, column: pd.Series) -> str:
    """What a column can be used for."""
    levels = column.nunique()
    if levels <= 1:
        return "constant"
    if levels == 2:
        return "binary"
    if pd.api.types.is_numeric_dtype(column.dtype):
        in_time = re.search(r"(^|[^a-z])(year|yr|bce|ce|calbp)($|[^a-z])", name.lower()) and levels > 5
        return "year" if in_time and column.min() >= -12_000 and column.max() <= 12_000 else "number"
    return "group" if levels <= 12 else "text"


def print_profile(frames: dict[str, pd.DataFrame]) -> None:
    """One line for each table: rows, and name and kind of each column."""
    left = MAX_CHARACTERS
    for name, table in frames.items():
        columns: list[list[str]] = []
        for column in table.columns:
            entry = [column, kind(column, table[column])]
            left -= len(json.dumps(entry))
            if left < 0:
                break
            columns.append(entry)
        # Put together here, so that this source, echoed back, is not read as a profile.
        print("DISCOVERY" + "-PROFILE", json.dumps({"file": name, "rows": len(table), "columns": columns}))


FRAMES = load_frames()
print_profile(FRAMES)
