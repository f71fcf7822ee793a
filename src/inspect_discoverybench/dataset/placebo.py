"""The placebo: the same tables, in which each column is permuted independently, so that no association is left.

An agent that scores as well on the placebo as on the data has not learned its answer from the data. Each cell moves
within its column as it is written, with its quotes or as the bytes of a Stata file. Everything else in a file stays,
byte by byte: names, line breaks, encoding, value labels, formats.

The rows of many tables are ordered by a column, such as an index or years, and a placebo in which they are not would
be recognised. So this column keeps its order. As the others are permuted independently, this is the same as permuting
all columns, and then putting the rows into the order of this one.
"""

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
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
from inspect_discoverybench.dataset.table_file import is_table, may_have_columns, read_records, separator_of
from inspect_discoverybench.dataset.text_file import TextFile
from inspect_discoverybench.errors.exceptions import DataError, InvalidArgument
from inspect_discoverybench.errors.file_failures import file_errors
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
    refusals: dict[str, None] = {}
    for sample in samples:
        files = _permute_files(sample, seed, permute_file)
        refusals |= dict.fromkeys(files.refusals)
        placebos.append(_with_files(sample, files, seed))

    if refusals:
        listed = "; ".join(refusals)
        raise InvalidArgument(
            f"placebo={seed}: these data files cannot be permuted, so their associations would stay: {listed}. "
            "Convert them to .csv, .tsv or .dta, with the described columns."
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
    unpermuted: list[str]
    refusals: list[str]


def _permute_files(
    sample: Sample, seed: int, permute_file: Callable[[Path, tuple[str, ...], str], str | None]
) -> _PermutedFiles:
    metadata = SampleMetadata.model_validate(sample.metadata)
    files = _PermutedFiles(paths=dict(sample.files or {}), unpermuted=[], refusals=[])
    for description in metadata.data_files:
        name = f"{metadata.dataset}/{description.name}"
        original = Path(files.paths[description.name])
        columns = tuple(column.name for column in description.columns)
        try:
            permuted = permute_file(original, columns, f"{seed}/{name}")
        except DataError as error:
            reason = error.message.rstrip(".")
            files.refusals.append(f"{name} ({reason})")
            continue
        if permuted is None:
            files.unpermuted.append(description.name)
        else:
            files.paths[description.name] = permuted

    if len(files.unpermuted) == len(files.paths):
        listed = ", ".join(files.unpermuted)
        files.refusals.append(f"{listed} of {sample.id} (no table)")
    return files


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


@file_errors()
def _permute_file(path: Path, columns: Sequence[str], seed: str) -> str | None:
    """Write a permuted copy of a table into the cache folder, and return its path. A text that is no table has none.

    Raises:
        DataError: The file cannot be permuted. The message is a part of a sentence.
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
    """Whether a file is a table with separated values: by its suffix, its described columns or its content."""
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
    widths: list[int] = []
    with suppress(DataError):
        widths = [len(record.values) for record in read_records(text, path) if record.values]
    if len(widths) > 2 and widths[0] > 1:
        return True
    if may_have_columns(text):
        raise DataError(_UNREADABLE_TABLE)
    return False


def _permute_text(path: Path, columns: Sequence[str], seed: str) -> bytes:
    """Permute the columns of a table with separated values.

    With a wrong separator, parts of rows would stay together. Then no described column is in the header.
    """
    file = TextFile.read(path)
    records = list(read_records(file.text, path))
    filled = [record for record in records if record.values]
    if not filled:
        raise DataError("it is empty")
    header, *others = filled
    names = {name.strip() for name in header.values}
    if columns and not any(column.strip() in names for column in columns):
        raise DataError("no described column is in its first row; separate values with commas, tabs or semicolons")

    if len(header.values) == 1 and may_have_columns(file.text):
        raise DataError(_UNREADABLE_TABLE)

    # The column by which the rows are ordered is not permuted.
    ordered_number = ordering_column(list(zip(*(record.values for record in others), strict=True)))
    cells_by_column = zip(*(record.cells for record in others), strict=True)
    permuted_columns = [
        cells if number == ordered_number else _shuffled(cells, f"{seed}/{number}")
        for number, cells in enumerate(cells_by_column)
    ]
    permuted_rows = zip(*permuted_columns, strict=True)

    separator = separator_of(file.text)
    texts = []
    for record in records:
        if record is header or not record.values:  # blank lines stay where they are
            texts.append(record.text)
        else:
            cells = next(permuted_rows)
            texts.append(separator.join(cells) + record.end)
    return "".join(texts).encode(file.encoding)


def _permute_stata(content: bytes, seed: str) -> bytes:
    """Permute the columns of a table in Stata's format: the bytes of the cells, and nothing else."""
    import pandas as pd  # takes half a second, and most tasks have no file in Stata's format

    layout = StataLayout.read(content)
    try:
        table = pd.read_stata(BytesIO(content), convert_categoricals=False, convert_dates=False)
    except Exception as error:  # pandas raises many types for a damaged file
        raise DataError("pandas cannot read it, so it may be damaged") from error
    ordered_number = ordering_column([table.iloc[:, number].tolist() for number in range(table.shape[1])])

    permuted = bytearray(content)
    position = layout.start
    for number, width in enumerate(layout.widths):
        starts = [position + row * layout.row_width for row in range(layout.rows)]
        sources = starts if number == ordered_number else _shuffled(starts, f"{seed}/{number}")
        for start, source in zip(starts, sources, strict=True):
            permuted[start : start + width] = content[source : source + width]
        position += width
    return bytes(permuted)


def _shuffled(values: Sequence[Value], seed: str) -> list[Value]:
    """Values in an order that is the same on every machine: Python guarantees `random()`, but not `shuffle()`."""
    generator = random.Random(seed)
    return sorted(values, key=lambda _: generator.random())
