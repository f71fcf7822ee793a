"""Checks of models: the key, one real call, and one audited pair of the judge."""

import re

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.solver import generate

from inspect_discoverybench.doctor.check import Finding, Status
from inspect_discoverybench.doctor.evaluation import evaluate
from inspect_discoverybench.errors import CheckFailed, inspect_errors
from inspect_discoverybench.tasks import judge_audit

QUESTION = "This is a test of the connection. Reply with the word: ready"

PAIR_KIND = "relation negated"
"""A judge that always agrees is wrong about this pair."""

_DIAGNOSES = {
    "401": ("the provider rejects the API key (401)", "Set a valid key."),
    "403": ("the provider denies access (403)", "Check that the key may use this model."),
    "404": ("the provider does not have this model (404)", "Check the name of the model and the base URL."),
    "429": ("the rate limit or quota is exceeded (429)", "Check the account, or try again later."),
}
"""Meaning and remedy by status code. They replace the provider's message, which may repeat parts of the key."""

_STATUS = re.compile(r"\b(401|403|404|429)\b")


def check_key(model: str, chosen: bool) -> Finding:
    """Whether the model can be created, which requires its key and its package. Nothing is sent.

    Args:
        model: The model.
        chosen: Whether the user named it. If not, a missing key is only a warning.
    """
    try:
        with inspect_errors(CheckFailed, model):
            evaluate(_one_question(), model, run_samples=False)
    except CheckFailed as error:
        remedy = "Set the key, or choose another model."
        if chosen:
            return Finding(Status.FAILURE, error.message.rstrip("."), remedy)
        remedy = "Set the key, or name a judge in every run: --model-role grader=PROVIDER/MODEL"
        return Finding(Status.WARNING, f"the default judge cannot be called: {error.message.rstrip('.')}", remedy)
    return Finding(Status.OK, f"{model} can be created" + ("" if chosen else " (the default judge)"))


def check_call(model: str) -> Finding:
    """Ask the model one question.

    Args:
        model: The evaluated model.
    """
    try:
        [sample] = evaluate(_one_question(), model)
    except CheckFailed as error:
        return _diagnosis(error)
    tokens = sum(usage.total_tokens for usage in sample.model_usage.values())
    if not sample.output.choices or not sample.output.completion.strip():
        return Finding(
            Status.WARNING, f"{model} returned an empty reply ({tokens} tokens)", "Check the settings of the model."
        )
    return Finding(Status.OK, f"{model} replied in {sample.total_time or 0:.1f} s ({tokens} tokens)")


def check_pair(judge: str) -> Finding:
    """Let the judge decide one pair of the judge audit.

    Args:
        judge: The model of the role `grader`.
    """
    task = judge_audit(repeats=1, kind=PAIR_KIND, released=False)
    try:
        [sample] = evaluate(task, judge, sample_id=str(task.dataset[0].id))
    except CheckFailed as error:
        return _diagnosis(error)
    score = (sample.scores or {})["audit"]
    answer = score.answer or "no verdict"
    if "no valid reply" in answer:
        return Finding(Status.FAILURE, f"{judge}: {answer}, after three attempts", "Choose another judge.")
    if score.as_dict()["right"] != 1:
        remedy = f"Run: inspect eval discoverybench/judge_audit --model {judge}"
        return Finding(Status.WARNING, f"{judge} judged a pair incorrectly ({PAIR_KIND}): {answer}", remedy)
    return Finding(Status.OK, f"{judge} judged a pair correctly in {sample.total_time or 0:.1f} s ({PAIR_KIND})")


def _one_question() -> Task:
    return Task(dataset=[Sample(id="question", input=QUESTION)], solver=generate())


def _diagnosis(error: CheckFailed) -> Finding:
    status = _STATUS.search(error.message)
    if status is None:
        return Finding(Status.FAILURE, error.message.rstrip("."), "Check the model's provider and its settings.")
    return Finding(Status.FAILURE, *_DIAGNOSES[status[1]])
