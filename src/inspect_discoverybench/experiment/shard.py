"""Shards: disjoint, balanced parts of an experiment's samples. Each has its own log directory."""

import re
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlparse

from inspect_ai import task_with

from inspect_discoverybench.errors.exceptions import InvalidArgument, InvalidExperiment
from inspect_discoverybench.experiment.eval_set import EvalSet, PlannedRun
from inspect_discoverybench.results.run_log import read_run_logs
from inspect_discoverybench.results.run_record import TASK_SAMPLES

MAX_SHARDS = 10_000
"""Far above useful numbers: no released split has as many samples."""

SampleIds = list[int | str]


@dataclass(frozen=True)
class Shard:
    """One part of an experiment: its number, from 1, and the number of parts."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> "Shard":
        """Read `K/N`.

        Raises:
            InvalidArgument: The text is not of this form, or K is not between 1 and N.
        """
        shard = cls._parse_with("(?P<number>[0-9]{1,9})/(?P<count>[0-9]{1,9})", text)
        if shard is None:
            raise InvalidArgument(
                f"--shard must be K/N with 1 ≤ K ≤ N ≤ {MAX_SHARDS:,}, such as 1/4 for the first of four, got {text}."
            )
        return shard

    @classmethod
    def of_log_dir(cls, folder: Path) -> "Shard | None":
        """The shard with this log directory; None if its name is not that of a shard's log directory."""
        shard = cls._parse_with("shard-(?P<number>[0-9]{1,9})-of-(?P<count>[0-9]{1,9})", folder.name)
        if shard is None:
            return None
        log_dir = Path(shard.log_dir(str(folder.parent)))
        # `shard-1-of-10`, for example, is no shard's folder: the first shard of ten has `shard-01-of-10`.
        return shard if folder == log_dir else None

    @classmethod
    def _parse_with(cls, pattern: str, text: str) -> "Shard | None":
        """Read a shard with a pattern for its number and count; None for another text, or if there is no such shard."""
        match = re.fullmatch(pattern, text)
        if match is None:
            return None
        number = int(match["number"])
        count = int(match["count"])
        if not 1 <= number <= count <= MAX_SHARDS:
            return None
        return cls(number, count)

    @classmethod
    def all(cls, count: int) -> "list[Shard]":
        """All shards of an experiment that is divided into `count` parts."""
        return [cls(number, count) for number in range(1, count + 1)]

    def log_dir(self, parent: str) -> str:
        """Log directory of the shard, in that of the experiment."""
        number = str(self.number).zfill(len(str(self.count)))
        return f"{parent.rstrip('/')}/shard-{number}-of-{self.count}"

    def part_of(self, run: PlannedRun, position: int) -> PlannedRun:
        """The part of a run that is in this shard. All epochs of a sample are in one shard.

        Args:
            run: A run of the experiment.
            position: Its position in the matrix.
        """
        ids = self.share_of([*run.samples], position)
        return replace(run, samples={sample_id: run.samples[sample_id] for sample_id in ids})

    def share_of(self, samples: SampleIds, position: int) -> SampleIds:
        """Select the samples of this shard.

        The samples of a run go to the shards in turn, so that two shards differ by at most one of them. Samples stay in
        their shard when `limits.samples` increases.

        Args:
            samples: Ids of all samples of a run.
            position: Position of the run in the matrix.
        """
        share = []
        # The turns of each run begin one shard later than those of the run before. If they always began with the first
        # shard, the first shards would have one sample more than the others in every run.
        for turn, sample_id in enumerate(samples, start=position):
            number = turn % self.count + 1
            if number == self.number:
                share.append(sample_id)
        return share


def restrict_to_shard(eval_set: EvalSet, shard: Shard) -> EvalSet:
    """Restrict an experiment to the samples of a shard and to its log directory. Runs without samples are left out.

    Raises:
        InvalidExperiment: An option does not work with shards.
    """
    if eval_set.arguments.get("sample_shuffle") is True:
        where = eval_set.file.where("options", "sample_shuffle")
        raise InvalidExperiment(
            f"{where}: --shard needs a seed in options.sample_shuffle, such as 7. All shards must have the same order."
        )

    parent = eval_set.log_dir
    arguments = {
        # Stands before the arguments of the experiment, so that an `eval_set_id` in the experiment file replaces it.
        "eval_set_id": _eval_set_id(parent, shard),
        **eval_set.arguments,
        "log_dir": shard.log_dir(parent),
        "metadata": eval_set.arguments["metadata"] | {"shard": str(shard)},
        # Inspect must not select samples again: the datasets below have only the selected samples of the shard.
        "limit": None,
        "sample_id": None,
    }
    runs = []
    for position, run in enumerate(eval_set.runs):
        part = shard.part_of(run, position)
        if part.samples:
            runs.append(_with_restricted_task(part))
    return replace(eval_set, runs=runs, arguments=arguments)


def _with_restricted_task(run: PlannedRun) -> PlannedRun:
    """The run with a task whose dataset has only the samples of the run."""
    task = run.task
    metadata = {**(task.metadata or {}), TASK_SAMPLES: len(task.dataset)}
    dataset = task.dataset.filter(lambda sample: sample.id in run.samples)
    return replace(run, task=task_with(task, dataset=dataset, metadata=metadata))


def _eval_set_id(log_dir: str, shard: Shard) -> str:
    """Inspect's id of the eval set. All shards that are started with the same `log_dir` have the same id.

    Results are assigned to a run by this id and the task (`results/run_record.py`). So if a shard was started twice,
    both of its logs belong to one run, and each sample counts only once. The id depends on the number of shards,
    because shards of two divisions are not parts of one run.
    """
    # If any shard has run, its log has the id. The id is then read from the log, because the id that is computed below
    # would be different if `log_dir` was moved after that run. If the log is of another number of shards,
    # `require_continuation` refuses to start this shard.
    logs = read_run_logs(log_dir)
    # The logs of two shards have different ids if the shards ran with different log directories, for example on two
    # machines, and the logs were then copied into `log_dir`. Inspect refuses to continue a shard with another id than
    # the id in the logs of that shard. So the logs of this shard come first.
    logs_of_this_shard = [log for log in logs if log.shard == str(shard)]
    for log in [*logs_of_this_shard, *logs]:
        if log.eval_set_id is not None:
            return log.eval_set_id

    address = log_dir if urlparse(log_dir).scheme else str(Path(log_dir).resolve())
    return sha256(f"{address} {shard.count}".encode()).hexdigest()[:32]
