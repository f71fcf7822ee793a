"""Reasons of failed requests."""

import json
from enum import Enum
from typing import Any, ClassVar

import httpx
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with

from inspect_discoverybench import demo
from inspect_discoverybench.errors.provider_failures import http_status, reason_of
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from tests.command_line import discoverybench, failed, lab
from tests.endpoint import Raw

UNREADABLE = "the reply is not in the format of the provider's API: it may be an error or a web page. Check the server"


def failure_after(reply: Any) -> str:
    """The error of a sample whose model is on a server that sends this reply."""
    with lab(lambda _: Raw(body=json.dumps(reply).encode())) as (model, _):
        [log] = inspect_eval(task_with(demo(), solver=no_data_guess()), model=model, limit=1, max_retries=0)
    assert log.error
    assert log.error.message.startswith(f"The agent's model {model} failed: ")
    return log.error.message


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("reply", [{"error": {"message": "overloaded"}}, {"error": None}, {"detail": "Not Found"}])
def test_a_reply_that_inspect_cannot_read_may_be_an_error_of_the_server(reply: Any) -> None:
    assert UNREADABLE in failure_after(reply)


@pytest.mark.usefixtures("slow")
def test_what_inspect_says_of_a_reply_that_is_no_object_stays() -> None:
    assert UNREADABLE not in failure_after(3)


def test_doctor_says_that_an_unreadable_reply_may_be_an_error_of_the_server() -> None:
    """The tests above call the model in a sample. `doctor` calls it outside of one."""
    with lab(lambda _: Raw(body=b'{"error": "no credit"}')) as (model, _):
        result = discoverybench(f"doctor --model {model}")
    assert UNREADABLE in result.output


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("body", [b"", b" ", b'""'])
def test_an_error_without_a_body_is_described_by_its_status(body: bytes) -> None:
    with lab(lambda _: Raw(status=500, body=body)) as (model, _):
        output = failed(f"doctor --model {model}")
    assert "The model failed: Error code: 500 (InternalServerError, HTTP 500)." in output


class MistralError(Exception):
    """An error as that of mistralai, which is not installed here."""

    def __init__(self, body: str) -> None:
        super().__init__(f"Status 400. Body: {body}")
        self.body = body


def test_a_body_that_is_in_the_message_is_not_repeated() -> None:
    assert reason_of(MistralError("Unknown model")) == "Status 400. Body: Unknown model (MistralError)"
    # The reason has only the beginning of this message. The body is looked for in the whole message.
    long = MistralError("Unknown model. " + 99 * "Help. ")
    assert reason_of(long).count("Unknown model") == 1


class AwsError(Exception):
    """An error as that of botocore, which is not installed here."""

    response: ClassVar[dict[str, Any]] = {"Error": {"Code": "Validation"}, "ResponseMetadata": {"HTTPStatusCode": 400}}


class GoogleError(Exception):
    """An error as that of google-genai."""

    code = 429


class GrpcStatus(Enum):
    """The statuses of gRPC, which is not installed here."""

    INVALID_ARGUMENT = 3
    CANCELLED = 1


class GrpcError(Exception):
    """An error as that of xAI's package."""

    def __init__(self, status: GrpcStatus) -> None:
        self.status = status

    def code(self) -> GrpcStatus:
        return self.status


REQUEST = httpx.Request("POST", "http://localhost")

STATUSES: dict[str, tuple[Exception, int | None]] = {
    "AWS": (AwsError(), 400),
    "Google": (GoogleError(), 429),
    "xAI": (GrpcError(GrpcStatus.INVALID_ARGUMENT), 400),
    "xAI, another status": (GrpcError(GrpcStatus.CANCELLED), None),
    "httpx": (httpx.HTTPStatusError("refused", request=REQUEST, response=httpx.Response(422)), 422),
    "no response": (httpx.ConnectError("refused", request=REQUEST), None),
}


@pytest.mark.parametrize(("error", "status"), STATUSES.values(), ids=STATUSES)
def test_the_status_of_a_failed_request_is_found_where_packages_keep_it(error: Exception, status: int | None) -> None:
    assert http_status(error) == status
    wrapped = RuntimeError("The request failed.")
    wrapped.__cause__ = error
    assert http_status(wrapped) == status
