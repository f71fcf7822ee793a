"""What every test shares: folders of its own, and the real things that some tests need."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

# A machine that does other things at the same time is no failure.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

REQUIRED = {name for name in os.environ.get("DISCOVERYBENCH_REQUIRE", "").split(",") if name}


def _absent(name: str, message: str) -> None:
    """Skip, or fail where the environment says that this must be there."""
    if name in REQUIRED:
        pytest.fail(f"DISCOVERYBENCH_REQUIRE asks for {name}, but {message}")
    pytest.skip(message)


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Logs, caches and the working folder of one test reach no other, and no key of the developer is used."""
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    for variable in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "INSPECT_EVAL_MODEL", "INSPECT_EVAL_MODEL_ROLE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def upstream() -> Path:
    """The released data, as `DISCOVERYBENCH_DATA_DIR` names them."""
    folder = os.environ.get("DISCOVERYBENCH_DATA_DIR")
    if not folder:
        _absent("data", "DISCOVERYBENCH_DATA_DIR is not set")
    return Path(str(folder))


@pytest.fixture(scope="session")
def engine() -> None:
    """A Docker engine that answers."""
    if (
        shutil.which("docker") is None
        or subprocess.run(["docker", "info"], capture_output=True, check=False).returncode
    ):
        _absent("docker", "no Docker engine answers")


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a system Chromium."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        _absent("browser", "no Chromium is installed")
    return str(found)
