"""What a judge's errors do to the mean of a system and to a difference of two: the table in docs/judge.md."""

from typing import get_args

from measure import show

from inspect_discoverybench.judge_audit.error_effect import Accuracy, Direction, judged_mean

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


def main() -> None:
    """Print one table."""
    rows = []
    for name, accuracy in JUDGES.items():
        for direction in get_args(Direction):
            mean = judged_mean(MEAN, accuracy, direction)
            higher_mean = judged_mean(HIGHER_MEAN, accuracy, direction)
            difference = higher_mean - mean
            rows.append((name, direction, 100 * mean, 100 * difference))
    columns = {
        "right verdicts: context / variables / relationship": "",
        "errors": "",
        "a mean of 20": ".1f",
        "a difference of 5": ".2f",
    }
    show("What errors of the judge do to HMS", columns, rows)


if __name__ == "__main__":
    main()
