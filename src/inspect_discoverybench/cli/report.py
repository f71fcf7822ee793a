"""`discoverybench report`: a page, tables and figures from logs."""

from pathlib import Path

import click

from inspect_discoverybench.cli.terminal import plural, say


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG_DIR…")
@click.option(
    "--out",
    default=Path("report"),
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Output folder. An earlier report in it is replaced.",
)
@click.option(
    "--judge-labels",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Labels from `agree sheet --judge` and their key.csv, or a folder with both: adds HMS corrected for the "
    "judge's errors.",
)
@click.option("--pool-splits", is_flag=True, help="Count the splits of DB-REAL, and of DB-SYNTH, as one benchmark.")
def report(logs: tuple[str, ...], out: Path, judge_labels: tuple[Path, ...], pool_splits: bool) -> None:
    """Write report.html, samples.csv, tables and figures from folders of logs.

    The page is a single file that works offline.
    """
    # Imports pandas, scipy and altair, which takes seconds.
    from inspect_discoverybench.report.folder import write_report

    contents = write_report(logs, out, judge_labels, pool_splits)
    uuids = {result.sample.uuid for result in contents.results}  # a sample has a result for each of its judges
    samples = plural(len(uuids), "sample")
    page = out / "report.html"
    configurations = plural(len(contents.leaderboard.standings), "configuration")
    say(f"Wrote {page}: {samples} of {configurations}. Tables are in {out / 'tables'}, figures in {out / 'figures'}.")
    if contents.left_out:
        say(f"Left out {plural(len(contents.left_out), 'log')}:")
    for log, reason in contents.left_out.items():
        say(f"  {log}: {reason}")
