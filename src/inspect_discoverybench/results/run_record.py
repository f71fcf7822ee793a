"""What a log records about its run: which task and model ran, and with which settings."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog, EvalSpec
from inspect_ai.util import ComposeConfig, SandboxEnvironmentSpec

from inspect_discoverybench.dataset.task_text import NEUTRAL
from inspect_discoverybench.public_names import is_of_package, without_package
from inspect_discoverybench.results.recorded_settings import Settings, as_settings, model_settings, role_settings

PLACEBO_SUFFIX = "_placebo"
"""End of the name of a task with a placebo instead of the data."""

DISCOVERY_TASKS = ("real", "synth", "custom", "demo")
"""Tasks whose logs contain results, also with a placebo."""

DATA_ARGUMENTS = ("path", "data", "answer_key")
"""Task arguments that are paths of custom data. The same data may have another path on another machine, so
`configuration.py` also compares the contents."""

NO_HINTS = (
    "split",
    "dataset",
    "domain",
    "question_type",
    "difficulty",
    "solvable",
    "goal",
    *DATA_ARGUMENTS,
    "aggregation",
    "claim",
    "placebo",
    "sandbox",
    "build",
    "image",
    "agent",
    "agent_args",
)
"""Task arguments that are not hints, because they

- select samples or are part of the benchmark,
- are in the record of the judge or of the agent,
- or change no result.

All others are hints."""

TASK_SAMPLES = "task_samples"
"""Key in the metadata of a shard's log: the number of samples of its task in all shards together."""

AGENT_DIGEST = "agent_sha256"
"""Key in a task's metadata for the SHA-256 of the file with its agent."""

LIMITS = {
    "message_limit",
    "token_limit",
    "token_limit_type",
    "turn_limit",
    "time_limit",
    "working_limit",
    "cost_limit",
}
"""Inspect's options that limit a sample."""


@dataclass(frozen=True)
class RunRecord:
    """Columns with one value per log; docs/analysis.md describes them.

    Task arguments and fingerprints of prompts are JSON.

    Attributes:
        agent_file: Name of the file with the agent, without its folder; None if the log names no file. No column.
        agent_digest: SHA-256 of this file; None if it is not recorded, as with `--solver`. No column.
    """

    log: str
    created: str
    task_id: str
    run: str
    task: str
    task_version: str
    task_arguments: str
    task_samples: int | None
    selection: str
    package_version: str | None
    data_commit: str | None
    data_checksum: str | None
    image: str | None
    prompts: str | None
    epochs_reducer: str
    model: str
    model_settings: Settings
    roles: Settings
    limits: Settings
    agent_file: str | None
    agent_digest: str | None

    @classmethod
    def of(cls, log: EvalLog) -> "RunRecord":
        """Read the record of a log; its header is enough."""
        spec = log.eval
        metadata = spec.metadata or {}
        provenance = metadata.get("provenance") or {}
        data = provenance.get("data") or {}
        prompts = provenance.get("prompts")
        limits = spec.config.model_dump(include=LIMITS, exclude_none=True)
        return cls(
            log=local_path(log.location),
            created=spec.created,
            task_id=spec.task_id,
            run=_run_id(log),
            task=without_package(spec.task),
            task_version=str(spec.task_version),
            task_arguments=json.dumps(spec.task_args_passed),
            task_samples=metadata.get(TASK_SAMPLES, spec.dataset.samples),
            selection=_selection(spec),
            package_version=provenance.get("package"),
            data_commit=data.get("commit"),
            data_checksum=data.get("checksum"),
            image=_image(spec),
            prompts=json.dumps(prompts) if prompts else None,
            epochs_reducer=", ".join(spec.config.epochs_reducer or ["mean"]),
            model=spec.model,
            model_settings=model_settings(log),
            roles=role_settings(spec),
            limits=as_settings(limits),
            agent_file=_agent_file(spec),
            # The digest is that of the task's agent. A `--solver` runs in place of this agent.
            agent_digest=None if spec.solver else metadata.get(AGENT_DIGEST),
        )

    @property
    def hints(self) -> Settings:
        """The task's arguments that are hints. The default framing is left out, as if it was not passed."""
        arguments = json.loads(self.task_arguments).items()
        hints = {name: value for name, value in arguments if value and name not in NO_HINTS}
        if hints.get("framing") == NEUTRAL:
            del hints["framing"]
        return as_settings(hints)

    @property
    def data_paths(self) -> Mapping[str, Any]:
        """The task's arguments that are paths of custom data, by name: each is one path or a list."""
        arguments = json.loads(self.task_arguments)
        return {name: arguments[name] for name in DATA_ARGUMENTS if arguments.get(name)}

    @property
    def is_of_eval_set(self) -> bool:
        """Whether the log is of an eval set, such as an experiment, or of one of its shards."""
        return self.run != self.task_id

    @property
    def is_placebo(self) -> bool:
        """Whether the columns of the data were permuted."""
        return self.task.endswith(PLACEBO_SUFFIX)

    @property
    def version_number(self) -> str:
        """The number of the task's version, without its letter. Scores with the same number are comparable."""
        number, _, _ = self.task_version.partition("-")
        return number

    @property
    def conditions(self) -> Settings:
        """Under which conditions the agent worked."""
        conditions = (*self.hints, *self.limits, f"task version {self.version_number}")
        if self.data_commit:
            return *conditions, f"data commit {self.data_commit}"
        return conditions


