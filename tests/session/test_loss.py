"""A sandbox that is lost through the infrastructure is an error of its sample; one lost by the agent is not.

One eval runs a sample for each loss, in a container of its own and one after the other.
"""

import os
from collections.abc import Awaitable, Callable

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.dataset import MemoryDataset
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import ChatMessageTool
from inspect_ai.solver import Generate, Solver, TaskState, chain, solver
from inspect_ai.util import subprocess

from inspect_discoverybench import demo
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.gold import gold
from inspect_discoverybench.solvers.reflexion import open_trial_folder
from inspect_discoverybench.solvers.step import create_actor
from tests import shared
from tests.solvers.scripted import python as python_call
from tests.solvers.scripted import score, scripted

pytestmark = pytest.mark.usefixtures("slow")

NAME_OF_HOST = "import os; os.uname().nodename"
OUT_OF_MEMORY = "text = b'x' * (5 << 30)"  # 5 GiB. The container has 4 GB (compose.yaml).
NO_ENGINE = "unix:///nonexistent/docker.sock"
KILLED = "is exited (exit code 137) and did not run out of memory"


async def _call(state: TaskState, code: str, engine: str | None = None) -> str:
    """Run one cell as a tool call, and return what the agent sees."""
    with pytest.MonkeyPatch.context() as environment:
        if engine:
            environment.setenv("DOCKER_HOST", engine)
        step = await create_actor("calls", python()).step(state.messages, ["python"], scripted([python_call(code)]))
    state.messages.extend(step.messages)
    return step.messages[-1].text


async def _kill_container(state: TaskState) -> None:
    host = (await _call(state, NAME_OF_HOST)).splitlines()[-1].strip("'")  # below the notice of a new session
    assert (await subprocess(["docker", "kill", host])).success


async def _container_killed(state: TaskState) -> None:
    await _kill_container(state)
    await _call(state, "1")


async def _killed_after_out_of_memory(state: TaskState) -> None:
    assert "ran out of memory" in await _call(state, OUT_OF_MEMORY)
    await _container_killed(state)


async def _engine_stopped(state: TaskState) -> None:
    await _call(state, "1")
    await _call(state, "1", NO_ENGINE)


async def _container_killed_between_trials(state: TaskState) -> None:
    await _kill_container(state)
    await open_trial_folder("trial-2", "/tmp", {})


LOSSES: dict[str, Callable[[TaskState], Awaitable[None]]] = {
    "container killed": _container_killed,
    "engine stopped": _engine_stopped,
    "container killed between trials": _container_killed_between_trials,
    "killed after out of memory": _killed_after_out_of_memory,
}


@solver
def lose_the_sandbox() -> Solver:
    """Lose the sandbox as the sample's id says."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await LOSSES[str(state.sample_id)](state)
        return state

    return solve


def run() -> str:
    task = demo(sandbox="docker")
    samples = [task.dataset[0].model_copy(update={"id": name}) for name in LOSSES]
    [log] = inspect_eval(
        task_with(task, dataset=MemoryDataset(samples)),
        model="mockllm/model",
        solver=chain(lose_the_sandbox(), gold()),
        max_samples=1,
        fail_on_error=False,
        log_dir=str(shared.folder() / "loss"),
    )
    return log.location


@pytest.fixture(scope="module")
def samples(engine: None) -> dict[str, EvalSample]:
    log = read_eval_log(shared.build_once("loss", run), resolve_attachments=True)
    return {str(sample.id): sample for sample in log.samples or []}


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("container killed", KILLED),
        ("engine stopped", NO_ENGINE),
        ("container killed between trials", KILLED),
    ],
)
def test_a_loss_through_the_infrastructure_is_an_error_that_names_it(
    samples: dict[str, EvalSample], name: str, cause: str
) -> None:
    error = samples[name].error
    assert error
    assert error.message.startswith("The sandbox was lost: ")
    assert cause in error.message
    assert "inspect eval-retry" in error.message
    assert os.linesep not in error.message
    assert not samples[name].scores


def test_an_agent_that_ran_out_of_memory_and_lost_its_container_is_scored(samples: dict[str, EvalSample]) -> None:
    sample = samples["killed after out of memory"]
    assert sample.error is None
    assert score(sample) == 1  # `gold` submits after the loss
    errors = [message.error for message in sample.messages if isinstance(message, ChatMessageTool) and message.error]
    assert [error.type for error in errors] == ["sandbox_unavailable"]
