"""A solver on a demo task, with a scripted model.

Scripts are written with calls. A model that is offered no tools writes the same actions in its text.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset
from inspect_ai.event import ModelEvent, SpanBeginEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import (
    ChatMessage,
    ChatMessageTool,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, chain, solver
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo
from inspect_ai.util import store

from inspect_discoverybench import demo
from inspect_discoverybench.submission.submission import Submission, SubmissionState

Turn = ModelOutput | str
Script = Sequence[Turn] | Callable[[list[ChatMessage], str], Turn]
"""Turns, the last of which is repeated; or a function of the messages and the action that the model must take."""

BOTH_FORMS = pytest.mark.parametrize("form", ["calls", "text"])
"""Runs a test in both forms in which models act."""


def python(code: str) -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", "python", {"code": code}, content="Look.")


def submit(**arguments: Any) -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", "submit", arguments)


def verdict(next_role: str = "coder", instruction: str = "go on", **fields: Any) -> str:
    """A reply of DataVoyager's critic."""
    reply = {
        "assessment": "r",
        "answered": False,
        "progress": True,
        "next": next_role,
        "instruction": instruction,
    }
    return json.dumps(reply | fields)


def with_calls(*outputs: ModelOutput) -> ModelOutput:
    """One output with the calls of all."""
    calls: list[ToolCall] = []
    for output in outputs:
        calls += output.message.tool_calls or []
    message = outputs[0].message.model_copy(update={"tool_calls": calls})
    return ModelOutput.from_message(message)


def costly(turn: Turn) -> ModelOutput:
    """A turn that costs 1000 tokens."""
    output = output_of(turn)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1000, total_tokens=1001)
    return output


def output_of(turn: Turn) -> ModelOutput:
    """A copy of a turn as an output."""
    if isinstance(turn, str):
        return ModelOutput.from_content("mockllm/model", turn)
    return turn.model_copy(deep=True)


def in_text(call: ToolCall) -> str:
    """A call as a model writes it that acts in its text."""
    if call.function == "python":
        code = call.arguments["code"]
        # Small models go on with an output that they invent. It must be ignored.
        return f"Look.\n\n```python\n{code}\n```\n\nIt prints 17."
    return json.dumps(call.arguments)


def required_action(messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice) -> str:
    """The action that a request requires: `python`, `submit`, or neither."""
    if tools:
        return tools[0].name if choice == "any" else ""
    last = messages[-1].text
    if "This is your last model call" in last:
        return "submit"
    if "Begin with code" in last or "It is the coder's turn" in last:
        return "python"
    if "one JSON object and nothing else" in last:
        return "submit"
    # CodeGen's last request has no instruction of its own.
    is_codegen = "You have two turns" in messages[0].text
    return "submit" if is_codegen and last.startswith("The code printed") else ""


def replies(script: Script) -> Callable[..., ModelOutput]:
    """The output function of a model that follows the script."""
    remaining = [] if callable(script) else list(script)

    def reply(messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: Any) -> ModelOutput:
        if callable(script):
            action = required_action(messages, tools, choice)
            turn = script(messages, action)
        elif len(remaining) > 1:
            turn = remaining.pop(0)
        else:
            [turn] = remaining
        output = output_of(turn)
        if output.usage is None:
            output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        calls = output.message.tool_calls if output.choices else None
        if calls and not tools:
            output.completion = in_text(calls[0])
            output.message.tool_calls = None
        return output

    return reply


def scripted(script: Script) -> Model:
    """A model that follows the script."""
    return get_model("mockllm/model", custom_outputs=replies(script), memoize=False)


def finished(log: EvalLog) -> EvalLog:
    """The log, read from its file with attachments resolved; the returned log stores long texts separately."""
    assert log.status == "success", log.error
    return read_eval_log(log.location, resolve_attachments=True)


@solver
def remember_script() -> Solver:
    """Store the sample's id, which is the name of its script."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        store().set("script", state.sample_id)
        return state

    return solve


def play_all(
    scripts: Mapping[str, Script], agent: Solver, task: Task | None = None, **options: Any
) -> dict[str, EvalSample]:
    """Run scripts by their names, each on a sample of its own; options are those of the eval.

    Fails if a sample ends with an error.
    """
    task = task or demo()
    samples = [task.dataset[0].model_copy(update={"id": name}) for name in scripts]
    functions = {name: replies(script) for name, script in scripts.items()}

    def reply(*request: Any) -> ModelOutput:
        function = functions[store().get("script")]
        return function(*request)

    [log] = inspect_eval(
        task_with(task, dataset=MemoryDataset(samples)),
        model=get_model("mockllm/model", custom_outputs=reply, memoize=False),
        solver=chain(remember_script(), agent),
        **options,
    )
    played = {}
    for sample in finished(log).samples or []:
        assert not sample.error
        played[str(sample.id)] = sample
    return played


def play(script: Script, agent: Solver, **options: Any) -> EvalSample:
    """Run one demo task; options are those of the eval."""
    samples = play_all({"sample": script}, agent, **options)
    return samples["sample"]


def submission(sample: EvalSample) -> Submission | None:
    return sample.store_as(SubmissionState).submission


def submitted(sample: EvalSample) -> Submission:
    """The submission of a sample that has one."""
    result = submission(sample)
    assert result
    return result


def observations(sample: EvalSample) -> list[str]:
    """What the model saw of the code that it ran."""
    texts = []
    for message in sample.messages:
        metadata = message.metadata or {}
        if isinstance(message, ChatMessageTool) and message.function == "python":
            texts.append(message.text)
        elif metadata.get("function") == "python":
            texts.append(message.text.removeprefix("The code printed:\n\n"))
    return texts


def model_events(sample: EvalSample) -> list[ModelEvent]:
    return [event for event in sample.events if isinstance(event, ModelEvent)]


def judged(sample: EvalSample) -> bool:
    """Whether the judge was asked anything."""
    return any(event.role == "grader" for event in model_events(sample))


def calls(sample: EvalSample) -> list[ModelEvent]:
    """The calls of the evaluated model."""
    return [event for event in model_events(sample) if event.role != "grader"]


def offered(call: ModelEvent) -> list[str]:
    """Names of the tools that a model call offered."""
    return [tool.name for tool in call.tools]


def spans(sample: EvalSample) -> list[str]:
    """Names of the agent's spans, in order."""
    begins = [event for event in sample.events if isinstance(event, SpanBeginEvent)]
    return [event.name for event in begins if event.type == "agent"]


def score(sample: EvalSample) -> float:
    """HMS of the sample."""
    assert sample.scores
    value = sample.scores["HMS"].value
    assert isinstance(value, dict)
    return float(str(value["hms"]))


def reason(sample: EvalSample) -> str | None:
    assert sample.scores
    return sample.scores["HMS"].reason
