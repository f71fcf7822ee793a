"""Isolation of tests that run Scout in this process."""

import logging
from collections.abc import Iterator

import anyio
import pytest
from inspect_ai.model import ModelAPI
from inspect_scout._util.log import _scout_log_handler


@pytest.fixture(autouse=True)
def no_scout_log_handler() -> Iterator[None]:
    """Remove Scout's log handler, which would write the messages of later evaluations into their logs a second time."""
    yield
    handler = _scout_log_handler["handler"]
    if handler is not None:
        for name in (None, *logging.root.manager.loggerDict):
            logging.getLogger(name).removeHandler(handler)


@pytest.fixture(autouse=True)
def no_idle_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scout's idle workers look for work once a second; here, fifty times."""
    sleep = anyio.sleep
    monkeypatch.setattr("anyio.sleep", lambda delay: sleep(0.02 if delay == 1 else delay))


@pytest.fixture(autouse=True)
def no_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inspect would download a tokenizer to count the tokens of scripted models."""

    async def count(self: ModelAPI, text: str) -> int:
        return len(text) // 4

    monkeypatch.setattr(ModelAPI, "count_text_tokens", count)
