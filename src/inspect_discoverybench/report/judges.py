"""The judges of results: their names, and whose scores a report shows."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.scorer.judge_record import changes


def name_judges(results: Sequence[ResultRow]) -> list[ResultRow]:
    """The results with a name of their judge that tells it from other judges with the same model."""
    records = dict.fromkeys(result.score.judge_record for result in results)
    names: dict[str | None, str | None] = {None: None}
    first_records: dict[str, Mapping[str, Any]] = {}
    for text in filter(None, records):
        record = json.loads(text)
        model = str(record.get("judge"))
        first = first_records.setdefault(model, record)
        names[text] = _name(model, first, record)

    named = []
    for result in results:
        name = names[result.score.judge_record]
        score = replace(result.score, judge=name)
        named.append(replace(result, score=score))
    return named


def _name(model: str, first: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    """The model, and how the record differs from the first one of that model."""
    details = []
    for key, _, value in changes(first, record):
        details.append(f"{key}={value}")
    if not details:
        return model
    listed = ", ".join(details)
    return f"{model} ({listed})"


def main_results(results: Sequence[ResultRow]) -> list[ResultRow]:
    """One result for each sample: by the judge that scored the most samples, or else without a score."""
    scored = [result.score for result in results if result.score.is_scored]
    counts = Counter(score.judge for score in scored)
    counts[None] = 0  # a sample without a submission, for which no judge was asked

    def rank(result: ResultRow) -> tuple[int, str]:
        count = counts[result.score.judge]
        return -count, result.score.score

    main: dict[str, ResultRow] = {}
    for result in sorted(results, key=rank):
        main.setdefault(result.sample.uuid, result)
    return list(main.values())
