"""Continuing an experiment: what becomes of the samples in its log directory."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.errors.provider_failures import inspect_errors
from inspect_discoverybench.experiment.eval_set import EvalSet
from inspect_discoverybench.results.log_files import read_summaries, sample_keys

WHOLE = ""
"""Stands for an experiment that is not divided into shards."""


def require_all_samples_kept(eval_set: EvalSet, dry_runs: Mapping[str, Sequence[EvalLog]], shard: str = WHOLE) -> None:
    """Check that an experiment continues the logs in its log directory.

    `eval_set` drops finished samples that are no longer part of a run. A log of another shard must have samples of that
    shard only; otherwise the shards together would repeat some samples and leave out others.

    Args:
        eval_set: The whole experiment.
        dry_runs: The dry run of each of its shards by `K/N`, or its own dry run as `WHOLE`.
        shard: The shard to run, as `K/N`, or `WHOLE`.

    Raises:
        InvalidExperiment: A log does not belong to any run, or finished samples are no longer part of a run.
    """
    path = eval_set.file.path
    log_dir = eval_set.experiment.log_dir
    with inspect_errors(InvalidExperiment, str(path)):
        logs = list(read_summaries(log_dir))

    for log in logs:
        metadata = log.header.eval.metadata or {}
        log_shard = str(metadata.get("shard", WHOLE))
        if log_shard not in dry_runs:
            owner = f"shard {log_shard}" if log_shard else "a run without shards"
            raise InvalidExperiment(
                f"{log_dir} has logs of {owner}. Divide the experiment in the same way, or use another log_dir."
            )

        name = f"{Path(log.path).name} in {log_dir}"
        planned_runs = {task_identifier(run, None): run for run in dry_runs[log_shard]}
        if log.run not in planned_runs or "run" not in metadata:  # a log of `inspect eval` has no labels of its run
            raise InvalidExperiment(
                f"{path}: {name} does not belong to this experiment in its current form. "
                "Undo the change, or use another log_dir."
            )

        samples = sample_keys(log.header)
        if log_shard == shard:
            samples = {(str(sample.id), sample.epoch) for sample in log.finished}
        reusable = _reusable_samples(log.header, planned_runs[log.run])
        lost = samples - reusable
        if lost:
            raise InvalidExperiment(
                f"{path}: {len(lost)} samples of {name} would be dropped, because epochs, limits.samples, "
                "options.sample_id or sample_shuffle, or the data changed. Undo the change, or use another log_dir."
            )


def _reusable_samples(log: EvalLog, planned_run: EvalLog) -> set[tuple[str, int]]:
    """The samples that Inspect does not run again if the log has them, by id and epoch."""
    before = log.eval
    after = planned_run.eval
    # Inspect does not reuse samples of a larger dataset or of a different random selection.
    is_larger = (before.dataset.samples or 0) > (after.dataset.samples or 0)
    is_reshuffled = before.config.sample_shuffle != after.config.sample_shuffle
    if is_larger or (is_reshuffled and after.config.limit is not None):
        return set()
    return sample_keys(planned_run)
