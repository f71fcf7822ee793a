"""`discoverybench data` as a user types it."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspect_discoverybench.dataset import data_folder
from inspect_discoverybench.dataset.release import checksums
from tests.command_line import discoverybench
from tests.dataset.mirror import ANSWER_KEY, DATA_FILE, Mirror, pack


@pytest.fixture
def upstream(upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The released data; the test itself starts with empty caches and no user's data folder."""
    monkeypatch.delenv("DISCOVERYBENCH_DATA_DIR")
    for variable in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path / "caches"))
    yield upstream
    # Pytest would keep 55 MB of every test of the last three runs.
    shutil.rmtree(tmp_path / "caches", ignore_errors=True)


def unlink(path: Path) -> None:
    path.unlink()


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def append(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b" ")


@pytest.mark.parametrize(
    ("damage", "state"),
    [(append, "differs from the released file"), (truncate, "differs from the released file"), (unlink, "is missing")],
)
def test_fetch_finds_a_damaged_file_in_the_cache(
    upstream: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[Path], None], state: str
) -> None:
    root = data_folder.cache_folder()
    for path in checksums():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(upstream / path, root / path)
    monkeypatch.setenv("DISCOVERYBENCH_ARCHIVE_URL", "http://127.0.0.1:9/must-not-be-requested")
    assert discoverybench("data fetch").exit_code == 0

    damage(root / DATA_FILE)
    result = discoverybench("data fetch")
    assert result.exit_code == 1
    assert f"{root}: {DATA_FILE} {state}." in result.stderr
    assert "Run `discoverybench data fetch --force`" in result.stderr


PASSWORD, QUERY = "hunter2hunter2", "signature-0f1e2d3c"


def is_away(mirror: Mirror) -> None:
    mirror.status = 404


def is_cut(mirror: Mirror) -> None:
    mirror.drops_connections = True


def redirects(mirror: Mirror) -> None:
    mirror.status = 302
    mirror.headers = {"Location": f"http://127.0.0.1:9/signed?X-Signature={QUERY}"}


def is_no_archive(mirror: Mirror) -> None:
    mirror.body = b"<html></html>"


@pytest.mark.parametrize("fault", [is_away, is_cut, redirects, is_no_archive])
@pytest.mark.usefixtures("upstream")
def test_the_password_and_the_query_of_a_mirror_are_not_printed(
    fault: Callable[[Mirror], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Mirror(b"") as mirror:
        fault(mirror)
        url = mirror.url.replace("http://", f"http://user:{PASSWORD}@")
        monkeypatch.setenv("DISCOVERYBENCH_ARCHIVE_URL", f"{url}?token={QUERY}")
        result = discoverybench("data fetch")
    assert result.exit_code == 1
    assert mirror.requests == 1
    assert f"Downloading the released data from {mirror.url}" in result.output
    assert "Error: " in result.output
    assert PASSWORD not in result.output
    assert QUERY not in result.output


def test_fetch_then_verify(upstream: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    absent = discoverybench("data verify")
    assert absent.exit_code == 1
    assert re.fullmatch("Error: .* Run `discoverybench data fetch`.*\n", absent.stderr)

    with Mirror(pack(upstream)) as mirror:
        monkeypatch.setenv("DISCOVERYBENCH_ARCHIVE_URL", mirror.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        fetched = discoverybench("data fetch")
        assert fetched.exit_code == 0, fetched.output
        assert fetched.stdout == f"1466 files in {data_folder.cache_folder()}\n"
        assert mirror.url in fetched.stderr
        discoverybench("data fetch")
        assert mirror.requests == 1
        mirror.drops_connections = True
        failed = discoverybench("data fetch --force")
        assert failed.exit_code == 1
        assert f"Error: {mirror.url} could not be downloaded" in failed.stderr
        assert mirror.requests == 2

    verified = discoverybench("data verify")
    assert verified.exit_code == 0, verified.output
    assert f"1466 files checked in {data_folder.cache_folder()}, 0 missing or changed" in verified.stdout


def test_verify_lists_missing_and_changed_files(upstream: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    for path in checksums():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).symlink_to(upstream / path)
    assert discoverybench(f"data verify --path {folder}").exit_code == 0

    (folder / ANSWER_KEY).unlink()
    (folder / DATA_FILE).unlink()
    (folder / DATA_FILE).write_bytes((upstream / DATA_FILE).read_bytes() + b" ")
    result = discoverybench(f"data verify --path {folder}")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[:2] == [f"{DATA_FILE} differs from the released file", f"{ANSWER_KEY} is missing"]
    assert lines[2].endswith("2 missing or changed")
    assert f"Error: {folder} differs from the release" in result.stderr
