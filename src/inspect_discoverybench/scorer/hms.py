"""The hypothesis match score, HMS (paper §4.3)."""


def hypothesis_match_score(context: float, variables: float, relationship: float) -> float:
    """HMS of a predicted hypothesis, in [0, 1]: the product of its facets.

    Args:
        context: 1 if the contexts match, else 0.
        variables: F1 of the predicted variables, in [0, 1].
        relationship: 1 if the relationship is very similar, 0.5 if it is more general, else 0.

    Returns:
        The score. If any facet is NaN, which stands for undecided, the score is NaN, even if another facet is 0.
        Suppose that such a sample scored 0. Then, of the samples with an undecided facet, those that certainly score 0
        would count in the mean, and those that might score more would not. So the mean would be too low.
    """
    return context * variables * relationship
