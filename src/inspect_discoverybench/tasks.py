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
from inspect_discoverybench.dataset.samples import Hints, SampleMetadata
from inspect_discoverybench.dataset.selection import Wanted, select
from inspect_discoverybench.errors import InvalidArgument, at_least_one
from inspect_discoverybench.hypothesis import Facet
from inspect_discoverybench.scorer.audit import audit, pairs
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE, check_early, require_judge
from inspect_discoverybench.scorer.scorer import SCORE_NAME, hms
from inspect_discoverybench.scorer.verdict import Aggregation
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.shipped import shipped
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.submission import submit

VERSION = "1-A"
"""The number rises when results are no longer comparable, the letter when the interface changes."""

MESSAGES = 100
"""Default message limit of a sample."""

SECONDS = 3600
"""Default time limit of a sample."""

OUTPUT_TOKENS = 100_000
"""Default limit of the tokens that the evaluated model writes for a sample."""

OFFLINE_JUDGE = "discoverybench/lexical"


@task
def real(
    split: str = "test",
    dataset: Wanted = None,
    domain: Wanted = None,
    question_type: Wanted = None,
    difficulty: Wanted = None,
    solvable: Wanted = None,
    domain_knowledge: bool = False,
    workflow_tags: bool = False,
    sandbox: str = "docker",
    aggregation: str = Aggregation.PRODUCT,
) -> Task:
    """DB-REAL: discovery goals from published studies (paper §4.1).

    Args:
        split: `test` (239 samples) or `train` (25 samples, gold hypotheses in the metadata).
        dataset: Keep these study folders only.
        domain: Keep these domains only.
        question_type: Keep goals that ask for this facet only: context, variables or relationship.
        difficulty: As in `synth`; DB-REAL has none.
        solvable: As in `synth`; not known of DB-REAL.
        domain_knowledge: Add the study's background to the task text.
        workflow_tags: Add the keywords of the gold workflow to the task text.
        sandbox: `docker` or `local`; local code is not isolated from this machine.
        aggregation: `product`; or `subhypotheses`, which adds `hms_recall` and `hms_f1` to the scores.

    Raises:
        InvalidArgument: A value is not possible, or the filters select nothing.
        DataError: The released data are not there, or a file was changed.
    """
    return _released(
        "real",
        split,
        Hints(domain_knowledge, workflow_tags),
        sandbox,
        aggregation,
        dataset=dataset,
        domain=domain,
        question_type=question_type,
        difficulty=difficulty,
        solvable=solvable,
    )


@task
def synth(
    split: str = "test",
    dataset: Wanted = None,
    domain: Wanted = None,
    question_type: Wanted = None,
    difficulty: Wanted = None,
    solvable: Wanted = None,
    domain_knowledge: bool = False,
    workflow_tags: bool = False,
    sandbox: str = "docker",
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
        domain_knowledge: As in `real`; DB-SYNTH has none.
        workflow_tags: As in `real`; DB-SYNTH has none.
        sandbox: `docker` or `local`; local code is not isolated from this machine.
        aggregation: `product`; or `subhypotheses`, which adds `hms_recall` and `hms_f1` to the scores.

    Raises:
        InvalidArgument: A value is not possible, or the filters select nothing.
        DataError: The released data are not there, or a file was changed.
    """
    return _released(
        "synth",
        split,
        Hints(domain_knowledge, workflow_tags),
        sandbox,
        aggregation,
        dataset=dataset,
        domain=domain,
        question_type=question_type,
        difficulty=difficulty,
        solvable=solvable,
    )


@task
def custom(
    path: str,
    answer_key: str | None = None,
    goal: str | None = None,
    domain_knowledge: bool = False,
    workflow_tags: bool = False,
    sandbox: str = "docker",
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
    return _discovery(f"DiscoveryBench custom ({Path(path).name})", samples, sandbox, aggregation, grader=DEFAULT_JUDGE)


@task
def demo(sandbox: str = "local", aggregation: str = Aggregation.PRODUCT) -> Task:
    """Eight small invented studies: try the package without key, network or Docker.

    Args:
        sandbox: `local` or `docker`; local code is not isolated from this machine.
        aggregation: As in `real`.

    Raises:
        InvalidArgument: A value is not possible.
    """
    return _discovery("DiscoveryBench demo", splits.demo(Hints()), sandbox, aggregation, grader=OFFLINE_JUDGE)


@task
def judge_audit(repeats: int = 2, kind: Wanted = None, released: bool = True) -> Task:
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
    at_least_one("repeats", repeats)
    found = list(pairs.invented())
    if released:
        train = splits.released("real", "train", Hints())
        found += pairs.released([SampleMetadata.model_validate(sample.metadata) for sample in train])
    samples = select([audit.sample(pair) for pair in found], kind=kind)
    paper = ", ".join(f"{facet} {accuracy}" for facet, accuracy in audit.PAPER.items())
    return Task(
        # Inspect prints the dataset's name above the results.
        dataset=MemoryDataset(samples, name=f"known pairs; the paper's judge: {paper}"),
        solver=audit.judge_pair(repeats),
        scorer=audit.audit(),
        display_name="DiscoveryBench judge audit",
        version=VERSION,
        headline_metric="audit.right",
        metadata={"paper": audit.PAPER},
    )


def _released(kind: splits.Kind, split: str, hints: Hints, sandbox: str, aggregation: str, **wanted: Wanted) -> Task:
    """The samples of a released split that are wanted."""
    samples = select(splits.released(kind, split, hints), **wanted)
    return _discovery(
        f"DiscoveryBench DB-{kind.upper()} ({split})", samples, sandbox, aggregation, grader=DEFAULT_JUDGE
    )


def _discovery(title: str, samples: list[Sample], sandbox: str, aggregation: str, grader: str) -> Task:
    """One sample per goal, solved with `python` and `submit`, scored by HMS where there is a gold hypothesis."""
    scored = all(sample.target for sample in samples)
    if scored:
        check_early(grader)
    tools = use_tools(python(), submit())
    return Task(
        dataset=MemoryDataset(samples, name=title),
        setup=[require_judge(grader), tools] if scored else tools,
        solver=react(),
        cleanup=_end_session,
        scorer=hms(grader=grader, aggregation=aggregation) if scored else None,
        sandbox=_sandbox(sandbox),
        message_limit=MESSAGES,
        time_limit=SECONDS,
        token_limit=f"output:{OUTPUT_TOKENS}",
        display_name=title,
        version=VERSION,
        headline_metric=f"{SCORE_NAME}.hms" if scored else None,
        viewer=_viewer(),
    )


def _sandbox(name: str) -> str | SandboxEnvironmentSpec:
    if name == "local":
        return name
    if name == "docker":
        # An absolute path, or Inspect would look for a compose file in the user's folder.
        return SandboxEnvironmentSpec(name, str(shipped("compose.yaml")))
    raise InvalidArgument(
        f"sandbox={name} is not a sandbox of this task; possible are: docker, local. "
        "Any other provider goes with Inspect's own option --sandbox PROVIDER:CONFIG."
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
