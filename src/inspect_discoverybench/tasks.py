"""The tasks.

Every `inspect` command imports this module. What the tasks need is imported when one is built.

If an argument is not one of the task's parameters, Inspect drops it and only warns. The parameter `unknown` receives
such arguments instead, so that a misspelled argument is refused before any sample is paid for.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, ParamSpec

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import GenerateConfig

from inspect_discoverybench.dataset.filters import FieldFilter, select
from inspect_discoverybench.dataset.release import COMMIT
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.errors.invalid_values import (
    refuse_together,
    refuse_unknown,
    require_boolean,
    require_given,
)

VERSION = "3-A"
"""The number increases when scores are no longer comparable, the letter when only the interface changes."""


Arguments = ParamSpec("Arguments")


def _absolute_paths(
    *single_paths: str, path_lists: Sequence[str] = ()
) -> Callable[[Callable[Arguments, Task]], Callable[Arguments, Task]]:
    """Make paths among a task's arguments absolute before Inspect records them.

    `inspect eval-retry` passes the recorded paths again, and a user may run it in another folder.

    Args:
        single_paths: The arguments that are one path.
        path_lists: The arguments that are a path or a list of paths.
    """

    def decorate(create: Callable[Arguments, Task]) -> Callable[Arguments, Task]:
        @wraps(create)
        def with_absolute_paths(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Task:
            bound = signature(create).bind(*args, **kwargs)
            for name in (*single_paths, *path_lists):
                value = bound.arguments.get(name)
                if isinstance(value, list | tuple):
                    if name in single_paths:  # the command line turns a path with commas into a list
                        raise InvalidArgument(f"{name} must be one path, got {value}. Use a path without a comma.")
                    bound.arguments[name] = [_absolute_path_text(path) for path in value]
                elif value:
                    bound.arguments[name] = _absolute_path_text(value)
            return create(*bound.args, **bound.kwargs)

        return with_absolute_paths

    return decorate


def _absolute_path_text(value: Any) -> str:
    from inspect_discoverybench.dataset.absolute_path import absolute_path

    path = Path(str(value))  # the command line turns a path such as `3` into a number
    return str(absolute_path(path))


@task
def real(
    split: str = "test",
    dataset: FieldFilter = None,
    domain: FieldFilter = None,
    question_type: FieldFilter = None,
    domain_knowledge: bool = False,
    workflow_tags: bool = False,
    placebo: int | None = None,
    sandbox: str = "docker",
    build: bool = False,
    image: str | None = None,
    aggregation: str = "product",
    claim: bool = False,
    framing: str = "neutral",
    agent: str | None = None,
    agent_args: dict[str, Any] | None = None,
    **unknown: Any,
) -> Task:
    """DB-REAL: discovery goals from published studies (paper §4.1).

    Args:
        split: `test` (239 samples), `train` (25 samples, with public gold workflows), `all` (264), or `lite`: 48 fixed
            samples of test, for a cheaper run that is not pooled with test (docs/tasks.md).
        dataset: Keep only these study folders.
        domain: Keep only these domains.
        question_type: Keep only goals that ask for these facets: `context`, `variables` or `relationship`.
        domain_knowledge: Add the background of the study to the task text.
        workflow_tags: Add the keywords of the gold workflow to the task text.
        placebo: Seed, a positive integer. Each column of each table is permuted independently: a control without
            associations.
        sandbox: `docker`, `k8s` or `local`. Code in the local sandbox is not isolated from this machine.
        build: Build the Docker image even if it exists.
        image: Run this image instead of the package's.
        aggregation: `product`, or `released` to also report `hms_released`, the form of the released evaluator.
        claim: Add the score key `claim`: whether the hypothesis claims a relationship. With `placebo`, it is
            added even if this is false, but not to samples whose gold hypothesis also holds on permuted data.
        framing: `neutral`, `null_allowed` or `pressure`: what the task text says about null results
            (docs/false_claims.md).
        agent: The agent, such as `discoverybench/codegen` or `mine.py@head_first`, as Inspect's `--solver` accepts it.
            A `--solver` on the command line takes precedence. `inspect eval-retry` runs the same agent again.
        agent_args: Arguments of the agent.
        **unknown: Arguments that the task does not have; they are refused.

    Raises:
        InvalidArgument: An argument is invalid, or the filters match no sample.
        DataError: The released data are missing, or a file was changed.
    """
    from inspect_discoverybench.dataset.splits import released_samples
    from inspect_discoverybench.discovery import discovery_task
    from inspect_discoverybench.sandbox.specification import SandboxOptions

    refuse_unknown(real, unknown)
    hints = Hints(domain_knowledge=domain_knowledge, workflow_tags=workflow_tags, framing=framing)
    return discovery_task(
        "real",
        f"DB-REAL ({split})",
        released_samples("real", split, hints),
        sandbox=SandboxOptions(sandbox, build, image),
        aggregation=aggregation,
        claim=claim,
        agent=agent,
        agent_args=agent_args,
        version=VERSION,
        commit=COMMIT,
        placebo=placebo,
        filters={"dataset": dataset, "domain": domain, "question_type": question_type},
    )


@task
def synth(  # noqa: D417
    split: str = "test",
    dataset: FieldFilter = None,
    domain: FieldFilter = None,
    question_type: FieldFilter = None,
    difficulty: FieldFilter = None,
    solvable: FieldFilter = None,
    placebo: int | None = None,
    sandbox: str = "docker",
    build: bool = False,
    image: str | None = None,
    aggregation: str = "product",
    claim: bool = False,
    framing: str = "neutral",
    agent: str | None = None,
    agent_args: dict[str, Any] | None = None,
    **unknown: Any,
) -> Task:
    """DB-SYNTH: goals over generated data, in 48 domains (paper §4.2). The other arguments are those of `real`.

    Args:
        split: `test` (200 samples), `dev` (153), `train` (550) or `all` (903).
        difficulty: Keep only these difficulties, 1 to 4.
        solvable: If true, leave out goals whose target column is constant in the released data.
    """
    from inspect_discoverybench.dataset.splits import released_samples
    from inspect_discoverybench.discovery import discovery_task
    from inspect_discoverybench.sandbox.specification import SandboxOptions

    refuse_unknown(synth, unknown)
    return discovery_task(
        "synth",
        f"DB-SYNTH ({split})",
        released_samples("synth", split, Hints(framing=framing)),
        sandbox=SandboxOptions(sandbox, build, image),
        aggregation=aggregation,
        claim=claim,
        agent=agent,
        agent_args=agent_args,
        version=VERSION,
        commit=COMMIT,
        placebo=placebo,
        filters={
            "dataset": dataset,
            "domain": domain,
            "question_type": question_type,
            "difficulty": difficulty,
            "solvable": solvable,
        },
    )


@_absolute_paths("path", "answer_key", path_lists=["data"])
@task
def custom(  # noqa: D417
    path: str | None = None,
    answer_key: str | None = None,
    goal: str | None = None,
    data: str | list[str] | None = None,
    domain_knowledge: bool = False,
    workflow_tags: bool = False,
    placebo: int | None = None,
    sandbox: str = "docker",
    build: bool = False,
    image: str | None = None,
    aggregation: str = "product",
    claim: bool = False,
    framing: str = "neutral",
    agent: str | None = None,
    agent_args: dict[str, Any] | None = None,
    **unknown: Any,
) -> Task:
    """Custom studies, in the format of DB-REAL or DB-SYNTH (docs/custom.md). The other arguments are those of `real`.

    Args:
        path: A metadata file, or a folder of them. Data files are in the folder of their metadata file.
        answer_key: CSV file with the gold hypotheses. Without it, they are read from the metadata.
        goal: Ask only this goal; `path` must be one metadata file. The answer is scored only if the file has
            the same goal, and a gold hypothesis of this goal is given.
        data: Ask `goal` about these data files, without a metadata file and without a score.
    """
    from inspect_discoverybench.dataset.custom import (
        custom_samples,
        data_file_goal_samples,
        require_readable_by_image,
        study_goal_samples,
    )
    from inspect_discoverybench.discovery import discovery_task
    from inspect_discoverybench.sandbox.specification import SandboxOptions

    refuse_unknown(custom, unknown)
    hints = Hints(domain_knowledge=domain_knowledge, workflow_tags=workflow_tags, framing=framing)
    options = SandboxOptions(sandbox, build, image)
    key_file = Path(answer_key) if answer_key else None

    # The task is about data files (`data`), or about a metadata file or a folder of them (`path`).
    if data is not None:
        refuse_together(custom, "data", path=path, answer_key=answer_key)
        require_given(custom, "goal", goal)
        names = [data] if isinstance(data, str) else data
        locations = [Path(name) for name in names]
    else:
        require_given(custom, "path", path)
        locations = [Path(str(path))]  # `str` only for the type checker: it is not None here
    title = ", ".join(location.name for location in locations)

    if data is not None:
        samples = data_file_goal_samples(locations, goal, hints)
    elif goal is not None:
        samples = study_goal_samples(locations[0], goal, key_file, hints)
    else:
        samples = custom_samples(locations[0], key_file, hints)

    # It is known which file formats the package's image can read. Another image may have more packages.
    if options.runs_package_image:
        require_readable_by_image(samples)

    return discovery_task(
        "custom",
        f"custom ({title})",
        samples,
        sandbox=options,
        aggregation=aggregation,
        claim=claim,
        agent=agent,
        agent_args=agent_args,
        version=VERSION,
        placebo=placebo,
    )


@task
def demo(
    placebo: int | None = None,
    sandbox: str = "local",
    build: bool = False,
    image: str | None = None,
    aggregation: str = "product",
    claim: bool = False,
    framing: str = "neutral",
    agent: str | None = None,
    agent_args: dict[str, Any] | None = None,
    **unknown: Any,
) -> Task:
    """Eight small invented studies that run without an API key, network or Docker; arguments as in `real`."""
    from inspect_discoverybench.dataset.custom import demo_samples
    from inspect_discoverybench.discovery import discovery_task
    from inspect_discoverybench.sandbox.specification import SandboxOptions

    refuse_unknown(demo, unknown)
    return discovery_task(
        "demo",
        "demo",
        demo_samples(Hints(framing=framing)),
        sandbox=SandboxOptions(sandbox, build, image),
        aggregation=aggregation,
        claim=claim,
        agent=agent,
        agent_args=agent_args,
        version=VERSION,
        placebo=placebo,
        judge="discoverybench/lexical",
    )


@task
def judge_audit(kind: FieldFilter = None, released: bool = True, **unknown: Any) -> Task:
    """Audit of a judge: hypotheses and texts with known verdicts. The evaluated model is the judge.

    The judge compares 130 pairs from invented studies, and 30 from the gold hypotheses of DB-REAL train. In 46 texts of
    agents, it should quote the hypothesis, if there is one. It is also asked whether 129 hypotheses, 99 of them
    invented, claim a relationship.

    Args:
        kind: Keep only these kinds of change, such as "relation negated".
        released: Include the pairs and hypotheses from DB-REAL train, which need the released data.
        **unknown: Arguments that the task does not have; they are refused.
    """
    from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
    from inspect_discoverybench.dataset.samples import samples_checksum
    from inspect_discoverybench.dataset.splits import released_samples
    from inspect_discoverybench.human_study.label_statistics import PAPER_ACCURACY
    from inspect_discoverybench.judge_pairs.answer_texts import answer_text_samples
    from inspect_discoverybench.judge_pairs.audit import audit, judge_pair
    from inspect_discoverybench.judge_pairs.claim_texts import invented_claims, released_claims
    from inspect_discoverybench.judge_pairs.pairs import AUDIT_FIELDS, invented_pairs, released_pairs
    from inspect_discoverybench.provenance import provenance
    from inspect_discoverybench.scorer.judge import DEFAULT_TIMEOUT

    refuse_unknown(judge_audit, unknown)
    require_boolean("released", released)
    samples = list(invented_pairs())
    if released:
        train = released_samples("real", "train", Hints())
        goals = [SampleMetadata.model_validate(sample.metadata) for sample in train]
        samples += [*released_pairs(goals), *released_claims(goals)]
    samples += [*answer_text_samples(), *invented_claims()]
    commit = COMMIT if released else None
    paper_accuracies = ", ".join(f"{question} {accuracy}" for question, accuracy in PAPER_ACCURACY.items())
    return Task(
        name="discoverybench/judge_audit",
        display_name="DiscoveryBench judge audit",
        dataset=MemoryDataset(
            select(samples, {"kind": kind}),
            # Inspect prints this name above the results. So the accuracies of the paper's judge stand beside them.
            name=f"known pairs; the paper's judge: {paper_accuracies}",
        ),
        solver=judge_pair(),
        config=GenerateConfig(timeout=DEFAULT_TIMEOUT),
        scorer=audit(),
        headline_metric="judge_audit.right",
        metadata=provenance(
            checksum=samples_checksum(samples, AUDIT_FIELDS), prompt_folders=["judge", "judge_audit"], commit=commit
        ),
        version=VERSION,
    )


@_absolute_paths("out", "trees")
@task
def synth_generate(
    out: str | None = None,
    domains: int | str | list[str] = 5,
    trees: str | None = None,
    seed: int = 0,
    height: int = 4,
    rows: int = 500,
    noise_share: float = 0.1,
    noise_scale: float = 0.3,
    missing: float = 0.01,
    sandbox: str = "docker",
    build: bool = False,
    image: str | None = None,
    **unknown: Any,
) -> Task:
    """Generate tasks in the format of DB-SYNTH (paper §4.2). The evaluated model is the author; a sample is a domain.

    The role `reviewer` answers three questions about each task; by default this is the author. If the folder contains
    an interrupted set with the same settings, that set is continued (docs/generator.md).

    Args:
        out: Folder of the set.
        domains: Number of domains that the author proposes, or a list of names.
        trees: JSON file with a hand-written tree, or a folder of such files, instead of `domains`.
        seed: Seed of all random choices.
        height: Height of the trees, 1 to 4.
        rows: Rows of each data file, 100 to 10,000.
        noise_share: Probability that noise is added to a number.
        noise_scale: Standard deviation of the noise, in standard deviations of the column.
        missing: Probability that a value is missing, at most 0.1.
        sandbox: `docker`, `k8s` or `local`. Expressions from the author run in the sandbox.
        build: Build the Docker image even if it exists.
        image: Run this image instead of the package's.
        **unknown: Arguments that the task does not have; they are refused.

    Raises:
        InvalidArgument: An argument is invalid, or the folder has other files or the tasks of other domains or
            trees.
        DataError: A hand-written tree is invalid.
    """
    from inspect_discoverybench.discovery import end_sample
    from inspect_discoverybench.generator import generate
    from inspect_discoverybench.generator.domains import DomainSource
    from inspect_discoverybench.generator.set_folder import SetFolder, SetSettings
    from inspect_discoverybench.provenance import provenance
    from inspect_discoverybench.sandbox.image import record_image
    from inspect_discoverybench.sandbox.specification import SandboxOptions
    from inspect_discoverybench.scorer.judge import DEFAULT_TIMEOUT

    refuse_unknown(synth_generate, unknown)
    require_given(synth_generate, "out", out)
    source = DomainSource.of(domains, trees)
    settings = SetSettings.of(
        domains=source.count,
        seed=seed,
        height=height,
        rows=rows,
        noise_share=noise_share,
        noise_scale=noise_scale,
        missing=missing,
    )
    folder = SetFolder(Path(str(out)))  # `str` only for the type checker: it is not None here
    folder.open(settings)
    folder.require_same_domains(source.names)
    folder.require_same_trees(source.trees)
    spec = SandboxOptions(sandbox, build, image).specification()
    return Task(
        name="discoverybench/synth_generate",
        display_name=f"DiscoveryBench generator ({folder.path.name})",
        dataset=MemoryDataset(source.samples(), name="domains"),
        setup=record_image(),
        solver=generate.generate_domain(folder, settings, source),
        config=GenerateConfig(timeout=DEFAULT_TIMEOUT),
        cleanup=end_sample,
        scorer=generate.accepted(),
        sandbox=spec,
        metadata=provenance(checksum=None, prompt_folders=["synth"], sandbox=spec),
        version=VERSION,
    )
