"""The hypothesis match score, HMS (paper §4.3)."""


def hypothesis_match_score(context: float, variables: float, relationship: float) -> float:
    """HMS of a predicted hypothesis, in [0, 1]: the product of its facets.

    Args:
        context: 1 if the contexts match, else 0.
        variables: F1 of the predicted variables, in [0, 1].
        relationship: 1 if the relationship is very similar, 0.5 if it is more general, else 0.

    Returns:
        The score. It is NaN if any facet is NaN (undecided), even if another facet is 0. If it were 0 then, the mean
        would be too low: of the samples with an undecided facet, it would include only those that score 0.
    """
    return context * variables * relationship
