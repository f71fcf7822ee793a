"""Reflexion with an oracle: CodeGen in trials, each told the score of the one before (paper §5.1)."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelOutput
from inspect_ai.scorer import score
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool
from inspect_ai.util import (
    StoreModel,
    sample_limits,
    sandbox,
    span,
    store_as,
    suspend_token_limit,
    suspend_turn_limit,
    suspend_working_limit,
)
from pydantic import BaseModel, ConfigDict, Field

from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.errors import InvalidArgument, at_least_one
from inspect_discoverybench.final_message import submission_of
from inspect_discoverybench.hypothesis import Submission, SubmissionState
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS, PythonSession
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.codegen import attempt
from inspect_discoverybench.solvers.step import step
from inspect_discoverybench.solvers.submission import submit

TRIALS = 3
"""Default number of trials (paper §5.1)."""


class Trial(BaseModel):
    """One trial.

    Attributes:
        submission: What it handed in; None if nothing.
        hms: The oracle's number in 0–1; None where the judge gave no usable reply.
        reflection: What the model wrote for the next trial; None after the last one.
    """

    model_config = ConfigDict(frozen=True)

    submission: Submission | None = None
    hms: float | None = None
    reflection: str | None = None


class ReflexionState(StoreModel):
    """What the log keeps of the trials."""

    oracle: bool = True
    """The agent was told scores: its results are no rivals of agents that were not."""

    trials: list[Trial] = Field(default_factory=list)
    """Every trial that came to its end; the last one is what the sample is scored by."""

    best_hms: float | None = None
    """The highest HMS of a trial, beside the last one's."""

    def improve(self, **known: float | str | None) -> None:
        """Add what is now known of the last trial."""
        self.trials = [*self.trials[:-1], self.trials[-1].model_copy(update=known)]
        self.best_hms = max((trial.hms for trial in self.trials if trial.hms is not None), default=None)


@solver
def reflexion(trials: int = TRIALS, figures: bool = False, cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """CodeGen, again and again until HMS is 1, with a reflection on the score between trials.

    The only thing that the model learns from the judge is the number. Each trial starts from a clean conversation and
    a new session. A trial that a limit cuts short leaves the submission of the one before standing.

    Args:
        trials: Most trials.
        figures: Show open matplotlib figures to the model, which must take images.
        cell_seconds: Time limit of one `python` call.

    Raises:
        InvalidArgument: `trials` is not 1 or more; the sample has no gold hypothesis; or the task is not scored by HMS.
    """
    at_least_one("trials", trials)
    tools = [python(cell_seconds, figures=figures), submit()]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if not state.target.text.strip():
            raise InvalidArgument(
                f"reflexion needs a gold hypothesis for its oracle, but {state.sample_id} has none. Choose another "
                "agent, or add the gold hypothesis to the answer key or the metadata file."
            )
        task, record, sandbox_files = list(state.messages), store_as(ReflexionState), await _files(state)
        for number in range(1, trials + 1):
            async with span(f"trial {number}", type="agent"):
                if number > 1 and not await _restored(sandbox_files):
                    break
                state.messages = [*task, *_lessons(record.trials)]
                await _try(state, tools)
            record.trials = [*record.trials, Trial(submission=submission_of(state))]
            async with span(f"oracle {number}", type="agent"):
                hms = await _oracle(state)
            record.improve(hms=hms)
            if hms is None or hms >= 1 or number == trials:
                break
            async with span(f"reflection {number}", type="agent"):
                record.improve(reflection=await _reflection(state.messages, tools, hms, number, trials))
        transcript().info(
            {"oracle": True, "hms": [t.hms for t in record.trials], "best_hms": record.best_hms}, source="reflexion"
        )
        return state

    return solve


async def _files(state: TaskState) -> dict[str, bytes]:
    """The data files as they are before the first trial."""
    names = [file.name for file in state.metadata_as(SampleMetadata).data_files]
    return {name: await sandbox().read_file(name, text=False) for name in names}


async def _restored(files: dict[str, bytes]) -> bool:
    """A new session in a folder that holds the data files and nothing else; False if the folder cannot be used."""
    await PythonSession().stop()
    clear = "chmod -R u+rwx . && find . -mindepth 1 -delete"
    with suppress(OSError):  # the folder itself is gone
        if (await sandbox().exec(["sh", "-c", clear])).success:
            for name, content in files.items():
                await sandbox().write_file(name, content)
            return True
    return False


async def _try(state: TaskState, tools: Sequence[Tool]) -> None:
    """One trial from nothing but the messages; what was submitted before it stands until it has ended."""
    submitted = store_as(SubmissionState)
    before, ended = submitted.submission, False
    submitted.submission, state.output = None, ModelOutput()
    try:
        await attempt(state, tools)
        ended = True
    finally:  # a limit ends the sample by an exception of one kind or another
        if not ended:
            submitted.submission = store_as(SubmissionState).submission or before
    # An answer in words is kept like one by call: a later trial may be cut short.
    submitted.submission = submission_of(state)


async def _oracle(state: TaskState) -> float | None:
    """The number that the task's own scorer gives: HMS, or None if its judge gave no usable reply.

    Raises:
        InvalidArgument: The task is not scored by HMS.
    """
    # What the judge spends is not the agent's.
    with suspend_token_limit(), suspend_turn_limit(), suspend_working_limit(), _suspended_cost_limit(state):
        scores = await score(state)
    for found in scores:
        if isinstance(found.value, dict) and isinstance(found.value.get("hms"), int | float):
            return float(found.value["hms"])
    if any(isinstance(found.value, float) and math.isnan(found.value) for found in scores):
        return None
    raise InvalidArgument(
        f"reflexion needs the task's scorer as its oracle, but no score has the key hms: {[s.value for s in scores]}. "
        "Score with discoverybench/hms."
    )


@contextmanager
def _suspended_cost_limit(state: TaskState) -> Iterator[None]:
    """Let the sample's limit of cost rest, and raise it by what is spent meanwhile.

    Inspect can suspend the other limits, but not this one.
    """
    limit, before = state.cost_limit, sample_limits().cost.usage
    state.cost_limit = None
    try:
        yield
    finally:
        state.cost_limit = None if limit is None else limit + sample_limits().cost.usage - before


async def _reflection(
    conversation: Sequence[ChatMessage], tools: Sequence[Tool], hms: float, number: int, trials: int
) -> str:
    question = Prompt.load("solvers/reflexion_reflect").render(trial=str(number), trials=str(trials), hms=f"{hms:.2f}")
    said = await step(
        [*conversation, ChatMessageUser(content=question, metadata={"role": "reflection"})], tools, "none"
    )
    return said.output.completion


def _lessons(trials: Sequence[Trial]) -> list[ChatMessage]:
    if not trials:
        return []
    reflections = "\n\n".join(f"Trial {n}, score {t.hms:.2f}:\n{t.reflection}" for n, t in enumerate(trials, 1))
    return [ChatMessageUser(content=Prompt.load("solvers/reflexion_lessons").render(reflections=reflections))]
