"""Results: the only layer that reads logs."""

from inspect_discoverybench.results.columns import EVAL_COLUMNS, EXCLUDED_FIELDS, SAMPLE_COLUMNS, Outcome, score_columns
from inspect_discoverybench.results.frame import Results, read_results

__all__ = ["EVAL_COLUMNS", "EXCLUDED_FIELDS", "SAMPLE_COLUMNS", "Outcome", "Results", "read_results", "score_columns"]
