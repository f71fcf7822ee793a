"""`discoverybench doctor`: check an installation."""

import click

from inspect_discoverybench.cli.terminal import say
from inspect_discoverybench.doctor.checks import run_checks


@click.command()
@click.option("--model", "models", multiple=True, metavar="PROVIDER/MODEL", help="Call this model. Can be repeated.")
def doctor(models: tuple[str, ...]) -> None:
    """Check the versions, the data, Docker, and that each model given with --model acts.

    A model acts if it calls a tool or writes a block of code. Requests are sent to providers only with --model.

    Exit codes: 0 no check failed, 1 a check failed, 2 invalid options.
    """
    has_failed = False
    for finding in run_checks(models):
        has_failed = has_failed or not finding.ok
        if finding.ok:
            click.secho("ok     ", fg="green", nl=False)
        else:
            click.secho("failed ", fg="red", nl=False)
        say(f"{finding.check}: {finding.message}")
    if has_failed:
        raise click.exceptions.Exit(1)
