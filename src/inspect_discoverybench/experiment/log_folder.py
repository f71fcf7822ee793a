"""The log directory of an experiment: checks before a run is resumed, and cleanup."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog, write_log_dir_manifest

from inspect_discoverybench.errors import InvalidExperiment, inspect_errors
from inspect_discoverybench.experiment.run import ExperimentPlan
from inspect_discoverybench.results.log_files import LogSummary, local_path, logs_in, read_summaries, sample_keys


def check_no_samples_lost(plan: ExperimentPlan, dry_runs: Mapping[str, Sequence[EvalLog]], shard: str = "") -> int:
    """Check that an experiment continues the logs in its log directory, and that those of all shards belong together.

    `eval_set` drops finished samples that are no longer part of a run: after a change to fewer epochs, fewer samples,
    other sample ids or a smaller dataset. A log of another shard must have samples of that shard only; otherwise the
    shards together would repeat some samples and leave out others.

    Args:
        plan: The whole experiment.
        dry_runs: The dry run of each of its shards by `K/N`, or its own dry run by an empty text.
        shard: The shard to run, as `K/N`.

    Returns:
        Number of finished samples of the run or shard in the log directory.

    Raises:
        InvalidExperiment: A log does not belong to any run, or finished samples are no longer part of a run.
    """
    log_dir, path = plan.experiment.log_dir, plan.source.path
    kept: set[str | None] = set()
    # A run that is killed while it writes to a remote folder leaves a truncated log.
    remedy = "Repair it with `inspect log recover`, or delete it to run its samples again."
    with inspect_errors(InvalidExperiment, str(path), remedy):
        logs = list(read_summaries(log_dir))
    for log in logs:
        recorded = (log.header.eval.metadata or {}).get("shard", "")
        if recorded not in dry_runs:
            raise InvalidExperiment(f"{log_dir} {_other_shards(recorded, len(dry_runs), '' in dry_runs)}")
        name = f"{Path(log.path).name} in {log_dir}"
        successor = next((run for run in dry_runs[recorded] if task_identifier(run, None) == log.run), None)
        if successor is None:
            if plan.arguments.get("log_dir_allow_dirty"):
                continue
            raise InvalidExperiment(
                f"{path}: {name} does not belong to this experiment in its current form. "
                "Undo the change, or use another log_dir."
            )
        samples, kind = sample_keys(log.header), "samples"
        if recorded == shard:
            samples, kind = {(str(sample.id), sample.epoch) for sample in log.finished}, "finished samples"
            kept |= {sample.uuid for sample in log.finished}
        if lost := len(samples - sample_keys(successor) if _is_resumable(log.header, successor) else samples):
            raise InvalidExperiment(
                f"{path}: {lost} {kind} of {name} would be dropped: {_change(log.header, successor)}. "
                "Undo the change, or use another log_dir."
            )
    return len(kept)


def _other_shards(recorded: str, planned: int, is_whole: bool) -> str:
    """Why a log of another number of shards cannot be continued."""
    if not recorded:
        return "has logs of a run without shards. Omit --shard, or use another log_dir."
    count = recorded.rpartition("/")[2]
    if is_whole:
        return f"belongs to a run in {count} shards. Add --shard K/{count}, or use another log_dir."
    return f"belongs to a run in {count} shards, got {planned}. Use the same number, or another log_dir."


def _is_resumable(header: EvalLog, successor: EvalLog) -> bool:
    """Inspect does not reuse samples of a larger dataset or of a different random selection."""
    before, after = header.eval, successor.eval
    reshuffled = after.config.limit is not None and before.config.sample_shuffle != after.config.sample_shuffle
    return not reshuffled and (before.dataset.samples or 0) <= (after.dataset.samples or 0)


def _change(header: EvalLog, successor: EvalLog) -> str:
    before, after = header.eval.config, successor.eval.config
    values = (
        ("epochs", before.epochs, after.epochs),
        ("limits.samples", before.limit, after.limit),
        ("sample_id", before.sample_id, after.sample_id),
        ("sample_shuffle", before.sample_shuffle, after.sample_shuffle),
        ("the number of samples in the data", header.eval.dataset.samples, successor.eval.dataset.samples),
    )
    changes = [
        f"{name} was {old or 'not set'} and is now {new or 'not set'}" for name, old, new in values if old != new
    ]
    return ", ".join(changes) or "the selected samples are different"


def remove_leftovers(logs: Iterable[EvalLog], log_dir: str) -> list[str]:
    """Remove logs of killed attempts. `eval_set` keeps them because they might still be in use.

    Call this while the log directory is locked. A log is removed only if its run never ended and the complete log of
    the same run contains all of its finished samples. Copies, scored copies and logs in subfolders are never touched.

    Args:
        logs: The logs that `eval_set` returned.
        log_dir: The log directory.

    Returns:
        Paths of logs of killed attempts that were not removed.
    """
    complete = {log.eval.task_id: local_path(log.location) for log in logs if log.status == "success"}
    remaining = []
    for info in logs_in(log_dir, recursive=False):
        if info.task_id not in complete or info.suffix is not None:
            continue
        log = LogSummary.read(info.name)
        if log.header.status != "started":
            continue
        kept = {sample.uuid for sample in LogSummary.read(complete[info.task_id]).samples}
        if Path(log.path).is_file() and {sample.uuid for sample in log.finished} <= kept:
            Path(log.path).unlink()
        else:
            remaining.append(log.path)
    write_log_dir_manifest(log_dir)
    return remaining
