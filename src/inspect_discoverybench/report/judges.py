"""The judges of results: their names, whose scores a report shows, and what audits say of them."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from inspect_discoverybench.report.leaderboard import Benchmark
from inspect_discoverybench.results.audit_record import AuditRecord
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.scorer.judge_record import differing_values, is_offline


def name_judges(results: Sequence[ResultRow]) -> list[ResultRow]:
    """The results, with a name for each judge. Judges with the same model get different names."""
    records = dict.fromkeys(result.score.judge_record for result in results)
    names: dict[str | None, str | None] = {None: None}  # without a record, no judge was asked
    first_records: dict[str, Mapping[str, Any]] = {}
    for text in filter(None, records):
        record = json.loads(text)
        model = _model(record)
        first = first_records.setdefault(model, record)
        names[text] = _name(model, first, record)

    named = []
    for result in results:
        name = names[result.score.judge_record]
        score = replace(result.score, judge=name)
        named.append(replace(result, score=score))
    return named


def _model(record: Mapping[str, Any]) -> str:
    """The model of the judge with this record."""
    return str(record.get("judge"))


def _name(model: str, first: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    """The model, and how the record differs from the first one of that model."""
    differing = [f"{value.path}={value.second}" for value in differing_values(first, record)]
    if not differing:
        return model
    listed = ", ".join(differing)
    return f"{model} ({listed})"


def main_results(results: Sequence[ResultRow]) -> list[ResultRow]:
    """Choose one result for each sample.

    Of several judges, the one that scored the most samples in all results is preferred. Results without a judge (no
    submission, or an error) come after those of every judge that scored at least one sample.

    If one judge gave several scores to a sample, a score with HMS is preferred to one without. Of scores with HMS, the
    one with the most keys is preferred: `inspect score` may have added a score that also has the keys of the released
    form or of claims.
    """
    counts: Counter[str | None] = Counter()
    score_names: dict[str | None, set[str]] = defaultdict(set)
    for result in results:
        score = result.score
        score_names[score.judge].add(score.score)
        if score.is_scored and score.judge is not None:  # without a submission, a sample is scored by no judge
            counts[score.judge] += 1

    def preference(result: ResultRow) -> tuple[int, str, bool, int, str]:
        score = result.score
        return (
            -counts[score.judge],
            # Judges that scored equally many samples are in the order of their scores' names: `HMS` before `HMS1`.
            min(score_names[score.judge]),
            # The scores of one judge: those with HMS first, and of these, the one with the most keys.
            not score.is_scored,
            -len(score.keys),
            score.score,
        )

    main: dict[str, ResultRow] = {}
    for result in sorted(results, key=preference):  # the first result of a sample counts
        main.setdefault(result.sample.uuid, result)
    return list(main.values())


def judge_sentences(benchmarks: Sequence[Benchmark], audits: Sequence[AuditRecord]) -> Iterator[str]:
    """Which judges scored, and what the latest audit of each said.

    A judge that is not a language model is left out if it has no audit.
    """
    by_date = sorted(audits, key=attrgetter("created"))
    latest = {audit.judge: audit for audit in by_date}  # a later audit replaces the one before it
    for model, name in _judge_names(benchmarks).items():
        audit = latest.get(model)
        if audit is None and is_offline(model):
            continue  # a notice says that it is not a language model
        if audit is None:
            yield (
                f"Judge: {name}. These logs have no audit of it: run `inspect eval discoverybench/judge_audit --model "
                f"{model}`, and pass its log, too."
            )
        else:
            yield f"Judge: {name}. Its audit of {audit.created[:10]} ({audit.samples} samples): {_accuracies(audit)}."


def _judge_names(benchmarks: Sequence[Benchmark]) -> dict[str, str]:
    """The name of each judge that scored a sample, by its model.

    An audit is found by its model. So judges with the same model are listed once, with the name of the last one.
    """
    names: dict[str, str] = {}
    for benchmark in benchmarks:
        for result in benchmark.results:
            score = result.score
            # Without a submission, a sample is scored by no judge, and the score has no record of a judge.
            if not score.is_scored or score.judge is None or score.judge_record is None:
                continue
            # `name_judges` has replaced the model in `score.judge` by a name. The record still has the model.
            names[_model(json.loads(score.judge_record))] = score.judge
    return dict(sorted(names.items()))


def _accuracies(audit: AuditRecord) -> str:
    """The accuracy on each facet, beside the accuracy of the best judge that always gives the same verdict."""
    texts = []
    for facet, result in audit.facets.items():
        text = f"{facet} right in {result.accuracy:.0%}"
        if result.best_constant is not None:
            text += f" (always the same verdict: {result.best_constant:.0%})"
        texts.append(text)
    return ", ".join(texts)
