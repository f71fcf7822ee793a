"""The table of formats is true of the sandbox image, and the guide lists it."""

import json
import subprocess
from pathlib import Path

import pytest

from inspect_discoverybench.dataset.file_format import FORMATS, file_format
from inspect_discoverybench.sandbox.image import image

REPOSITORY = Path(__file__).parents[2]

MODULES = {
    "xlrd": "xlrd",
    "pyxlsb": "pyxlsb",
    "odfpy": "odf",
    "pyreadstat": "pyreadstat",
    "PyTables or h5py": "tables",
    "h5py": "h5py",
    "anndata": "anndata",
    "netCDF4": "netCDF4",
    "pyreadr": "pyreadr",
    "fastavro": "fastavro",
    "astropy": "astropy",
    "py7zr": "py7zr",
}
"""The modules of the packages that the image lacks."""

SAS = {".sas7bdat", ".xpt"}
"""pandas reads these formats without another package, but nothing in the image writes them."""


@pytest.mark.usefixtures("engine")
def test_the_image_reads_what_the_table_says(tmp_path: Path) -> None:
    script = Path(__file__).with_name("image_formats.py").read_bytes()
    command = ["docker", "run", "--rm", "--interactive", "--network", "none", image(), "python", "-", *MODULES.values()]
    run = subprocess.run(command, input=script, capture_output=True, check=False, timeout=300)
    assert run.returncode == 0, run.stderr.decode()
    output = json.loads(run.stdout)

    # The image lacks each package that a format of the table needs.
    assert {each.needs for each in FORMATS if each.needs} == set(MODULES)
    assert output["packages"] == []

    # It reads each of the other formats, and `file_format` says so of the files that it has read.
    readable = [suffix for each in FORMATS if not each.needs for suffix in each.suffixes]
    assert set(output["files"]) == set(readable) - SAS
    for suffix, first_bytes in output["files"].items():
        path = tmp_path / f"a{suffix}"
        path.write_bytes(bytes.fromhex(first_bytes))
        known = file_format(path)
        assert known
        assert known.needs is None, suffix


def test_the_guide_lists_every_suffix() -> None:
    guide = (REPOSITORY / "docs" / "custom.md").read_text("utf-8")
    readable, unreadable = guide.split("The image cannot read")
    for each in FORMATS:
        part = unreadable if each.needs else readable
        for suffix in each.suffixes:
            assert f"`{suffix}`" in part, suffix
