"""The judge audit: the evaluated model judges pairs of hypotheses and reads texts with known correct answers."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from fractions import Fraction
from functools import cache
from importlib.resources import files
from statistics import fmean
from string import Template
from typing import Any

import yaml
from inspect_ai.dataset import Sample
from inspect_ai.model import Model, ModelOutput, get_model
from inspect_ai.scorer import Metric, Score, Scorer, Target, grouped, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel, store_as
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.scorer.contexts import NO_CONTEXT, Contexts, ContextVerdict
from inspect_discoverybench.scorer.explanation import explain
from inspect_discoverybench.scorer.facets import SCORES
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.judge_record import judge_record
from inspect_discoverybench.scorer.paper_accuracy import PAPER_ACCURACY
from inspect_discoverybench.scorer.quotation import NotAsserted, read_answer
from inspect_discoverybench.scorer.settings import JudgeSettings
from inspect_discoverybench.scorer.verdict import Verdict, compare
from inspect_discoverybench.submission.answer import FreeText
from inspect_discoverybench.submission.text import normalize_case_and_spaces

READING = "reading"
"""Accuracy on texts of agents: the hypothesis that the judge quotes. The paper's judge reads no such texts."""

ACCURACIES = (READING, *PAPER_ACCURACY)

PAIR = TypeAdapter(HypothesisPair)
"""Reads and writes a pair as metadata of a sample."""

PAIR_FIELDS = (
    *("kind", "expected", "goal", "data_files"),
    *("gold_hypothesis", "gold_workflow", "predicted_hypothesis", "predicted_workflow"),
)
"""Metadata of a pair that its verdict depends on."""

F1_TOLERANCE = 0.005
"""Largest difference from an expected F1 that counts as correct."""

MIN_SIMILARITY = 0.6
"""Smallest similarity of a quote to the expected one, because quotes may start and end a few words apart."""

ContextWords = tuple[str, ...] | None
"""Words that an extracted context must contain; () if it must be "None"; None if the text leaves the context open."""


class Expected(BaseModel):
    """The expected answers, and the reason for them: accepted F1 and letters, several if the texts leave them open.

    No extracted context may contain the words of the finding.
    """

    model_config = ConfigDict(frozen=True)

    gold_context: ContextWords = None
    predicted_context: ContextWords = None
    finding: tuple[str, ...] = ()
    context: bool | None
    variables: tuple[float, ...]
    relationship: str
    why: str

    def rate(self, answers: Mapping[str, Any]) -> dict[str, float]:
        """Accuracy of the judge on each question, NaN where the texts leave the answer open, and error of F1.

        Args:
            answers: The scores of the facets, and both contexts; None or empty without a valid reply.
        """
        contexts = zip(answers["context_extraction"], (self.gold_context, self.predicted_context), strict=True)
        extracted = [
            self._is_met(normalize_case_and_spaces(context), words) for context, words in contexts if words is not None
        ]
        f1 = answers["variables"]
        error = 1.0 if f1 is None else min(abs(f1 - accepted) for accepted in self.variables)
        relationships = [SCORES[letter] for letter in self.relationship]
        return {
            "context_extraction": fmean(extracted) if extracted else math.nan,
            "context_match": math.nan if self.context is None else float(answers["context_match"] == self.context),
            "variables": float(error <= F1_TOLERANCE),
            "relationship": float(answers["relationship"] in relationships),
            "f1_error": error,
        }

    def _is_met(self, context: str, words: tuple[str, ...]) -> bool:
        """Whether a context has every required word and none of the finding."""
        if not words or not context:
            return context == normalize_case_and_spaces(NO_CONTEXT) and not words
        return all(_contains(context, word) for word in words) and not any(
            _contains(context, word) for word in self.finding
        )


def _contains(text: str, word: str) -> bool:
    """Whether a text contains a word that starts with one of the spellings in `word`, separated by "|"."""
    return re.search(rf"\b({'|'.join(map(re.escape, word.split('|')))})", text) is not None


def invented_pairs() -> Iterator[Sample]:
    """Build every kind of change for every invented study."""
    content = yaml.safe_load(files(__package__).joinpath("audit_pairs.yaml").read_text("utf-8"))
    for study in content["studies"]:
        phrases = {"injection": content["injection"], **study["phrases"]}
        phrases |= {name.capitalize(): text[0].upper() + text[1:] for name, text in study["phrases"].items()}
        for kind in content["kinds"]:
            yield _invented(study, phrases, content["usual"] | kind)


