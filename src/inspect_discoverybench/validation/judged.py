"""Judged samples of a log: the texts that the judge saw, and its answers from the recorded replies."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspect_ai.log import EvalSample

from inspect_discoverybench.errors import ReplyRejected
from inspect_discoverybench.scorer.context import Contexts, ContextVerdict, Match, identical
from inspect_discoverybench.scorer.exchange import ParseFailure
from inspect_discoverybench.scorer.facets import FacetVerdict
from inspect_discoverybench.scorer.relationship import Relationship
from inspect_discoverybench.scorer.variables import Variables
from inspect_discoverybench.scorer.verdict import Verdict
from inspect_discoverybench.structured_reply import R, parse_reply
from inspect_discoverybench.validation.answers import Answers
from inspect_discoverybench.validation.scored_log import hms_of, read_log

NOT_SCORED = "not scored"
NO_SUBMISSION = "no submission"
NO_RECORD = "the judge's replies are not recorded"
OTHER_FACETS = "the recorded replies do not give the recorded facets"
UNSCORED = "unscored: the judge's replies do not determine HMS"


@dataclass(frozen=True)
class JudgedSample:
    """A predicted hypothesis that the judge compared with the gold hypothesis.

    Attributes:
        task_id: Id of the log's task.
        sample_id: Id of the sample.
        epoch: Epoch, starting at 1.
        score: Name of the score.
        goal: The discovery goal.
        gold_hypothesis: The gold hypothesis.
        gold_workflow: Its workflow; empty if it is not public.
        predicted_hypothesis: The predicted hypothesis.
        predicted_workflow: Its workflow; may be empty.
        verdict: The judge's verdict.
        hms: HMS, in [0, 1].
        record: Score metadata, which record how the hypothesis was judged.
    """

    task_id: str
    sample_id: str
    epoch: int
    score: str
    goal: str
    gold_hypothesis: str
    gold_workflow: str
    predicted_hypothesis: str
    predicted_workflow: str
    verdict: Verdict
    hms: float
    record: Mapping[str, Any]

    @property
    def answers(self) -> Answers:
        """The judge's answers."""
        return Answers.from_verdict(self.verdict)


@dataclass(frozen=True)
class JudgedLog:
    """The judged samples of a log.

    Attributes:
        path: Path of the log, as the user wrote it.
        task_id: Id of the log's task.
        samples: Judged samples, ordered by sample id and epoch.
        left_out: Number of samples that were left out, by reason.
    """

    path: str
    task_id: str
    samples: tuple[JudgedSample, ...]
    left_out: Mapping[str, int]

    @classmethod
    def read(cls, path: str, score: str) -> "JudgedLog":
        """Read an Inspect log.

        Args:
            path: Path of the log.
            score: Name of the score.

        Raises:
            DataMissing: The file does not exist.
            InvalidArgument: The file is not an Inspect log, or no sample has a score with this name.
        """
        log = read_log(path, score)
        read = [_judged(log.eval.task_id, sample, score) for sample in log.samples or []]
        samples = [sample for sample in read if isinstance(sample, JudgedSample)]
        return cls(
            path,
            log.eval.task_id,
            tuple(sorted(samples, key=lambda sample: (sample.sample_id, sample.epoch))),
            Counter(reason for reason in read if isinstance(reason, str)),
        )

    @property
    def records(self) -> list[Mapping[str, Any]]:
        """How each sample was judged."""
        return [sample.record for sample in self.samples]


def _judged(task_id: str, sample: EvalSample, name: str) -> JudgedSample | str:
    """The judged sample, or the reason why it is left out."""
    score = (sample.scores or {}).get(name)
    if score is None:
        return NOT_SCORED
    if not score.answer:
        return NO_SUBMISSION
    record = score.metadata or {}
    if not isinstance(record.get("replies"), Mapping):
        return NO_RECORD
    hms = hms_of(score)
    if hms is None:
        return UNSCORED
    verdict = _verdict(record["replies"])
    if verdict.decided != record.get("facets"):
        return OTHER_FACETS
    return JudgedSample(
        task_id=task_id,
        sample_id=str(sample.id),
        epoch=sample.epoch,
        score=name,
        goal=str(sample.metadata.get("goal") or ""),
        gold_hypothesis=sample.target if isinstance(sample.target, str) else "\n".join(sample.target),
        gold_workflow=str(sample.metadata.get("gold_workflow") or ""),
        predicted_hypothesis=score.answer,
        predicted_workflow=str(record.get("workflow") or ""),
        verdict=verdict,
        hms=hms,
        record=record,
    )


def _verdict(replies: Mapping[str, Any]) -> Verdict:
    """The verdict that follows from the last reply to each question, as it did when the sample was scored."""
    gold = _reply(replies, "context of the gold hypothesis", Contexts) or _unrecorded("context of the gold hypothesis")
    predicted = _reply(replies, "context of the predicted hypothesis", Contexts) or _unrecorded(
        "context of the predicted hypothesis"
    )
    match = _reply(replies, "match of the contexts", Match)
    if match is None and isinstance(gold, Contexts) and isinstance(predicted, Contexts):
        same = identical(gold.joined, predicted.joined)
        match = Match(match=True) if same else _unrecorded("match of the contexts")
    facets: dict[str, FacetVerdict | None] = {
        "context": ContextVerdict(gold, predicted, match),
        "variables": _reply(replies, "variables", Variables),
        "relationship": _reply(replies, "relationship", Relationship),
    }
    return Verdict({key: verdict for key, verdict in facets.items() if verdict is not None})


def _reply(replies: Mapping[str, Any], question: str, reply_type: type[R]) -> R | ParseFailure | None:
    """The last reply to a question; None if it was not asked."""
    texts = replies.get(question)
    if not texts:
        return None
    try:
        return parse_reply(str(texts[-1]), reply_type)
    except ReplyRejected as rejected:
        return ParseFailure(question, rejected.message)


def _unrecorded(question: str) -> ParseFailure:
    return ParseFailure(question, "no reply is recorded.")
