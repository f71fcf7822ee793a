"""Formats of data files: which of them the sandbox image reads, and whether a file has the format of its suffix."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path

from inspect_discoverybench.dataset.text_file import is_binary
from inspect_discoverybench.errors.exceptions import DataError
from inspect_discoverybench.errors.file_failures import system_errors


@dataclass(frozen=True)
class FileFormat:
    """A format of data files.

    Attributes:
        name: What people call it.
        suffixes: The suffixes of its files, in lower case. A format without suffixes is not expected of any file: it
            occurs only in messages about a file with the suffix of another format.
        signatures: A file of the format begins with one of these sequences of bytes. Empty for text, and for formats
            that cannot be recognized by their first bytes.
        needs: The package that reads the format and that the sandbox image lacks; None if the image reads it.
    """

    name: str
    suffixes: tuple[str, ...]
    signatures: tuple[bytes, ...] = ()
    needs: str | None = None


_ZIP = (b"PK\x03\x04",)
_HDF5 = (b"\x89HDF\r\n\x1a\n",)
_SQLITE = (b"SQLite format 3\0",)

_STATA = (b"<stata_dta>", *(bytes(pair) for pair in product(range(102, 116), (1, 2))))
"""Files of versions 102 to 115 begin with the version and the order of bytes, 1 or 2. Later ones begin with a tag."""

TEXT = FileFormat("text", (".csv", ".tsv", ".tab", ".txt", ".json", ".jsonl", ".ndjson", ".geojson", ".xml"))

FORMATS = (
    TEXT,
    FileFormat("Parquet", (".parquet",), (b"PAR1",)),
    FileFormat("Feather", (".feather",), (b"ARROW1", b"FEA1")),
    FileFormat("ORC", (".orc",), (b"ORC",)),
    FileFormat("Excel", (".xlsx", ".xlsm"), _ZIP),
    FileFormat("Stata", (".dta",), _STATA),
    FileFormat("SAS", (".sas7bdat",), (bytes(12) + b"\xc2\xea\x81\x60",)),
    FileFormat("SAS transport, version 5", (".xpt",), (b"HEADER RECORD*******LIBRARY ",)),
    FileFormat("SQLite", (".sqlite", ".sqlite3", ".db"), _SQLITE),
    FileFormat("GeoPackage", (".gpkg",), _SQLITE),
    FileFormat("shapefile", (".shp",), (b"\0\0\x27\x0a",)),
    FileFormat("NumPy", (".npy",), (b"\x93NUMPY",)),
    FileFormat("NumPy archive", (".npz",), _ZIP),
    FileFormat("MATLAB, before version 7.3", (".mat",), (b"MATLAB 5.0 ",)),
    FileFormat("NetCDF, version 3", (".nc",), (b"CDF\x01", b"CDF\x02")),
    FileFormat("gzip", (".gz",), (b"\x1f\x8b",)),
    FileFormat("bzip2", (".bz2",), (b"BZh",)),
    FileFormat("xz", (".xz",), (b"\xfd7zXZ\0",)),
    FileFormat("Zstandard", (".zst",), (b"\x28\xb5\x2f\xfd",)),
    FileFormat("zip", (".zip",), _ZIP),
    FileFormat("Excel 97", (".xls",), (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",), needs="xlrd"),
    FileFormat("binary Excel", (".xlsb",), _ZIP, needs="pyxlsb"),
    FileFormat("OpenDocument spreadsheet", (".ods",), _ZIP, needs="odfpy"),
    FileFormat("SPSS", (".sav", ".zsav"), (b"$FL2", b"$FL3"), needs="pyreadstat"),
    FileFormat("SPSS portable", (".por",), needs="pyreadstat"),
    FileFormat("SAS transport, version 8", (".xpt",), (b"HEADER RECORD*******LIBV8 ",), needs="pyreadstat"),
    FileFormat("HDF5", (".h5", ".hdf5", ".hdf"), _HDF5, needs="PyTables or h5py"),
    FileFormat("AnnData", (".h5ad",), _HDF5, needs="anndata"),
    FileFormat("NetCDF, version 4", (".nc",), _HDF5, needs="netCDF4"),
    FileFormat("MATLAB, version 7.3", (".mat",), (b"MATLAB 7.3 ",), needs="h5py"),
    FileFormat("R", (".rds", ".rdata", ".rda"), needs="pyreadr"),
    FileFormat("Avro", (".avro",), (b"Obj\x01",), needs="fastavro"),
    FileFormat("FITS", (".fits",), (b"SIMPLE  =",), needs="astropy"),
    FileFormat("7z", (".7z",), (b"7z\xbc\xaf\x27\x1c",), needs="py7zr"),
    FileFormat("UTF-16 text", (), (b"\xff\xfe", b"\xfe\xff")),
)
"""The formats that are known. Files with other suffixes are not checked.

Which formats the sandbox image reads was tried in the image, and a test tries it again."""

_FIRST_BYTES = 4096
"""Number of bytes that are read of a file.

They are enough for every signature, and to find a null byte, which shows that a file is no text."""


def file_format(path: Path) -> FileFormat | None:
    """The format of a file, by its suffix; None if the suffix is of no known format.

    Where several formats have one suffix, such as versions of NetCDF, the first bytes decide.

    Raises:
        DataError: The content is not what the suffix says.
        DiscoveryBenchError: The file cannot be read.
    """
    suffix = path.suffix.lower()
    candidates = [data_format for data_format in FORMATS if suffix in data_format.suffixes]
    if not candidates:
        return None

    content = _first_bytes(path)
    for candidate in candidates:
        if _has_content_of(candidate, content):
            return candidate
    expected = candidates[0].name
    raise DataError(
        f"{path} is no {expected} file, although its name ends with {suffix}: {_description(content)}. "
        "Convert it (text to UTF-8), or give it the suffix of its format."
    )


def unreadable_reason(path: Path) -> str | None:
    """Why the sandbox image cannot read a file, as a part of a sentence; None if it can, or if the suffix is unknown.

    Raises:
        DataError: The content is not what the suffix says.
        DiscoveryBenchError: The file cannot be read.
    """
    data_format = file_format(path)
    if data_format is None or data_format.needs is None:
        return None
    return f"{data_format.name} needs {data_format.needs}"


@system_errors()
def _first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_FIRST_BYTES)


def _has_content_of(data_format: FileFormat, content: bytes) -> bool:
    if data_format == TEXT:
        return not is_binary(content)
    if not data_format.signatures:
        return True  # The content tells nothing, so the suffix decides.
    return content.startswith(data_format.signatures)


def _description(content: bytes) -> str:
    """What the first bytes of a file say about it, as a part of a sentence."""
    if not content:
        return "it is empty"
    # Text is recognized before the signatures are compared. Some signatures are letters, with which a text may begin.
    if not is_binary(content):
        return "its content is text"
    for data_format in FORMATS:
        if data_format.signatures and content.startswith(data_format.signatures):
            return f"its content begins like {data_format.name}"
    return "its content is binary"
