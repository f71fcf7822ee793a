"""The placebo: the same tables, in which each column is permuted independently, so that no association is left.

An agent that scores as well on the placebo as on the data has not learned its answer from the data. Names, values,
missing cells and the style of the files stay: quotes, line breaks, encoding and separators are those of the original.
"""

import random
import re
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TypeVar

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.cached_file import cached_file
from inspect_discoverybench.dataset.release import file_checksum
from inspect_discoverybench.dataset.sample_metadata import fingerprint
from inspect_discoverybench.dataset.table import is_table, separator_of
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.errors.file_failures import file_errors
from inspect_discoverybench.errors.invalid_values import require_positive

Value = TypeVar("Value")


def placebo_samples(samples: Sequence[Sample], seed: int) -> list[Sample]:
    """Samples with permuted data files. Everything else stays, including the gold hypothesis.

    The files are in the cache folder, under their checksums. They are derived from the seed again whenever a task is
    built, so a retry, a shard or a pod on another machine has the same ones.

    Args:
        samples: Samples with the original files. Their metadata gets `placebo`, the seed. Files that are no tables
            stay as they are.
        seed: Seed of all permutations.

    Raises:
        InvalidArgument: The seed is not a positive integer, or no data file of a sample is a table.
        Refused: A file cannot be written.
    """
    require_positive("placebo", seed)
    permuted_file = cache(_permuted_file)  # many samples have the same data files
    placebos = []
    for sample in samples:
        metadata = sample.metadata or {}
        originals = sample.files or {}
        files = {}
        checksums = {}
        for name, path in originals.items():
            file_seed = f"{seed}/{metadata['dataset']}/{name}"
            files[name] = permuted_file(path, file_seed)
            checksums[name] = file_checksum(Path(files[name]))

        if files == originals:
            listed = ", ".join(files)
            raise InvalidArgument(
                f"placebo={seed}: no data file of the sample {sample.id} can be permuted ({listed}). "
                "Convert them to .csv, .tsv or .dta."
            )
        fingerprints = metadata["fingerprints"] | {"data_files": fingerprint(checksums)}
        facts = {"placebo": seed, "data_checksums": checksums, "fingerprints": fingerprints}
        placebo = sample.model_copy(update={"files": files, "metadata": metadata | facts})
        placebos.append(placebo)
    return placebos


@file_errors()
def _permuted_file(file: str, seed: str) -> str:
    """The path of a permuted copy of a table in the cache folder; of any other file, its own."""
    path = Path(file)
    content = path.read_bytes()
    if is_table(path):
        permuted = _permute_text(content, seed)
    elif path.suffix.lower() == ".dta":
        permuted = _permute_stata(content, seed)
    else:
        return file

    copy = cached_file(path.name, permuted)
    return str(copy)


def _permute_text(content: bytes, seed: str) -> bytes:
    """Permute the columns of a table with separated values. Each value moves with its quotes."""
    # In this encoding, each byte is one character, so every other encoding survives.
    text = content.decode("latin-1")
    separator = separator_of(text)
    plain = rf"[^{separator}\r\n]*"
    quoted = r'"(?:[^"]|"")*"'
    # A value as it is written, and what ends it. Blank lines belong to the line break before them.
    pattern = rf"({quoted}{plain}|{plain})({separator}|[\r\n]+)"
    cells = re.findall(pattern, f"{text}\n")
    values = [value for value, _ in cells]
    ends = [end for _, end in cells]

    # Cells are in the order of the file, the header first.
    is_last = [end != separator for end in ends]
    width = is_last.index(True) + 1
    for column in range(width):
        below_header = slice(width + column, None, width)
        values[below_header] = _shuffled(values[below_header], f"{seed}/{column}")

    permuted = "".join(value + end for value, end in zip(values, ends, strict=True))
    return permuted.removesuffix("\n").encode("latin-1")


def _permute_stata(content: bytes, seed: str) -> bytes:
    """Permute the columns of a table in Stata's format, and write it in this format, with the labels."""
    import pandas as pd

    table = pd.read_stata(BytesIO(content))
    with pd.read_stata(BytesIO(content), iterator=True) as reader:
        labels = reader.variable_labels()
    rows = range(len(table))
    for column, name in enumerate(table.columns):
        order = _shuffled(rows, f"{seed}/{column}")
        table[name] = table[name].array[order]
    permuted = BytesIO()
    table.to_stata(
        permuted,
        write_index=False,
        time_stamp=pd.Timestamp(2000, 1, 1),  # not the present, which would change the checksum
        variable_labels=labels,
        version=114 if content[0] == 114 else 118,  # that of the release, or the first one in Unicode
    )
    return permuted.getvalue()


def _shuffled(values: Sequence[Value], seed: str) -> list[Value]:
    """Values in an order that is the same on every machine: Python guarantees `random()`, but not `shuffle()`."""
    generator = random.Random(seed)
    return sorted(values, key=lambda _: generator.random())
