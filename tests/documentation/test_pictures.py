"""The pictures of the README and the documentation site, which `make pictures` takes again."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.solver import Solver
from playwright.sync_api import Browser, Page, expect

from inspect_discoverybench import demo
from inspect_discoverybench.solvers.codegen import codegen
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from tests.browser import launched
from tests.command_line import completed
from tests.log_viewer import serving

SIZES = {"viewer.png": (1440, 810), "report.png": (1440, 780)}
"""Width and height in pixels."""


def page_of(browser: Browser, name: str, address: str) -> Page:
    """Open a page in the size of a picture."""
    width, height = SIZES[name]
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(address)
    return page


def run_demo(solver: Solver, folder: Path) -> None:
    [log] = inspect_eval(demo(), model="discoverybench/baseline", solver=solver, log_dir=str(folder))
    assert log.status == "success", log.error


@pytest.mark.documented
def test_pictures_of_the_viewer_and_the_report(chromium: str, tmp_path: Path) -> None:
    target = Path(os.environ.get("DISCOVERYBENCH_SCREENSHOTS", tmp_path))
    # The viewer shows the path of the logs.
    with TemporaryDirectory(prefix="discoverybench-") as folder:
        logs = Path(folder, "logs")
        run_demo(react(), logs)
        run_demo(codegen(), Path("more"))
        run_demo(no_data_guess(), Path("more"))
        completed(f"report {logs} more")
        with serving(logs) as viewer, launched(chromium) as browser:
            page = page_of(browser, "viewer.png", viewer)
            expect(page.get_by_role("row").filter(has_text="demo/beekeeping")).to_be_visible(timeout=30_000)
            page.screenshot(path=target / "viewer.png")
            page = page_of(browser, "report.png", (tmp_path / "report" / "report.html").as_uri())
            expect(page.locator("#hms")).to_contain_text("no_data_guess")
            page.screenshot(path=target / "report.png")
