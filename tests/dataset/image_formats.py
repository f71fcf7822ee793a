# It runs in the image, whose packages are not installed here.
# mypy: ignore-errors
"""Run in the sandbox image: write and read a small table in each format, and look for packages.

Prints a JSON object: for each suffix, the first bytes of the file that was read; and the packages that can be imported.
The arguments are the names of the packages to look for.
"""

import importlib.util
import json
import sqlite3
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import geopandas
import numpy as np
import pandas as pd
import pyarrow
import pyarrow.csv
import scipy.io
from shapely.geometry import Point

warnings.filterwarnings("ignore")
TABLE = pd.DataFrame({"x": [1, 2, 3], "y": [2, 4, 6]})
PLACES = geopandas.GeoDataFrame({"x": [1]}, geometry=[Point(0, 0)], crs=4326)


def sqlite(path: Path) -> None:
    TABLE.to_sql("t", sqlite3.connect(path))
    pd.read_sql("SELECT * FROM t", sqlite3.connect(path))


def zip_archive(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "x\n1\n")
    pd.read_csv(path)


def netcdf(path: Path) -> None:
    with scipy.io.netcdf_file(path, "w") as file:
        file.createDimension("x", 1)
    scipy.io.netcdf_file(path, "r").close()


def places(path: Path) -> None:
    PLACES.to_file(path)
    geopandas.read_file(path)


def text_with(separator: str) -> Callable[[Path], None]:
    def write_and_read(path: Path) -> None:
        TABLE.to_csv(path, sep=separator, index=False)
        pd.read_csv(path, sep=separator)

    return write_and_read


def written_by(kind: str) -> Callable[[Path], None]:
    """Write with `to_<kind>` of pandas, and read with `read_<kind>`."""

    def write_and_read(path: Path) -> None:
        getattr(TABLE, f"to_{kind}")(path)
        getattr(pd, f"read_{kind}")(path)

    return write_and_read


def zstandard(path: Path) -> None:
    with pyarrow.output_stream(path, compression="zstd") as file:
        file.write(b"x\n1\n")
    pyarrow.csv.read_csv(path)


def xml(path: Path) -> None:
    path.write_text("<rows><row><x>1</x></row></rows>", "utf-8")
    pd.read_xml(path, parser="etree")


def array(path: Path) -> None:
    np.save(path, TABLE["x"])
    np.load(path)


def arrays(path: Path) -> None:
    np.savez(path, x=TABLE["x"])
    np.load(path)["x"]


def matlab(path: Path) -> None:
    scipy.io.savemat(path, {"x": [1]})
    scipy.io.loadmat(path)


def json_lines(path: Path) -> None:
    TABLE.to_json(path, orient="records", lines=True)
    pd.read_json(path, lines=True)


FORMATS = {
    ".csv": text_with(","),
    ".tsv": text_with("\t"),
    ".tab": text_with("\t"),
    ".txt": text_with("\t"),
    ".json": written_by("json"),
    ".jsonl": json_lines,
    ".ndjson": json_lines,
    ".geojson": places,
    ".xml": xml,
    ".parquet": written_by("parquet"),
    ".feather": written_by("feather"),
    ".orc": written_by("orc"),
    ".xlsx": written_by("excel"),
    ".xlsm": written_by("excel"),
    ".dta": written_by("stata"),
    ".sqlite": sqlite,
    ".sqlite3": sqlite,
    ".db": sqlite,
    ".gpkg": places,
    ".shp": places,
    ".npy": array,
    ".npz": arrays,
    ".mat": matlab,
    ".nc": netcdf,
    ".csv.gz": text_with(","),
    ".csv.bz2": text_with(","),
    ".csv.xz": text_with(","),
    ".csv.zst": zstandard,
    ".zip": zip_archive,
}


def main() -> None:
    """Try everything; the first failure ends the script."""
    files = {}
    folder = Path(tempfile.mkdtemp())
    for suffix, write_and_read in FORMATS.items():
        path = folder / f"a{suffix}"
        write_and_read(path)
        # By the last suffix, such as `.gz` of `.csv.gz`.
        files[path.suffix] = path.read_bytes()[:64].hex()
    packages = [name for name in sys.argv[1:] if importlib.util.find_spec(name)]
    json.dump({"files": files, "packages": packages}, sys.stdout)


if __name__ == "__main__":
    main()
