"""The placebo: the same tables, in which every column is permuted by itself, so that no association is left.

An agent that scores as well on the placebo as on the data has not learned its answer from the data. Names, values,
missing cells and the style of the files stay: quotes, line breaks, encoding and separators are those of the original.
"""

import hashlib
import itertools
import operator
import os
import random
import re
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from pathlib import Path

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.data_folder import cache_folder
from inspect_discoverybench.dataset.release import file_checksum
from inspect_discoverybench.dataset.table import is_table, separator_of
from inspect_discoverybench.errors.file_failures import file_errors
from inspect_discoverybench.errors.invalid_values import require_positive


def placebo_samples(samples: Sequence[Sample], seed: int) -> list[Sample]:
    """Samples with permuted data files. Everything else stays, also the gold hypothesis.

    The files are in the cache folder, under their checksums. They are derived from the seed again whenever a task is
    built, so a retry, a shard or a pod on another machine has the same ones.

    Args:
        samples: Samples with the original files. Their metadata gets `placebo`, the seed, and `unpermuted_files`, the
            names of files that are no tables.
        seed: Seed of all permutations.

    Raises:
        InvalidArgument: The seed is not a positive integer.
        Refused: A file cannot be written.
    """
    require_positive("placebo", seed)
    permuted_file = cache(_permuted_file)  # many samples have the same data files
    placebos = []
    for sample in samples:
        metadata = dict(sample.metadata or {})
        files = {}
        checksums = {}
        unpermuted = []
        for name, path in (sample.files or {}).items():
            file_seed = f"{seed}/{metadata['dataset']}/{name}"
            copy = permuted_file(path, file_seed)
            files[name] = copy
            checksums[name] = file_checksum(Path(copy))
            if copy == path:
                unpermuted.append(name)

        metadata["placebo"] = seed
        metadata["data_checksums"] = checksums
        metadata["unpermuted_files"] = tuple(unpermuted)
        placebo = sample.model_copy(update={"files": files, "metadata": metadata})
        placebos.append(placebo)
    return placebos


@file_errors()
def _permuted_file(file: str, seed: str) -> str:
    """The path of a permuted copy of a table in the cache folder; of any other file, its own."""
    path = Path(file)
    if is_table(path):
        content = _permute_text(path.read_bytes(), seed)
    elif path.suffix.lower() == ".dta":
        content = _permute_stata(path.read_bytes(), seed)
    else:
        return file

    checksum = hashlib.sha256(content).hexdigest()
    folder = cache_folder().parent / "placebo" / checksum
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / path.name
    # Another process may write the same file.
    process = os.getpid()
    partial = folder / f"{path.name}.{process}"
    partial.write_bytes(content)
    partial.replace(copy)
    return str(copy)


def _permute_text(content: bytes, seed: str) -> bytes:
    """Permute the columns of a table with separated values. Each value moves with its quotes."""
    # In this encoding, each byte is one character, so every other encoding survives.
    text = content.decode("latin-1")
    body = text.rstrip("\r\n")
    last_line_break = text.removeprefix(body)

    # A value as it is written, and what ends it. Blank lines belong to the line break before them.
    separator = separator_of(text)
    plain = rf"[^{separator}\r\n]*"
    quoted = r'"(?:[^"]|"")*"'
    pattern = rf"({quoted}{plain}|{plain})({separator}|[\r\n]+)"
    pairs = re.findall(pattern, body + "\n")
    values = [value for value, _ in pairs]
    ends = [end for _, end in pairs]

    # Cells are in the order of the file, the header first.
    header_ends = itertools.takewhile(lambda end: end == separator, ends)
    width = len(list(header_ends)) + 1
    for column in range(width):
        below_header = slice(width + column, None, width)
        original = values[below_header]
        column_seed = f"{seed}/{column}"
        order = _random_order(len(original), column_seed)
        values[below_header] = [original[position] for position in order]

    cells = map(operator.add, values, ends)
    permuted = "".join(cells).removesuffix("\n") + last_line_break
    return permuted.encode("latin-1")


def _permute_stata(content: bytes, seed: str) -> bytes:
    """Permute the columns of a table in Stata's format, and write it in this format, with the labels."""
    import pandas as pd

    table = pd.read_stata(BytesIO(content))
    with pd.read_stata(BytesIO(content), iterator=True) as reader:
        labels = reader.variable_labels()
    for number, name in enumerate(table.columns):
        column_seed = f"{seed}/{number}"
        order = _random_order(len(table), column_seed)
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


def _random_order(count: int, seed: str) -> list[int]:
    """An order of so many values, the same on every machine: Python guarantees `random()`, but not `shuffle()`."""
    generator = random.Random(seed)
    keys = [generator.random() for _ in range(count)]
    return sorted(range(count), key=keys.__getitem__)
