"""The pictures of the README and the documentation site, which `make pictures` takes again."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from playwright.sync_api import expect

from tests.browser import launched
from tests.command_line import completed
from tests.log_viewer import serving


@pytest.mark.documented
def test_pictures_of_the_viewer_and_the_report(chromium: str, tmp_path: Path) -> None:
    target = tmp_path
    if "DISCOVERYBENCH_SCREENSHOTS" in os.environ:
        target = Path(os.environ["DISCOVERYBENCH_SCREENSHOTS"])
    # The viewer shows the path of the logs, so it is a short one.
    with TemporaryDirectory(prefix="discoverybench-") as folder:
        logs = Path(folder, "logs")
        # One agent for the viewer, and all agents of the experiment for the report.
        completed(f"run demo --set log_dir={logs} --set solvers=[discoverybench/react]")
        completed("run demo")
        completed("report logs/demo")

        with serving(logs) as viewer, launched(chromium) as browser:
            page = browser.new_page(viewport={"width": 1440, "height": 810})
            page.goto(viewer)
            row = page.get_by_role("row").filter(has_text="demo/beekeeping")
            expect(row).to_be_visible(timeout=30_000)
            page.screenshot(path=target / "viewer.png")

            page.set_viewport_size({"width": 1440, "height": 780})
            report = tmp_path / "report" / "report.html"
            page.goto(report.as_uri())
            expect(page.locator("#hms")).to_contain_text("no_data_guess")
            page.screenshot(path=target / "report.png")
