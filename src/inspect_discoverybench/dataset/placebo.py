"""The placebo: the same tables, in which each column is permuted independently, so that no association is left.

An agent that scores as well on the placebo as on the data has not learned its answer from the data. Each cell moves
within its column as it is written, with its quotes or as the bytes of a Stata file. Everything else in a file stays,
byte by byte: names, line breaks, encoding, value labels, formats.

The rows of many tables are ordered by a column, such as an index or years. A placebo whose rows are in no order would
be recognised, so this column is not permuted. The result is the same as if all columns were permuted independently, and
the rows were then put into the original order of this column.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.cached_file import cached_file
from inspect_discoverybench.dataset.release import file_checksum
from inspect_discoverybench.dataset.row_order import ordering_column
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata, fingerprint
from inspect_discoverybench.dataset.stata_layout import StataLayout
from inspect_discoverybench.dataset.table_file import Record, is_table, may_have_columns, read_records, separator_of
from inspect_discoverybench.dataset.text_file import TextFile
from inspect_discoverybench.errors.exceptions import DataError, InvalidArgument
from inspect_discoverybench.errors.file_failures import system_errors
from inspect_discoverybench.errors.invalid_values import require_positive

Value = TypeVar("Value")

TEXT_SUFFIXES = (".txt", ".tab", ".dat", ".asc", ".data")
"""Suffixes of text files that may be tables."""

_UNREADABLE_TABLE = (
    "it seems to be a table; separate values with commas, tabs or semicolons, as many in each row as in the first"
)


def placebo_samples(samples: Sequence[Sample], seed: int) -> list[Sample]:
    """Samples with permuted data files. Everything else stays, including the gold hypothesis.

    The files are in the cache folder, under their checksums. They are derived from the seed again whenever a task is
    built, so a retry, a shard or a pod on another machine has the same ones.

    Only one kind of file stays as it is: a text file that is no table and whose description has no columns. Its name is
    in the `unpermuted_files` of the metadata of its samples.

    Args:
        samples: Samples with the original files. Their metadata gets `placebo`, the seed.
        seed: Seed of all permutations.

    Raises:
        InvalidArgument: The seed is not a positive integer, a data file cannot be permuted, or a sample has no table.
        DiscoveryBenchError: A file cannot be read or written.
    """
    require_positive("placebo", seed)
    permute_file = cache(_permute_file)  # many samples have the same data files
    placebos = []
    refusals: dict[str, None] = {}  # a set in the order of the samples: many samples have the same refusals
    for sample in samples:
        files = _permute_files(sample, seed, permute_file)
        refusals |= dict.fromkeys(files.refusals)
        placebos.append(_with_files(sample, files, seed))

    if refusals:
        listed = "; ".join(refusals)
        raise InvalidArgument(
            f"placebo={seed}: these data files cannot be permuted, so their associations would stay: {listed}. "
            "Convert them to .csv, .tsv or .dta, with the described columns and several rows, or leave them out."
        )
    return placebos


@dataclass(frozen=True)
class _PermutedFiles:
    """The data files of a sample of the placebo.

    Attributes:
        paths: Path of each file by name.
        unpermuted: Names of the files that stay as they are.
        refusals: The files that cannot be permuted, each with the reason.
    """

    paths: dict[str, str]
    unpermuted: Sequence[str]
    refusals: Sequence[str]


def _permute_files(
    sample: Sample, seed: int, permute_file: Callable[[Path, tuple[str, ...], str], str | None]
) -> _PermutedFiles:
    """Permute the data files of a sample.

    Args:
        sample: The sample with the original files.
        seed: Seed of all permutations.
        permute_file: `_permute_file` with a cache.
    """
    metadata = SampleMetadata.model_validate(sample.metadata)
    paths = dict(sample.files or {})
    unpermuted = []
    refusals = []
    for description in metadata.data_files:
        name = f"{metadata.dataset}/{description.name}"
        original = Path(paths[description.name])
        columns = tuple(column.name for column in description.columns)
        try:
            permuted = permute_file(original, columns, f"{seed}/{name}")
        except DataError as error:
            reason = error.message.rstrip(".")
            refusals.append(f"{name} ({reason})")
            continue
        if permuted is None:
            unpermuted.append(description.name)
        else:
            paths[description.name] = permuted

    # Without a permuted file, the sample would be no placebo.
    if len(unpermuted) == len(paths):
        listed = ", ".join(unpermuted)
        refusals.append(f"{listed} of {sample.id} (no table)")
    return _PermutedFiles(paths, unpermuted, refusals)


def unpermuted_files(samples: Sequence[Sample]) -> list[str]:
    """The data files of a placebo that stay as they are, each with the folder of its study."""
    names: set[str] = set()
    for sample in samples:
        metadata = SampleMetadata.model_validate(sample.metadata)
        names.update(f"{metadata.dataset}/{name}" for name in metadata.unpermuted_files)
    return sorted(names)


def _with_files(sample: Sample, files: _PermutedFiles, seed: int) -> Sample:
    """Copy a sample with other data files. Its metadata describes the new files."""
    metadata: dict[str, Any] = sample.metadata or {}
    checksums = {name: file_checksum(Path(path)) for name, path in files.paths.items()}
    about_files = {
        "placebo": seed,
        "unpermuted_files": tuple(files.unpermuted),
        "data_checksums": checksums,
        "fingerprints": metadata["fingerprints"] | {"data_files": fingerprint(checksums)},
    }
    return sample.model_copy(update={"files": files.paths, "metadata": metadata | about_files})


@system_errors()
def _permute_file(path: Path, columns: Sequence[str], seed: str) -> str | None:
    """Write a permuted copy of a table into the cache folder, and return its path; None for a text that is no table.

    Args:
        path: The file.
        columns: The names of its described columns.
        seed: Seed of the permutations.

    Raises:
        DataError: The file cannot be permuted. The message is the reason, as a part of a sentence.
    """
    suffix = path.suffix.lower()
    if suffix == ".dta":
        permuted = _permute_stata(path.read_bytes(), seed)
    elif _is_text_table(path, columns):
        permuted = _permute_text(path, columns, seed)
    elif suffix in TEXT_SUFFIXES:
        return None
    else:
        raise DataError(f"a {suffix} file" if suffix else "a file without a suffix")
    copy = cached_file(path.name, permuted)
    return str(copy)


def _is_text_table(path: Path, columns: Sequence[str]) -> bool:
    """Whether a file is a table with separated values: by its suffix, its described columns or its content.

    Raises:
        DataError: It seems to be a table by its content, but cannot be read.
    """
    if is_table(path):
        return True
    if path.suffix.lower() not in TEXT_SUFFIXES:
        return False
    return bool(columns) or _is_table_by_content(path)


def _is_table_by_content(path: Path) -> bool:
    """Whether a text file has several columns and at least two rows below its header.

    Raises:
        DataError: It is no text, or it seems to be a table that cannot be read.
    """
    text = TextFile.read(path).text
    try:
        widths = [len(record.values) for record in read_records(text, path) if record.values]
    except DataError:
        widths = []
    if len(widths) > 2 and widths[0] > 1:
        return True
    # `read_records` also fails for a damaged table, and finds a single column in a table with another separator. If
    # such a table counted as a text, it would not be permuted.
    if may_have_columns(text):
        raise DataError(_UNREADABLE_TABLE)
    return False


def _permute_text(path: Path, columns: Sequence[str], seed: str) -> bytes:
    """Permute the columns of a table with separated values.

    Raises:
        DataError: The file is no text, is empty, cannot be read as a table, has only one row, or does not seem to be
            divided into its columns.
    """
    file = TextFile.read(path)
    records = list(read_records(file.text, path))
    filled = [record for record in records if record.values]
    if not filled:
        raise DataError("it is empty")
    header, *rows = filled
    _refuse_single_row(len(rows))
    _require_divided_into_columns(header, columns, file.text)
    permuted_rows = _permuted_rows(rows, seed)

    separator = separator_of(file.text)
    texts = []
    for record in records:
        if record is header or not record.values:  # blank lines stay where they are
            texts.append(record.text)
        else:
            cells = next(permuted_rows)
            texts.append(separator.join(cells) + record.end)
    return "".join(texts).encode(file.encoding)


def _require_divided_into_columns(header: Record, columns: Sequence[str], text: str) -> None:
    """Check that a table was divided into its columns.

    With a wrong separator, several values of a row would count as one cell. They would move together, so the
    associations between them would stay.

    Raises:
        DataError: No described column is in the header, or a table with one column seems to have several.
    """
    names = {name.strip() for name in header.values}
    if columns and not any(column.strip() in names for column in columns):
        raise DataError("no described column is in its first row; separate values with commas, tabs or semicolons")
    if len(header.values) == 1 and may_have_columns(text):
        raise DataError(_UNREADABLE_TABLE)


def _refuse_single_row(rows: int) -> None:
    """Refuse a table with one row, which no permutation changes. One without rows is accepted: it shows no association.

    Raises:
        DataError: There is one row.
    """
    if rows == 1:
        raise DataError("it has only one row")


def _permuted_rows(rows: Sequence[Record], seed: str) -> Iterator[Sequence[str]]:
    """The cells of the rows, as they are written, after the columns were permuted.

    The column by which the rows are ordered is not permuted.
    """
    # `zip` turns rows into columns, and columns into rows.
    columns_of_values = list(zip(*(row.values for row in rows), strict=True))
    columns_of_cells = list(zip(*(row.cells for row in rows), strict=True))
    ordering_position = ordering_column(columns_of_values)
    permuted: list[Sequence[str]] = []
    for position, cells in enumerate(columns_of_cells):
        if position == ordering_position:
            permuted.append(cells)
        else:
            permuted.append(_shuffled(cells, f"{seed}/{position}"))
    return zip(*permuted, strict=True)


def _permute_stata(content: bytes, seed: str) -> bytes:
    """Permute the columns of a table in Stata's format: the bytes of the cells move, and nothing else changes."""
    import pandas as pd  # takes half a second, and most tasks have no file in Stata's format

    layout = StataLayout.read(content)
    _refuse_single_row(layout.rows)
    try:
        table = pd.read_stata(BytesIO(content), convert_categoricals=False, convert_dates=False)
    except Exception as error:  # pandas raises many types for a damaged file
        raise DataError("pandas cannot read it, so it may be damaged") from error
    ordering_position = ordering_column([table.iloc[:, position].tolist() for position in range(table.shape[1])])

    permuted = bytearray(content)
    column_start = layout.start
    for position, width in enumerate(layout.widths):
        if position != ordering_position:
            # Where the cells of the column begin, and where the cells that replace them begin.
            cell_starts = [column_start + row * layout.row_width for row in range(layout.rows)]
            source_starts = _shuffled(cell_starts, f"{seed}/{position}")
            for cell, source in zip(cell_starts, source_starts, strict=True):
                permuted[cell : cell + width] = content[source : source + width]
        column_start += width
    return bytes(permuted)


def _shuffled(values: Sequence[Value], seed: str) -> list[Value]:
    """Values in a random order, which depends only on the seed and is the same on every machine.

    All versions of Python return the same numbers from `random()` for a seed. `shuffle()` may give another order in
    another version (https://docs.python.org/3/library/random.html#notes-on-reproducibility).
    """
    generator = random.Random(seed)
    return sorted(values, key=lambda _: generator.random())
