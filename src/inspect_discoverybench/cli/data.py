"""`discoverybench data`: download, verify, audit and describe data."""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from inspect_discoverybench.cli.terminal import plural, print_table, say
from inspect_discoverybench.dataset import data_folder
from inspect_discoverybench.dataset.absolute_path import absolute_path
from inspect_discoverybench.dataset.chance import chance_tests
from inspect_discoverybench.dataset.counts import ERRORS, REMARKS, Counts, audit_release, audit_studies
from inspect_discoverybench.dataset.custom import custom_samples
from inspect_discoverybench.dataset.draft import Draft
from inspect_discoverybench.dataset.metadata_files import METADATA_NAME
from inspect_discoverybench.dataset.release import checksums, file_differences
from inspect_discoverybench.dataset.splits import released_samples
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import InvalidArgument


@click.group()
def data() -> None:
    """Download, verify and audit the data of DiscoveryBench, and describe your own."""


@data.command()
@click.option("--force", is_flag=True, help="Download again and replace existing data.")
def fetch(force: bool) -> None:
    """Download the released data into the cache folder and verify every file."""
    root = data_folder.fetch(force=force)
    data_folder.require_released(root)
    say(f"{len(checksums())} files in {root}")


@data.command()
def verify() -> None:
    """Compare every file that evaluations use with the release. Nothing is downloaded.

    The exit code is 1 if a file is missing or changed.
    """
    root = data_folder.local_root()
    differences = file_differences(root)
    for difference in differences:
        say(difference)
    say(f"{len(checksums())} files checked in {root}, {len(differences)} missing or changed")
    if differences:
        say(f"{root} differs from the release. {data_folder.remedy(root)}", err=True)
        raise click.exceptions.Exit(1)


@data.command()
@click.argument("location", required=False, type=click.Path(path_type=Path), metavar="[PATH]")
@click.option("--path", type=click.Path(path_type=Path), help="The same as the argument PATH.")
@click.option(
    "--answer-key", type=click.Path(path_type=Path), help="CSV file with the gold hypotheses of the custom studies."
)
@click.option(
    "--placebo",
    type=int,
    metavar="SEED",
    help="Instead of counts: the share of single tests that are significant at 5 % in each table of this placebo. "
    "[without PATH: of DB-REAL]",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON that includes the items behind each count.")
def audit(
    location: Path | None, path: Path | None, answer_key: Path | None, placebo: int | None, as_json: bool
) -> None:
    """Count the studies, goals, files and irregularities of the data, and name what should be corrected.

    PATH is a metadata file or a folder of your own studies; without it, the released data are counted.

    The exit code is 1 if your studies have errors: described columns that are missing, or files that the sandbox image
    cannot read. It is 2 if a task cannot be built, because a file is missing or invalid or a goal has no gold
    hypothesis. Remarks, such as unknown metadata keys, do not change it.
    """
    if location and path:
        raise InvalidArgument(f"{location} and --path {path} exclude one another. Pass one of them.")
    path = location or path
    if answer_key and not path:
        raise InvalidArgument("--answer-key is for custom studies. Give their path, too.")
    if placebo is not None:
        _audit_placebo(path, answer_key, placebo, as_json)
        return
    audits = audit_studies(path, answer_key) if path else audit_release(data_folder.local_root())
    if as_json:
        # Items are in sets, which JSON does not have. `sorted` makes lists of them.
        say(json.dumps(audits, indent=2, default=sorted))
    else:
        _print_counts(audits)
        _print_items(audits, [*ERRORS, *REMARKS])

    # Errors in the released data do not change the exit code, because the user cannot correct them.
    if path is not None:
        for counts in audits.values():
            _require_no_errors(counts)


def _audit_placebo(path: Path | None, answer_key: Path | None, seed: int, as_json: bool) -> None:
    """Print the share of significant tests in each table of a placebo. It should be about 5 %.

    Args:
        path: Custom studies; None for DB-REAL.
        answer_key: Gold hypotheses of the custom studies, if they are in a file of their own.
        seed: Seed of the placebo.
        as_json: Whether to print JSON.
    """
    hints = Hints()
    samples = custom_samples(path, answer_key, hints) if path else released_samples("real", "all", hints)
    tests_by_table = chance_tests(samples, seed)
    if as_json:
        content = {table: asdict(tests) for table, tests in tests_by_table.items()}
        say(json.dumps(content, indent=2))
        return
    rows = [
        [table, str(tests.rows), str(tests.columns), str(tests.tests), f"{tests.share:.1%}"]
        for table, tests in tests_by_table.items()
    ]
    print_table("", ["table"], ["rows", "columns\ntested", "tests", "significant\nat 5 %"], rows)
    say(
        "Tests of pairs of columns, at most 500 of a table: rank correlation, Kruskal–Wallis or chi-squared, by their "
        "types. The pairs are not independent: each column is in many of them."
    )


@data.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The metadata file. [default: metadata_0.json in the folder that contains all FILEs]",
)
def describe(files: tuple[Path, ...], out: Path | None) -> None:
    """Draft a metadata file for data files, with their columns, types and examples.

    Columns are read from .csv, .tsv, .dta, .parquet, and, if openpyxl is installed, .xlsx. Labels of Stata files become
    descriptions. Other descriptions, and the goals, are for you to add.
    """
    draft = Draft.of(files)
    path = _draft_path(draft, out)
    text = json.dumps(draft.content(), indent=2, ensure_ascii=False) + "\n"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        unused = shlex.quote(str(_unused_path(path.parent)))
        raise InvalidArgument(f"{path} exists. Move it, or pass another name, such as --out {unused}") from error

    for data_file in draft.files:
        if data_file.columns is None:
            say(f"{data_file.name}: its columns are not read here. Describe them yourself, or leave them out.")
        else:
            say(f"{data_file.name}: {plural(len(data_file.columns), 'column')}")
    say(
        f"Wrote {path}. Fill in its descriptions and its domain; to score answers, add goals under `queries` "
        "(docs/custom.md)."
    )
    command = shlex.join(["discoverybench", "data", "audit", str(path)])
    say(f"To check it, run: {command}")


