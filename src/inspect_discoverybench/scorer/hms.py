"""The hypothesis match score, HMS (paper §4.3)."""


def hypothesis_match_score(context: float, variables: float, relationship: float) -> float:
    """HMS of a predicted hypothesis, in [0, 1]: the product of its facets.

    Args:
        context: 1 if the contexts match, else 0.
        variables: F1 of the predicted variables, in [0, 1].
        relationship: 1 if the relationship is very similar, 0.5 if it is more general, else 0.

    Returns:
        The score. If any facet is NaN, which stands for undecided, the score is NaN, even if another facet is 0.
        If it were 0 then, the mean would include samples with an undecided facet only where another facet is 0. It
        would leave out those that might score more, and be too low.
    """
    return context * variables * relationship
