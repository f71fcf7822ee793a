"""The tasks: each reads as a paragraph."""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import TaskState, use_tools
from inspect_ai.util import SandboxEnvironmentSpec
from inspect_ai.viewer import (
    SampleScoreView,
    ScoreColorScale,
    TaskSamplesColumn,
    TaskSamplesView,
    ViewerConfig,
)

from inspect_discoverybench.dataset import splits
from inspect_discoverybench.dataset.integrity import verify_data_files
from inspect_discoverybench.dataset.samples import Hints, SampleMetadata
from inspect_discoverybench.dataset.selection import FieldFilter, select
from inspect_discoverybench.errors import require_positive
from inspect_discoverybench.hypothesis import Facet
from inspect_discoverybench.sandbox import sandbox_spec
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE, require_judge
from inspect_discoverybench.scorer.scorer import SCORE_NAME, hms
from inspect_discoverybench.scorer.verdict import Aggregation
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.submission import submit
from inspect_discoverybench.validation import pairs
from inspect_discoverybench.validation.judge_audit import PAPER_ACCURACY, audit, judge_pair, sample

VERSION = "2-A"
"""The number rises when results are no longer comparable, the letter when the interface changes."""

DEFAULT_MESSAGE_LIMIT = 100
DEFAULT_TIME_LIMIT = 3600
"""Seconds per sample."""

DEFAULT_TOKEN_LIMIT = 100_000
"""Output tokens of the evaluated model per sample."""

OFFLINE_JUDGE = "discoverybench/lexical"


@task
def real(
    split: str = "test",
    dataset: FieldFilter = None,
    domain: FieldFilter = None,
    question_type: FieldFilter = None,
    domain_knowledge: bool = False,
    workflow_tags: bool = False,
    sandbox: str = "docker",
    build: bool = False,
    aggregation: str = Aggregation.PRODUCT,
) -> Task:
    """DB-REAL: discovery goals from published studies (paper §4.1).

    Args:
        split: `test` (239 samples) or `train` (25 samples, gold hypotheses in the metadata).
        dataset: Keep these study folders only.
        domain: Keep these domains only.
        question_type: Keep goals that ask for this facet only: context, variables or relationship.
        domain_knowledge: Add the study's background to the task text.
        workflow_tags: Add the keywords of the gold workflow to the task text.
        sandbox: `docker` or `local`; local code is not isolated from this machine.
        build: Build the Docker image even if it exists.
        aggregation: `product`; or `subhypotheses`, which adds `hms_recall` and `hms_f1` to the scores.

    Raises:
        InvalidArgument: A value is not possible, or the filters select nothing.
        DataError: The released data are not there, or a file was changed.
    """
    samples = splits.released("real", split, Hints(domain_knowledge, workflow_tags))
    return _discovery(
        name="discoverybench/real",
        title=f"DiscoveryBench DB-REAL ({split})",
        samples=select(samples, dataset=dataset, domain=domain, question_type=question_type),
        sandbox=sandbox_spec(sandbox, build),
        judge=DEFAULT_JUDGE,
        aggregation=aggregation,
        version=VERSION,
    )


@task
def synth(
    split: str = "test",
    dataset: FieldFilter = None,
    domain: FieldFilter = None,
    question_type: FieldFilter = None,
    difficulty: FieldFilter = None,
    solvable: FieldFilter = None,
    sandbox: str = "docker",
    build: bool = False,
    aggregation: str = Aggregation.PRODUCT,
) -> Task:
    """DB-SYNTH: goals over generated data, in 48 domains (paper §4.2).

    Args:
        split: `test` (200 samples), `dev` (153) or `train` (550).
        dataset: Keep these study folders only.
        domain: Keep these domains only.
        question_type: Keep goals of this type only; DB-SYNTH has `general` alone.
        difficulty: Keep these difficulties only, 1 to 4.
        solvable: `true` leaves out goals whose target column is constant in the released data.
        sandbox: `docker` or `local`; local code is not isolated from this machine.
        build: Build the Docker image even if it exists.
        aggregation: `product`; or `subhypotheses`, which adds `hms_recall` and `hms_f1` to the scores.

    Raises:
        InvalidArgument: A value is not possible, or the filters select nothing.
        DataError: The released data are not there, or a file was changed.
    """
    samples = splits.released("synth", split, Hints())
    return _discovery(
        name="discoverybench/synth",
        title=f"DiscoveryBench DB-SYNTH ({split})",
        samples=select(
            samples,
            dataset=dataset,
            domain=domain,
            question_type=question_type,
            difficulty=difficulty,
            solvable=solvable,
        ),
        sandbox=sandbox_spec(sandbox, build),
        judge=DEFAULT_JUDGE,
        aggregation=aggregation,
        version=VERSION,
    )


@task
def custom(
    path: str,
    answer_key: str | None = None,
    goal: str | None = None,
    domain_knowledge: bool = False,
    workflow_tags: bool = False,
    sandbox: str = "docker",
    build: bool = False,
    aggregation: str = Aggregation.PRODUCT,
) -> Task:
    """Studies of one's own, in either on-disk form of the release (docs/custom.md).

    Args:
        path: A metadata file, or a folder of them; data files stand beside their metadata file.
        answer_key: CSV file with the gold hypotheses; otherwise they stand in the metadata.
        goal: Ask this of the one metadata file at `path`; it is scored only if the file has this goal, and its gold
            hypothesis.
        domain_knowledge: Add the study's background to the task text.
        workflow_tags: Add the keywords of the gold workflow to the task text.
        sandbox: `docker` or `local`; local code is not isolated from this machine.
        build: Build the Docker image even if it exists.
        aggregation: `product`; or `subhypotheses`, which adds `hms_recall` and `hms_f1` to the scores.

    Raises:
        InvalidArgument: There is nothing at the path, or a hint is asked for that no study has.
        DataError: A file is missing, does not follow its form, or cannot be read to its end.
    """
    hints = Hints(domain_knowledge, workflow_tags)
    if goal is not None:
        samples = splits.own(Path(path), goal, hints)
    else:
        samples = splits.custom(Path(path), Path(answer_key) if answer_key else None, hints)
    return _discovery(
        name="discoverybench/custom",
        title=f"DiscoveryBench custom ({Path(path).resolve().name})",
        samples=samples,
        sandbox=sandbox_spec(sandbox, build),
        judge=DEFAULT_JUDGE,
        aggregation=aggregation,
        version=VERSION,
    )


