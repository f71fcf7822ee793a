"""The statistics of votes and labels as tables."""

from typing import TYPE_CHECKING

import click

from inspect_discoverybench.cli.number import decimal, ends, plural
from inspect_discoverybench.cli.table import print_table

if TYPE_CHECKING:
    from inspect_discoverybench.validation.accuracy import JudgeAccuracy
    from inspect_discoverybench.validation.agreement import AgreementStatistics, Kappa, Power

INTERPRETATION = (
    "A p-value above 0.05 does not show that the two rankings are the same. Report the confidence interval of the "
    "agreement."
)


def print_agreement(statistics: "AgreementStatistics") -> None:
    """Print the statistics of votes."""
    votes, annotators = plural(statistics.votes, "vote"), plural(len(statistics.annotators), "annotator")
    click.echo(f"{votes} by {annotators} on {statistics.pairs} of {plural(statistics.pairs_scored, 'pair')}")
    if statistics.without_majority:
        click.echo(f"{plural(statistics.without_majority, 'pair')} without a majority, excluded from the comparison")
    shares = [("majority", statistics.agreement), ("majority, ties excluded", statistics.agreement_decided)]
    shares += [(annotator.name, annotator.agreement) for annotator in statistics.annotators]
    print_table(
        "",
        ["HMS agrees with"],
        ["pairs", "share", "95% CI"],
        [
            *((name, f"{one.agreeing}/{one.pairs}", decimal(one.share), ends(one.interval)) for name, one in shares),
            ("mean over annotators", "", decimal(statistics.annotator_mean), ""),
        ],
    )
    click.echo(_kappa_line(statistics.kappa))
    print_table(
        "",
        ["majority vs HMS", "note"],
        ["pairs", "statistic", "p"],
        [
            (test.name, test.note or "", str(test.pairs), decimal(test.statistic), _p_value(test.p_value))
            for test in statistics.tests
        ],
    )
    click.echo(f"{_power_lines(statistics.power)}\n\n{INTERPRETATION}")


def print_accuracy(statistics: "JudgeAccuracy") -> None:
    """Print the statistics of labels."""
    annotators = plural(len(statistics.annotators), "annotator")
    sheet_size = plural(statistics.samples + statistics.unlabelled, "sample")
    click.echo(f"Labels by {annotators} on {statistics.samples} of {sheet_size}")
    rows = [(step.name, step.majority, "" if step.paper is None else f"{step.paper:.2f}") for step in statistics.steps]
    print_table(
        "",
        ["the judge in"],
        ["samples", "accuracy", "95% CI", "paper", "tied"],
        [
            (name, str(one.samples), decimal(one.accuracy), ends(one.interval), paper, str(one.without_majority))
            for name, one, paper in rows
        ],
    )
    if len(statistics.annotators) > 1:
        kappas = [(step.name, step.unanimous, step.kappa) for step in statistics.steps]
        print_table(
            "",
            ["annotators in"],
            ["answers", "unanimous", "Fleiss' kappa", "95% CI"],
            [
                (name, str(kappa.pairs), decimal(unanimous), decimal(kappa.kappa), ends(kappa.interval))
                for name, unanimous, kappa in kappas
            ],
        )
        for note in dict.fromkeys(kappa.note for _, _, kappa in kappas if kappa.note):
            click.echo(f"– Fleiss' kappa is {note}")
    if statistics.complete:
        click.echo(
            f"HMS of {plural(statistics.complete, 'sample')} with complete labels: {decimal(statistics.judged_hms)} by "
            f"the judge, {decimal(statistics.true_hms)} by the annotators"
        )
    if incomplete := statistics.samples - statistics.complete:
        click.echo(
            f"{plural(incomplete, 'sample')} with incomplete labels: a step without a majority, or a wrong answer "
            "without the correct one"
        )


def _kappa_line(kappa: "Kappa") -> str:
    if kappa.kappa is None:
        return f"Fleiss' kappa: {kappa.note}"
    excluded = f"; {kappa.pairs_left_out} with another number of votes excluded" if kappa.pairs_left_out else ""
    return (
        f"Fleiss' kappa {kappa.kappa:.3f}, 95% CI {ends(kappa.interval)} "
        f"({plural(kappa.pairs, 'pair')} with {kappa.votes_per_pair} votes each{excluded})"
    )


def _p_value(p_value: float | None) -> str:
    return "< 0.001" if p_value is not None and p_value < 0.001 else decimal(p_value)


def _power_lines(power: "Power") -> str:
    if power.smallest_effect is None:
        return "Power: not defined for fewer than two pairs with a majority"
    observed = "observed effect: not defined, the differences do not vary"
    if power.effect_size is not None:
        observed = f"power {decimal(power.power)} for the observed effect size {decimal(power.effect_size)}"
    return (
        f"Paired t-test, {power.pairs} pairs, level 0.05: {observed};\n"
        f"smallest effect size detectable with power 0.8: {decimal(power.smallest_effect)}"
    )
