"""`discoverybench data` as a user types it."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspect_discoverybench.dataset import data_folder
from tests.command_line import completed, failed, refused
from tests.dataset.mirror import ANSWER_KEY, DATA_FILE, Mirror, pack


@pytest.fixture
def upstream(upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The released data; the test itself starts with empty caches and no user's data folder."""
    caches = tmp_path / "caches"
    monkeypatch.delenv("DISCOVERYBENCH_DATA_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches))
    monkeypatch.setenv("HOME", str(caches))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    yield upstream
    # Pytest would keep 55 MB of every test of the last three runs.
    shutil.rmtree(caches, ignore_errors=True)


def append(path: Path) -> None:
    size = path.stat().st_size
    os.truncate(path, size + 1)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def to_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: list[tuple[Callable[[Path], None], str]] = [
    (append, "differs from the released file."),
    (empty, "differs from the released file."),
    (to_folder, "is missing."),
    (Path.rmdir, "is missing."),
]
"""Damages to the same file, one after the other."""


def test_fetch_finds_a_damaged_file_in_the_cache(upstream: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = data_folder.cache_folder()
    shutil.copytree(upstream, root)
    monkeypatch.setenv("DISCOVERYBENCH_ARCHIVE_URL", "http://127.0.0.1:9/must-not-be-requested")
    completed("data fetch")

    for damage, complaint in DAMAGES:
        damage(root / DATA_FILE)
        output = failed("data fetch", exit_code=2)
        assert f"{root}: {DATA_FILE} {complaint}" in output
        assert "Run `discoverybench data fetch --force`" in output


PASSWORD = "hunter2hunter2"
QUERY = "signature-0f1e2d3c"


def is_cut(mirror: Mirror) -> None:
    mirror.drops_connections = True


def redirects(mirror: Mirror) -> None:
    mirror.status = 302
    mirror.headers = {"Location": f"http://127.0.0.1:9/signed?X-Signature={QUERY}"}


def is_no_archive(mirror: Mirror) -> None:
    mirror.body = b"<html></html>"


@pytest.mark.parametrize("fault", [is_cut, redirects, is_no_archive])
@pytest.mark.usefixtures("upstream")
def test_the_password_and_the_query_of_a_mirror_are_not_printed(
    fault: Callable[[Mirror], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Mirror(b"") as mirror:
        fault(mirror)
        address = mirror.url.removeprefix("http://")
        url = f"http://user:{PASSWORD}@{address}?token={QUERY}"
        monkeypatch.setenv("DISCOVERYBENCH_ARCHIVE_URL", url)
        output = failed("data fetch", exit_code=2)
    assert mirror.requests == 1
    assert f"Downloading the released data from {mirror.url}" in output
    assert "Error: " in output
    assert PASSWORD not in output
    assert QUERY not in output


@pytest.mark.parametrize(
    "address",
    [
        f"user:{PASSWORD}@127.0.0.1:9/archive.tar.gz?token={QUERY}",
        f"http:/user:{PASSWORD}@127.0.0.1:9/archive.tar.gz",
        f"http://user:{PASSWORD}/{PASSWORD}@127.0.0.1:9/archive.tar.gz",
    ],
)
@pytest.mark.usefixtures("upstream")
def test_the_password_of_a_malformed_address_is_not_printed(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCOVERYBENCH_ARCHIVE_URL", address)
    output = failed("data fetch", exit_code=2)
    assert "Error: " in output
    assert PASSWORD not in output
    assert QUERY not in output


def test_fetch_then_verify(upstream: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = data_folder.cache_folder()
    before = refused("data verify")
    assert "Run `discoverybench data fetch`" in before

    archive = pack(upstream)
    with Mirror(archive) as mirror:
        monkeypatch.setenv("DISCOVERYBENCH_ARCHIVE_URL", mirror.url)
        fetched = completed("data fetch")
    assert f"1466 files in {root}\n" in fetched
    verified = completed("data verify")
    assert f"1466 files checked in {root}, 0 missing or changed" in verified


def test_verify_lists_missing_and_changed_files(upstream: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path.cwd() / "copy"
    shutil.copytree(upstream, folder)
    answer_key = folder / ANSWER_KEY
    answer_key.unlink()
    append(folder / DATA_FILE)

    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", "copy")
    output = failed("data verify")
    changed, missing, summary, error = output.splitlines()
    assert changed == f"{DATA_FILE} differs from the released file"
    assert missing == f"{ANSWER_KEY} is missing"
    assert summary == f"1466 files checked in {folder}, 2 missing or changed"
    assert error.startswith(f"{folder} differs from the release")


def test_verify_names_a_folder_without_the_release(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("elsewhere").mkdir()
    monkeypatch.setenv("DISCOVERYBENCH_DATA_DIR", "elsewhere")
    [error] = refused("data verify").splitlines()
    assert "elsewhere is not a folder that contains `discoverybench/`. Use a clone of " in error
