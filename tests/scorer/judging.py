"""One sample, a solver that only writes, and judges that follow a script."""

import json
import re
from collections.abc import Callable
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)
from inspect_ai.scorer import Score
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo

from inspect_discoverybench.dataset.metadata import Column, DataFile
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from tests.endpoint import Answer, Endpoint, Request, question, slots

GOLD = "In towns, rainfall raises yield by 3 kg."
PREDICTED = "Rainfall raises yield in towns."
FULL = {"hms": 1.0, "context": 1.0, "variables": 1.0, "relationship": 1.0}
CONTEXTS = [f'{{"hypothesis": [{{"context": "place {n}"}}]}}' for n in range(99)]
"""One context after the other, none of them the same."""


@solver
def writes(text: str, stop_reason: StopReason) -> Solver:
    """A third-party solver that only writes a hypothesis, in a clean form."""
    content = json.dumps({"hypothesis": text}) if text.strip() else text

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("stranger", content, stop_reason=stop_reason)
        return state

    return solve


@solver
def writes_its_number() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        number = str(state.sample_id).rpartition("/")[2]
        content = json.dumps({"hypothesis": f"Rainfall raises yield in case {number}"})
        state.output = state.output.from_content("stranger", content)
        return state

    return solve


def sample(number: int = 0) -> Sample:
    """A sample; with another number, its gold hypothesis says so, and nothing else differs."""
    gold = GOLD if number == 0 else f"{GOLD} case {number}"
    metadata = SampleMetadata(
        split="test",
        dataset="farms",
        metadata_number=0,
        query_id=number,
        domain="farming",
        question_type="variables",
        difficulty=None,
        goal="What raises yield?",
        gold_hypothesis=gold,
        gold_workflow=None,
        data_files=(DataFile(name="farms.csv", description="Farms.", columns=(Column(name="rain"),)),),
        workflow_tags="",
        domain_knowledge="",
    )
    return Sample(id=metadata.sample_id, input="What raises yield?", target=gold, metadata=metadata.model_dump())


def score_of(log: EvalLog) -> Score:
    assert log.status == "success", log.error
    assert log.samples
    assert log.samples[0].scores
    return log.samples[0].scores["HMS"]


def case_number(request: Request) -> int:
    """Number of the sample, from a task text that says `case N`."""
    match = re.search(r"case (\d+)", request["messages"][1]["content"])
    assert match
    return int(match[1])


def scripted(**replies: str | list[str]) -> Callable[[Request], Answer]:
    """Answer each question with a fixed reply or a sequence of replies; agree with all other questions."""
    agree = {
        "extract": '{"hypothesis": [{"text": "t", "context": "towns", "explanation": "said so"}]}',
        "match": '{"match": true}',
        "variables": '{"sizeA": 2, "sizeB": 2, "intersection": 2, "explanation": "rain, yield"}',
        "relationship": '{"answer": "A", "explanation": "same"}',
    }
    queues = {name: [reply] if isinstance(reply, str) else list(reply) for name, reply in {**agree, **replies}.items()}

    def answer(request: Request) -> str:
        if question(request) == "answer" and "answer" not in queues:
            return json.dumps({"asserted": True, "hypothesis": [slots(request)["text"]], "workflow": []})
        queue = queues[question(request) or ""]
        return queue.pop(0) if len(queue) > 1 else queue[0]

    return answer


class InProcessJudge:
    """A judge that answers in this process, for tests in which HTTP is not the point."""

    def __init__(self, answer: Callable[[Request], Answer]) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.model = get_model("mockllm/judge", custom_outputs=self._reply, memoize=False)

    def judge_requests(self) -> list[str]:
        """Names of the judge's questions, in the order they arrived."""
        return [name for request in self.requests if (name := question(request))]

    def _reply(
        self, messages: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        request: Request = {"messages": [{"role": message.role, "content": message.text} for message in messages]}
        self.requests.append(request)
        reply = self.answer(request)
        assert isinstance(reply, str), "Only an endpoint can answer with anything but text."
        output = ModelOutput.from_content("mockllm/judge", reply)
        # Otherwise Inspect would count them with a tokenizer that it downloads.
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return output


def judge_at(endpoint: Endpoint, name: str = "openai/gpt-4o", **options: Any) -> Model:
    """A judge at the endpoint; without memory, as Inspect would use the address of an earlier test."""
    url = endpoint.url.removesuffix("/v1") if name.startswith("anthropic") else endpoint.url
    return get_model(name, base_url=url, api_key="sk-secret", memoize=False, **options)
