"""One sample, a solver that only writes, and judges that follow a script."""

import json
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import isnan
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolChoice, ToolInfo

from inspect_discoverybench.dataset.metadata import Column, DataFile
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.scorer.scorer import hms
from tests.endpoint import AGREEMENT, Answer, Endpoint, Request, question, serve, truthful

GOLD = "In towns, rainfall raises yield by 3 kg."
PREDICTED = "Rainfall raises yield in towns."
FULL = dict.fromkeys(SCORE_KEYS, 1.0)
ZEROS = dict.fromkeys(SCORE_KEYS, 0.0)
HMS_QUESTIONS = ["extract", "extract", "match", "relationship", "variables"]
"""What is asked for the HMS of a sample whose contexts differ: the contexts of both hypotheses are extracted."""

CONTEXTS = [f'{{"hypothesis": [{{"context": "place {number}"}}]}}' for number in range(99)]
"""Replies to extractions, more than a test needs.

No two have the same context, so the judge is also asked whether the contexts match.
"""


@solver
def writes(text: str) -> Solver:
    """An agent of another package that writes a text as its hypothesis.

    The number of the sample follows the text, unless the number is 0. If the text is empty, the agent writes nothing.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        number = str(state.sample_id).rpartition("/")[2]
        hypothesis = text if number == "0" else f"{text} case {number}"
        content = json.dumps({"hypothesis": hypothesis}) if text else ""
        state.output = ModelOutput.from_content("stranger", content)
        return state

    return solve


def sample(number: int = 0) -> Sample:
    """A sample. Its number is in its id and, unless it is 0, in its gold hypothesis."""
    gold = f"{GOLD} case {number}" if number else GOLD
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


def evaluate(
    judge: Model,
    prediction: str = PREDICTED,
    numbers: Sequence[int] = (0,),
    scorer: Scorer | None = None,
    **options: Any,
) -> EvalLog:
    """The log of an eval of samples with these numbers."""
    samples = [sample(number) for number in numbers]
    task = Task(samples, solver=writes(prediction), scorer=scorer or hms())
    roles = {"grader": judge}
    [log] = inspect_eval(task, model="mockllm/model", model_roles=roles, **options)
    return log


@dataclass(frozen=True)
class Result:
    """A score: its values by key, the answer, the reason, the explanation, and the record of the judge."""

    values: dict[str, float]
    answer: str | None
    reason: str | None
    """None if the HMS is the result of a comparison of the hypotheses. Any other score has a reason."""

    explanation: str
    record: dict[str, Any]

    @property
    def unscored(self) -> set[str]:
        """The keys without a value."""
        return {key for key, value in self.values.items() if isnan(value)}


def score_of(log: EvalLog) -> Result:
    """The score of the only sample."""
    [score] = scores_of(log)
    return score


def scores_of(log: EvalLog) -> list[Result]:
    """The scores of all samples, by their numbers."""
    assert log.status == "success", log.error
    results = []
    for sample in sorted(log.samples or [], key=sample_number):
        assert sample.scores
        score = sample.scores["HMS"]
        values: dict[str, Any] = score.as_dict()
        result = Result(
            values=values,
            answer=score.answer,
            reason=score.reason,
            explanation=score.explanation or "",
            record=score.metadata or {},
        )
        results.append(result)
    return results


def sample_number(sample: EvalSample) -> int:
    _, _, number = str(sample.id).rpartition("/")
    return int(number)


def case_number(request: Request) -> int:
    """Number of the sample, from a task text that says `case N`."""
    match = re.search(r"case (\d+)", request["messages"][1]["content"])
    assert match
    return int(match[1])


def scripted(**replies: str | list[str]) -> Callable[[Request], Answer]:
    """Answer each question with a fixed reply or a sequence of replies; agree with all other questions.

    The last reply of a sequence is repeated. Without a reply to the answer question, the whole text is quoted.
    """
    queues: dict[str, list[str]] = {}
    for name, reply in {**AGREEMENT, **replies}.items():
        queues[name] = [reply] if isinstance(reply, str) else [*reply]

    def answer(request: Request) -> str:
        name = question(request) or ""
        queue = queues.get(name)
        if not queue:
            return truthful(request)
        if len(queue) == 1:
            return queue[0]
        return queue.pop(0)

    return answer


def serve_agreement() -> AbstractContextManager[Endpoint]:
    """Serve a judge that agrees with every question, after different contexts."""
    return serve(scripted(extract=CONTEXTS))


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
        contents = [{"role": message.role, "content": message.text} for message in messages]
        request: Request = {"messages": contents}
        self.requests.append(request)
        reply = self.answer(request)
        assert isinstance(reply, str), "Only an endpoint can answer with anything but text."
        output = ModelOutput.from_content("mockllm/judge", reply)
        # If the tokens were not stated, Inspect would count them with a tokenizer that it downloads.
        output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
        return output


def judge_at(endpoint: Endpoint, name: str = "openai/gpt-4o", **options: Any) -> Model:
    """A judge at the endpoint. It is not memoized, or Inspect would reuse an earlier test's model with its address."""
    return get_model(name, base_url=endpoint.url, api_key="sk-secret", memoize=False, **options)