def _draft_path(draft: Draft, out: Path | None) -> Path:
    """Where a draft is written: in a folder that contains all data files, under a name that tasks accept."""
    path = draft.folder / "metadata_0.json" if out is None else absolute_path(out)
    if METADATA_NAME.fullmatch(path.name) is None:
        raise InvalidArgument(f"--out {path}: invalid name of a metadata file. Use metadata_<number>.json.")
    if path.parent != draft.folder:
        path_beside_data = draft.folder / path.name
        raise InvalidArgument(
            f"--out {path}: a metadata file is in the folder that contains its data files. Use --out {path_beside_data}"
        )
    return path


def _unused_path(folder: Path) -> Path:
    """A path for a metadata file in this folder at which no file exists."""
    number = 0
    while (folder / f"metadata_{number}.json").exists():
        number += 1
    return folder / f"metadata_{number}.json"


def _print_counts(audits: Mapping[str, Counts]) -> None:
    """Print how many items there are of each kind.

    A row is a kind, such as `goals`, and a column is an audit, such as that of `real/test`.
    """
    kinds: set[str] = set()
    for counts in audits.values():
        kinds.update(counts)
    rows = []
    for kind in sorted(kinds):
        numbers = [len(counts.get(kind, ())) for counts in audits.values()]
        rows.append([kind, *map(str, numbers)])
    headers = [name.replace("/", "\n") for name in audits]
    print_table("", [""], headers, rows)


def _require_no_errors(counts: Counts) -> None:
    """Exit with 1 if a study has errors, and print how many there are of each kind."""
    errors = [f"{kind} ({len(counts[kind])})" for kind in ERRORS if kind in counts]
    if errors:
        say(f"To be corrected: {', '.join(errors)}.", err=True)
        raise click.exceptions.Exit(1)


def _print_items(audits: Mapping[str, Counts], kinds: Sequence[str]) -> None:
    """Print each item of these kinds on one line."""
    for kind in kinds:
        items: set[str] = set()
        for counts in audits.values():
            items.update(counts.get(kind, ()))
        if items:
            say(f"{kind.capitalize()}:")
        for item in sorted(items):
            say(f"  {item}")
