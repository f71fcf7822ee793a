"""Running the task `synth_generate` with a scripted author."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolChoice, ToolInfo

from inspect_discoverybench import synth_generate
from inspect_discoverybench.generator.generate import GenerationState

Values = Mapping[str, Any]
"""The values of a request."""

Step = Callable[[Values, int], Any]
"""From the values of a request and the number of earlier requests of the same step, to the reply."""

BASELINE = "discoverybench/baseline"


def leaf(name: str, low: float | None = 0, high: float | None = 10, **fields: Any) -> dict[str, Any]:
    return {
        "name": name,
        "description": f"The {name}",
        "type": "real",
        "low": low,
        "high": high,
        **fields,
    }


def scripted_author(**steps: Any) -> Model:
    """An author of one small domain. A step is a reply, or a function of the request.

    Args:
        steps: Replies by step (`domains`, `root`, `expand`, `distractors`, `task`, `review`) to replace the usual ones.
    """
    script = {**USUAL, **steps}
    counts: Counter[str] = Counter()

    def output(
        messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        assert config.response_schema
        step = config.response_schema.name.removeprefix("synth_")
        reply = script[step]
        if callable(reply):
            reply = reply(values_of(messages), counts[step])
        counts[step] += 1
        if isinstance(reply, ModelOutput):
            return reply
        return output_of(reply)

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def values_of(messages: list[ChatMessage]) -> Values:
    """The JSON block of a request."""
    _, _, block = messages[1].text.partition("```json\n")
    values, _ = json.JSONDecoder().raw_decode(block)
    return dict(values)


def output_of(reply: Any) -> ModelOutput:
    """A model output; with usage, so that Inspect does not fetch a tokenizer to count the tokens."""
    text = reply if isinstance(reply, str) else json.dumps(reply)
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def cut_off(values: Values, count: int) -> ModelOutput:
    """A reply that ends at the token limit."""
    output = output_of('{"hypothesis": "The')
    output.choices[0].stop_reason = "max_tokens"
    return output


def task_text(values: Values, count: int) -> dict[str, str]:
    name = values["name"]
    return {
        "hypothesis": f"Among the boats, {name} follows from its causes.",
        "goal": f"Among the boats, how does {name} depend on the others?",
    }


def distractors(values: Values, count: int) -> dict[str, Any]:
    """As many columns as requested."""
    names = [f"other_{number}" for number in range(values["count"])]
    return {"columns": [leaf(name) for name in names]}


RIG = {
    "name": "rig",
    "description": "The rig",
    "type": "category",
    "values": ["sloop", "ketch", "yawl"],
}
ROOT: dict[str, Any] = {
    "context": "Among the boats",
    "rows": "One boat in each row.",
    "hypothesis": "The top speed rises with the sail area and falls with the drag of the hull.",
    "target": leaf("top_speed", 0, 60),
    "expression": "5 + 2 * df['sail_area'] - 3 * df['hull_drag']",
    "children": [
        leaf("sail_area", 4, 20),
        leaf("hull_drag", 0, 6),
    ],
}
APPROVAL = {
    "reason": "All is well.",
    "statement_is_true": True,
    "goal_giveaway": "",
    "description_giveaway": "",
}
USUAL: dict[str, Any] = {
    "domains": {"domains": [{"name": "sailing", "description": "Boats with sails."}]},
    "root": ROOT,
    "expand": {"expression": "", "children": []},
    "distractors": distractors,
    "task": task_text,
    "review": APPROVAL,
}


def derived(values: Values, count: int) -> Any:
    """Two children for every leaf."""
    node = values["node"]
    first = f"{values['name']}_x"
    second = f"{values['name']}_y"
    low = node["low"]
    # The children are from 0 to 1, so the node is from `low` to `low + 2 * factor`, which is `high`.
    factor = (node["high"] - low) / 2
    return {
        "expression": f"{low} + {factor} * (df['{first}'] + df['{second}'])",
        "children": [leaf(first, 0, 1), leaf(second, 0, 1)],
    }


def generate(out: Path, model: Model | str, **arguments: Any) -> EvalLog:
    """Run the task in the local sandbox with small data files."""
    settings = {
        "domains": 1,
        "rows": 200,
        "height": 2,
        "sandbox": "local",
        **arguments,
    }
    # One by one, so that an error of the second domain leaves the first one complete.
    [log] = inspect_eval(synth_generate(out=str(out), **settings), model=model, max_samples=1)
    return log


def sample_of(log: EvalLog) -> EvalSample:
    """The sample of a single domain, which ended without an error."""
    assert log.status == "success", log.error
    [sample] = log.samples or []
    return sample


def state_of(log: EvalLog) -> GenerationState:
    return sample_of(log).store_as(GenerationState)


def score_of(log: EvalLog) -> Score:
    scores = sample_of(log).scores
    assert scores
    return scores["accepted"]


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
