"""The section on several judges of the same samples: their means, and how often they agree."""

import itertools
import math
from collections.abc import Iterator, Sequence
from statistics import fmean

import pandas as pd
from statsmodels.stats.inter_rater import cohens_kappa, to_table

from inspect_discoverybench.report.means import Row
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.result import Result
from inspect_discoverybench.scorer.facets import SCORE_KEYS


def judge_section(results: Sequence[Result]) -> Section | None:
    """Each pair of judges on the samples that both judged, by score; None if no sample has two judges.

    Samples without a submission are left out: no judge was asked.
    """
    by_judge: dict[str, dict[str, Result]] = {}
    for result in results:
        if result.score.judge:
            by_judge.setdefault(result.score.judge, {})[result.sample.uuid] = result

    rows: list[Row] = []
    for first, second in itertools.combinations(by_judge, 2):
        common = by_judge[first].keys() & by_judge[second].keys()
        pairs = [(by_judge[first][uuid], by_judge[second][uuid]) for uuid in sorted(common)]
        rows += _rows(first, second, pairs)
    return Section("judges", pd.DataFrame(rows)) if rows else None


def _rows(first: str, second: str, pairs: Sequence[tuple[Result, Result]]) -> Iterator[Row]:
    """A row for each score that both judges gave."""
    for key, label in SCORE_KEYS.items():
        values = [(a.score.value(key), b.score.value(key)) for a, b in pairs]
        values = [both for both in values if not any(map(math.isnan, both))]
        if values:
            a, b = zip(*values, strict=True)
            same = [_verdict(x) == _verdict(y) for x, y in values]
            yield {
                "judge": first,
                "other judge": second,
                "value": label,
                "samples": len(values),
                "mean × 100": 100 * fmean(a),
                "other mean × 100": 100 * fmean(b),
                "same verdict in %": 100 * fmean(same),
                "kappa": _kappa([_verdict(x) for x in a], [_verdict(y) for y in b]),
            }


def _verdict(value: float) -> str:
    """All partial scores are one verdict."""
    if value <= 0:
        return "0"
    return "1" if value >= 1 else "partial"


def _kappa(first: Sequence[str], second: Sequence[str]) -> float:
    """Cohen's kappa; NaN if both judges give one and the same verdict to all samples."""
    if len({*first, *second}) < 2:
        return math.nan
    counts, _ = to_table(list(zip(first, second, strict=True)))
    return float(cohens_kappa(counts, return_results=False))
