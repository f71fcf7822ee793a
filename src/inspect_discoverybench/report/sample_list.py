"""The samples as the page lists them: one line each, which opens to its texts and to the way to its transcript."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from posixpath import basename, dirname
from typing import Any
from urllib.parse import quote

import pandas as pd

from inspect_discoverybench.report.table import MISSING
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.scorer.facets import FACET_KEYS, SCORE_KEYS
from inspect_discoverybench.scorer.released_form import RELEASED_KEYS
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome

VIEWER = "http://127.0.0.1:7575"
"""Where `inspect view` serves logs unless it is told otherwise."""

ID = "id"

SCORES = [*SCORE_KEYS, *RELEASED_KEYS]
"""Columns of scores from 0 to 1, which the page shows × 100."""

SCORE_WIDTHS = {"hms": "3rem", "context": "3.6rem", "variables": "4.3rem", "relationship": "5.3rem"}
"""Widths of columns of scores, which have room for the headings."""

FILTERED = ("agent", "model", "settings", "benchmark", "judge", "epoch", "outcome", "limit")
"""Columns with a few values each, which the page can filter by."""

COLUMNS = (ID, "agent", *SCORES, *FILTERED[1:])
"""Columns of a line, in their order, before the predicted hypothesis. The agent is before the scores, and the other
columns to filter by are after them."""


LINE_LENGTH = 160
"""Number of characters of a hypothesis for which a line can have room."""


@dataclass(frozen=True)
class ListedSample:
    """A sample.

    Attributes:
        cells: Texts of its line, in the order of the columns.
        goal: The discovery goal; None if the log does not record it.
        gold: The gold hypothesis; None if the log does not record it.
        predicted: The predicted hypothesis; None if nothing was submitted.
        verdicts: The judge's scores of the facets.
        command: The command that serves its log.
        link: The address at which `inspect view` shows it.
    """

    cells: Sequence[str]
    goal: str | None
    gold: str | None
    predicted: str | None
    verdicts: str
    command: str
    link: str

    @property
    def predicted_beginning(self) -> str:
        """As much of the predicted hypothesis as a line can show.

        The page has the whole hypothesis below the line. A second copy in the line would make a page of many samples
        larger.
        """
        return (self.predicted or MISSING)[:LINE_LENGTH]


@dataclass(frozen=True)
class SampleList:
    """The samples of a report.

    Attributes:
        table: The table of samples, as in `samples.csv`.
        results: The result of each row.
    """

    table: pd.DataFrame
    results: Sequence[ResultRow]

    @cached_property
    def columns(self) -> list[str]:
        """The id, HMS, and the columns whose values differ. The values of the others are in `shared_values`."""
        recorded = [column for column in COLUMNS if column in self.table]
        return [column for column in recorded if column in (ID, "hms") or self._differs(column)]

    def _differs(self, column: str) -> bool:
        """Whether a column has several values.

        A missing value counts as a value, except in the column of judges. There it means that no judge was asked, which
        the outcome of the sample says already.
        """
        ignores_missing = column == "judge"
        return self.table[column].nunique(dropna=ignores_missing) > 1

    @property
    def headings(self) -> list[str]:
        """The headings of the lines."""
        return [_heading(column) for column in self.columns]

    @property
    def shared_values(self) -> str:
        """What is the same for all samples, such as `agent react, outcome judged`."""
        texts = []
        for column in COLUMNS:
            is_shared = column in self.table and column not in self.columns
            if not is_shared:
                continue
            # Apart from missing values, a shared column has one value or none (`_differs`).
            value = next(iter(self.table[column].dropna()), "")
            if value != "":  # settings may be empty
                texts.append(f"{_heading(column)} {_cell(column, value)}")
        return ", ".join(texts)

    @property
    def widths(self) -> list[str]:
        """The widths of the columns, as in a CSS grid."""
        return [_width(column) for column in self.columns]

    @property
    def narrow_widths(self) -> list[str]:
        """The widths of the columns that a phone has room for: the id, the agent, and HMS with its facets.

        They are the first ones, and the page hides all columns after them.
        """
        narrow = {ID: "minmax(0, 1fr)", "agent": "4.6rem", "hms": "2.7rem", **dict.fromkeys(FACET_KEYS, "2.3rem")}
        return [narrow[column] for column in self.columns if column in narrow]

    @property
    def filters(self) -> set[str]:
        """The headings that the page can filter by."""
        return {_heading(column) for column in self.columns if column in FILTERED}

    @property
    def number_places(self) -> list[int]:
        """The places of the columns of numbers, from 1."""
        return [place for place, column in enumerate(self.columns, start=1) if column in SCORES]

    def __iter__(self) -> Iterator[ListedSample]:
        values_by_column = [self.table[column] for column in self.columns]
        for result, *values in zip(self.results, *values_by_column, strict=True):
            yield ListedSample(
                cells=[_cell(column, value) for column, value in zip(self.columns, values, strict=True)],
                goal=result.sample.goal,
                gold=result.sample.gold_hypothesis,
                predicted=result.score.hypothesis,
                verdicts=_verdicts(result),
                command=f"inspect view --log-dir {_folder(result)}",
                link=_link(result),
            )


def _heading(column: str) -> str:
    return column.replace("_", " ").replace("hms", "HMS")


def _cell(column: str, value: Any) -> str:
    if value is None or pd.isna(value):
        return MISSING
    if column in SCORES:
        # Facets are without decimals here: an opened row has them more exactly.
        decimals = 0 if column in FACET_KEYS else 1
        return f"{100 * value:.{decimals}f}"
    return str(value)


def _width(column: str) -> str:
    """The width of a column. Columns of scores have room for their headings, and the others share the rest."""
    if column in SCORES:
        return SCORE_WIDTHS.get(column, "4.8rem")
    share = {ID: 1.5, "outcome": 0.8, "limit": 0.8, "epoch": 0.6}.get(column, 1.1)
    return f"minmax(3rem, {share}fr)"


def _verdicts(result: ResultRow) -> str:
    """HMS as the product of its facets, if it was judged. Otherwise, the outcome and the facets that are decided."""
    facets = [f"{facet} {result.score.values[facet]:.2f}" for facet in FACET_KEYS if facet in result.score.values]
    is_judged = result.score.outcome is SampleOutcome.JUDGED
    # Somebody may have replaced the score of a sample without a submission by a number. No facets are recorded then.
    if is_judged and facets:
        product = " × ".join(facets)
        return f"HMS {result.score.value('hms'):.2f} = {product}"
    return ", ".join([f"{result.score.outcome}", *facets])


def _folder(result: ResultRow) -> str:
    return shlex.quote(dirname(result.run.log) or ".")


def _link(result: ResultRow) -> str:
    """The address of a sample in Inspect's viewer (https://inspect.aisi.org.uk/log-viewer.html).

    `ListedSample.command` serves the folder of the log, so the address has the log's name without the folder.
    """
    log = basename(result.run.log)
    sample = quote(result.sample.id, safe="")
    return f"{VIEWER}/#/logs/{quote(log)}/samples/sample/{sample}/{result.sample.epoch}"
