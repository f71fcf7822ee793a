"""`discoverybench data` as a user types it."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from inspect_discoverybench.dataset import data_folder
from inspect_discoverybench.dataset.release import checksums
from tests.command_line import completed, failed
from tests.dataset.mirror import ANSWER_KEY, DATA_FILE, Mirror, pack


@pytest.fixture
def upstream(upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The released data; the test itself starts with empty caches and no user's data folder."""
    caches = tmp_path / "caches"
    monkeypatch.delenv("DISCOVERYBENCH_DATA_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches))
    monkeypatch.setenv("HOME", str(caches))
    yield upstream
    # Pytest would keep 55 MB of every test of the last three runs.
    shutil.rmtree(caches, ignore_errors=True)


def copy_release(upstream: Path, folder: Path) -> None:
    for path in checksums():
        copy = folder / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(upstream / path, copy)


def append(path: Path) -> None:
    size = path.stat().st_size
    os.truncate(path, size + 1)


def test_fetch_finds_a_damaged_file_in_the_cache(upstream: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = data_folder.cache_folder()
    copy_release(upstream, root)
    monkeypatch.setenv("DISCOVERYBENCH_ARCHIVE_URL", "http://127.0.0.1:9/must-not-be-requested")
    completed("data fetch")

    append(root / DATA_FILE)
    output = failed("data fetch")
    assert f"{root}: {DATA_FILE} differs from the released file." in output
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
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Mirror(b"") as mirror:
        fault(mirror)
        url = mirror.url.replace("http://", f"http://user:{PASSWORD}@")
        monkeypatch.setenv("DISCOVERYBENCH_ARCHIVE_URL", f"{url}?token={QUERY}")
        output = failed("data fetch")
    assert mirror.requests == 1
    assert f"Downloading the released data from {mirror.url}" in output
    assert "Error: " in output
    assert PASSWORD not in output
    assert QUERY not in output


def test_fetch_then_verify(upstream: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = data_folder.cache_folder()
    output = failed("data verify")
    assert "Run `discoverybench data fetch`" in output

    with Mirror(pack(upstream)) as mirror:
        monkeypatch.setenv("DISCOVERYBENCH_ARCHIVE_URL", mirror.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        output = completed("data fetch")
        assert mirror.url in output
        assert f"1466 files in {root}\n" in output
        completed("data fetch")
        assert mirror.requests == 1

        mirror.drops_connections = True
        output = failed("data fetch --force")
        assert f"Error: {mirror.url} could not be downloaded" in output
        assert mirror.requests == 2

    verified = completed("data verify")
    assert f"1466 files checked in {root}, 0 missing or changed" in verified


def test_verify_lists_missing_and_changed_files(upstream: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    copy_release(upstream, folder)
    completed(f"data verify --path {folder}")

    (folder / ANSWER_KEY).unlink()
    append(folder / DATA_FILE)
    output = failed(f"data verify --path {folder}")
    changed, missing, summary, error = output.splitlines()
    assert changed == f"{DATA_FILE} differs from the released file"
    assert missing == f"{ANSWER_KEY} is missing"
    assert summary.endswith("2 missing or changed")
    assert error.startswith(f"Error: {folder} differs from the release")
