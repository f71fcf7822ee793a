"""What a log records about its run: which task, agent and model ran, and with which settings."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inspect_ai import task_identifier
from inspect_ai.log import EvalLog, EvalSpec

from inspect_discoverybench.scorer.settings import OPERATIONAL

PLACEBO = "_placebo"
"""End of the name of a task with a placebo instead of the data."""

TASKS = ("real", "synth", "custom", "demo", "real_placebo", "synth_placebo", "custom_placebo")
"""Tasks whose logs contain results."""

PACKAGES = ("discoverybench/", "inspect_discoverybench/")
"""Prefixes of this package's tasks and solvers."""

SETUP = (
    "inspect_discoverybench/require_judge",
    "inspect_discoverybench/verify_data_files",
    "inspect_discoverybench/record_image",
    "inspect_discoverybench/offer_tools",
    "use_tools",  # in logs of earlier versions
    "inspect_discoverybench/instruct_person",
)
"""Solvers that this package's tasks run before the agent."""

LIMITS = {
    "messages": "message_limit",
    "tokens": "token_limit",
    "turns": "turn_limit",
    "time": "time_limit",
    "working": "working_limit",
    "cost": "cost_limit",
}
"""Inspect's options that limit a sample, by their names in the column."""

UNRELATED_ARGUMENTS = ("sandbox", "build")
"""Task arguments that say where code runs and change no result."""


@dataclass(frozen=True)
class RunRecord:
    """Columns with one value per log; docs/analysis.md describes them.

    Settings and arguments are JSON with sorted keys, and empty if there are none.
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
    agent: str
    agent_arguments: str
    agent_settings: str
    model: str
    model_settings: str
    limits: str
    epochs_reducer: str

    @classmethod
    def of(cls, log: EvalLog) -> "RunRecord":
        """Read the record of a log; its header is enough."""
        spec = log.eval
        metadata = spec.metadata or {}
        provenance = metadata.get("provenance") or {}
        data = provenance.get("data") or {}
        image = provenance.get("image") or {}
        arguments = dict(spec.task_args_passed)
        for name in UNRELATED_ARGUMENTS:
            arguments.pop(name, None)
        return cls(
            log=local_path(log.location),
            created=spec.created,
            task_id=spec.task_id,
            run=_run(log),
            task=without_package(spec.task),
            task_version=str(spec.task_version),
            task_arguments=_json(arguments),
            task_samples=spec.dataset.samples,
            selection=_selection(spec),
            package_version=provenance.get("package"),
            data_commit=data.get("commit"),
            data_checksum=data.get("checksum"),
            image=image.get("reference"),
            prompts=_json(provenance.get("prompts")) or None,
            agent=_agent(log),
            # Experiments pass the solver as an object, which Inspect does not name in the log.
            agent_arguments=_json(metadata.get("solver_args") or spec.solver_args),
            agent_settings=_agent_settings(log),
            model=spec.model,
            model_settings=_model_settings(spec),
            limits=_limits(spec),
            epochs_reducer=", ".join(spec.config.epochs_reducer or ["mean"]),
        )


def has_results(log: EvalLog) -> bool:
    """Whether the log is of a task of this package with results, by the task's name."""
    task = log.eval.task
    registered = log.eval.task_registry_name or ""
    is_own = task.startswith(PACKAGES) or registered.startswith(PACKAGES)
    return is_own and task.rpartition("/")[2] in TASKS


def local_path(location: str) -> str:
    """The path of a local log, or the URL of a remote one. Inspect does not quote paths in its `file` URLs."""
    return location.removeprefix("file://")


def without_package(name: str) -> str:
    """The name of a task or solver, without the package's prefix."""
    for prefix in PACKAGES:
        name = name.removeprefix(prefix)
    return name


def _run(log: EvalLog) -> str:
    # In an eval set, every task with its solver and model runs once, possibly in several shards.
    eval_set = log.eval.eval_set_id
    if not eval_set:
        return log.eval.task_id
    task = task_identifier(log, None)
    return f"{eval_set}/{task}"


def _selection(spec: EvalSpec) -> str:
    """How the run chose its samples from those of the task."""
    config = spec.config
    if config.sample_id is not None:
        return "chosen"
    if config.limit is None:
        return "all"
    is_shuffled = spec.dataset.shuffled or config.sample_shuffle not in (None, False)
    return "shuffled" if is_shuffled else "first"


def _agent(log: EvalLog) -> str:
    metadata = log.eval.metadata or {}
    recorded = metadata.get("solver") or log.eval.solver
    if recorded:
        return without_package(str(recorded))
    return "react" if has_results(log) else "default solver"


def _agent_settings(log: EvalLog) -> str:
    # The header's `solver_args` lack defaults, and are empty for a solver that is part of the task. The plan has all.
    steps = list(log.plan.steps)
    while steps and steps[0].solver in SETUP:
        steps.pop(0)

    if len(steps) == 1:
        return _json(steps[0].params)
    params = {without_package(step.solver): step.params for step in steps}
    return _json(params)


def _model_settings(spec: EvalSpec) -> str:
    config = spec.model_generate_config
    settings = config.model_dump(mode="json", exclude_none=True, exclude=set(OPERATIONAL))
    settings |= spec.model_args
    if spec.model_base_url:
        settings["base_url"] = spec.model_base_url
    return _json(settings)


def _limits(spec: EvalSpec) -> str:
    limits = {}
    for name, option in LIMITS.items():
        limit = getattr(spec.config, option)
        if limit is not None:
            limits[name] = limit
    return _json(limits)


def _json(values: Mapping[str, Any] | None) -> str:
    if not values:
        return ""
    return json.dumps(values, sort_keys=True, default=str)
