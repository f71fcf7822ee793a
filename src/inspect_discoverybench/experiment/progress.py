"""How far an experiment is, read from its logs at any time."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from inspect_discoverybench.experiment.continuation import require_continuation
from inspect_discoverybench.experiment.eval_set import EvalSet, PlannedRun
from inspect_discoverybench.experiment.log_lock import is_locked
from inspect_discoverybench.experiment.shard import Shard
from inspect_discoverybench.results.run_log import RunLabels, RunLog, SampleKey, read_run_logs
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome


@dataclass(frozen=True)
class RunProgress:
    """The samples of a run, in all epochs, by what became of them.

    Attributes:
        labels: The labels of the run.
        samples: Number of its samples. The other numbers add up to it.
        finished: Samples that have a score, or need none.
        unscored: Samples that ended without a score.
        errors: Samples that ended with an error.
        missing: Samples that have not ended.
    """

    labels: RunLabels
    samples: int
    finished: int
    unscored: int
    errors: int
    missing: int


class ShardState(StrEnum):
    """What is known of a shard."""

    FINISHED = "finished"  # all its samples have ended without an error, and no process holds its log directory
    RUNNING = "running"  # a process holds its log directory
    MISSING = "missing"  # a sample has not ended or has an error, and no process holds its log directory


@dataclass(frozen=True)
class Progress:
    """How far an experiment is.

    Attributes:
        runs: Its runs, in the order of the matrix.
        shards: The state of each shard; none if the experiment is not divided.
        is_running: Whether a process holds the log directory, or that of a shard.
    """

    runs: Sequence[RunProgress]
    shards: Mapping[Shard, ShardState]
    is_running: bool

    @property
    def is_finished(self) -> bool:
        """Whether every sample is finished."""
        return all(run.finished == run.samples for run in self.runs)


def read_progress(eval_set: EvalSet) -> Progress:
    """Read how far an experiment is. The shards are found in its log directory.

    Raises:
        InvalidExperiment: A log does not belong to the experiment, or is damaged.
    """
    # The locks are read before the logs: a shard that ends in between counts as running, not as missing.
    is_running = is_locked(eval_set.log_dir)
    locked_folders = [folder for folder in _shard_folders(eval_set.log_dir) if is_locked(str(folder))]
    logs = read_run_logs(eval_set.log_dir)
    shards = _shards(eval_set.log_dir, logs)
    # `require_continuation` checks the logs of all shards, whichever shard it gets. It needs one to know into how many
    # parts the experiment is divided. So the first one is passed, although no shard is run here.
    first_shard = shards[0] if shards else None
    require_continuation(eval_set, logs, first_shard)

    ended = _ended_samples(logs)
    states = {}
    for shard in shards:
        if Path(shard.log_dir(eval_set.log_dir)) in locked_folders:
            states[shard] = ShardState.RUNNING
        elif _is_shard_finished(shard, eval_set, ended):
            states[shard] = ShardState.FINISHED
        else:
            states[shard] = ShardState.MISSING
    return Progress(
        runs=[_progress_of(run, ended[run.labels]) for run in eval_set.runs],
        shards=states,
        is_running=is_running or ShardState.RUNNING in states.values(),
    )


def _shards(log_dir: str, logs: Sequence[RunLog]) -> list[Shard]:
    """All shards of the experiment; empty if it is not divided.

    The number of shards is in the log of any shard. If no shard has a log yet, it is in the name of any shard's folder.
    """
    shards_with_logs = [Shard.parse(log.shard) for log in logs if log.shard is not None]
    known_shards = [*shards_with_logs, *_shard_folders(log_dir).values()]
    if not known_shards:
        return []
    return Shard.all(known_shards[0].count)


def _shard_folders(log_dir: str) -> dict[Path, Shard]:
    """Log directories of shards."""
    folders = {}
    for folder in Path(log_dir).glob("shard-*"):
        shard = Shard.of_log_dir(folder)
        if shard is not None:
            folders[folder] = shard
    return folders


def _ended_samples(logs: Sequence[RunLog]) -> defaultdict[RunLabels, dict[SampleKey, SampleOutcome]]:
    """How the samples of each run ended. A run without logs has none.

    If several logs have a sample, the last of these logs counts.
    """
    ended: defaultdict[RunLabels, dict[SampleKey, SampleOutcome]] = defaultdict(dict)
    for log in logs:
        assert log.labels is not None  # `require_continuation` has refused logs without labels
        for key, sample in log.ended.items():
            ended[log.labels][key] = SampleOutcome.of_summary(sample)
    return ended


def _progress_of(run: PlannedRun, ended: Mapping[SampleKey, SampleOutcome]) -> RunProgress:
    outcomes = Counter(ended.get(key) for key in run.sample_keys)
    errors = outcomes[SampleOutcome.ERROR]
    # Without a scorer, as for a single goal without a gold hypothesis, a sample needs no score.
    unscored = outcomes[SampleOutcome.UNSCORED] if run.task.scorer else 0
    missing = outcomes[None]
    samples = outcomes.total()
    return RunProgress(
        labels=run.labels,
        samples=samples,
        finished=samples - errors - unscored - missing,
        unscored=unscored,
        errors=errors,
        missing=missing,
    )


def _is_shard_finished(
    shard: Shard, eval_set: EvalSet, ended: defaultdict[RunLabels, dict[SampleKey, SampleOutcome]]
) -> bool:
    """Whether all samples of a shard have ended without an error."""
    for position, run in enumerate(eval_set.runs):
        for key in shard.part_of(run, position).sample_keys:
            if ended[run.labels].get(key) in (None, SampleOutcome.ERROR):
                return False
    return True
