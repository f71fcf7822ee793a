"""A headless Chromium."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def launched(chromium: str) -> Iterator[Browser]:
    """Launch the Chromium at this path.

    While it runs, Playwright occupies the event loop of this thread, so no eval can run here.
    """
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium, args=OPTIONS) as browser:
        yield browser
