"""The command `discoverybench`.

Most commands import Inspect with its plugins, which takes seconds. So a command is imported only when it is called, and
`--version`, `--help` and the error about a misspelled name do not wait for Inspect.
"""

import sys
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

from inspect_discoverybench.errors.file_failures import system_errors


@dataclass(frozen=True)
class CommandSource:
    """Where a command is defined.

    Attributes:
        module: Its module.
        function: Name of its function.
        summary: The first sentence of its help, which is here so that the list of commands imports none of them.
    """

    module: str
    function: str
    summary: str

    def load(self) -> click.Command:
        """Import the command."""
        command: click.Command = getattr(import_module(f"inspect_discoverybench.cli.{self.module}"), self.function)
        return command


COMMANDS = {
    "agree": CommandSource("agree", "agree", "Measure how often HMS and the judge agree with human annotators."),
    "ask": CommandSource("ask", "ask", "Run an agent on one goal and print its hypothesis and workflow."),
    "compare": CommandSource("compare", "compare", "Compare two or more systems on their common tasks."),
    "data": CommandSource(
        "data", "data", "Download, verify and audit the data of DiscoveryBench, and describe your own."
    ),
    "doctor": CommandSource(
        "doctor", "doctor", "Check the versions, the data, Docker, and that each model given with --model acts."
    ),
    "judge": CommandSource("judge", "judge", "Score one predicted hypothesis against its gold hypothesis."),
    "report": CommandSource(
        "report", "report", "Write report.html, samples.csv, tables and figures from folders of logs."
    ),
    "run": CommandSource("run", "run", "Run an experiment: every task × solver × model of FILE."),
    "status": CommandSource(
        "status", "status", "Print how many samples of each run are finished, unscored, in error and missing."
    ),
    "try": CommandSource("trial", "try_model", "Try a model with every agent, and a judge, on a few random samples."),
}
"""The commands by name, in the order of the help."""


class _Commands(click.Group):
    """Commands that are imported when they are called. Each error is one line, even those of the operating system."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return COMMANDS[cmd_name].load() if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        # While a shell completes a command line, `resilient_parsing` is true, and the name may be incomplete.
        if name not in COMMANDS and not ctx.resilient_parsing:
            # Imported here, because it imports pydantic, which takes longer than all other imports of this module.
            from inspect_discoverybench.errors.invalid_values import did_you_mean

            ctx.fail(f"No such command '{name}'.{did_you_mean(name, COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, source.summary) for name, source in COMMANDS.items()])

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        # Here and not in `invoke`, because `--help` is printed while click parses the options.
        _escape_unencodable_output()
        return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with system_errors():
            try:
                return super().invoke(ctx)
            except ImportError:
                # Imported here, because `--help` and `--version` do not need it.
                from inspect_discoverybench.doctor.versions import check_versions

                # A package that is too old lacks modules and names that commands import.
                check_versions()
                raise


def _escape_unencodable_output() -> None:
    """Print the code of a character that the encoding of the output lacks, such as a dash in Latin-1."""
    output = sys.stdout
    # In the locale `C`, the output has `surrogateescape`, which also raises an error for a dash.
    if isinstance(output, TextIOWrapper) and output.errors in ("strict", "surrogateescape"):
        output.reconfigure(errors="backslashreplace")


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="inspect-discoverybench", prog_name="discoverybench")
def main() -> None:
    """DiscoveryBench for Inspect AI: can language-model agents make data-driven discoveries?"""
