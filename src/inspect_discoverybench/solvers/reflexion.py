"""Reflexion with an oracle: repeated CodeGen trials with reflections on their scores (paper §5.1)."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageUser, ModelOutput
from inspect_ai.scorer import score
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool
from inspect_ai.util import (
    StoreModel,
    sample_limits,
    span,
    store_as,
    suspend_token_limit,
    suspend_turn_limit,
    suspend_working_limit,
)
from pydantic import BaseModel, ConfigDict, Field

from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.errors import InvalidArgument, require_positive
from inspect_discoverybench.hypothesis import Submission, SubmissionState
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.codegen import run_codegen
from inspect_discoverybench.solvers.step import step
from inspect_discoverybench.solvers.submission import submit
from inspect_discoverybench.solvers.trial_folder import open_trial_folder, read_data_files

DEFAULT_TRIALS = 3
"""Default maximum number of trials (paper §5.1)."""


class Trial(BaseModel):
    """One completed trial."""

    model_config = ConfigDict(frozen=True)

    submission: Submission | None = None
    """The trial's submission; None if nothing was submitted."""

    texts: list[str] = Field(default_factory=list)
    """What the model wrote instead of calling `submit`."""

    hms: float | None = None
    """The oracle's score in 0–1; None if the judge gave no valid reply."""

    reflection: str | None = None
    """The model's reflection for the next trial; None for the last trial."""


class ReflexionState(StoreModel):
    """The trials of a sample, kept in the log."""

    oracle: bool = True
    """The agent sees scores, so its results are not comparable with those of other agents."""

    trials: list[Trial] = Field(default_factory=list)
    """Every completed trial. The sample is scored by the last one."""

    best_hms: float | None = None
    """The highest HMS of any trial; None before the first score."""

    def update_last_trial(self, **fields: float | str | None) -> None:
        """Set fields of the last trial, and update `best_hms`."""
        self.trials = [*self.trials[:-1], self.trials[-1].model_copy(update=fields)]
        self.best_hms = max((trial.hms for trial in self.trials if trial.hms is not None), default=None)


@solver
def reflexion(trials: int = DEFAULT_TRIALS, figures: bool = False, cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Repeat CodeGen until HMS is 1, with a reflection on the score between trials.

    The score is the only information from the judge that the model sees. Each trial starts with a clean conversation
    and a new session in a new folder with the original data files. If the code of a trial makes this impossible, that
    trial is the last. If a limit ends a trial before it submits, the previous trial's submission is scored.

    Args:
        trials: Maximum number of trials.
        figures: Whether `python` returns open matplotlib figures. The model must accept images.
        cell_seconds: Time limit of one `python` call in seconds.

    Raises:
        InvalidArgument: `trials` is not a positive integer, the sample has no gold hypothesis, or the task's scorer is
            not HMS.
    """
    require_positive("trials", trials)
    tools = [python(cell_seconds, figures=figures), submit()]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if not state.target.text.strip():
            raise InvalidArgument(
                f"reflexion needs a gold hypothesis for its oracle, but {state.sample_id} has none. Use another agent, "
                "or add the gold hypothesis to the answer key or the metadata file."
            )
        store_as(SubmissionState).texts = []
        metadata = state.metadata_as(SampleMetadata)
        data_files = await read_data_files([file.name for file in metadata.data_files])
        task_messages = list(state.messages)
        lessons: list[str] = []
        record = store_as(ReflexionState)
        for number in range(1, trials + 1):
            async with span(f"trial {number}", type="agent"):
                if lessons:
                    obstacle = await open_trial_folder(f"trial-{number}", data_files, metadata.data_checksums)
                    if obstacle is not None:
                        transcript().info(f"There are no more trials: {obstacle}", source="reflexion")
                        break
                state.messages = list(task_messages)
                if lessons:
                    text = Prompt.load("solvers/reflexion_lessons").render(reflections="\n\n".join(lessons))
                    state.messages.append(ChatMessageUser(content=text))
                await _run_trial(state, tools)
            stored = store_as(SubmissionState)
            record.trials = [*record.trials, Trial(submission=stored.submission, texts=stored.texts or [])]
            async with span(f"oracle {number}", type="agent"):
                hms = await _oracle_score(state)
            record.update_last_trial(hms=hms)
            if hms is None or hms >= 1 or number == trials:
                break
            async with span(f"reflection {number}", type="agent"):
                prompt = Prompt.load("solvers/reflexion_reflect")
                request = prompt.render(trial=str(number), trials=str(trials), hms=f"{hms:.2f}")
                message = ChatMessageUser(content=request, metadata={"role": "reflection"})
                reflection = (await step([*state.messages, message], tools, "none")).output.completion
            record.update_last_trial(reflection=reflection)
            lessons.append(f"Trial {number}, score {hms:.2f}:\n{reflection}")
        transcript().info(
            {"oracle": True, "hms": [trial.hms for trial in record.trials], "best_hms": record.best_hms},
            source="reflexion",
        )
        return state

    return solve


async def _run_trial(state: TaskState, tools: Sequence[Tool]) -> None:
    """Run one trial of CodeGen and store its submission, or what the model wrote instead of one.

    If a limit ends the trial before it submits, the previous trial's answer is kept.
    """
    stored = store_as(SubmissionState)
    previous = stored.submission, stored.texts
    stored.submission, state.output = None, ModelOutput()
    try:
        await run_codegen(state, tools)
    except BaseException:  # limits raise exceptions of several types
        if stored.submission is None:
            stored.submission, stored.texts = previous
        raise


async def _oracle_score(state: TaskState) -> float | None:
    """HMS from the task's own scorer, or None if its judge gave no valid reply.

    Raises:
        InvalidArgument: The task's scorer is not HMS.
    """
    # The judge's usage does not count against the agent's limits.
    with suspend_token_limit(), suspend_turn_limit(), suspend_working_limit(), _suspend_cost_limit(state):
        values = [result.value for result in await score(state)]
    for value in values:
        if isinstance(value, dict) and isinstance(value.get("hms"), int | float):
            return None if math.isnan(value["hms"]) else float(value["hms"])
    if any(isinstance(value, float) and math.isnan(value) for value in values):
        return None
    raise InvalidArgument(
        f"reflexion needs the task's scorer as its oracle, but no score has the key hms: {values}. "
        "Score with discoverybench/hms."
    )


@contextmanager
def _suspend_cost_limit(state: TaskState) -> Iterator[None]:
    """Suspend the sample's cost limit, and afterwards raise it by the cost incurred in this block.

    Inspect has functions to suspend the other limits, but not this one.
    """
    limit, initial_cost = state.cost_limit, sample_limits().cost.usage
    state.cost_limit = None
    try:
        yield
    finally:
        state.cost_limit = None if limit is None else limit + sample_limits().cost.usage - initial_cost
