"""The messages that the page on troubleshooting explains."""

import re

from tests.documentation.commands import REPOSITORY

PAGE = REPOSITORY / "docs" / "troubleshooting.md"
OF_OTHERS = (
    "No inspect tasks were found",
    "Cannot connect to the Docker daemon",
    "permission denied",
    "docker.sock",
    "No OPENAI_API_KEY defined in the environment",
    "No space left on device",
)
"""Messages of Inspect, Docker and the operating system."""


def quoted_messages() -> list[str]:
    """The parts of the quoted messages that do not depend on the run."""
    parts = []
    for cell in re.findall(r"^\| (.+?) \|", PAGE.read_text("utf-8"), re.MULTILINE):
        for message in re.findall(r'"([^"]+)"', cell):
            parts += message.split("…")
    return [part.strip() for part in parts if part.strip(" :")]


def test_the_messages_on_the_page_are_those_that_a_user_sees() -> None:
    files = [path.read_text("utf-8") for path in REPOSITORY.glob("src/**/*.py")]
    source = "".join(files)
    for message in quoted_messages():
        assert message in source or message in OF_OTHERS
