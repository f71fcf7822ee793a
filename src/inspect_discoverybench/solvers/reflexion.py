"""Reflexion with an oracle: repeated CodeGen trials with reflections on their scores (paper §5.1)."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import anyio
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageUser, ModelOutput
from inspect_ai.scorer import score
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import (
    StoreModel,
    sandbox,
    span,
    store_as,
    suspend_token_limit,
    suspend_turn_limit,
    suspend_working_limit,
)
from pydantic import BaseModel, ConfigDict, Field

from inspect_discoverybench.dataset.data_files import changed_files
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.errors.invalid_values import refusing_unknown, require_positive
from inspect_discoverybench.errors.provider_failures import one_line
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import without_reasoning
from inspect_discoverybench.results.agent_record import recording_arguments
from inspect_discoverybench.session.loss import require_not_lost
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS, PythonSession, create_temporary_folder
from inspect_discoverybench.solvers.codegen import begin_codegen, create_codegen_actor, run_codegen
from inspect_discoverybench.solvers.step import Actor
from inspect_discoverybench.submission.submission import Submission, SubmissionState

MAX_REFLECTION_LENGTH = 2000
"""Maximum length of a reflection in characters. The prompt asks for at most 200 words. A model that repeats itself
writes more, and all later trials would have to read the repetition."""

FOLDER_SECONDS = 120
"""Time limit in seconds for preparing a trial's folder, enough to copy 20 data files. There is a limit because the
agent's code can make every step wait."""


class Trial(BaseModel):
    """One completed trial: its submission, the oracle's score in 0–1, and the reflection for the next trial, if any."""

    model_config = ConfigDict(frozen=True)

    submission: Submission | None = None
    hms: float | None = None
    reflection: str | None = None


class ReflexionState(StoreModel):
    """The trials of a sample, kept in the log."""

    oracle: bool = True
    """Always true. The agent sees scores, so its results are not comparable with those of other agents."""

    trials: list[Trial] = Field(default_factory=list)
    """Every completed trial. The sample is scored by the last one."""

    best_hms: float | None = None
    """The highest HMS of any trial; None before the first score."""

    def add(self, trial: Trial) -> None:
        """Add a completed trial."""
        self.trials = [*self.trials, trial]
        if trial.hms is not None:
            self.best_hms = max(trial.hms, self.best_hms or 0)

    def add_reflection(self, reflection: str) -> None:
        """Add the reflection on the last trial."""
        *earlier, last = self.trials
        self.trials = [*earlier, last.model_copy(update={"reflection": reflection})]


