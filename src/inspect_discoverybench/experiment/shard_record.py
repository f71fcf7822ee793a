"""The record of a run in shards: what must be equal in all shards of a log directory."""

import json
from dataclasses import replace
from typing import Any
from uuid import uuid4

from fsspec.core import url_to_fs
from pydantic import BaseModel, ConfigDict, ValidationError

from inspect_discoverybench.errors import InvalidExperiment, one_line
from inspect_discoverybench.experiment.log_folder import has_logs, locked
from inspect_discoverybench.experiment.run import ExperimentPlan
from inspect_discoverybench.experiment.shard import Shard

_FILE = "shards.json"
_LOCK_SECONDS = 30
"""Shards that start at the same time wait for each other while the record is written, which takes milliseconds."""


class ShardRecord(BaseModel):
    """The record of a run in shards. The first shard writes it."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    shards: int
    """Number of shards."""

    eval_set_id: str
    """Inspect's id of the eval set, which all shards share."""

    runs: dict[str, int]
    """Number of samples in the dataset of each run, before `limits.samples`."""

    options: dict[str, Any]
    """Options that select samples."""


def enter(plan: ExperimentPlan, shard: Shard) -> ExperimentPlan:
    """Join the run in shards in the log directory of an experiment, or start one.

    Returns:
        The plan with the log directory of the shard. It still has all samples.

    Raises:
        InvalidExperiment: The log directory belongs to a run with other shards, runs or data, or without shards; or
            an option does not work with shards.
    """
    _reject_options(plan)
    log_dir = plan.experiment.log_dir
    with locked(log_dir, _LOCK_SECONDS):
        record = read_record(plan, shard.count)
        if record is None:
            if has_logs(log_dir):
                raise InvalidExperiment(
                    f"{log_dir} has logs of a run without shards. Omit --shard, or use another log_dir."
                )
            record = _record(plan, shard.count)
            _write(log_dir, record)
    experiment = plan.experiment.model_copy(update={"log_dir": shard.log_dir(log_dir)})
    arguments = {
        **plan.arguments,
        "log_dir": experiment.log_dir,
        "eval_set_id": record.eval_set_id,
        "metadata": {**plan.arguments["metadata"], "shard": str(shard)},
    }
    return replace(plan, experiment=experiment, arguments=arguments)


def read_record(plan: ExperimentPlan, count: int) -> ShardRecord | None:
    """The record in the log directory of an experiment; None if there is none.

    Args:
        plan: The experiment.
        count: Number of shards.

    Raises:
        InvalidExperiment: The record is of another number of shards, or of an experiment with other runs or data.
    """
    log_dir = plan.experiment.log_dir
    record = _read(log_dir)
    if record is None:
        return None
    if record.shards != count:
        raise InvalidExperiment(
            f"{log_dir} belongs to a run in {record.shards} shards, got {count}. "
            "Use the same number, or another log_dir."
        )
    planned = _record(plan, count)
    for name in sorted({*record.runs, *planned.runs}):
        before, after = record.runs.get(name), planned.runs.get(name)
        if before != after:
            sizes = [
                f"{size} samples" if size is not None else "not part of the experiment" for size in (before, after)
            ]
            raise InvalidExperiment(
                f"{plan.source.path}: {name} was {sizes[0]} when the first shard started in {log_dir} and is now "
                f"{sizes[1]}. Undo the change, or use another log_dir."
            )
    if record.options != planned.options:
        raise InvalidExperiment(
            f"{plan.source.path}: the samples were selected with {record.options or 'no options'} when the first shard "
            f"started in {log_dir}, and now with {planned.options or 'none'}. Undo the change, or use another log_dir."
        )
    return record


def refuse_shards(log_dir: str) -> None:
    """Check that a log directory does not belong to a run in shards.

    Raises:
        InvalidExperiment: It belongs to a run in shards.
    """
    if record := _read(log_dir):
        raise InvalidExperiment(
            f"{log_dir} belongs to a run in {record.shards} shards. Add --shard K/{record.shards}, "
            "or use another log_dir."
        )


def _reject_options(plan: ExperimentPlan) -> None:
    where = plan.source.where
    if plan.arguments.get("sample_shuffle") is True:
        raise InvalidExperiment(
            f"{where(('options', 'sample_shuffle'))}: options.sample_shuffle must be a seed with --shard, such as 7, "
            "so that all shards have the same order."
        )
    if plan.arguments.get("bundle_dir") is not None:
        raise InvalidExperiment(
            f"{where(('options', 'bundle_dir'))}: options.bundle_dir cannot be used with --shard. Remove it, and run "
            "`inspect view bundle` at the end."
        )


def _record(plan: ExperimentPlan, count: int) -> ShardRecord:
    options = {name: plan.arguments.get(name) for name in ("sample_id", "sample_shuffle")}
    return ShardRecord(
        shards=count,
        eval_set_id=plan.arguments.get("eval_set_id") or uuid4().hex,
        runs={str(run.cell): len(run.task.dataset) for run in plan.runs},
        options={name: value for name, value in options.items() if value is not None},
    )


def _read(log_dir: str) -> ShardRecord | None:
    files, path = url_to_fs(f"{log_dir}/{_FILE}")
    try:
        text = files.cat_file(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        return ShardRecord.model_validate_json(text)
    except ValidationError as error:
        raise InvalidExperiment(
            f"{log_dir}/{_FILE} is not a record of shards: {one_line(error)}. Use another log_dir."
        ) from error


def _write(log_dir: str, record: ShardRecord) -> None:
    files, path = url_to_fs(f"{log_dir}/{_FILE}")
    text = json.dumps(record.model_dump(), indent=2, ensure_ascii=False)
    # Rename a complete file, so that a killed process leaves no truncated record.
    files.pipe_file(f"{path}.new", text.encode())
    files.mv(f"{path}.new", path)
