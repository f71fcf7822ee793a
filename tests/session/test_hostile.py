"""A hostile agent loses its own sample at most: the others are scored.

One eval with Inspect's defaults, in which any error of a sample ends the eval, runs every attack in a container of its
own and an ordinary sample last.
"""

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import ChatMessageTool, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_discoverybench import demo
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.step import step
from inspect_discoverybench.solvers.submission import submit
from tests import shared
from tests.session.attacks import ATTACKS, Attack
from tests.solvers.scripted import observations, replies, score
from tests.solvers.scripted import python as python_call
from tests.solvers.scripted import submit as submit_call

pytestmark = pytest.mark.usefixtures("sweep")

ORDINARY = "ordinary"


@solver
def follow_attack() -> Solver:
    """Run the cells of the sample's attack as tool calls, and submit the gold hypothesis."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        attack = ATTACKS.get(str(state.sample_id), Attack(["1 + 1"]))
        tools = [python(attack.seconds), submit()]
        gold = submit_call(hypothesis=state.target.text, workflow="w")
        turns = [*map(python_call, attack.cells), gold]
        model = get_model("mockllm/model", custom_outputs=replies(turns), memoize=False)
        for turn in turns:
            _, messages = await step(state.messages, tools, "submit" if turn is gold else "python", model)
            state.messages.extend(messages)
        return state

    return solve


def run() -> str:
    task = demo(sandbox="docker")
    first = task.dataset[0]
    samples = [first.model_copy(update={"id": name}) for name in [*ATTACKS, ORDINARY]]
    [log] = inspect_eval(
        task_with(task, dataset=MemoryDataset(samples)),
        model="mockllm/model",
        solver=follow_attack(),
        max_samples=6,
        # Attacks that wait for a time limit occupy one each.
        max_subprocesses=8,
        log_dir=str(shared.folder() / "hostile"),
    )
    return log.location


@pytest.fixture(scope="module")
def samples(engine: None) -> dict[str, EvalSample]:
    log = read_eval_log(shared.once("hostile", run), resolve_attachments=True)
    assert log.status == "success", log.error
    return {str(sample.id): sample for sample in log.samples or []}


@pytest.mark.parametrize("name", [*ATTACKS, ORDINARY])
def test_every_sample_is_scored(samples: dict[str, EvalSample], name: str) -> None:
    sample = samples[name]
    assert (sample.error, sample.limit) == (None, None)
    assert score(sample) == 1
    # Inspect reports a container that has ended as an error of the tool.
    assert [m.error for m in sample.messages if isinstance(m, ChatMessageTool) and m.error] == []
    assert name == ORDINARY or ATTACKS[name].output in observations(sample)[-1]


@pytest.mark.parametrize("name", ["endless reply", "wrong types", "clients killed"])
def test_a_forged_or_missing_reply_is_named(samples: dict[str, EvalSample], name: str) -> None:
    observation = observations(samples[name])[-1]
    assert "The session gave no valid result" in observation
    assert len(observation) < 1000


def test_nothing_that_acts_on_a_terminal_is_left(samples: dict[str, EvalSample]) -> None:
    assert observations(samples["lone surrogate"])[-1] == "? gone"


def test_a_full_disk_is_named(samples: dict[str, EvalSample]) -> None:
    assert "[/workspace is full. It holds at most 1024 MiB" in observations(samples["full disk"])[0]
