"""The judges of results: their names, and whose scores a report shows."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspect_discoverybench.results.result import Result
from inspect_discoverybench.scorer.judge_record import changes

OFFLINE = ("discoverybench/", "mockllm/", "none/")
"""Beginnings of the names of models that are no language models."""


def is_offline(judge: str) -> bool:
    """Whether a judge is no language model: it checks an installation."""
    return judge.startswith(OFFLINE)


def name_judges(results: Sequence[Result]) -> list[Result]:
    """The results with a name of their judge that tells it from other judges with the same model."""
    names: dict[str, str] = {}
    first_records: dict[str, Mapping[str, Any]] = {}
    for result in results:
        text = result.score.judge_record
        if text is None or text in names:
            continue
        record = json.loads(text)
        model = str(record.get("judge"))
        first = first_records.setdefault(model, record)
        details = ", ".join(f"{key}={value}" for key, _, value in changes(first, record))
        names[text] = f"{model} ({details})" if details else model

    named = []
    for result in results:
        judge = names.get(result.score.judge_record or "")
        named.append(replace(result, score=replace(result.score, judge=judge)))
    return named


def main_results(results: Sequence[Result]) -> list[Result]:
    """One result for each sample: by the judge that scored the most samples, or else without a score."""
    counts = Counter(result.score.judge for result in results)
    main: dict[str, Result] = {}
    for result in sorted(results, key=lambda result: result.score.score):
        current = main.setdefault(result.sample.uuid, result)
        if result.score.judge and counts[result.score.judge] > counts[current.score.judge]:
            main[result.sample.uuid] = result
    return list(main.values())


def judge_differences(results: Sequence[Result]) -> list[str]:
    """Names of the settings in which the judges of results differ."""
    first, *others = dict.fromkeys(result.score.judge_record for result in results if result.score.judge_record)
    differences: dict[str, None] = {}
    for other in others:
        differences |= {key: None for key, _, _ in changes(json.loads(first), json.loads(other))}
    return list(differences)
