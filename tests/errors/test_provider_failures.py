"""Reasons of failed requests."""

import json
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with

from inspect_discoverybench import demo
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from tests.command_line import discoverybench, lab
from tests.endpoint import Raw

UNREADABLE = "the reply is not in the format of the provider's API: it may be an error or a web page. Check the server"


@pytest.mark.parametrize("reply", [{"error": {"message": "overloaded"}}, {"error": None}, {"detail": "Not Found"}, 3])
def test_a_reply_that_inspect_cannot_read_may_be_an_error_of_the_server(reply: Any) -> None:
    with lab(lambda _: Raw(body=json.dumps(reply).encode())) as (model, _):
        [log] = inspect_eval(task_with(demo(), solver=no_data_guess()), model=model, limit=1, max_retries=0)
    assert log.error
    assert log.error.message.startswith(f"The agent's model {model} failed: ")
    assert (UNREADABLE in log.error.message) != isinstance(reply, int)


def test_a_check_outside_of_an_eval_says_it_too() -> None:
    with lab(lambda _: Raw(body=b'{"error": "no credit"}')) as (model, _):
        result = discoverybench(f"doctor --model {model}")
    assert UNREADABLE in result.output