@solver
@recording_arguments
@refusing_unknown
def reflexion(trials: int = 3, actions: str = "calls", cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Repeat CodeGen until HMS is 1, at most `trials` times, with a reflection on the score between trials.

    The score is the only information from the judge that the model sees. Each trial starts with a clean conversation
    and a new session in a new folder with the original data files. If the code of a trial makes this impossible, or if
    the judge gives no valid reply about a trial, that trial is the last. If a limit ends a trial before it submits, the
    previous trial's submission is scored.

    Args:
        trials: Maximum number of trials.
        actions: The form in which the model acts, `calls` or `text`.
        cell_seconds: Time limit of one program in seconds.

    Raises:
        InvalidArgument: The sample has no gold hypothesis, or the task's scorer is not HMS.
    """
    require_positive("trials", trials)
    actor = create_codegen_actor(actions, cell_seconds)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if not state.target.text.strip():
            raise InvalidArgument(
                f"reflexion needs a gold hypothesis for its oracle, but {state.sample_id} has none. Use another agent, "
                "or add the gold hypothesis to the answer key or the metadata file."
            )
        checksums = SampleMetadata.of(state, needed_by="reflexion").data_checksums
        # The copies are outside of the working folder: the agent must not see them among its files. If its code changes
        # them all the same, there are no more trials.
        folder = await create_temporary_folder()
        copies = f"{folder}/data"
        await _copy_data_files(".", copies, checksums)
        begin_codegen(state, actor)
        # Each trial starts with these messages. They are copied, because a trial adds its own to the sample's list.
        first_messages = list(state.messages)
        lessons: list[str] = []
        for number in range(1, trials + 1):
            async with span(f"trial {number}", type="agent"):
                if lessons:  # from the second trial on
                    obstacle = await open_trial_folder(f"trial-{number}", copies, checksums)
                    if obstacle is not None:
                        transcript().info(f"There are no more trials: {obstacle}", source="reflexion")
                        break
                    text = Prompt.load("solvers/reflexion_lessons").render(reflections="\n\n".join(lessons))
                    text = text.rstrip()  # the last reflection may be empty
                    state.messages = [*first_messages, ChatMessageUser(content=text)]
                await _run_trial(state, actor)

            async with span(f"oracle {number}", type="agent"):
                hms = await _oracle_score(state)
            record = store_as(ReflexionState)
            record.add(Trial(submission=store_as(SubmissionState).submission, hms=hms))
            if hms is None or hms >= 1 or number == trials:
                break

            async with span(f"reflection {number}", type="agent"):
                reflection = await _reflect(state, actor, number, trials, hms)
            record.add_reflection(reflection)
            lessons.append(f"Trial {number}, score {hms:.2f}:\n{reflection}")
        return state

    return solve


@dataclass(frozen=True)
class _TrialAnswer:
    """What a trial has submitted, or the texts from which its answer is read, and the output of the sample after it."""

    submission: Submission | None
    texts: list[str]
    output: ModelOutput

    @classmethod
    def of(cls, state: TaskState) -> "_TrialAnswer":
        """The answer of the last trial. Before the first one, there is no submission and no text."""
        stored = store_as(SubmissionState)
        return cls(stored.submission, stored.texts or [], state.output)

    def restore(self, state: TaskState) -> None:
        """Make this answer the answer of the sample again, because the next trial ended without a submission."""
        stored = store_as(SubmissionState)
        stored.submission = self.submission
        stored.texts = self.texts
        if self.submission is not None:
            # `self.output` has the submitted hypothesis as its completion, which scorers of other packages read.
            # Without a submission, the output of the next trial stays: our scorer reads the answer from `texts`, and
            # not from the output.
            state.output = self.output


async def _run_trial(state: TaskState, actor: Actor) -> None:
    """Run one trial of CodeGen. If a limit ends it before it submits, the previous trial's answer is kept."""
    previous_answer = _TrialAnswer.of(state)
    # The trial starts without the answer and the output of the previous one.
    stored = store_as(SubmissionState)
    stored.submission = None
    stored.texts = []
    state.output = ModelOutput()
    try:
        await run_codegen(state, actor)
    except BaseException:  # limits raise exceptions of several types
        if stored.submission is None:
            previous_answer.restore(state)
        raise


async def _reflect(state: TaskState, actor: Actor, trial: int, trials: int, hms: float) -> str:
    """Ask for a reflection on a trial and its score; empty if the trial has filled the context window."""
    request = Prompt.load("solvers/reflexion_reflect").render(
        trial=str(trial),
        trials=str(trials),
        hms=f"{hms:.2f}",
    )
    message = ChatMessageUser(content=request, metadata={"role": "reflection"})
    step = await actor.step([*state.messages, message])
    if step.output.stop_reason == "model_length":
        return ""
    return without_reasoning(step.output.completion)[:MAX_REFLECTION_LENGTH]


async def _oracle_score(state: TaskState) -> float | None:
    """HMS from the task's own scorer, or None if its judge gave no valid reply."""
    # The judge's usage does not count against these limits. Inspect cannot suspend a limit of the cost, so the judge's
    # cost counts against it.
    with suspend_token_limit(), suspend_turn_limit(), suspend_working_limit():
        values = [result.value for result in await score(state)]
    for value in values:
        match value:
            case {"hms": int() | float() as hms}:
                return None if math.isnan(hms) else hms
    raise InvalidArgument(
        f"reflexion needs the task's scorer as its oracle, but no score has the key hms: {values}. "
        "Score with discoverybench/hms."
    )


async def open_trial_folder(folder: str, copies: str, checksums: Mapping[str, str]) -> str | None:
    """Create the folder with the data files, and make it the working folder of a new session.

    Processes of earlier trials may still run and change these files (docs/security.md).

    Args:
        folder: Name of the folder.
        copies: Folder with copies of the original data files.
        checksums: SHA-256 of each data file by name.

    Returns:
        How the agent's code has prevented the folder or the session; None if both are ready.

    Raises:
        DiscoveryBenchError: The sandbox was lost because of the infrastructure.
    """
    try:
        with anyio.fail_after(FOLDER_SECONDS):
            await PythonSession().move_to(folder)
            await _copy_data_files(copies, folder, checksums)
            changed = await changed_files(checksums, folder)
    except (OSError, RuntimeError, DiscoveryBenchError) as error:
        await require_not_lost()
        # The sandbox worked before the agent's code ran, so that code is the cause.
        return one_line(error)
    if changed:
        names = ", ".join(changed)
        return f"{names} changed before the trial"
    return None


async def _copy_data_files(source: str, target: str, names: Iterable[str]) -> None:
    """Copy data files from a folder of the sandbox into a new one.

    Raises:
        DiscoveryBenchError: They cannot be copied.
    """
    # The name of a data file may contain folders, and `tar` creates them. Inspect's `read_file` is not used: it cannot
    # see the container's folders in memory, in which the data files are.
    program = 'source=$1 target=$2; shift 2; mkdir "$target" && tar -C "$source" -cf - -- "$@" | tar -C "$target" -xf -'
    result = await sandbox().exec(["sh", "-c", program, "sh", source, target, *names])
    if not result.success:
        reason = result.stderr[-500:]
        raise DiscoveryBenchError(f"The data files cannot be copied in the sandbox: {reason}")
