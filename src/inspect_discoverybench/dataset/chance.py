"""What share of single tests on a placebo is significant, although no association is left in it."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import combinations
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.placebo import placebo_samples
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.table_file import separator_of
from inspect_discoverybench.dataset.text_file import TextFile

# These modules take seconds to import.
if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.05
"""Level of significance of each test."""

MAX_PAIRS = 500
"""Maximum number of tested pairs of a table. If the table has more pairs of columns, this many are drawn at random.

The share of significant tests is then known to within 2 percentage points (standard error 1 point), and the data of
DB-REAL take a minute instead of an hour."""

MAX_CATEGORIES = 20
"""A text column with more distinct values, such as one of names, is not tested."""


@dataclass(frozen=True)
class ChanceTests:
    """The tests of the pairs of columns of one table, at most `MAX_PAIRS`.

    Attributes:
        rows: Number of rows.
        columns: Number of columns that are tested: numbers and categories that are not constant.
        tests: Number of tested pairs for which a test is defined.
        significant: Number of those with a p-value below `LEVEL`.
    """

    rows: int
    columns: int
    tests: int
    significant: int

    @property
    def share(self) -> float:
        """The share of significant tests; 0 without tests."""
        return self.significant / self.tests if self.tests else 0.0


def chance_tests(samples: Sequence[Sample], seed: int) -> dict[str, ChanceTests]:
    """Test the pairs of columns of each table of a placebo.

    Two columns of numbers are tested by Spearman's rank correlation, numbers and categories by the test of Kruskal and
    Wallis, and two columns of categories by the chi-squared test. The pairs of a table are not independent, because
    each column is in many of them.

    Args:
        samples: Samples with the original files.
        seed: Seed of the placebo, and of the draw of pairs.

    Returns:
        The tests of each table, by `<study folder>/<file name>`.

    Raises:
        InvalidArgument: The seed is not a positive integer, or a data file cannot be permuted.
    """
    files: dict[str, Path] = {}
    for sample in placebo_samples(samples, seed):
        metadata = SampleMetadata.model_validate(sample.metadata)
        for name, path in (sample.files or {}).items():
            if name not in metadata.unpermuted_files:
                files[f"{metadata.dataset}/{name}"] = Path(path)

    tests = {}
    for full_name, file in sorted(files.items()):
        table = _read(file)
        tests[full_name] = _test_pairs(table, Random(seed))
    return tests


def _read(path: Path) -> "pd.DataFrame":
    import pandas as pd

    if path.suffix.lower() == ".dta":
        # The codes of a column are not replaced by its value labels, because pandas fails if two codes of a column have
        # the same label. So a column with value labels is tested as numbers.
        return pd.read_stata(path, convert_categoricals=False)
    text = TextFile.read(path).text
    return pd.read_csv(StringIO(text), sep=separator_of(text), low_memory=False)


def _test_pairs(table: "pd.DataFrame", random: Random) -> ChanceTests:
    columns = [name for name in table if _is_tested(table[name])]
    pairs = list(combinations(columns, 2))
    if len(pairs) > MAX_PAIRS:
        pairs = random.sample(pairs, MAX_PAIRS)

    p_values = []
    for first, second in pairs:
        p_value = _p_value(table[[first, second]].dropna())
        if p_value is not None:
            p_values.append(p_value)
    significant = [p_value for p_value in p_values if p_value < LEVEL]
    return ChanceTests(rows=len(table), columns=len(columns), tests=len(p_values), significant=len(significant))


def _is_number(column: "pd.Series") -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return is_numeric_dtype(column) and not is_bool_dtype(column)


def _is_tested(column: "pd.Series") -> bool:
    distinct = column.nunique()
    return distinct > 1 and (_is_number(column) or distinct <= MAX_CATEGORIES)


def _p_value(pair: "pd.DataFrame") -> float | None:
    """The p-value of the test that fits the types of two columns.

    It is None if the test is not defined for their values, such as for a column with one value only.
    """
    import pandas as pd
    from scipy.stats import chi2_contingency, kruskal, spearmanr

    first, second = pair.iloc[:, 0], pair.iloc[:, 1]
    # Rows with a missing value were dropped, so a column that varies may be constant here.
    if min(first.nunique(), second.nunique()) < 2:
        return None
    # scipy warns of small tables and of ties. The original table has both, too, so they are no fault of the placebo.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if _is_number(first) and _is_number(second):
            value = spearmanr(first, second).pvalue
        elif _is_number(first) or _is_number(second):
            number, category = (first, second) if _is_number(first) else (second, first)
            groups = [group for _, group in number.groupby(category)]
            value = kruskal(*groups).pvalue
        else:
            value = chi2_contingency(pd.crosstab(first, second)).pvalue
    return None if pd.isna(value) else float(value)
