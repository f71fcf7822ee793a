"""The solver and scorer of the task `synth_generate`: one sample is one domain."""

from collections.abc import Sequence
from typing import NamedTuple

import anyio
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel, store_as
from pydantic import Field

from inspect_discoverybench.dataset.synth_folder import slug_of
from inspect_discoverybench.errors.exceptions import AuthorFailed, ReplyRejected
from inspect_discoverybench.scorer.gather import gather
from inspect_discoverybench.submission.text import normalize_case_and_spaces
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.discovery_goal import write_goal
from inspect_discoverybench.synth.domains import DomainSource
from inspect_discoverybench.synth.growth import Growth
from inspect_discoverybench.synth.sampler import Drawing, Measures, draw
from inspect_discoverybench.synth.set_folder import DomainRecord, SetFolder, SetSettings, checksums, csv_file, json_file
from inspect_discoverybench.synth.tree import Tree
from inspect_discoverybench.synth.tree_task import DATA_FILE, Rejection, TreeTask, thinned, tree_tasks
from inspect_discoverybench.synth.wording import gold_hypothesis

REVIEWER = "reviewer"
"""Role of the model that decides whether goals are answerable; by default the author."""

MAX_DOMAINS = 1_000
"""Query ids are unique in a set of up to this many domains."""


class GenerationState(StoreModel):
    """The result of generating a domain, kept in the log.

    Attributes:
        domain: Name of the domain.
        accepted: Folders of the accepted tasks.
        rejected: Each rejected node and task, with the criterion and the reason.
        failure: Why the domain has no tasks; empty if it has some.
        sent_back: Number of replies that were sent back.
    """

    domain: str = ""
    accepted: list[str] = Field(default_factory=list)
    rejected: list[Rejection] = Field(default_factory=list)
    failure: str = ""
    sent_back: int = 0


@solver
def generate_domain(  # inspect-evals-lint: ignore[custom_solver_tests] -- every test of synth_generate() runs it
    folder: SetFolder, settings: SetSettings, source: DomainSource
) -> Solver:
    """Generate the tasks of one domain and add them to the set."""
    proposal = anyio.Lock()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        number = int(state.metadata["number"])
        result = store_as(GenerationState)
        model = get_model()
        author, reviewer = Author(model), Author(get_model(role=REVIEWER, default=model))
        try:
            async with proposal:
                domain = await source.domain(number, folder, author, settings.seed)
            result.domain = domain.name
            record = folder.record(slug_of(domain.name))
            if record is None:
                growth = Growth(author, settings)
                tree = source.trees[number] if source.trees else await growth.grow(domain)
                record, contents = await create_tasks(number, tree, growth, reviewer, bool(source.trees))
                if record.tasks:
                    folder.accept(record, contents)
            result.accepted, result.rejected = list(record.tasks), list(record.rejected)
            result.failure = "" if record.tasks else "no task was accepted"
        except AuthorFailed as error:
            result.failure = error.message
        result.sent_back = author.sent_back + reviewer.sent_back
        return state

    return solve


class AcceptedTask(NamedTuple):
    """A task that meets all criteria."""

    task: TreeTask
    gold: str
    goal: str


async def create_tasks(
    number: int, tree: Tree, growth: Growth, reviewer: Author, handwritten: bool
) -> tuple[DomainRecord, dict[str, bytes]]:
    """Draw the rows of a tree, write goals and apply the criteria.

    Returns:
        The record of the domain, and its files by path.

    Raises:
        AuthorFailed: An expression of a hand-written tree fails.
    """
    author, settings = growth.author, growth.settings
    candidates, rejected = tree_tasks(tree, settings.seed)
    if not handwritten:
        candidates = thinned(candidates, number, settings.height)
    try:
        drawing = await draw(settings, tree, candidates)
    except ReplyRejected as error:
        raise AuthorFailed(error.message) from error

    async def apply_criteria(task: TreeTask, measures: Measures) -> AcceptedTask | Rejection:
        if rejection := measures.rejection(task.name):
            return rejection
        gold = gold_hypothesis(tree, task, measures)
        goal = task.handwritten_goal or await write_goal(author, reviewer, tree, task, gold)
        return goal if isinstance(goal, Rejection) else AcceptedTask(task, gold, goal)

    accepted: dict[str, AcceptedTask] = {}
    for result in await gather(*map(apply_criteria, candidates, drawing.measures)):
        if isinstance(result, Rejection):
            rejected.append(result)
        elif accepted.setdefault(normalize_case_and_spaces(result.goal), result) is not result:
            rejected.append(Rejection(result.task.name, "duplicate", "another task has the same goal"))
    tasks, split = list(accepted.values()), settings.split(number)
    files, golds = _files(number, tree, tasks, drawing, split)
    by_model = not handwritten or any(one.task.handwritten_goal is None for one in tasks)
    record = DomainRecord(
        number=number,
        domain=tree.domain,
        split=split,
        tasks=tuple(name for name, _, _ in golds),
        golds=tuple(golds),
        rejected=(*growth.rejections, *rejected),
        author=str(author.model) if by_model else None,
        reviewer=str(reviewer.model) if by_model and str(reviewer.model) != str(author.model) else None,
        versions=drawing.versions,
        files=checksums(files),
    )
    return record, files


def _files(
    number: int, tree: Tree, tasks: Sequence[AcceptedTask], drawing: Drawing, split: str
) -> tuple[dict[str, bytes], list[tuple[str, int, str]]]:
    """The files of a domain by path, and its answer key."""
    files, golds, slug = {}, [], slug_of(tree.domain)
    for index, (task, gold, goal) in enumerate(tasks):
        # As in DB-SYNTH, the last number is the level below the root.
        folder, query_id = f"{slug}_{index}_{task.level}", number + MAX_DOMAINS * index
        path = f"{split}/{folder}" if split else folder
        rows = zip(*(drawing.columns[name] for name in task.columns), strict=True)
        files[f"{path}/{DATA_FILE}"] = csv_file([task.columns, *rows])
        files[f"{path}/metadata_0.json"] = json_file(task.metadata(tree, query_id, goal, gold), indent=4)
        golds.append((folder, query_id, gold))
    files[f"trees/{slug}.json"] = json_file(tree.model_dump(exclude_defaults=True))
    return files, golds


@scorer(metrics=[mean()], name="accepted")
def accepted() -> Scorer:
    """Share of tasks that meet the criteria; the explanation lists each rejection with its reason."""

    async def score(state: TaskState, target: Target) -> Score:
        result = store_as(GenerationState)
        lines = [
            f"{len(result.accepted)} tasks were accepted.",
            *([f"Failure: {result.failure}"] if result.failure else []),
            *(f"- {name}: {criterion}: {reason}" for name, criterion, reason in result.rejected),
        ]
        tried = max(1, len(result.accepted) + len(result.rejected))
        return Score(value=len(result.accepted) / tried, answer=result.domain, explanation="\n".join(lines))

    return score
