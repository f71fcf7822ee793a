"""A solver on a demo task, with a scripted model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.event import ModelEvent, SpanBeginEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import (
    ChatMessage,
    ChatMessageTool,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import Solver
from inspect_ai.tool import ToolChoice, ToolFunction, ToolInfo

from inspect_discoverybench import demo
from inspect_discoverybench.hypothesis import Submission, SubmissionState

Turn = ModelOutput | str
Tokens = int | Callable[[int], int]
"""Output tokens of every turn, or of the turn of a number."""
Speaker = Callable[[list[ChatMessage], list[ToolInfo], ToolChoice, GenerateConfig], ModelOutput]
Played = dict[str, EvalSample]
Script = Sequence[Turn] | Callable[[list[ChatMessage], str], Turn]
"""Turns, the last of which is repeated; or a function of the messages and the tool that must be called."""


def python(code: str, text: str = "") -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", "python", {"code": code}, content=text or "Look.")


def submit(**arguments: Any) -> ModelOutput:
    return ModelOutput.for_tool_call("mockllm/model", "submit", arguments)


def speaker(script: Script, tokens: Tokens) -> Speaker:
    """The output function of a model that follows the script."""
    turns = 0

    def output(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        nonlocal turns
        must = choice.name if isinstance(choice, ToolFunction) else ""
        turn = script(messages, must) if callable(script) else script[min(turns, len(script) - 1)]
        reply = ModelOutput.from_content("mockllm/model", turn) if isinstance(turn, str) else turn.model_copy(deep=True)
        cost = tokens(turns) if callable(tokens) else tokens
        reply.usage = ModelUsage(input_tokens=1, output_tokens=cost, total_tokens=cost + 1)
        turns += 1
        return reply

    return output


def scripted(script: Script, tokens: Tokens = 1) -> Model:
    """A model that follows the script."""
    return get_model("mockllm/model", custom_outputs=speaker(script, tokens), memoize=False)


def finished(log: EvalLog) -> EvalLog:
    """The log, read from its file with attachments resolved; the returned log stores long texts separately."""
    assert log.status == "success", log.error
    return read_eval_log(log.location, resolve_attachments=True)


def expensive_call(at: int) -> Tokens:
    """1000 output tokens for the call of this number, and 1 for any other."""
    return lambda number: 1000 if number == at else 1


def play_all(scripts: Mapping[str, Script], solver: Solver, *, costs: Sequence[int] = (), **options: Any) -> Played:
    """Run up to eight scripts at once, each on a demo task of its own.

    Args:
        scripts: Scripts by their names.
        solver: The solver.
        costs: For each script, the number of the call that costs 1000 tokens; any other costs 1.
        options: Of the eval.
    """
    task = demo()
    names = dict(zip((str(sample.input) for sample in task.dataset), scripts, strict=False))
    speakers = {
        name: speaker(script, expensive_call(costs[n]) if costs else 1)
        for n, (name, script) in enumerate(scripts.items())
    }

    def output(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        # DataVoyager cuts the last sentence off.
        task_texts = [message.text for message in messages if len(message.text) > 500]
        name = next(name for text, name in names.items() if any(text.startswith(cut) for cut in task_texts))
        return speakers[name](messages, tools, choice, config)

    model = get_model("mockllm/model", custom_outputs=output, memoize=False)
    log = finished(inspect_eval(task, model=model, solver=solver, limit=len(scripts), **options)[0])
    assert log.samples
    assert [sample.error for sample in log.samples] == [None] * len(scripts)
    return {names[str(sample.input)]: sample for sample in log.samples}


def play(script: Script, solver: Solver, *, tokens: Tokens = 1, **options: Any) -> EvalSample:
    """Run one demo task; options are those of the eval."""
    model = scripted(script, tokens)
    log = finished(inspect_eval(demo(), model=model, solver=solver, limit=1, **options)[0])
    assert log.samples
    assert log.samples[0].error is None
    return log.samples[0]


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
