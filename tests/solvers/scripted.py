"""A solver on a demo task, with a scripted model.

Scripts are written with calls. A model that is offered no tools writes the same actions in its text.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.dataset import MemoryDataset, Sample
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
from inspect_ai.solver import Solver
from inspect_ai.tool import ToolCall, ToolChoice, ToolInfo

from inspect_discoverybench import demo
from inspect_discoverybench.submission.submission import Submission, SubmissionState

Turn = ModelOutput | str
Script = Sequence[Turn] | Callable[[list[ChatMessage], str], Turn]
"""Turns, the last of which is repeated; or a function of the messages and the action that the model must take."""

FORMS = ("calls", "text")


def python(code: str, text: str = "") -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", "python", {"code": code}, content=text or "Look.")


def submit(**arguments: Any) -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", "submit", arguments)


def with_calls(*outputs: ModelOutput) -> ModelOutput:
    """One output with the calls of all."""
    calls: list[ToolCall] = []
    for output in outputs:
        calls += output.message.tool_calls or []
    message = outputs[0].message.model_copy(update={"tool_calls": calls})
    return ModelOutput.from_message(message)


def in_text(call: ToolCall) -> str:
    """A call as a model writes it that acts in its text."""
    if call.function == "python":
        return f"Look.\n\n```python\n{call.arguments['code']}\n```\n\nIt prints 17."
    return json.dumps(call.arguments)


def required_action(messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice) -> str:
    """The action that a request requires: `python`, `submit`, or neither."""
    if tools:
        return tools[0].name if choice == "any" else ""
    last = messages[-1].text
    if "Begin with code" in last or "It is the coder's turn" in last:
        return "python"
    if "one JSON object and nothing else" in last:
        return "submit"
    # CodeGen's last request has no instruction of its own.
    is_codegen = "You have two turns" in messages[0].text
    return "submit" if is_codegen and last.startswith("The code printed") else ""


def replies(script: Script, expensive: int | None = None) -> Callable[..., ModelOutput]:
    """The output function of a model that follows the script. The call of this number costs 1000 tokens."""
    turns = 0

    def reply(messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: Any) -> ModelOutput:
        nonlocal turns
        if callable(script):
            turn = script(messages, required_action(messages, tools, choice))
        else:
            turn = script[min(turns, len(script) - 1)]
        output = ModelOutput.from_content("mockllm/model", turn) if isinstance(turn, str) else turn
        output = output.model_copy(deep=True)
        if output.choices and output.message.tool_calls and not tools:
            output.message.content = in_text(output.message.tool_calls[0])
            output.message.tool_calls = None
            output.completion = output.message.text
        tokens = 1000 if turns == expensive else 1
        output.usage = ModelUsage(input_tokens=1, output_tokens=tokens, total_tokens=tokens + 1)
        turns += 1
        return output

    return reply


def scripted(script: Script) -> Model:
    """A model that follows the script."""
    return get_model("mockllm/model", custom_outputs=replies(script), memoize=False)


def finished(log: EvalLog) -> EvalLog:
    """The log, read from its file with attachments resolved; the returned log stores long texts separately."""
    assert log.status == "success", log.error
    return read_eval_log(log.location, resolve_attachments=True)


def named_sample(sample: Sample, name: str) -> Sample:
    """A copy whose task text and goal have a name; an agent may render the task text anew."""
    metadata = dict(sample.metadata or {})
    metadata["goal"] = f"{metadata['goal']}\n{name}"
    return sample.model_copy(update={"id": name, "input": f"{name}\n{sample.input}", "metadata": metadata})


def play_all(
    scripts: Mapping[str, Script], solver: Solver, *, expensive: Sequence[int | None] = (), **options: Any
) -> dict[str, EvalSample]:
    """Run scripts by their names, each on a demo task of its own; a call of each may cost 1000 tokens."""
    task = demo()
    samples = [named_sample(task.dataset[0], name) for name in scripts]
    numbers = expensive or [None] * len(scripts)
    functions = {}
    for (name, script), number in zip(scripts.items(), numbers, strict=True):
        functions[name] = replies(script, number)

    def reply(messages: list[ChatMessage], tools: Any, choice: ToolChoice, config: Any) -> ModelOutput:
        lines: set[str] = set()
        for message in messages:
            if message.role == "user":
                lines.update(message.text.splitlines())
        name = next((name for name in functions if name in lines), next(iter(functions)))
        return functions[name](messages, tools, choice, config)

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    task = task_with(task, dataset=MemoryDataset(samples))
    [log] = inspect_eval(task, model=model, solver=solver, **options)
    log = finished(log)
    assert not any(sample.error for sample in log.samples or [])
    return {str(sample.id): sample for sample in log.samples or []}


def play(script: Script, solver: Solver, *, expensive: int | None = None, **options: Any) -> EvalSample:
    """Run one demo task; options are those of the eval."""
    return play_all({"sample": script}, solver, expensive=[expensive], **options)["sample"]


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
        if isinstance(message, ChatMessageTool) and message.function == "python":
            texts.append(message.text)
        elif message.metadata and message.metadata.get("function") == "python":
            texts.append(message.text.removeprefix("The code printed:\n\n"))
    return texts


def judged(sample: EvalSample) -> bool:
    """Whether the judge was asked anything."""
    return any(isinstance(event, ModelEvent) and event.role == "grader" for event in sample.events)


def calls(sample: EvalSample) -> list[ModelEvent]:
    """The calls of the evaluated model."""
    return [event for event in sample.events if isinstance(event, ModelEvent) and event.role != "grader"]


def spans(sample: EvalSample) -> list[str]:
    """Names of the agent's spans, in order."""
    return [event.name for event in sample.events if isinstance(event, SpanBeginEvent) and event.type == "agent"]


def score(sample: EvalSample) -> float:
    """HMS of the sample."""
    assert sample.scores
    value = sample.scores["HMS"].value
    assert isinstance(value, dict)
    return float(str(value["hms"]))


def reason(sample: EvalSample) -> str | None:
    assert sample.scores
    return sample.scores["HMS"].reason
