"""A discovery task: one sample per goal, solved with `python` and `submit`, and scored by HMS."""

from collections.abc import Mapping
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import Solver, TaskState
from inspect_ai.viewer import ScoreColorScale, TaskSamplesColumn, TaskSamplesView, ViewerConfig

from inspect_discoverybench.dataset.data_files import verify_data_files
from inspect_discoverybench.dataset.filters import FieldFilter, select
from inspect_discoverybench.dataset.placebo import placebo_samples, unpermuted_files
from inspect_discoverybench.dataset.samples import samples_checksum
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.provenance import provenance
from inspect_discoverybench.results.agent_record import record_steps
from inspect_discoverybench.results.run_record import AGENT_DIGEST, PLACEBO_SUFFIX
from inspect_discoverybench.sandbox.image import record_image
from inspect_discoverybench.sandbox.specification import SandboxOptions
from inspect_discoverybench.scorer.claim import CLAIM_KEY
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.scorer.judge import (
    DEFAULT_JUDGE,
    DEFAULT_TIMEOUT,
    require_judge,
    require_judge_of_command,
)
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.solvers.named_agent import AgentFile, named_agent
from inspect_discoverybench.solvers.person import instruct_person
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.submission import offer_tools
from inspect_discoverybench.submission.submission import SCORE_NAME

DEFAULT_JUDGE_KEY = "default_judge"
"""Key in a task's metadata for the model that judges it if the role `grader` is not set."""

UNPERMUTED_FILES = "unpermuted_files"
"""Key in the metadata of a placebo for the data files that stay as they are, such as `study/tree.txt`."""


def discovery_task(
    name: str,
    title: str,
    samples: list[Sample],
    *,
    sandbox: SandboxOptions,
    aggregation: str,
    agent: str | None,
    agent_args: Mapping[str, Any] | None,
    version: str,
    judge: str = DEFAULT_JUDGE,
    commit: str | None = None,
    placebo: int | None = None,
    claim: bool = False,
    filters: Mapping[str, FieldFilter] | None = None,
) -> Task:
    """Create a discovery task. It has no scorer if any sample lacks a gold hypothesis.

    Args:
        name: Name of the task in logs, without the prefix. It is the same for all aliases of the task. Without a
            name, Inspect would record the alias that the user wrote, and would not recognise logs under another alias
            as logs of the same task.
        title: Name of the task in displays and tables, without the prefix.
        samples: The samples, before any filter.
        sandbox: What the user says about the sandbox.
        aggregation: The form of the score: `product` or `released`, as for the scorer `hms`.
        agent: The agent, as Inspect's `--solver` accepts it; None for `react`. A `--solver` on the command line takes
            precedence.
        agent_args: Arguments of the agent.
        version: Version of the task.
        judge: Default model of the role `grader`.
        commit: Commit of the released data; None for other data.
        placebo: Seed of the permutation of every column; None for the data as they are. The name and the version of
            a task with permuted data say so, because its scores do not belong in a mean with the scores of others.
        claim: Whether the judge also decides, on the data as they are, whether the hypothesis claims a relationship.
            With `placebo`, the judge decides this even if `claim` is false, except on samples whose gold hypothesis
            also holds on permuted data (`is_claim_asked`).
        filters: Accepted values by metadata field.
    """
    title = f"DiscoveryBench {title}"
    specification = sandbox.specification()
    selected = select(samples, filters or {})
    metadata = provenance(
        checksum=samples_checksum(samples),
        prompt_folders=["judge", "solvers"],
        commit=commit,
        sandbox=specification,
    )
    if placebo is not None:
        selected = placebo_samples(selected, placebo)
        metadata[UNPERMUTED_FILES] = unpermuted_files(selected)
        name += PLACEBO_SUFFIX
        title = f"{title}, placebo {placebo}"
        version = f"{version}+placebo"

    setup = [verify_data_files(), record_image(), offer_tools(), instruct_person()]
    scorer = None
    if all(sample.target for sample in samples):
        # Under Inspect's command line, the judge is checked here, before any sample starts. In a Python program, the
        # role `grader` is not known yet, so only `require_judge` checks the judge, when a sample starts.
        require_judge_of_command(judge)
        setup.insert(0, require_judge(judge))  # first, so that a sample without a judge fails before any other work
        scorer = hms(grader=judge, aggregation=aggregation, claim=claim)
        metadata[DEFAULT_JUDGE_KEY] = judge

    solver = _agent(agent, agent_args, metadata)  # adds the digest of its file to the metadata
    return Task(
        name=f"discoverybench/{name}",
        display_name=title,
        dataset=MemoryDataset(selected, name=title),
        setup=setup,
        solver=solver,
        cleanup=end_sample,
        scorer=scorer,
        headline_metric=SCORE_NAME if scorer else None,
        sandbox=specification,
        # Inspect cannot save a checkpoint of the container, because it cannot read the container's folders in memory. A
        # task cannot refuse the option `--checkpoint`, because it does not see the option. False overrides the option.
        checkpoint=False if specification.type == "docker" else None,
        message_limit=200,
        # Waiting for retries and for shared slots is not work, so a provider's outage does not use up this limit.
        working_limit=3600,
        config=GenerateConfig(timeout=DEFAULT_TIMEOUT),
        token_limit="output:100000",
        viewer=_viewer(claim, is_placebo=placebo is not None),
        metadata=metadata,
        version=version,
    )