def _invented(study: dict[str, Any], phrases: dict[str, str], kind: dict[str, Any]) -> Sample:
    gold, predicted, workflow = (Template(kind[name]).substitute(phrases) for name in ("gold", "predicted", "workflow"))
    columns = [{"name": name, "description": text} for name, text in study["data_file"]["columns"].items()]
    words = {None: None, "": (), **study["words"]}
    pair = HypothesisPair(
        goal=phrases["goal"],
        data_files=(DataFile.model_validate({**study["data_file"], "columns": columns}),),
        gold_hypothesis=gold,
        gold_workflow=study["workflow"],
        predicted_hypothesis=predicted,
        predicted_workflow=workflow,
    )
    expected = Expected(
        gold_context=words[kind["gold_context"]],
        predicted_context=words[kind["predicted_context"]],
        finding=study["finding_words"],
        context=kind["match"],
        variables=tuple(float(Fraction(f1)) for f1 in kind["variables"]),
        relationship=kind["relationship"],
        why=kind["why"],
    )
    return _sample(study["name"], kind["name"], study["name"], pair, expected)


def released_pairs(goals: Sequence[SampleMetadata]) -> Iterator[Sample]:
    """Pair gold hypotheses of published studies, in DB-REAL train, with themselves and with one from another domain."""
    same = Expected(context=True, variables=(1.0,), relationship="A", why="the same text")
    different = Expected(
        context=None,
        variables=(0.0,),
        relationship="BC",
        why="a finding from another domain; both may lack a context and have the same form of relationship",
    )
    for number, goal in enumerate(goals):
        others = [other for other in goals if other.domain != goal.domain]
        for kind, predicted, expected in (
            ("released identical", goal.gold_hypothesis, same),
            ("released other study", others[number % len(others)].gold_hypothesis, different),
        ):
            pair = HypothesisPair(
                goal=goal.goal,
                data_files=goal.data_files,
                gold_hypothesis=goal.gold_hypothesis,
                gold_workflow=goal.gold_workflow,
                predicted_hypothesis=predicted,
                predicted_workflow="",
            )
            yield _sample(goal.sample_id, kind, goal.dataset, pair, expected)


def _sample(name: str, kind: str, study: str, pair: HypothesisPair, expected: Expected) -> Sample:
    prompt = Prompt.load("judge/audit")
    return Sample(
        id=f"{name}/{kind.replace(' ', '_')}",
        input=prompt.render(goal=pair.goal, gold=pair.gold_hypothesis, predicted=pair.predicted_hypothesis),
        target=expected.model_dump_json(include={"context", "variables", "relationship", "why"}),
        metadata={"kind": kind, "study": study, "expected": expected.model_dump(), **PAIR.dump_python(pair)},
    )


class AnswerText(BaseModel):
    """What an agent wrote last, with the expected reply: whether a hypothesis is asserted, and quotes of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    goal: str
    text: str
    asserted: bool
    hypothesis: tuple[str, ...] = ()
    workflow: tuple[str, ...] = ()

    def rate(self, answers: Mapping[str, Any]) -> dict[str, float]:
        """Accuracy of the submission that was read, which is empty if no hypothesis is asserted: 1 or 0."""
        quoted = answers[READING]
        if not quoted or not self.asserted:
            return {READING: float(not quoted and not self.asserted)}
        texts = normalize_case_and_spaces(quoted["hypothesis"]), normalize_case_and_spaces("\n".join(self.hypothesis))
        similarity = SequenceMatcher(None, *texts, autojunk=False).ratio()
        return {READING: float(quoted["source"] != "whole" and similarity >= MIN_SIMILARITY)}


def answer_texts() -> list[AnswerText]:
    """Read the texts of `answer_pairs.yaml`."""
    content = yaml.safe_load(files(__package__).joinpath("answer_pairs.yaml").read_text("utf-8"))
    return TypeAdapter(list[AnswerText]).validate_python(content)


def text_samples() -> list[Sample]:
    """Build the Inspect samples of all texts."""
    return [
        Sample(
            id=f"answer/{number}",
            input=Prompt.load("judge/audit_text").render(goal=item.goal, text=item.text),
            target="\n".join(item.hypothesis) or "no hypothesis is asserted",
            metadata={"kind": item.kind, "study": f"answer {number}", "expected": item.model_dump(), "goal": item.goal},
        )
        for number, item in enumerate(answer_texts(), 1)
    ]


class AuditState(StoreModel):
    """The judge's answers for one pair or text, as stored in the log."""

    rounds: list[dict[str, Any]] = Field(default_factory=list)
    """One set of answers by question per round. A text has one answer: the submission, empty if none is asserted. A
    pair has both contexts and the score of each facet; None without a valid reply."""

    asked_again: int = 0
    """Number of invalid replies that were sent back."""

    record: dict[str, Any] = Field(default_factory=dict)
    """How the pair or text was judged in the first round."""


