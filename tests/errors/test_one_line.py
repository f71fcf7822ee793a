"""Messages of errors in one line."""

import pytest

from inspect_discoverybench.errors.provider_failures import MAX_MESSAGE_LENGTH, one_line


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("Run: pip install 'inspect-discoverybench[k8s]'", "Run: pip install 'inspect-discoverybench[k8s]'"),
        ("needs\n  `inspect-ai[a2a,k8s]`", "needs `inspect-ai[a2a,k8s]`"),
        ("[bold]ERROR[/bold]: run\n\n[bold]pip install pkg[extra][/bold]", "run: pip install pkg[extra]"),
        ("expected \\[a, b] or [/path], got []", "expected [a, b] or [/path], got []"),
    ],
)
def test_styles_are_removed_and_other_brackets_stay(message: str, text: str) -> None:
    assert one_line(ValueError(message)) == text


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (
            "ERROR: Unable to initialise X client\n\nNo [bold]X_KEY[/bold] defined.",
            "Unable to initialise X client: No X_KEY defined",
        ),
        ("Not found\r\n \r\n\nTry again.\nSoon.", "Not found: Try again. Soon"),
        ("It failed.\n\nTry again.", "It failed. Try again"),
        ("Install it with:\n\npip install x\n\n", "Install it with: pip install x"),
        ("\n\nlate", "late"),
        (" \n\n ", "ValueError"),
    ],
)
def test_paragraphs_are_separated_by_punctuation(message: str, text: str) -> None:
    assert one_line(ValueError(message)) == text


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_text_is_no_message(text: str) -> None:
    assert one_line(text) == "no message"


def test_a_long_message_is_cut() -> None:
    """Some servers reply with a whole web page."""
    assert one_line(ValueError("a" * 1000)) == "a" * MAX_MESSAGE_LENGTH
