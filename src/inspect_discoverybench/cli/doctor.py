"""`discoverybench doctor`: check the installation."""

import json
from dataclasses import asdict

import click

from inspect_discoverybench.cli.checks import all_checks, run_checks
from inspect_discoverybench.cli.terminal import say

COLORS = {"ok": "green", "warning": "yellow", "failure": "red", "skipped": "bright_black"}
STATUS_WIDTH = max(map(len, COLORS)) + 2


@click.command()
@click.option("--model", metavar="PROVIDER/MODEL", help="Check the key of this model, and call it once.")
@click.option("--grader", metavar="PROVIDER/MODEL", help="Check the key of this judge, and let it judge one pair.")
@click.option(
    "--sandbox",
    type=click.Choice(["docker", "k8s", "local"]),
    default="docker",
    show_default=True,
    help="Sandbox to run a test cell in.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(model: str | None, grader: str | None, sandbox: str, as_json: bool) -> None:
    """Check Python, packages, data, the sandbox, and with --model and --grader the models.

    Each line is ok, a warning or a failure with its remedy. A check is skipped if a check that it requires has
    failed. Requests are sent to a provider only with --model and --grader.

    Exit codes: 0 no check failed, 1 a check failed, 2 invalid options.
    """
    checks = all_checks(sandbox, model, grader)
    width = max(len(check.name) for check in checks) + 2
    findings = []
    for finding in run_checks(checks):
        findings.append(asdict(finding) | {"seconds": round(finding.seconds, 3)})
        if not as_json:
            status = click.style(f"{finding.status:<{STATUS_WIDTH}}", fg=COLORS[finding.status])
            click.echo(f"{status}{finding.name:<{width}}{finding.message}")
            if finding.remedy:
                say(f"{'':<{STATUS_WIDTH + width}}{finding.remedy}")
    failed = any(finding["status"] == "failure" for finding in findings)
    if as_json:
        say(json.dumps({"ok": not failed, "checks": findings}, indent=2))
    if failed:
        raise click.exceptions.Exit(1)
