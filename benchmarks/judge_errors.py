"""What a judge's errors do to the mean of a system and to a difference of two: the table in docs/judge.md."""

from measure import show

from inspect_discoverybench.judge_pairs.error_effect import (
    F1_STEP,
    FAILED_F1,
    FAILED_RELATIONSHIP,
    RELATIONSHIP_STEP,
    Accuracy,
    judged_mean,
)

# The paper's judge (§4.3): a context verdict needs two extractions, 97 % right each, and the match, 99 % right. One
# wrong extraction in two is assumed to change the match.
PAPER = Accuracy(context=0.97 * 0.99, variables=0.94, relationship=0.99)

JUDGES = {
    "96 / 94 / 99 % (paper's judge)": PAPER,
    "90 / 85 / 90 %": Accuracy(context=0.9, variables=0.85, relationship=0.9),
    "80 / 70 / 80 %": Accuracy(context=0.8, variables=0.7, relationship=0.8),
}

MEAN = 0.2
HIGHER_MEAN = 0.25


def lenient_mean(true_mean: float, accuracy: Accuracy) -> float:
    """Mean HMS by a judge whose wrong verdicts are all too high."""
    f1 = FAILED_F1 + (1 - accuracy.variables) * F1_STEP
    relationship = FAILED_RELATIONSHIP + (1 - accuracy.relationship) * RELATIONSHIP_STEP
    return true_mean + (1 - true_mean) * (1 - accuracy.context) * f1 * relationship


def strict_mean(true_mean: float, accuracy: Accuracy) -> float:
    """Mean HMS by a judge whose wrong verdicts are all too low."""
    return true_mean * judged_mean(1, accuracy)


MEANS_BY_JUDGES = {"any": judged_mean, "lenient": lenient_mean, "strict": strict_mean}


def main() -> None:
    """Print one table."""
    rows = []
    for name, accuracy in JUDGES.items():
        for errors, mean_by_judge in MEANS_BY_JUDGES.items():
            mean = mean_by_judge(MEAN, accuracy)
            difference = mean_by_judge(HIGHER_MEAN, accuracy) - mean
            rows.append((name, errors, 100 * mean, 100 * difference))
    columns = {
        "right verdicts: context / variables / relationship": "",
        "errors": "",
        "a mean of 20": ".1f",
        "a difference of 5": ".2f",
    }
    show("What errors of the judge do to HMS", columns, rows)


if __name__ == "__main__":
    main()
