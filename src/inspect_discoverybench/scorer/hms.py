"""The hypothesis match score, HMS (paper §4.3)."""


def hypothesis_match_score(context: float, variables: float, relationship: float) -> float:
    """HMS of a predicted hypothesis, in [0, 1]: the product of its facets.

    Args:
        context: 1 if the contexts match, else 0.
        variables: F1 of the predicted variables, in [0, 1].
        relationship: 1 if the relationship is very similar, 0.5 if it is more general, else 0.

    Returns:
        The score. If any facet is NaN, which stands for undecided, the score is NaN, even if another facet is 0. If
        the score were 0 in that case, the mean would be too low: of the samples with an undecided facet, it would
        include those in which another facet is 0, and leave out all others, which might score more.
    """
    return context * variables * relationship
