"""The pictures of the README and the documentation site, which `make pictures` takes again."""

import os
import struct
from pathlib import Path

from click.testing import CliRunner
from inspect_ai import eval as inspect_eval
from inspect_ai.solver import Solver
from playwright.sync_api import expect

from inspect_discoverybench import demo
from inspect_discoverybench.cli.main import main
from inspect_discoverybench.solvers.codegen import codegen
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from tests.browser import launched
from tests.documentation.commands import REPOSITORY
from tests.log_viewer import serving

WIDTH, HEIGHT = 1440, 810
IMAGES = REPOSITORY / "docs" / "images"


def evaluate(folder: Path, *solvers: Solver) -> None:
    for solver in solvers:
        [log] = inspect_eval(demo(), model="discoverybench/baseline", solver=solver, log_dir=str(folder))
        assert log.status == "success", log.error


def size(picture: Path) -> tuple[int, int]:
    """Width and height of a PNG in pixels."""
    width, height = struct.unpack(">II", picture.read_bytes()[16:24])
    return width, height


def test_pictures_of_the_viewer_and_the_report(chromium: str, tmp_path: Path) -> None:
    evaluate(tmp_path / "logs", react())
    evaluate(tmp_path / "more", codegen(), no_data_guess())
    made = CliRunner().invoke(main, ["report", "logs", "more"])
    assert made.exit_code == 0, made.output
    folder = Path(os.environ.get("DISCOVERYBENCH_SCREENSHOTS", tmp_path))
    with serving(tmp_path / "logs") as viewer, launched(chromium) as browser:
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(viewer)
        expect(page.get_by_role("row").filter(has_text="demo/beekeeping")).to_be_visible(timeout=30_000)
        page.screenshot(path=folder / "viewer.png")
        page.goto((tmp_path / "report" / "report.html").as_uri())
        expect(page.locator("html[data-ready]")).to_be_attached()
        expect(page.locator("#summary")).to_contain_text("24")
        page.screenshot(path=folder / "report.png")
    for name in ("viewer.png", "report.png"):
        assert size(folder / name) == size(IMAGES / name) == (WIDTH, HEIGHT), "run `make pictures`"
