"""The command `discoverybench`."""

from typing import Any

import click

from inspect_discoverybench.cli.agree import agree
from inspect_discoverybench.cli.ask import ask
from inspect_discoverybench.cli.compare import compare
from inspect_discoverybench.cli.data import data
from inspect_discoverybench.cli.doctor import doctor
from inspect_discoverybench.cli.judge import judge
from inspect_discoverybench.cli.report import report
from inspect_discoverybench.cli.run import run
from inspect_discoverybench.cli.status import status
from inspect_discoverybench.cli.trial import try_model
from inspect_discoverybench.errors.file_failures import file_errors


class _Commands(click.Group):
    """Commands that report each error in one line, even those of the operating system."""

    def invoke(self, ctx: click.Context) -> Any:
        with file_errors():
            return super().invoke(ctx)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="inspect-discoverybench", prog_name="discoverybench")
def main() -> None:
    """DiscoveryBench for Inspect AI: can language-model agents make data-driven discoveries?"""


for _command in (data, doctor, try_model, run, status, ask, judge, report, compare, agree):
    main.add_command(_command)
