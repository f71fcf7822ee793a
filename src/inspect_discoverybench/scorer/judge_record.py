"""What a score records about its judge, and how the records of two scores are compared."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from inspect_discoverybench.prompts.prompt import Prompt, prompt_names
from inspect_discoverybench.scorer.claim import CLAIM_PROMPT, PROMPT_KEY
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.released_form import ReleasedVerdict
from inspect_discoverybench.scorer.verdict import Verdict

COMPARED_KEYS = ("judge", "settings", "prompts")
"""Keys that must be equal in comparable scores. The others describe a single sample."""

OFFLINE = ("discoverybench/", "mockllm/", "none/")
"""Beginnings of the names of models that are not language models."""

OFFLINE_NOTE = "is not a language model. These scores check the installation; they are not a result."
"""What readers must know of a judge that is not a language model. The judge's name comes before it."""

NOT_RECORDED = "not recorded"

MIXED = "mixed"
"""Recorded for a setting that differed between the questions of one sample."""


def judge_record(judge: Judge, verdict: Verdict | None, with_claim: bool = False) -> dict[str, Any]:
    """How a sample was judged, for the score metadata: judge, effective settings, prompts, decided facets, raw replies.

    Args:
        judge: The judge.
        verdict: Its verdict; None if the answer asserts no hypothesis. The judge is not asked about the facets then.
        with_claim: Whether claims are asked about.
    """
    replies = {exchange.question.name: exchange.replies for exchange in judge.exchanges}
    record = {
        "judge": str(judge.model),
        "settings": _settings(judge),
        "prompts": _prompts(),
        "asked_again": sum(len(texts) - 1 for texts in replies.values()),
        "facets": verdict.decided if verdict else {},
        "replies": dict(sorted(replies.items())),
    }
    if with_claim:
        record[PROMPT_KEY] = Prompt.load(CLAIM_PROMPT).fingerprint
    if verdict and isinstance(verdict.released, ReleasedVerdict):
        record["released"] = verdict.released.record()
    return record


def is_offline(judge: str) -> bool:
    """Whether a judge is not a language model. Such a judge is used to check an installation."""
    return judge.startswith(OFFLINE)


def compared_part(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a score's metadata that must be equal in comparable scores; empty if the judge was not asked."""
    return {key: metadata[key] for key in COMPARED_KEYS if key in metadata}


@dataclass(frozen=True)
class DifferingValue:
    """A compared value that differs between the records of two scores.

    Attributes:
        path: What it is, such as `settings.temperature`.
        first: The value in the first record; `NOT_RECORDED` if it is not there.
        second: The value in the second record.
    """

    path: str
    first: Any
    second: Any


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[str]:
    """List the differences between the records of two scores, one line each; empty if the scores are comparable.

    Args:
        first: Metadata of a score.
        second: Metadata of another score.
    """
    return [f"{value.path}: {value.first} and {value.second}" for value in differing_values(first, second)]


def differing_values(first: Mapping[str, Any], second: Mapping[str, Any]) -> Iterator[DifferingValue]:
    """The compared values that differ between the metadata of two scores.

    A setting that is null and one that is not recorded are the same: the provider's default.
    """
    first_values = _flattened(compared_part(first))
    second_values = _flattened(compared_part(second))
    paths = dict.fromkeys([*first_values, *second_values])
    for path in paths:
        if first_values.get(path) != second_values.get(path):
            yield DifferingValue(
                path,
                first=first_values.get(path, NOT_RECORDED),
                second=second_values.get(path, NOT_RECORDED),
            )


def _flattened(record: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The values of a record and of the mappings in it, by path."""
    values: dict[str, Any] = {}
    for name, value in record.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping):
            values |= _flattened(value, f"{path}.")
        else:
            values[path] = value
    return values


def _settings(judge: Judge) -> dict[str, Any]:
    """The settings of the requests, with `MIXED` for those that differed."""
    settings: dict[str, Any] = {}
    for exchange in judge.exchanges:
        for name, value in exchange.settings.effective.items():
            settings.setdefault(name, value)
            if settings[name] != value:
                settings[name] = MIXED
    return settings


@cache
def _prompts() -> dict[str, str]:
    """Fingerprints of the prompts that decide HMS."""
    names = [name for name in prompt_names("judge") if name != CLAIM_PROMPT]
    return {name.removeprefix("judge/"): Prompt.load(name).fingerprint for name in names}
