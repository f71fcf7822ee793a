"""Results: the only layer that reads logs."""

from inspect_discoverybench.results.columns import EVAL_COLUMNS, EXCLUDED_FIELDS, SAMPLE_COLUMNS, score_columns
from inspect_discoverybench.results.frame import Results, read_results
from inspect_discoverybench.results.sample_score import Outcome

__all__ = ["EVAL_COLUMNS", "EXCLUDED_FIELDS", "SAMPLE_COLUMNS", "Outcome", "Results", "read_results", "score_columns"]
