"""Running an experiment or one of its shards."""

from collections.abc import Sequence
from dataclasses import dataclass

from inspect_ai.log import EvalLog

from inspect_discoverybench.errors.exceptions import DataError, InvalidExperiment
from inspect_discoverybench.errors.provider_failures import one_line
from inspect_discoverybench.experiment.continuation import require_continuation
from inspect_discoverybench.experiment.eval_set import CONTINUE, EvalSet
from inspect_discoverybench.experiment.log_lock import locked, require_unlocked
from inspect_discoverybench.experiment.shard import Shard, restrict_to_shard
from inspect_discoverybench.results.run_log import read_run_logs
from inspect_discoverybench.results.run_outcome import RunOutcome


@dataclass(frozen=True)
class ExperimentResult:
    """The result of running an experiment or one of its shards.

    Attributes:
        eval_set: What was run.
        outcomes: The outcome of each run that has a log, in the order of the matrix.
        is_complete: Whether every run is complete.
    """

    eval_set: EvalSet
    outcomes: Sequence[RunOutcome]
    is_complete: bool


def execute(whole: EvalSet, shard: Shard | None) -> ExperimentResult:
    """Run the samples of an experiment, or of one of its shards, that are missing in the log directory.

    What this package refuses is refused before anything is written.

    Raises:
        InvalidExperiment: The experiment or the shard cannot be run, or does not continue the logs in its directory.
        KeyboardInterrupt: The run was interrupted.
    """
    part = whole if shard is None else restrict_to_shard(whole, shard)
    require_unlocked(part.log_dir)
    require_continuation(whole, read_run_logs(whole.log_dir), shard)
    if not part.runs:  # there are more shards than samples
        return ExperimentResult(part, outcomes=[], is_complete=True)

    with locked(part.log_dir):
        complete, logs = part.run()
    # `eval_set` reports success if Ctrl-C ends its only attempt. Then the logs of some runs are missing.
    if complete and len(logs) < len(part.runs):
        raise KeyboardInterrupt
    return ExperimentResult(part, _in_order(logs, part), complete)


def _in_order(logs: Sequence[EvalLog], part: EvalSet) -> list[RunOutcome]:
    """The outcomes in the order of the matrix."""
    outcomes = [_outcome(log, part) for log in logs]
    by_labels = {outcome.labels: outcome for outcome in outcomes}
    return [by_labels[run.labels] for run in part.runs if run.labels in by_labels]


def _outcome(log: EvalLog, part: EvalSet) -> RunOutcome:
    """The outcome of a run.

    Args:
        log: The header of its log, as `eval_set` returned it.
        part: What was run.

    Raises:
        InvalidExperiment: The file of the log cannot be read, because Inspect could not write it.
        DataError: The file of the log cannot be read for another reason.
    """
    try:
        return RunOutcome.of_log(log)
    except DataError as error:
        # If Inspect could not write the file, for example because the disk was full, the header has Inspect's error.
        if log.error is None:
            raise
        reason = one_line(log.error.message)
        raise InvalidExperiment(f"{part.file.where()}: {reason}. {CONTINUE}") from error
