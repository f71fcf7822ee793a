"""Continuing an experiment: whether all finished samples in its log directory stay.

Inspect's `eval_set` refuses a log of another run in its directory, but it does not look into the directories of other
shards. `eval_set` also drops finished samples that are no longer part of a run. So both are checked here, before a run.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from inspect_discoverybench.errors.exceptions import InvalidExperiment
from inspect_discoverybench.experiment.eval_set import EvalSet, PlannedRun
from inspect_discoverybench.experiment.shard import Shard
from inspect_discoverybench.results.run_log import RunLog, SampleKey, sample_keys
from inspect_discoverybench.results.run_record import AGENT_DIGEST
from inspect_discoverybench.results.sample_inputs import changed_inputs

OTHER_LOG_DIR = "Undo the change, or use another log_dir: --set log_dir=FOLDER."


def require_continuation(eval_set: EvalSet, logs: Sequence[RunLog], shard: Shard | None) -> None:
    """Check that an experiment continues the logs in its log directory.

    Args:
        eval_set: The whole experiment.
        logs: All logs in its log directory.
        shard: The shard to run; None for the whole experiment.

    Raises:
        InvalidExperiment: A log does not belong to any run or is of another division into shards, or its finished
            samples are no longer part of the run, or were made of other data.
    """
    for log in logs:
        _require_same_division(log, eval_set, shard)
        _require_kept(log, eval_set, shard)


def _require_same_division(log: RunLog, eval_set: EvalSet, shard: Shard | None) -> None:
    """Refuse logs of shards for a whole run, logs of a whole run for shards, and logs of another number of shards."""
    if log.shard is None or shard is None:
        is_same = log.shard is None and shard is None
    else:
        is_same = Shard.parse(log.shard).count == shard.count
    if is_same:
        return

    owner = f"shard {log.shard}" if log.shard else "a run without shards"
    raise InvalidExperiment(
        f"{eval_set.log_dir} has logs of {owner}. Divide the experiment in the same way, or use another log_dir."
    )


def _require_kept(log: RunLog, eval_set: EvalSet, shard: Shard | None) -> None:
    """Check that a log belongs to a run of the experiment, and that the run keeps the samples of the log."""
    where = f"{eval_set.file.path}: {Path(log.path).name} in {eval_set.log_dir}"
    position = _position_of(log, eval_set)
    if position is None or log.settings != eval_set.experiment.settings:
        raise InvalidExperiment(f"{where} does not belong to this experiment in its current form. {OTHER_LOG_DIR}")

    whole_run = eval_set.runs[position]
    if log.agent_digest != (whole_run.task.metadata or {}).get(AGENT_DIGEST):
        raise InvalidExperiment(f"{where}: the file of the agent {whole_run.labels.solver} changed. {OTHER_LOG_DIR}")

    run = whole_run if log.shard is None else Shard.parse(log.shard).part_of(whole_run, position)
    _require_same_inputs(log, run, where)

    kept = set() if _starts_over(log, run, eval_set) else run.sample_keys
    lost = _required_samples(log, shard) - kept
    if lost:
        reason = "epochs, limits.samples, options.sample_id or sample_shuffle, or the data changed"
        if _are_beyond_limit(lost, log, whole_run, eval_set):
            limit = eval_set.experiment.limits.samples
            reason = f"limits.samples is now {limit} ({eval_set.file.where('limits', 'samples')})"
        raise InvalidExperiment(
            f"{eval_set.file.path}: {len(lost)} of the samples of {Path(log.path).name} in {eval_set.log_dir} would be "
            f"dropped, because {reason}. {OTHER_LOG_DIR}"
        )


def _required_samples(log: RunLog, shard: Shard | None) -> set[SampleKey]:
    """The samples of a log that must still be part of its run."""
    shard_to_run = None if shard is None else str(shard)
    if log.shard == shard_to_run:  # this log is continued, so what it has finished must stay
        return set(log.finished)
    # The log of another shard is not continued now. If one of its planned samples had moved to a different shard since,
    # the shards would run this sample twice or not at all.
    return log.planned


def _are_beyond_limit(lost: Collection[SampleKey], log: RunLog, whole_run: PlannedRun, eval_set: EvalSet) -> bool:
    """Whether `limits.samples` is the only reason why the run lacks these samples of the log."""
    if eval_set.experiment.limits.samples is None:
        return False
    # If the samples of the log or of the run are shuffled, the reason can also be that their order changed.
    is_shuffled = eval_set.arguments.get("sample_shuffle") or log.header.eval.config.sample_shuffle
    if is_shuffled:
        return False

    ids = [sample.id for sample in whole_run.task.dataset if sample.id is not None]
    keys_without_limit = sample_keys(ids, whole_run.epochs)
    return keys_without_limit.issuperset(lost)


def _position_of(log: RunLog, eval_set: EvalSet) -> int | None:
    """The position of the log's run in the matrix; None if the matrix does not have the run."""
    for position, run in enumerate(eval_set.runs):
        if run.labels == log.labels:
            return position
    return None


def _require_same_inputs(log: RunLog, run: PlannedRun, where: str) -> None:
    """Check that the inputs of the finished samples of a log have not changed since."""
    samples = {str(sample_id): sample for sample_id, sample in run.samples.items()}
    for key, summary in log.finished.items():
        if key.id not in samples:  # no longer part of the run, which `_require_kept` refuses after this check
            continue
        current_metadata = samples[key.id].metadata or {}
        changes = " and another ".join(changed_inputs(summary.metadata, current_metadata))
        if changes:
            raise InvalidExperiment(f"{where}: sample {key.id} was run with another {changes}. {OTHER_LOG_DIR}")


def _starts_over(log: RunLog, run: PlannedRun, eval_set: EvalSet) -> bool:
    """Whether Inspect reuses no sample of a log.

    This is so if the log has a larger dataset than the run, or another random selection of samples.

    No public call of Inspect answers this. The rules are taken from `eval_log_sample_source` and `shuffle_changed` in
    https://github.com/UKGovernmentBEIS/inspect_ai/tree/main/src/inspect_ai/_eval.
    """
    if log.shard is None:
        dataset_size = len(run.task.dataset)
        has_limit = eval_set.arguments.get("limit") is not None
    else:  # a shard is run without a limit, and with a dataset of its selected samples only (`restrict_to_shard`)
        dataset_size = len(run.samples)
        has_limit = False

    # A log need not have the size of its dataset. Without it, the dataset counts as not larger.
    if (log.header.eval.dataset.samples or 0) > dataset_size:
        return True
    # With a limit, the shuffle decides which samples are selected.
    return has_limit and log.header.eval.config.sample_shuffle != eval_set.arguments.get("sample_shuffle")
