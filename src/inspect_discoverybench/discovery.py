"""A discovery task: one sample per goal, solved with `python` and `submit`, scored by HMS."""

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.solver import TaskState, use_tools
from inspect_ai.util import SandboxEnvironmentSpec
from inspect_ai.viewer import (
    SampleScoreView,
    ScoreColorScale,
    TaskSamplesColumn,
    TaskSamplesView,
    ViewerConfig,
)

from inspect_discoverybench.dataset.data_files import verify_data_files
from inspect_discoverybench.dataset.released import REPOSITORY
from inspect_discoverybench.hypothesis import SCORE_NAME
from inspect_discoverybench.provenance import Data, Provenance
from inspect_discoverybench.scorer.facets import SCORE_KEYS
from inspect_discoverybench.scorer.judge import DEFAULT_TIMEOUT, require_judge
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.session.image import record_image
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.person import instruct_person
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.submission import submit

DEFAULT_MESSAGE_LIMIT = 100
"""Default maximum number of messages per sample."""

DEFAULT_WORKING_LIMIT = 3600
"""Default limit of a sample's working time in seconds. Waiting for retries and for shared slots is not work, so that
a provider's outage does not use it up."""

DEFAULT_TOKEN_LIMIT = 100_000
"""Default maximum number of output tokens of the evaluated model per sample."""

DEFAULT_JUDGE_KEY = "default_judge"
"""Key in a task's metadata for the model that judges it if the role `grader` is not set."""


def discovery_task(
    *,
    name: str,
    title: str,
    samples: list[Sample],
    sandbox: SandboxEnvironmentSpec,
    judge: str,
    aggregation: str,
    version: str,
    data: Data,
) -> Task:
    """Create a discovery task. It has no scorer if any sample lacks a gold hypothesis.

    Args:
        name: Name of the task in logs. By default, Inspect records the alias under which the task was created, and
            does not recognise logs of the same task under another alias.
        title: Name of the task in displays and tables.
        samples: The samples.
        sandbox: Sandbox for the agent's code.
        judge: Default model of the role `grader`.
        aggregation: `product` or `released`.
        version: Version of the task.
        data: The data of all samples, before any filter.
    """
    scored = all(sample.target for sample in samples)
    setup = [verify_data_files(), record_image(), use_tools(python(), submit()), instruct_person()]
    provenance = Provenance.of(data, sandbox, ["judge", "solvers"], react)
    return Task(
        name=name,
        display_name=title,
        dataset=MemoryDataset(samples, name=title, location=location(data)),
        setup=[require_judge(judge), *setup] if scored else setup,
        solver=react(),
        cleanup=end_session,
        scorer=hms(grader=judge, aggregation=aggregation) if scored else None,
        headline_metric=f"{SCORE_NAME}.hms" if scored else None,
        sandbox=sandbox,
        message_limit=DEFAULT_MESSAGE_LIMIT,
        working_limit=DEFAULT_WORKING_LIMIT,
        config=GenerateConfig(timeout=DEFAULT_TIMEOUT),
        token_limit=f"output:{DEFAULT_TOKEN_LIMIT}",
        viewer=_viewer(),
        metadata=({DEFAULT_JUDGE_KEY: judge} if scored else {}) | provenance.as_metadata(),
        version=version,
    )


def location(data: Data) -> str | None:
    """URL of the released data at the pinned commit."""
    return f"https://github.com/{REPOSITORY}/tree/{data.commit}" if data.commit else None


async def end_session(state: TaskState) -> None:
    """End the session of a sample."""
    await PythonSession().end()


def _viewer() -> ViewerConfig:
    return ViewerConfig(
        sample_score_view=SampleScoreView(default="grid"),
        task_samples_view=TaskSamplesView(
            name="Discovery",
            columns=[
                TaskSamplesColumn(id="sampleStatus"),
                TaskSamplesColumn(id="sampleId"),
                *(TaskSamplesColumn.score(SCORE_NAME, key) for key in SCORE_KEYS),
                TaskSamplesColumn(id="input", visible=False),
                TaskSamplesColumn(id="answer"),
                TaskSamplesColumn(id="target"),
                TaskSamplesColumn(id="tokens"),
                TaskSamplesColumn(id="duration"),
                TaskSamplesColumn(id="limit"),
                TaskSamplesColumn(id="error"),
            ],
            score_labels=SCORE_KEYS,
            score_color_scales={key: ScoreColorScale(palette="good-high", min=0, max=1) for key in SCORE_KEYS},
            multiline=True,
        ),
    )
