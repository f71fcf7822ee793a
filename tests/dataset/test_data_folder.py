"""The folder with the released data, fetched from a mirror on loopback that serves an archive of them."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspect_discoverybench.dataset.data_folder import cache_folder, fetch
from inspect_discoverybench.dataset.release import COMMIT, checksums, file_differences
from inspect_discoverybench.errors.exceptions import DataError
from tests.dataset.mirror import DATA_FILE, Mirror, pack

pytestmark = pytest.mark.usefixtures("slow")

FETCH = """
from inspect_discoverybench.dataset import data_folder
print("ready", flush=True)
print(data_folder.fetch())
"""


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for caches; no user's data folder."""
    folder = tmp_path / "caches"
    monkeypatch.delenv("DISCOVERYBENCH_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    # macOS derives the cache folder from the home folder.
    monkeypatch.setenv("HOME", str(folder))
    yield folder
    # Pytest would keep 55 MB of every test of the last three runs.
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def mirror(upstream: Path, caches: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    with Mirror(pack(upstream)) as server:
        monkeypatch.setenv("DISCOVERYBENCH_ARCHIVE_URL", server.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield server


def left_behind(caches: Path) -> set[str]:
    """Contents of the cache folder other than the lock."""
    paths = caches.glob("**/inspect-discoverybench/*")
    return {path.name for path in paths if path.suffix != ".lock"}


def start_fetch() -> subprocess.Popen[str]:
    command = [sys.executable, "-c", FETCH]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_two_processes_share_one_download(mirror: Mirror, caches: Path) -> None:
    mirror.gate.clear()
    processes = [start_fetch(), start_fetch()]
    folder = str(cache_folder())
    assert mirror.request_event.wait(60)
    # Long enough for the second process to reach the lock or, without a lock, the mirror.
    time.sleep(0.5)
    mirror.gate.set()
    for process in processes:
        answer, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        assert answer.strip() == folder
    assert mirror.requests == 1
    assert left_behind(caches) == {COMMIT}


def test_a_killed_fetch_does_not_affect_the_next_one(mirror: Mirror, caches: Path) -> None:
    mirror.gate.clear()
    process = start_fetch()
    assert mirror.request_event.wait(60)
    process.kill()
    process.communicate()
    assert left_behind(caches) == {f"{COMMIT}.partial"}

    mirror.gate.set()
    assert file_differences(fetch()) == []
    assert left_behind(caches) == {COMMIT}


def test_a_changed_file_in_the_archive_is_refused(mirror: Mirror, upstream: Path, caches: Path) -> None:
    mirror.body = pack(upstream, files=((DATA_FILE, b"changed"),))
    with pytest.raises(DataError, match=f"{DATA_FILE} differs .* `discoverybench data fetch`"):
        fetch()
    assert left_behind(caches) == set()


def test_members_outside_the_released_paths_are_not_extracted(
    mirror: Mirror, upstream: Path, caches: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    files = (
        ("../escape.csv", b"a"),
        ("../../escape.csv", b"b"),
        ("eval/../../../escape.csv", b"c"),
    )
    links = (
        ("discoverybench/real", str(outside)),
        ("discoverybench/synth", "../../../../outside"),
    )
    mirror.body = pack(upstream, files, links)
    root = fetch()
    paths = [path for path in root.rglob("*") if not path.is_dir()]
    names = {path.relative_to(root).as_posix() for path in paths}
    assert names == set(checksums())
    assert not list(tmp_path.rglob("escape.csv"))
    assert not list(outside.iterdir())
    assert left_behind(caches) == {COMMIT}


def test_forced_fetch_replaces_the_folder_only_when_it_succeeds(mirror: Mirror, caches: Path) -> None:
    root = cache_folder()
    file = root / DATA_FILE
    file.parent.mkdir(parents=True)
    file.write_text("changed", "utf-8")
    assert fetch() == root  # an existing folder is neither checked nor replaced
    mirror.drops_connections = True
    with pytest.raises(DataError):
        fetch(force=True)
    assert file.read_text("utf-8") == "changed"

    mirror.drops_connections = False
    assert fetch(force=True) == root
    assert file_differences(root) == []
    assert left_behind(caches) == {COMMIT}
