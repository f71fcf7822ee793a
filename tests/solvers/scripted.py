"""A solver on a demo task, with a scripted model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
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
from inspect_ai.solver import Solver
from inspect_ai.tool import ToolChoice, ToolFunction

from inspect_discoverybench import demo
from inspect_discoverybench.submission.submission import Submission, SubmissionState

Turn = ModelOutput | str
Script = Sequence[Turn] | Callable[[list[ChatMessage], str], Turn]
"""Turns, the last of which is repeated; or a function of the messages and the tool that must be called."""


def python(code: str, text: str = "") -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", "python", {"code": code}, content=text or "Look.")


def submit(**arguments: Any) -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", "submit", arguments)


def with_calls(*outputs: ModelOutput) -> ModelOutput:
    """One output with the calls of all."""
    calls = [call for output in outputs for call in output.message.tool_calls or []]
    return ModelOutput.from_message(outputs[0].message.model_copy(update={"tool_calls": calls}))


def replies(script: Script, expensive: int | None = None) -> Callable[..., ModelOutput]:
    """The output function of a model that follows the script. The call of this number costs 1000 tokens."""
    turns = 0

    def reply(messages: list[ChatMessage], tools: Any, choice: ToolChoice, config: Any) -> ModelOutput:
        nonlocal turns
        must = choice.name if isinstance(choice, ToolFunction) else ""
        turn = script(messages, must) if callable(script) else script[min(turns, len(script) - 1)]
        output = ModelOutput.from_content("mockllm/model", turn) if isinstance(turn, str) else turn
        output = output.model_copy(deep=True)
        cost = 1000 if turns == expensive else 1
        output.usage = ModelUsage(input_tokens=1, output_tokens=cost, total_tokens=cost + 1)
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


def play_all(
    scripts: Mapping[str, Script], solver: Solver, *, expensive: Sequence[int | None] = (), **options: Any
) -> dict[str, EvalSample]:
    """Run scripts by their names, each on a demo task of its own; a call of each may cost 1000 tokens."""
    task = demo()
    first = task.dataset[0]
    goal = str((first.metadata or {})["goal"])
    samples = [
        first.model_copy(
            update={
                "id": name,
                # In the goal as well, because an agent may render the task text anew.
                "input": f"{name}\n{first.input}",
                "metadata": {**(first.metadata or {}), "goal": f"{goal}\n{name}"},
            }
        )
        for name in scripts
    ]
    numbers = expensive or [None] * len(scripts)
    functions = {name: replies(script, n) for (name, script), n in zip(scripts.items(), numbers, strict=True)}

    def reply(messages: list[ChatMessage], tools: Any, choice: ToolChoice, config: Any) -> ModelOutput:
        lines = {line for message in messages if message.role == "user" for line in message.text.splitlines()}
        name = next((name for name in functions if name in lines), samples[0].id)
        return functions[str(name)](messages, tools, choice, config)

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    task = task_with(task, dataset=MemoryDataset(samples))
    log = finished(inspect_eval(task, model=model, solver=solver, **options)[0])
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
    return [m.text for m in sample.messages if isinstance(m, ChatMessageTool) and m.function == "python"]


def judged(sample: EvalSample) -> bool:
    """Whether the judge was asked anything."""
    return any(isinstance(e, ModelEvent) and e.role == "grader" for e in sample.events)


def calls(sample: EvalSample) -> list[ModelEvent]:
    """The calls of the evaluated model."""
    return [e for e in sample.events if isinstance(e, ModelEvent) and e.role != "grader"]


def spans(sample: EvalSample) -> list[str]:
    """Names of the agent's spans, in order."""
    return [e.name for e in sample.events if isinstance(e, SpanBeginEvent) and e.type == "agent"]


def score(sample: EvalSample) -> float:
    """HMS of the sample."""
    assert sample.scores
    value = sample.scores["HMS"].value
    assert isinstance(value, dict)
    return float(str(value["hms"]))


def reason(sample: EvalSample) -> str | None:
    assert sample.scores
    return sample.scores["HMS"].reason
