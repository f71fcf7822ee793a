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
    cells = re.findall(r"^\| (.+?) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    quoted = [message for cell in cells for message in re.findall(r'"([^"]+)"', cell)]
    return [part.strip() for message in quoted for part in message.split("…") if part.strip(" :")]


def test_the_messages_on_the_page_are_those_that_a_user_sees() -> None:
    source = "".join(path.read_text("utf-8") for path in REPOSITORY.glob("src/**/*.py"))
    unknown = [message for message in quoted_messages() if message not in source and message not in OF_OTHERS]
    assert unknown == []
