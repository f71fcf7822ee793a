"""F1 of the predicted variables (paper §4.3)."""


def f1_score(gold_size: int, predicted_size: int, intersection: int) -> float:
    """F1 of two sets, in [0, 1]: 2pr / (p + r), with precision p and recall r; 0 if they share nothing.

    Args:
        gold_size: Number of variables in the gold hypothesis, at least 1.
        predicted_size: Number of variables in the predicted hypothesis; may be 0.
        intersection: Number of variables in both.
    """
    # With p = intersection / predicted_size and r = intersection / gold_size, this is the same without a division by 0.
    return 2 * intersection / (gold_size + predicted_size)
