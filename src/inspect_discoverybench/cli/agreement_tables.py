"""The statistics of votes as tables: agreement of HMS with annotators."""

from typing import TYPE_CHECKING

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from inspect_discoverybench.cli.number import decimal, ends, plural

if TYPE_CHECKING:
    from inspect_discoverybench.validation.agreement import AgreementStatistics, Kappa, Power

INTERPRETATION = (
    "A p-value above 0.05 does not show that the two rankings are the same. Report the confidence interval of the "
    "agreement."
)


def print_agreement(statistics: "AgreementStatistics", scored_pairs: int) -> None:
    """Print all statistics.

    Args:
        statistics: The statistics.
        scored_pairs: Number of pairs with HMS. Some of them can have no votes.
    """
    console = Console()
    vote_count = plural(statistics.votes, "vote")
    annotator_count = plural(len(statistics.annotators), "annotator")
    click.echo(f"{vote_count} by {annotator_count} on {statistics.pairs} of {plural(scored_pairs, 'pair')}")
    if statistics.without_majority:
        click.echo(f"{plural(statistics.without_majority, 'pair')} without a majority, excluded from the comparison")
    console.print(_share_table(statistics))
    click.echo(_kappa_line(statistics.kappa))
    console.print(_test_table(statistics))
    click.echo(_power_lines(statistics.power))
    click.echo(f"\n{INTERPRETATION}")


def _share_table(statistics: "AgreementStatistics") -> Table:
    rows = [("majority", statistics.agreement), ("majority, ties excluded", statistics.agreement_decided)]
    rows += [(annotator.name, annotator.agreement) for annotator in statistics.annotators]
    table = Table("HMS agrees with", box=SIMPLE_HEAD)
    for column in ("pairs", "share", "95% CI"):
        table.add_column(column, justify="right")
    for name, share in rows:
        table.add_row(escape(name), f"{share.agreeing}/{share.pairs}", decimal(share.share), ends(share.interval))
    table.add_row("mean over annotators", "", decimal(statistics.annotator_mean), "")
    return table


def _kappa_line(kappa: "Kappa") -> str:
    if kappa.kappa is None:
        return f"Fleiss' kappa: {kappa.note}"
    excluded = f"; {kappa.pairs_left_out} with another number of votes excluded" if kappa.pairs_left_out else ""
    return (
        f"Fleiss' kappa {kappa.kappa:.3f}, 95% CI {ends(kappa.interval)} "
        f"({plural(kappa.pairs, 'pair')} with {kappa.votes_per_pair} votes each{excluded})"
    )


def _test_table(statistics: "AgreementStatistics") -> Table:
    table = Table("majority vs HMS", box=SIMPLE_HEAD)
    for column in ("pairs", "statistic", "p"):
        table.add_column(column, justify="right")
    table.add_column()
    for test in statistics.tests:
        p = "< 0.001" if test.p_value is not None and test.p_value < 0.001 else decimal(test.p_value)
        table.add_row(test.name, str(test.pairs), decimal(test.statistic), p, test.note or "")
    return table


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
