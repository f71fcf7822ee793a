"""The provider `discoverybench/…`."""

import pytest
from inspect_ai.model import get_model

import inspect_discoverybench.offline.provider  # noqa: F401 - registers the models
from inspect_discoverybench.errors import InvalidArgument


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(
        InvalidArgument, match=r"discoverybench/guess.*discoverybench/baseline or discoverybench/lexical"
    ):
        get_model("discoverybench/guess")


@pytest.mark.parametrize("name", ["discoverybench/baseline", "discoverybench/lexical"])
async def test_equal_requests_get_equal_replies_with_usage(name: str) -> None:
    outputs = [await get_model(name).generate("Does y depend on x?") for _ in range(2)]
    assert outputs[0].completion == outputs[1].completion
    assert "not a language model" in outputs[0].completion
    assert outputs[0].stop_reason == "stop"
    assert outputs[0].usage
    assert outputs[0].usage.input_tokens > 0
    assert outputs[0].usage.output_tokens > 0
