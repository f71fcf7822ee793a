"""The log of a run of an experiment: its header and summaries of its samples, without transcripts."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from inspect_ai.log import EvalLog, EvalSampleSummary, read_eval_log
from inspect_ai.log import read_eval_log_sample_summaries as read_sample_summaries

from inspect_discoverybench.errors.exceptions import UnreadableLog
from inspect_discoverybench.errors.file_failures import require_regular_file
from inspect_discoverybench.errors.provider_failures import inspect_errors
from inspect_discoverybench.results.log_files import logs_in, remedy_of
from inspect_discoverybench.results.run_record import AGENT_DIGEST, local_path

ATTEMPTS = 5
"""Maximum number of times that logs are read. While a process writes a log, the log is incomplete for a moment."""


class RunLabels(NamedTuple):
    """Task, solver and model of a run with their arguments, without secrets."""

    task: str
    solver: str
    model: str


class SampleKey(NamedTuple):
    """A sample in one epoch."""

    id: str
    epoch: int


def sample_keys(ids: Sequence[int | str], epochs: int) -> set[SampleKey]:
    """The keys of samples in all epochs."""
    return {SampleKey(str(sample), epoch) for sample, epoch in product(ids, range(1, epochs + 1))}


@dataclass(frozen=True)
class RunLog:
    """A log without transcripts.

    Attributes:
        path: Its path or URL.
        header: Its header.
        samples: Summaries of the samples that it has so far.
    """

    path: str
    header: EvalLog
    samples: Sequence[EvalSampleSummary]

    @classmethod
    def read(cls, location: str) -> "RunLog":
        """Read a log.

        Raises:
            UnreadableLog: The log is damaged.
        """
        path = local_path(location)
        require_regular_file(Path(path))
        with inspect_errors(UnreadableLog, f"{path} cannot be read", remedy_of(path)):
            return cls(path, read_eval_log(path, header_only=True), read_sample_summaries(path))

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What the experiment recorded in it."""
        return self.header.eval.metadata or {}

    @property
    def labels(self) -> RunLabels | None:
        """The labels of its run in the matrix. A log of `inspect eval` has none."""
        labels = self.metadata.get("run")
        # `inspect eval --metadata run=3` records another value with this name.
        return RunLabels(**labels) if isinstance(labels, Mapping) else None

    @property
    def shard(self) -> str | None:
        """Its shard, as `K/N`, if the experiment is divided into shards."""
        return self.metadata.get("shard")

    @property
    def settings(self) -> Mapping[str, Any] | None:
        """What all runs of its experiment have in common (`Experiment.settings`)."""
        return self.metadata.get("settings")

    @property
    def agent_digest(self) -> str | None:
        """SHA-256 of the file with its agent; None if the agent is from a package."""
        return self.metadata.get(AGENT_DIGEST)

    @property
    def eval_set_id(self) -> str | None:
        """Inspect's id of the eval set, which shards share."""
        return self.header.eval.eval_set_id

    @property
    def is_complete(self) -> bool:
        """Whether the run has ended with all samples, and none of them was invalidated."""
        return self.header.status == "success" and not self.header.invalidated

    @property
    def finished(self) -> Mapping[SampleKey, EvalSampleSummary]:
        """The samples that ended without an error."""
        return {key: sample for key, sample in self.ended.items() if sample.error is None}

    @property
    def ended(self) -> Mapping[SampleKey, EvalSampleSummary]:
        """The samples that ended, also those with an error. Inspect writes a sample into a log only when it ends."""
        return {SampleKey(str(sample.id), sample.epoch): sample for sample in self.samples}

    @property
    def planned(self) -> set[SampleKey]:
        """The samples that the run will have when it is complete."""
        spec = self.header.eval
        return sample_keys(spec.dataset.sample_ids or [], spec.config.epochs or 1)


def read_run_logs(folder: str) -> list[RunLog]:
    """Read the logs in a folder and its subfolders. The least recently written comes first.

    A log cannot be read for a moment while another process, such as that of another shard, writes it. So if one cannot
    be read, all are read again, up to `ATTEMPTS` times.

    Raises:
        UnreadableLog: A log is damaged.
    """
    for _ in range(ATTEMPTS - 1):
        try:
            return _read_once(folder)
        except UnreadableLog:
            time.sleep(0.5)
    return _read_once(folder)


def _read_once(folder: str) -> list[RunLog]:
    infos = sorted(logs_in(folder), key=lambda info: info.mtime or 0)
    return [RunLog.read(info.name) for info in infos]
