"""The released data, fetched from a mirror on loopback that serves an archive of them."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspect_discoverybench.dataset import released
from inspect_discoverybench.errors import DataCorrupt, DataError, DataMissing, DownloadFailed
from tests.dataset.mirror import ANSWER_KEY, DATA_FILE, Mirror, pack

pytestmark = pytest.mark.usefixtures("sweep")

FETCH = """
from inspect_discoverybench.dataset import released
print("ready", flush=True)
print(released.fetch())
"""


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for caches; no user's data folder."""
    monkeypatch.delenv("DISCOVERYBENCH_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    # macOS derives the cache folder from the home folder.
    monkeypatch.setenv("HOME", str(tmp_path / "caches"))
    yield tmp_path / "caches"
    # Pytest would keep 55 MB of every test of the last three runs.
    shutil.rmtree(tmp_path / "caches", ignore_errors=True)


@pytest.fixture
def mirror(upstream: Path, caches: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    with Mirror(pack(upstream)) as server:
        monkeypatch.setenv("DISCOVERYBENCH_ARCHIVE_URL", server.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield server


def left_behind(caches: Path) -> set[str]:
    """Contents of the cache folder other than the lock."""
    return {path.name for path in caches.glob("**/inspect-discoverybench/*") if path.suffix != ".lock"}


def start_fetch() -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", FETCH], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_checksums_are_those_of_the_released_files(upstream: Path) -> None:
    assert released.verify(upstream) == released.IntegrityReport(1466, (), ())
    assert released.verify(upstream, "eval/").checked == 2


def test_data_root_fetches_once_and_only_the_released_files(mirror: Mirror, caches: Path) -> None:
    root = released.data_root()
    files = {path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_dir()}
    assert files == set(released.checksums())
    assert released.verify(root).clean
    assert root.is_relative_to(caches)
    assert left_behind(caches) == {released.COMMIT}

    assert released.data_root() == released.fetch() == released.local_root() == root
    assert mirror.requests == 1


def test_two_processes_share_one_download(mirror: Mirror, caches: Path) -> None:
    mirror.gate.clear()
    processes = [start_fetch(), start_fetch()]
    assert mirror.request_event.wait(60)
    # Long enough for the second process to reach the lock or, without a lock, the mirror.
    time.sleep(0.5)
    mirror.gate.set()
    answers = [process.communicate(timeout=60)[0].strip() for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert answers == [str(released.cache_folder())] * 2
    assert mirror.requests == 1
    assert left_behind(caches) == {released.COMMIT}


def test_a_killed_fetch_does_not_affect_the_next_one(mirror: Mirror, caches: Path) -> None:
    mirror.gate.clear()
    process = start_fetch()
    assert mirror.request_event.wait(60)
    process.kill()
    process.communicate()
    assert left_behind(caches) == {f"{released.COMMIT}.partial"}

    mirror.gate.set()
    assert released.verify(released.fetch()).clean
    assert left_behind(caches) == {released.COMMIT}


def test_fetch_succeeds_after_an_interrupted_connection(mirror: Mirror, caches: Path) -> None:
    mirror.drops_connections = True
    with pytest.raises(DownloadFailed, match="DISCOVERYBENCH_DATA_DIR") as failure:
        released.fetch()
    assert mirror.url in failure.value.message
    assert left_behind(caches) == set()

    mirror.drops_connections = False
    assert released.verify(released.fetch()).clean


def test_a_changed_file_in_the_archive_is_rejected(mirror: Mirror, upstream: Path, caches: Path) -> None:
    content = bytearray((upstream / DATA_FILE).read_bytes())
    content[100] ^= 1
    mirror.body = pack(upstream, files=((DATA_FILE, bytes(content)),))
    with pytest.raises(DataCorrupt, match=f"{DATA_FILE} differs .* `discoverybench data fetch`"):
        released.fetch()
    assert left_behind(caches) == set()


@pytest.mark.parametrize("damage", ["page", "half"])
def test_a_damaged_archive_is_rejected(mirror: Mirror, caches: Path, damage: str) -> None:
    mirror.body = b"<html>Sign in</html>" if damage == "page" else mirror.body[: len(mirror.body) // 20]
    with pytest.raises(DataCorrupt, match="damaged archive"):
        released.fetch()
    assert left_behind(caches) == set()


def test_members_outside_the_released_paths_are_not_extracted(
    mirror: Mirror, upstream: Path, caches: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    mirror.body = pack(
        upstream,
        files=(("../escape.csv", b"a"), ("../../escape.csv", b"b"), ("eval/../../../escape.csv", b"c")),
        links=(("discoverybench/real", str(outside)), ("discoverybench/synth", "../../../../outside")),
    )
    assert released.verify(released.fetch()).clean
    assert not list(tmp_path.rglob("escape.csv"))
    assert not list(outside.iterdir())
    assert left_behind(caches) == {released.COMMIT}


def test_forced_fetch_replaces_the_folder_only_when_it_succeeds(mirror: Mirror, caches: Path) -> None:
    root = released.cache_folder()
    (root / DATA_FILE).parent.mkdir(parents=True)
    (root / DATA_FILE).write_text("changed", encoding="utf-8")
    assert released.fetch() == root
    mirror.drops_connections = True
    with pytest.raises(DownloadFailed):
        released.fetch(force=True)
    assert released.verify(root).changed == (DATA_FILE,)

    mirror.drops_connections = False
    assert released.fetch(force=True) == root
    assert released.verify(root).clean
    assert left_behind(caches) == {released.COMMIT}


def test_an_unwritable_cache_is_one_line(caches: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    with pytest.raises(DownloadFailed, match="could not be written"):
        released.fetch()


def test_the_folder_of_the_user_is_used_unchanged(upstream: Path) -> None:
    assert released.data_root() == upstream.absolute()


@pytest.mark.parametrize("folder", ["absent", "empty"])
def test_a_folder_without_data_is_rejected(mirror: Mirror, tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISCOVERYBENCH_DATA_DIR", str(tmp_path / folder))
        with pytest.raises(DataMissing, match=f"DATA_DIR={tmp_path / folder} .*`discoverybench/`"):
            released.data_root()
    assert mirror.requests == 0


def test_missing_data_name_the_command_to_fetch_them(caches: Path) -> None:
    with pytest.raises(DataMissing, match="Run `discoverybench data fetch`, or set DISCOVERYBENCH_DATA_DIR"):
        released.local_root()


@pytest.mark.parametrize(
    ("damaged", "error", "message"),
    [
        ({DATA_FILE: None}, DataMissing, f"{DATA_FILE} is missing. "),
        ({DATA_FILE: b"changed"}, DataCorrupt, f"{DATA_FILE} differs from the released file. "),
        ({DATA_FILE: b"changed", ANSWER_KEY: None}, DataMissing, f"{ANSWER_KEY} is missing (and 1 more). "),
    ],
)
def test_the_first_invalid_file_is_named(
    upstream: Path, tmp_path: Path, damaged: dict[str, bytes | None], error: type[DataError], message: str
) -> None:
    paths = (DATA_FILE, ANSWER_KEY)
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_bytes((upstream / path).read_bytes())
    released.require_released(tmp_path, paths)

    for path, content in damaged.items():
        (tmp_path / path).unlink()
        if content is not None:
            (tmp_path / path).write_bytes(content)
    with pytest.raises(error) as failure:
        released.require_released(tmp_path, paths)
    assert failure.value.message.startswith(f"{tmp_path}: {message}")
    assert "`discoverybench data verify`" in failure.value.message


def test_an_unreadable_file_is_one_line(upstream: Path, tmp_path: Path) -> None:
    (tmp_path / DATA_FILE).parent.mkdir(parents=True)
    (tmp_path / DATA_FILE).symlink_to(Path(DATA_FILE).name)
    with pytest.raises(DataMissing, match=rf"{DATA_FILE} cannot be read: .*\. Check its permissions"):
        released.require_released(tmp_path, [DATA_FILE])


def test_packages_for_downloads_are_not_imported_early() -> None:
    code = "import sys, inspect_discoverybench.dataset.released; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"pooch", "requests", "tqdm", "filelock"}.isdisjoint(result.stdout.split())
