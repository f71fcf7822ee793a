"""Files that are not text are refused, whatever their names say."""

import bz2
import gzip
import io
import os
import zipfile
from pathlib import Path

import pytest

from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors.exceptions import DataError
from tests.dataset.studies import load, write_study

TABLE = b"x,y\n1,2\n3,4\n"


def spreadsheet() -> bytes:
    """A ZIP archive, which is what a spreadsheet is."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.xml", TABLE)
    return buffer.getvalue()


CONTENTS = {
    "gzip": gzip.compress(TABLE),
    "bzip2": bz2.compress(TABLE),
    "a spreadsheet": spreadsheet(),
    "UTF-16": TABLE.decode().encode("utf-16"),
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS.keys())
def test_a_table_that_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    folder = write_study(tmp_path / "mine")
    (folder / "a.csv").write_bytes(content)
    with pytest.raises(DataError, match=r"a\.csv is no text file, .* \(text to UTF-8\)"):
        load(folder)


def test_a_pipe_a_device_and_a_folder_are_no_files(tmp_path: Path) -> None:
    """Reading a pipe or a device would not end."""
    pipe = tmp_path / "metadata_0.json"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero"), tmp_path):
        with pytest.raises(DataError, match=f"^{path} is not a file"):
            read_text(path)
