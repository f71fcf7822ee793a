"""The scorer `prediction`: how well a submitted hypothesis predicts fresh rows. It needs no judge."""

import math
from pathlib import Path
from typing import Any

from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import LimitExceededError, sandbox
from pydantic import ValidationError

from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.errors import AuthorFailed, InvalidArgument, first_cause, one_line
from inspect_discoverybench.final_message import submission_of
from inspect_discoverybench.hypothesis import NO_RESPONSE, PREDICTION_NAME
from inspect_discoverybench.session.session import PythonSession

FORMALISER = "formaliser"
"""Role of the model that writes the function; by default the evaluated model."""


@scorer(metrics=[mean(), stderr()], name=PREDICTION_NAME)
def prediction(path: str | None = None) -> Scorer:
    """Skill of the submitted hypothesis on fresh rows, between the best constant (0) and the gold expression (1).

    The model of the role `formaliser` writes a function `predict(frame)` from the hypothesis, the goal and the column
    descriptions. It runs in the sandbox on rows that are drawn from the semantic tree after the submission. A
    hypothesis without a computable claim scores 0. The score never changes HMS. It requires a sandbox, so
    `inspect score` cannot add it to a log.

    Args:
        path: Folder of the generated set; by default the demo.
    """
    folder = Path(path) if path is not None else None

    async def score(state: TaskState, target: Target) -> Score:
        _require_sandbox()
        submission = submission_of(state)
        if submission is None:
            return Score(value=0.0, reason=NO_RESPONSE, explanation="Prediction 0: nothing was submitted.")
        hypothesis = submission.hypothesis
        try:
            return await _score(hypothesis, _sample_metadata(state), folder)
        except AuthorFailed as error:
            return Score(value=0.0, answer=hypothesis, explanation=f"Prediction 0: {error.message}.")
        except (LimitExceededError, InvalidArgument):
            raise
        # HMS is a score of the same sample, and must not be lost because the formaliser's provider failed. Providers
        # raise many types.
        except Exception as error:  # noqa: BLE001
            reason = f"No prediction: {one_line(first_cause(error))}."
            return Score.unscored(reason="grader_failed", answer=hypothesis, explanation=reason)

    return score


def require_trees(samples: list[Any], path: str | None) -> None:
    """Check that every sample has a tree, before the evaluated model incurs any cost.

    Args:
        samples: The samples of a task.
        path: Folder of the generated set; None for the demo.

    Raises:
        InvalidArgument: A sample has no tree.
        DataError: A file of the set cannot be read.
        InvalidTree: A tree is invalid.
    """
    from inspect_discoverybench.synth.fresh import FreshTask

    for sample in samples:
        FreshTask.of(SampleMetadata.model_validate(sample.metadata), Path(path) if path is not None else None)


async def _score(hypothesis: str, metadata: SampleMetadata, folder: Path | None) -> Score:
    # Every `inspect` command imports this module; the generator is imported only when it is used.
    from inspect_discoverybench.synth.formaliser import formalise
    from inspect_discoverybench.synth.fresh import FreshTask
    from inspect_discoverybench.synth.skill import relative_skill

    task = FreshTask.of(metadata, folder)
    model = get_model(role=FORMALISER, default=get_model())
    # End the agent's session, so that nothing of it is left when the rows are drawn.
    await PythonSession().stop()
    fresh = await task.draw()
    prediction = await formalise(model, hypothesis, metadata, task, fresh)
    record: dict[str, Any] = {"formaliser": str(model), "rows": len(fresh.target)}
    if not prediction.values:
        reason = f"Prediction 0: the hypothesis has no computable claim ({prediction.reason})."
        return Score(value=0.0, answer=hypothesis, explanation=reason, metadata=record)
    skill = relative_skill(
        fresh.target,
        prediction.values,
        fresh.gold,
        numeric=task.target.numeric,
        level_stated=prediction.level_stated,
    )
    record |= {"code": prediction.code, "level_stated": prediction.level_stated}
    if math.isnan(skill):
        reason = "No prediction: on fresh rows the gold expression is not better than a constant."
        return Score.unscored(reason="grader_failed", answer=hypothesis, explanation=reason, metadata=record)
    explanation = f"Prediction {skill:.2f} on {len(fresh.target)} fresh rows.\n\n```python\n{prediction.code}\n```"
    return Score(value=skill, answer=hypothesis, explanation=explanation, metadata=record)


def _sample_metadata(state: TaskState) -> SampleMetadata:
    try:
        return SampleMetadata.model_validate(state.metadata or {})
    except ValidationError as error:
        raise InvalidArgument(
            f"discoverybench/prediction cannot score the sample {state.sample_id}. Use it with generated sets only."
        ) from error


def _require_sandbox() -> None:
    try:
        sandbox()
    except ProcessLookupError as error:
        raise InvalidArgument(
            "discoverybench/prediction runs code in the sandbox of the sample, which this run does not have. Evaluate "
            "with -T prediction=true; `inspect score` cannot add this score."
        ) from error
