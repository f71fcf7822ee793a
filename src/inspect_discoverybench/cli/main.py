"""The command `discoverybench`: the group that holds every command of ours."""

import click

from inspect_discoverybench.cli.data import data


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="inspect-discoverybench", prog_name="discoverybench")
def main() -> None:
    """DiscoveryBench for Inspect AI: can language-model agents make data-driven discoveries?"""


main.add_command(data)