@solver
def judge_pair(repeats: int) -> Solver:  # inspect-evals-lint: ignore[custom_solver_tests] -- judge_audit() runs it
    """Let the evaluated model judge the pair or read the text, without a cache.

    Args:
        repeats: Number of rounds. The first round counts for accuracy, the others for consistency.
    """
    settings = JudgeSettings()

    @cache
    def judge_model(model: Model) -> Model:
        # A separate model, as in scoring. Inspect adds settings to the requests of the evaluated model that a solver
        # cannot read, so they could neither take precedence over ours nor be recorded.
        return Model(model.api, model.config, model.model_args)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        audit_state = store_as(AuditState)
        ask = _judge if is_pair(state.metadata) else _read
        for _ in range(repeats):
            judge = Judge(judge_model(get_model()), settings)
            answers, output, verdict = await ask(judge, state.metadata)
            if not audit_state.rounds:
                audit_state.record = judge_record(judge, verdict)
                state.output = ModelOutput.from_content(str(judge.model), output)
                state.messages.append(state.output.message)
            audit_state.rounds = [*audit_state.rounds, answers]
            audit_state.asked_again += sum(len(exchange.replies) - 1 for exchange in judge.exchanges)
        return state

    return solve


def is_pair(metadata: Mapping[str, Any]) -> bool:
    """Whether a sample of the audit is a pair of hypotheses, and not a text."""
    return "gold_hypothesis" in metadata


async def _judge(judge: Judge, metadata: Mapping[str, Any]) -> tuple[dict[str, Any], str, Verdict | None]:
    pair = PAIR.validate_python(metadata)
    verdict = await compare(judge, pair)
    context = verdict.facets["context"]
    assert isinstance(context, ContextVerdict)
    contexts = [reply.joined if isinstance(reply, Contexts) else "" for reply in (context.gold, context.predicted)]
    scores = [verdict.facets[key].score for key in ("context", "variables", "relationship")]
    answers = dict(zip(PAPER_ACCURACY, (contexts, *scores), strict=True))
    return answers, explain(pair, verdict, "call"), verdict


async def _read(judge: Judge, metadata: Mapping[str, Any]) -> tuple[dict[str, Any], str, Verdict | None]:
    item = AnswerText.model_validate(metadata["expected"])
    submission = await read_answer(judge, item.goal, FreeText(item.text))
    if isinstance(submission, NotAsserted):
        return {READING: {}}, "No hypothesis is asserted.", None
    return {READING: submission.model_dump()}, submission.hypothesis, None


def _metrics() -> dict[str, list[Metric]]:
    metrics: list[Metric] = [mean(), stderr(cluster="study")]
    names = (*ACCURACIES, "f1_error", "consistency")
    return {**dict.fromkeys(names, metrics), "right": [*metrics, grouped(mean(), "kind", all=False)]}


@scorer(metrics=_metrics())
def audit() -> Scorer:
    """Accuracy on each question, error of the variables' F1, consistency, and the mean accuracy (`right`).

    A question without a valid reply counts as a wrong answer, because the judge is what is evaluated.
    """

    async def score(state: TaskState, target: Target) -> Score:
        audit_state = state.store_as(AuditState)
        if not audit_state.rounds:
            return Score.unscored(reason="no_response", explanation="A limit ended the sample before it was judged.")
        first, *later = audit_state.rounds
        expected = (Expected if is_pair(state.metadata) else AnswerText).model_validate(state.metadata["expected"])
        values = dict.fromkeys((*ACCURACIES, "f1_error"), math.nan) | expected.rate(first)
        accuracies = [values[name] for name in ACCURACIES if not math.isnan(values[name])]
        texts = ["no valid reply" if answer is None else str(answer) for answer in first.values()]
        return Score(
            value={**values, "consistency": _consistency(first, later), "right": sum(accuracies) / len(accuracies)},
            answer="; ".join(f"{name}: {text}" for name, text in zip(first, texts, strict=True)),
            explanation=f"Expected: {target.text}\n\n{state.output.completion}",
            metadata=audit_state.record,
        )

    return score


def _consistency(first: dict[str, Any], later: Sequence[dict[str, Any]]) -> float:
    """Share of facets, or of readings, that later rounds repeat; NaN for a single round.

    A facet without a valid reply never counts as repeated.
    """
    repeated = [
        answer is not None and other[name] == answer
        for other in later
        for name, answer in first.items()
        if name != "context_extraction"
    ]
    return sum(repeated) / len(repeated) if repeated else math.nan
