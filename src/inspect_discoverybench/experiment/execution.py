"""Running an experiment or one of its shards."""

from collections.abc import Sequence
from dataclasses import dataclass

from inspect_ai.log import EvalLog

from inspect_discoverybench.experiment.eval_set import EvalSet, build_eval_set, dry_run_in_subprocess
from inspect_discoverybench.experiment.experiment_file import ExperimentFile
from inspect_discoverybench.experiment.log_lock import locked, require_unlocked
from inspect_discoverybench.experiment.outcome import RunOutcome
from inspect_discoverybench.experiment.resumption import WHOLE, require_all_samples_kept
from inspect_discoverybench.experiment.shard import Shard, restrict_to_shard, shard_dry_runs
from inspect_discoverybench.results.log_files import logs_in


@dataclass(frozen=True)
class ExperimentResult:
    """What an experiment or a shard came to.

    Attributes:
        eval_set: What was run.
        outcomes: The outcome of each run that has a log, in the order of the matrix.
        is_complete: Whether every run is complete.
    """

    eval_set: EvalSet
    outcomes: Sequence[RunOutcome]
    is_complete: bool


def execute(file: ExperimentFile, shard: Shard | None) -> ExperimentResult:
    """Run the samples that are missing in the log directory.

    What is refused is refused before anything is written.

    Raises:
        InvalidExperiment: The experiment or the shard cannot be run, or does not continue the logs in its directory.
        KeyboardInterrupt: The run was interrupted.
    """
    whole = build_eval_set(file)
    log_dir = whole.experiment.log_dir
    if shard is not None:
        log_dir = shard.log_dir(log_dir)
    require_unlocked(log_dir)
    part = _part_to_run(whole, file, shard)

    if not part.tasks:  # there are more shards than samples
        return ExperimentResult(part, outcomes=[], is_complete=True)

    with locked(log_dir):
        complete, logs = part.run()
    if complete and len(logs) < len(part.tasks):
        raise KeyboardInterrupt  # `eval_set` reports success if Ctrl-C ends its only attempt
    return ExperimentResult(part, _in_order(logs, part), complete)


def _part_to_run(whole: EvalSet, file: ExperimentFile, shard: Shard | None) -> EvalSet:
    """The whole experiment or its shard, checked to keep the finished samples in its log directory."""
    if shard is None and not logs_in(whole.experiment.log_dir):
        return whole

    dry_run = dry_run_in_subprocess(file)
    if shard is None:
        require_all_samples_kept(whole, {WHOLE: dry_run})
        return whole

    dry_runs = shard_dry_runs(dry_run, shard.count)
    part = restrict_to_shard(whole, shard, dry_runs[str(shard)])
    require_all_samples_kept(whole, dry_runs, str(shard))
    return part


def _in_order(logs: Sequence[EvalLog], part: EvalSet) -> list[RunOutcome]:
    """The outcomes in the order of the matrix. Those with labels of an earlier version of the file are last."""
    positions = {cell.labels: number for number, cell in enumerate(part.cells)}
    outcomes = [RunOutcome.of_log(log) for log in logs]
    return sorted(outcomes, key=lambda outcome: positions.get(outcome.labels, len(positions)))
