"""The answer in a transcript: what the agent submitted, and what it had been told before."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspect_ai.event import Event, ModelEvent, SampleInitEvent, ScoreEvent, StateEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score
from inspect_ai.util import store_from_events_as
from inspect_scout import Transcript

from inspect_discoverybench.answer import answer_of
from inspect_discoverybench.hypothesis import SCORE_NAME, Submission, SubmissionState
from inspect_discoverybench.scorer.judge import ROLE as JUDGE_ROLE


def read_submission(transcript: Transcript) -> Submission | None:
    """Read the submission: the one that was scored, or else the one that the scorer would read.

    Returns:
        The submission; None if nothing was submitted.

    Raises:
        ReplyMissing: The transcript has no score, and the provider's last reply has no choices.
    """
    score = next(hms_scores(transcript), None)
    if score is not None:
        workflow = str((score.metadata or {}).get("workflow") or "")
        return Submission.truncated(score.answer, workflow) if (score.answer or "").strip() else None  # type: ignore[arg-type]
    stored = store_from_events_as(transcript.events, SubmissionState).submission
    if stored is not None:
        return stored
    sample = EvalSample(
        id=transcript.task_id or transcript.transcript_id,
        epoch=transcript.task_repeat or 1,
        input="",
        target="",
        messages=transcript.messages,
        output=_final_output(transcript.events),
    )
    answer = answer_of(sample)
    return answer if isinstance(answer, Submission) else None


def _final_output(events: Sequence[Event]) -> ModelOutput:
    """The last output of the agent's model, with the completion that the agent put into the state."""
    outputs = [e.output for e in events if isinstance(e, ModelEvent) and e.role != JUDGE_ROLE]
    output = outputs[-1].model_copy(deep=True) if outputs else ModelOutput()
    for event in events:
        for change in event.changes if isinstance(event, StateEvent) else ():
            if change.path == "/output" and isinstance(change.value, Mapping):
                output.completion = str(change.value.get("completion") or "")
            elif change.path == "/output/completion":
                output.completion = str(change.value or "")
    return output


def hms_scores(transcript: Transcript) -> Iterator[Score]:
    """The scores of the scorer `hms`, the last one first; scores that were appended later have a number."""
    scores = transcript.metadata.get("scores")
    if isinstance(scores, Mapping):
        for name in reversed(scores):
            if _is_hms(name):
                yield Score.model_validate(scores[name])
        return
    # Transcripts of a running eval have no scores yet, but they have the score events.
    for event in reversed(transcript.events):
        if isinstance(event, ScoreEvent) and _is_hms(event.scorer or SCORE_NAME):
            yield event.score


def given_text(transcript: Transcript) -> str:
    """What the agent was told about the task: the task text, the goal and the descriptions of the data files."""
    first = next((message.text for message in transcript.messages if isinstance(message, ChatMessageUser)), "")
    metadata = _metadata(transcript)
    files = [
        text
        for file in _mappings(metadata.get("data_files"))
        for text in (file.get("name"), file.get("description"), *map(_column_text, _mappings(file.get("columns"))))
    ]
    return "\n".join(map(str, filter(None, [first, metadata.get("goal"), *files])))


def data_file_names(transcript: Transcript) -> list[str]:
    """Names of the data files in the sandbox."""
    return [str(file.get("name")) for file in _mappings(_metadata(transcript).get("data_files"))]


def _is_hms(name: str) -> bool:
    return name.rpartition("/")[2].rstrip("0123456789") == SCORE_NAME


def _metadata(transcript: Transcript) -> Mapping[str, Any]:
    """Metadata of the sample; those of other tasks have none of the keys that are read."""
    init = next((event.sample for event in transcript.events if isinstance(event, SampleInitEvent)), None)
    metadata = (init.metadata if init else None) or transcript.metadata.get("sample_metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def _mappings(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list | tuple) else []


def _column_text(column: Mapping[str, Any]) -> str:
    return f"{column.get('name', '')} {column.get('description', '')}"
