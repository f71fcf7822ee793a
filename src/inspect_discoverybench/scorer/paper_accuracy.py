"""Accuracy of the paper's judge."""

PAPER_ACCURACY = {"context_extraction": 0.97, "context_match": 0.99, "variables": 0.94, "relationship": 0.99}
"""Accuracy by question on 200 examples, annotated by two of the authors (paper §4.3)."""