@task
def demo(sandbox: str = "local", build: bool = False, aggregation: str = Aggregation.PRODUCT) -> Task:
    """Eight small invented studies: try the package without key, network or Docker.

    Args:
        sandbox: `local` or `docker`; local code is not isolated from this machine.
        build: Build the Docker image even if it exists.
        aggregation: As in `real`.

    Raises:
        InvalidArgument: A value is not possible.
    """
    return _discovery(
        name="discoverybench/demo",
        title="DiscoveryBench demo",
        samples=splits.demo(Hints()),
        sandbox=sandbox_spec(sandbox, build),
        judge=OFFLINE_JUDGE,
        aggregation=aggregation,
        version=VERSION,
    )


@task
def judge_audit(repeats: int = 2, kind: FieldFilter = None, released: bool = True) -> Task:
    """Whether a model may be used as the judge: pairs of hypotheses whose right answers are known.

    The evaluated model is the judge. 125 pairs are of invented studies, 50 of the gold hypotheses of DB-REAL train.

    Args:
        repeats: How often each pair is judged; the first time counts for accuracy, the others for consistency.
        kind: Keep these kinds of change only, such as "relation negated".
        released: Whether the released gold hypotheses are among the pairs; they need the data.

    Raises:
        InvalidArgument: A value is not possible.
        DataError: The released data are not there, or a file was changed.
    """
    require_positive("repeats", repeats)
    known_pairs = list(pairs.invented())
    if released:
        train = splits.released("real", "train", Hints())
        known_pairs += pairs.released([SampleMetadata.model_validate(sample.metadata) for sample in train])
    paper = ", ".join(f"{facet} {accuracy}" for facet, accuracy in PAPER_ACCURACY.items())
    return Task(
        name="discoverybench/judge_audit",
        display_name="DiscoveryBench judge audit",
        dataset=MemoryDataset(
            select([sample(pair) for pair in known_pairs], kind=kind),
            # Inspect prints the dataset's name above the results.
            name=f"known pairs; the paper's judge: {paper}",
        ),
        solver=judge_pair(repeats),
        scorer=audit(),
        headline_metric="audit.right",
        metadata={"paper": PAPER_ACCURACY},
        version=VERSION,
    )


def _discovery(
    *,
    name: str,
    title: str,
    samples: list[Sample],
    sandbox: SandboxEnvironmentSpec,
    judge: str,
    aggregation: str,
    version: str,
) -> Task:
    """One sample per goal, solved with `python` and `submit`, scored by HMS where there is a gold hypothesis.

    Args:
        name: The task's name in logs. Otherwise it would be the name that the task was created by, and Inspect would
            not see that two logs are of one task.
        title: Its name in displays and tables.
        samples: The goals.
        sandbox: Where the agent's code runs.
        judge: The default model of the role `grader`.
        aggregation: As in `real`.
        version: The task's version.
    """
    scored = all(sample.target for sample in samples)
    start = [verify_data_files(), use_tools(python(), submit())]
    return Task(
        name=name,
        display_name=title,
        dataset=MemoryDataset(samples, name=title),
        setup=[require_judge(judge), *start] if scored else start,
        solver=react(),
        cleanup=_end_session,
        scorer=hms(grader=judge, aggregation=aggregation) if scored else None,
        headline_metric=f"{SCORE_NAME}.hms" if scored else None,
        sandbox=sandbox,
        message_limit=DEFAULT_MESSAGE_LIMIT,
        time_limit=DEFAULT_TIME_LIMIT,
        token_limit=f"output:{DEFAULT_TOKEN_LIMIT}",
        viewer=_viewer(),
        version=version,
    )


async def _end_session(state: TaskState) -> None:
    """A local sandbox kills nobody, so the kernel of the session is ended here."""
    await PythonSession().stop()


def _viewer() -> ViewerConfig:
    keys = ["hms", *Facet]
    return ViewerConfig(
        sample_score_view=SampleScoreView(default="grid"),
        task_samples_view=TaskSamplesView(
            name="Discovery",
            columns=[
                TaskSamplesColumn(id="sampleStatus"),
                TaskSamplesColumn(id="sampleId"),
                *(TaskSamplesColumn.score(SCORE_NAME, key) for key in keys),
                TaskSamplesColumn(id="input", visible=False),
                TaskSamplesColumn(id="answer"),
                TaskSamplesColumn(id="target"),
                TaskSamplesColumn(id="tokens"),
                TaskSamplesColumn(id="duration"),
                TaskSamplesColumn(id="limit"),
                TaskSamplesColumn(id="error"),
            ],
            score_labels={"hms": "HMS", **{facet: facet.capitalize() for facet in Facet}},
            score_color_scales={key: ScoreColorScale(palette="good-high", min=0, max=1) for key in keys},
            multiline=True,
        ),
    )