def has_results(log: EvalLog) -> bool:
    """Whether the log is of a task of this package with results, by the task's name."""
    return is_discovery_task(log.eval.task.removesuffix(PLACEBO_SUFFIX))


def is_discovery_task(name: str) -> bool:
    """Whether this is the name of a task of this package with results."""
    return is_of_package(name) and without_package(name) in DISCOVERY_TASKS


def local_path(location: str) -> str:
    """The path of a local log, or the URL of a remote one.

    Inspect does not quote paths in its `file` URLs, so only the scheme has to be removed.
    """
    return location.removeprefix("file://")


def _image(spec: EvalSpec) -> str | None:
    """The image of the agents' container; None if there is no container, or if the image is not known.

    A task records the image of its own container. If Inspect's option `--sandbox` replaced the container, the image of
    the other one is not known.
    """
    if spec.sandbox is not None and not _is_own_container(spec.sandbox, spec.task_args):
        return None
    provenance = (spec.metadata or {}).get("provenance") or {}
    image: str | None = (provenance.get("image") or {}).get("reference")
    return image


def _is_own_container(sandbox: SandboxEnvironmentSpec, task_arguments: Mapping[str, Any]) -> bool:
    """Whether a sandbox is the container of its task, and not one that `--sandbox` put in its place.

    The answer is wrong in one case. If `--sandbox k8s:FILE` replaced the values of a task with `sandbox=k8s`, the log
    does not say so, and the sandbox counts as that of the task.
    """
    match sandbox.type:
        case "docker":
            # A task has its Docker configuration as an object. `--sandbox` has the path of a file, or none.
            return isinstance(sandbox.config, ComposeConfig)
        case "k8s":
            # A task of ours always has this argument, because Inspect records defaults, too. It may be missing if a
            # task of another package returns one of ours. The sandbox then counts as that of the task.
            if "sandbox" not in task_arguments:
                return True
            # With another value, such as the default `docker`, it was `--sandbox` that chose Kubernetes.
            return bool(task_arguments["sandbox"] == "k8s")
    return False


def _run_id(log: EvalLog) -> str:
    """The id of the run, which all logs of one run share: those of retries and those of shards."""
    eval_set = log.eval.eval_set_id
    if not eval_set:
        return log.eval.task_id  # retries keep it
    # In an eval set, every task with its solver and model runs once, possibly in several shards. The shards have
    # different task ids, but Inspect's identifier for this task, solver and model is the same in all of them.
    # `task_identifier` needs the arguments of the eval set only for a task that has not run. A log has their values.
    task = task_identifier(log, None)
    return f"{eval_set}/{task}"


def _agent_file(spec: EvalSpec) -> str | None:
    """The name of the file that the user named as the agent, such as `mine.py` of `folder/mine.py@head_first`."""
    agent = spec.solver or spec.task_args_passed.get("agent") or ""
    path, *_ = str(agent).rsplit("@", 1)
    return PurePath(path).name if path.endswith(".py") else None


def _selection(spec: EvalSpec) -> str:
    """How the run chose its samples among the samples of the task: a key of `SELECTIONS` in `coverage.py`.

    It is `first` or `shuffled` if the limit of the run is a number below the number of samples. Otherwise, it is `all`:
    the run has all samples that arguments of the task, ids or a range selected.
    """
    limit = spec.config.limit  # a number, a range or None
    # A log need not have the number of the task's samples. Without it, the run counts as not limited.
    is_limited = isinstance(limit, int) and limit < (spec.dataset.samples or 0)
    if not is_limited:
        return "all"
    return "shuffled" if spec.dataset.shuffled else "first"
