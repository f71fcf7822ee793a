"""What a report shows: configurations, sections in reading order, samples, and logs that could not be used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from inspect_discoverybench.human_study.labels import LabelledSample
from inspect_discoverybench.report.claims import claim_section
from inspect_discoverybench.report.controls import control_section
from inspect_discoverybench.report.cost import cost_section
from inspect_discoverybench.report.epochs import epoch_section
from inspect_discoverybench.report.facets import facet_section, loss_section
from inspect_discoverybench.report.groups import group_sections
from inspect_discoverybench.report.judge_errors import judge_error_section
from inspect_discoverybench.report.judges import main_results, name_judges
from inspect_discoverybench.report.leaderboard import Leaderboard
from inspect_discoverybench.report.overview import hms_section, new_studies_section, released_section
from inspect_discoverybench.report.published import published_section
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.audit_record import AuditRecord
from inspect_discoverybench.results.configuration import configurations_of
from inspect_discoverybench.results.frame import ResultFrame
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.scorer.claim import CLAIM_KEY
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.scorer.released_form import RELEASED_KEYS


@dataclass(frozen=True)
class Contents:
    """What a report shows.

    Attributes:
        results: The results of all judges, which have distinct names.
        leaderboard: The configurations, each sample with the score of one judge.
        sections: The sections that the results have data for.
        samples: The table of samples, one row per sample, epoch and judge.
        left_out: Why logs could not be used, by path.
        audits: The audits of judges among the logs.
    """

    results: Sequence[ResultRow]
    leaderboard: Leaderboard
    sections: Sequence[Section]
    samples: pd.DataFrame
    left_out: Mapping[str, str]
    audits: Sequence[AuditRecord]

    @classmethod
    def of(cls, results: ResultFrame, labels: Sequence[LabelledSample] = (), pool_splits: bool = False) -> "Contents":
        """Compute what the report of these results shows.

        Args:
            results: Results of logs.
            labels: Labels of the judge's answers; HMS is corrected if there are any.
            pool_splits: Whether the splits of a task are one benchmark.

        Raises:
            InvalidArgument: The labels cannot be used.
        """
        named = name_judges(results.rows)
        leaderboard = Leaderboard.of(main_results(named), pool_splits)
        sections = _sections(leaderboard)
        if labels:
            sections.append(judge_error_section(leaderboard, labels))
        return cls(
            results=named,
            leaderboard=leaderboard,
            sections=sections,
            samples=_samples(named, pool_splits),
            left_out=results.left_out,
            audits=results.audits,
        )


def _sections(leaderboard: Leaderboard) -> list[Section]:
    sections = [
        hms_section(leaderboard),
        released_section(leaderboard),
        published_section(leaderboard),
        new_studies_section(leaderboard),
        facet_section(leaderboard),
        loss_section(leaderboard),
        *group_sections(leaderboard),
        control_section(leaderboard),
        claim_section(leaderboard),
        epoch_section(leaderboard),
        cost_section(leaderboard),
    ]
    return [section for section in sections if section is not None]


def _samples(results: Sequence[ResultRow], pool_splits: bool) -> pd.DataFrame:
    recorded: set[str] = set()
    for result in results:
        recorded |= result.score.values.keys()
    # The released form and claims are columns only if some score has them.
    optional_keys = [key for key in (*RELEASED_KEYS, CLAIM_KEY) if key in recorded]
    keys = [*SCORE_KEYS, *optional_keys]
    rows = []
    for configuration, result in zip(configurations_of(results, pool_splits), results, strict=True):
        row = {
            "benchmark": configuration.benchmark,
            "id": result.sample.id,
            "epoch": result.sample.epoch,
            "agent": configuration.agent,
            "model": configuration.model,
            "settings": configuration.settings,
            "judge": result.score.judge,
            "outcome": result.score.outcome,
            "limit": result.sample.limit,
            **{key: result.score.value(key) for key in keys},
            "goal": result.sample.goal,
            "gold_hypothesis": result.sample.gold_hypothesis,
            "predicted_hypothesis": result.score.hypothesis,
            "log": result.run.log,
        }
        rows.append(row)
    return pd.DataFrame(rows)
