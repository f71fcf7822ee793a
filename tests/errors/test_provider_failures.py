"""Reasons of failed requests."""

import pytest

from inspect_discoverybench.errors.provider_failures import reason_of


def test_a_reply_that_a_provider_holds_as_a_mapping_says_what_the_server_said() -> None:
    def read(reply: dict[str, object]) -> object:
        return reply["choices"]

    def call() -> object:
        state = {"error": "of an earlier call"}
        return state, read({"error": {"message": "overloaded"}})

    with pytest.raises(KeyError) as raised:
        call()
    assert reason_of(raised.value).endswith("instead of a completion: overloaded (KeyError)")
