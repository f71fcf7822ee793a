#!/usr/bin/env python
"""A nightly run with Inspect's `eval_set`, which fails if a run is incomplete or its score is too low.

Without arguments, it runs the demo with the offline models: no key, network or Docker. docs/suite.md has the arguments
of a real run.
"""

import argparse
import math
import sys

from inspect_ai import eval_set
from inspect_ai.log import EvalLog
from inspect_ai.solver import SolverSpec


def main() -> int:
    """Run the evaluation. Returns 0 if it is complete and its score is high enough, else 1."""
    options = parse_options()
    complete, logs = eval_set(
        tasks=options.task,
        log_dir=options.log_dir,
        model=None if options.model == "none" else options.model,
        model_roles={"grader": options.grader},
        solver=SolverSpec(options.solver),
        limit=options.limit,
        # The files are sorted by domain, so the first samples would be of one or two domains only.
        sample_shuffle=options.seed,
        # One failed sample does not end the run; `eval_set` runs it again.
        continue_on_fail=True,
        retry_attempts=options.retries,
        tags=["nightly"],
    )
    problems = [] if complete else ["the eval set is incomplete; repeat the command to complete it"]
    for log in logs:
        problems += problems_of(log, options.min_hms)
    for problem in problems:
        print(f"FAILED: {problem}", file=sys.stderr)
    return 1 if problems else 0


def problems_of(log: EvalLog, min_hms: float) -> list[str]:
    """Why a log does not pass: its status, unscored samples or its mean score."""
    name = f"{log.eval.task} {log.eval.task_version}, {log.eval.model}"
    if log.status != "success" or log.results is None:
        return [f"{name}: status {log.status}"]
    [hms] = [score for score in log.results.scores if score.name == "HMS"]
    mean = hms.metrics["mean"].value
    unscored = round(hms.metrics["unscored"].value)
    print(f"{name}: HMS {mean:.3f} over {log.results.total_samples} samples, {unscored} unscored, {log.location}")
    problems = []
    if unscored:
        problems.append(f"{name}: {unscored} samples are unscored; score them again with `inspect score`")
    # A mean without any scored sample is NaN, which is not below any number.
    if math.isnan(mean) or mean < min_hms:
        problems.append(f"{name}: HMS {mean:.3f} is below {min_hms:g}")
    return problems


def parse_options() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--task", default="discoverybench/demo")
    parser.add_argument("--solver", default="discoverybench/react")
    parser.add_argument("--model", default="discoverybench/baseline", help="evaluated model; none for the gold solver")
    parser.add_argument("--grader", default="discoverybench/lexical", help="model of the judge")
    parser.add_argument("--limit", type=int, help="maximum number of samples, drawn at random")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw; the same one gives the same samples")
    parser.add_argument("--min-hms", type=float, default=0.25, help="lowest mean HMS that passes, in 0-1")
    parser.add_argument("--retries", type=int, default=2, help="maximum number of retries of a failed run")
    parser.add_argument("--log-dir", default="logs/nightly", help="one folder per night")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