def _agent(name: str | None, args: Mapping[str, Any] | None, metadata: dict[str, Any]) -> Solver:
    """Create the agent, and add the digest of its file to the metadata of the task."""
    if name is None:
        if args:
            raise InvalidArgument("agent_args needs an agent. Pass one, such as -T agent=discoverybench/codegen.")
        return react()
    # Inspect reads the values of `-T` as YAML, and makes a list of names with commas between them.
    if not isinstance(name, str):
        raise InvalidArgument(f"agent must be one name, such as discoverybench/codegen, got {name}.")
    if args is not None and not isinstance(args, Mapping):
        raise InvalidArgument(f"agent_args must be a mapping, such as -T 'agent_args={{turns: 12}}', got {args}.")
    file = AgentFile.of(name)
    if file is not None:
        metadata[AGENT_DIGEST] = file.digest
    return named_agent(name, args or {})


async def end_sample(state: TaskState) -> None:
    """Record which solvers worked on a sample, and end its session."""
    record_steps(state)
    await PythonSession().end()


def _viewer(claim: bool, is_placebo: bool) -> ViewerConfig:
    """The columns of the list of samples in the log viewer.

    The column `input` shows the beginning of the task text, which is the goal.

    Args:
        claim: Whether the judge is asked about claims, so that there is a column for them.
        is_placebo: Whether the data are permuted. The judge is then asked about claims even without `claim`, and each
            claim is false.
    """
    labels = dict(SCORE_KEYS)
    scales = {key: ScoreColorScale(palette="good-high", min=0, max=1) for key in SCORE_KEYS}
    if is_placebo:
        labels[CLAIM_KEY] = "False claim"
        scales[CLAIM_KEY] = ScoreColorScale(palette="good-low", min=0, max=1)
    elif claim:
        labels[CLAIM_KEY] = "Claim"  # without colors: this score does not say whether the claim is true
    columns = [TaskSamplesColumn(id=name) for name in ("sampleStatus", "sampleId", "input")]
    columns += [TaskSamplesColumn.score(SCORE_NAME, key) for key in labels]
    columns += [TaskSamplesColumn(id=name) for name in ("answer", "target", "tokens", "duration", "limit", "error")]
    return ViewerConfig(
        task_samples_view=TaskSamplesView(
            name="Discovery",
            columns=columns,
            score_labels=labels,
            score_color_scales=scales,
            multiline=True,
        ),
    )
