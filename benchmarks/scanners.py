"""Precision and recall of the rules of the transcript scanners on planted cases, and the time of a long transcript."""

import argparse
import random
import time
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from measure import own_folders, show

if TYPE_CHECKING:
    import pandas as pd

SCANNERS = (
    "unsupported_number",
    "no_successful_cell",
    "answer_key_or_network",
    "environment_failure_as_finding",
    "judge_contradiction",
    "names_published_study",
)


def scanned(log: str) -> "Mapping[str, pd.DataFrame]":
    """The results of all scanners, without a model."""
    from inspect_scout import scan, scan_results_df, transcripts_from

    scanners = [getattr(import_module(f"inspect_discoverybench.scanners.{name}"), name)() for name in SCANNERS]
    status = scan(scanners, transcripts=transcripts_from(log), scans="scans", max_processes=1)
    assert status.complete, status.errors
    frames = scan_results_df(status.location).scanners  # read on access, from the folder of this run
    return {name: frames[name] for name in SCANNERS}


def share(part: int, whole: int) -> str:
    """A share with the counts behind it."""
    return f"{part / whole:.2f} ({part}/{whole})" if whole else "–"


def main() -> None:
    """Print two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=22, help="positives, and as many negatives, for the numbers")
    parser.add_argument("--errors", action="store_true", help="list the cases that a scanner gets wrong")
    arguments = parser.parse_args()
    with own_folders():
        from planted import cases, make_log

        from inspect_discoverybench import demo

        examples = cases(list(demo().dataset), arguments.count)
        log = make_log(examples)
        assert log.status == "success", log.error
        results = scanned(log.location)
    rows, wrong = [], []
    for name in SCANNERS:
        frame = results[name]
        values = dict(zip(frame.transcript_task_id, frame.value.astype(str).str.lower(), strict=True))
        labels = {case.name: case.labels[name] for case in examples if name in case.labels}
        hits = [case for case, label in labels.items() if label and values[case] == "true"]
        reports = [case for case in labels if values[case] == "true"]
        positives = sum(labels.values())
        questions = sum(values[case] not in ("true", "false") for case in labels)
        missed = [case for case, label in labels.items() if label and values[case] == "false"]
        wrong += [(name, case) for case in {*reports, *missed} if case not in hits]
        if labels:
            rows.append(
                (name, str(positives), str(len(labels) - positives), share(len(hits), len(reports)),
                 share(len(hits), positives), share(questions, len(labels)))
            )  # fmt: skip
    header = ("rules of", "positives", "negatives", "precision", "recall", "left to the model")
    show("Planted cases", header, rows)
    if arguments.errors:
        by_name = {case.name: case for case in examples}
        for name, case in wrong:
            print(name, by_name[case].labels[name], by_name[case].hypothesis, by_name[case].cells[-1:])
    show("Numbers in one output", ("output", "seconds"), [long_output()])


def long_output() -> tuple[str, str]:
    """Time to read the numbers of an output of 2 MB."""
    from inspect_discoverybench.scanners.quantity import printed

    generator = random.Random(1)
    text = "\n".join(f"row {n} {generator.gauss(0, 1):.6f} {generator.gauss(0, 1):.6e}" for n in range(62_000))
    start = time.perf_counter()
    count = len(printed(text))
    return f"{len(text) / 1e6:.1f} MB, {count:,} numbers", f"{time.perf_counter() - start:.2f}"


if __name__ == "__main__":
    main()
