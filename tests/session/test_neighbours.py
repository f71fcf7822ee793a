"""Samples that run long cells do not delay the others."""

from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.dataset import MemoryDataset
from inspect_ai.solver import Generate, Solver, TaskState, solver

from inspect_discoverybench import demo
from inspect_discoverybench.session.tool import python

SLEEP_SECONDS = 10


@solver
def sleep_or_work() -> Solver:
    """Run one long cell or ten short ones, as the sample's id says."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        cells = [f"import time; time.sleep({SLEEP_SECONDS})"] if state.sample_id != "ordinary" else ["1"] * 10
        for code in cells:
            await python()(code=code)
        return state

    return solve


def test_a_sleeping_cell_does_not_delay_other_samples() -> None:
    """Inspect allows as many processes at a time as there are cores."""
    task = demo()
    ids = ["sleeper 1", "sleeper 2", "sleeper 3", "ordinary"]
    samples = [task.dataset[0].model_copy(update={"id": name}) for name in ids]
    [log] = inspect_eval(
        task_with(task, dataset=MemoryDataset(samples), scorer=[]),
        model="mockllm/model",
        solver=sleep_or_work(),
        max_samples=4,
        max_subprocesses=2,
    )
    assert log.status == "success", log.error
    [ordinary] = [sample for sample in log.samples or [] if sample.id == "ordinary"]
    assert ordinary.total_time
    assert ordinary.working_time
    assert ordinary.working_time <= ordinary.total_time < SLEEP_SECONDS
