"""The solver and scorer of the task `synth_generate`: one sample is one domain."""

from collections.abc import Iterable

import anyio
from inspect_ai.model import Model, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel, store_as
from pydantic import Field

from inspect_discoverybench.dataset.synth_folder import slug_of
from inspect_discoverybench.errors.exceptions import AuthorFailed, ReplyRejected
from inspect_discoverybench.generator.accepted_task import AcceptedTask, write_task
from inspect_discoverybench.generator.domains import DomainSource
from inspect_discoverybench.generator.growth import Growth
from inspect_discoverybench.generator.sampler import Drawing, draw
from inspect_discoverybench.generator.set_folder import (
    MAX_DOMAINS,
    Domain,
    DomainRecord,
    GoldRow,
    SetFolder,
    SetSettings,
    encode_csv,
    encode_json,
    encode_tree,
    tree_path,
)
from inspect_discoverybench.generator.tree import Tree
from inspect_discoverybench.generator.tree_task import (
    DATA_FILE,
    Rejection,
    file_columns,
    goal_entry,
    tree_tasks,
)
from inspect_discoverybench.replies import normalize_case_and_spaces
from inspect_discoverybench.scorer.gather import gather

REVIEWER = "reviewer"
"""Role of the model that answers three questions about each task; by default the author."""


class GenerationState(StoreModel):
    """The result of generating a domain, kept in the log.

    Attributes:
        domain: Name of the domain.
        accepted: The accepted tasks: folder and number of the metadata file.
        rejected: Each rejected node and task, with the criterion and the reason.
        failure: Why no tasks could be made.
    """

    domain: str = ""
    accepted: list[str] = Field(default_factory=list)
    rejected: list[Rejection] = Field(default_factory=list)
    failure: str | None = None


@solver
def generate_domain(  # inspect-evals-lint: ignore[custom_solver_tests] -- every test of synth_generate() runs it
    folder: SetFolder, settings: SetSettings, source: DomainSource
) -> Solver:
    """Generate the tasks of one domain and add them to the set."""
    proposal_lock = anyio.Lock()  # the first sample asks for the domains of all samples, and the others wait

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        number = state.metadata["number"]
        result = store_as(GenerationState)
        try:
            async with proposal_lock:
                domain = await source.domain(number, folder, get_model(), settings.seed)
            result.domain = domain.name
            # If an interrupted set is continued, the domains that are complete have records, and are not created again.
            record = folder.record(slug_of(domain.name))
            if record is None:
                record = await _add_domain(number, domain, folder, settings, source)
        except (AuthorFailed, ReplyRejected) as error:
            result.failure = error.message
            return state

        if record.golds:
            # This is done even if the domain was complete before, because the interrupted run may have ended before it
            # wrote the key.
            folder.write_answer_key()
        for gold in record.golds:
            result.accepted.append(f"{gold.folder}/{gold.metadata_number}")
        result.rejected += record.rejected
        return state

    return solve


async def _add_domain(
    number: int, domain: Domain, folder: SetFolder, settings: SetSettings, source: DomainSource
) -> DomainRecord:
    """Create the tasks of a new domain, and add them to the set if any are accepted."""
    author = get_model()
    reviewer = get_model(role=REVIEWER, default=author)
    growth = Growth(author, settings)
    if source.trees:
        tree = source.trees[number]
    else:
        tree = await growth.grow(domain)
    record, files = await create_tasks(number, tree, growth, reviewer)
    if record.golds:
        folder.accept(record, files)
    return record


async def create_tasks(
    domain_number: int, tree: Tree, growth: Growth, reviewer: Model
) -> tuple[DomainRecord, dict[str, bytes]]:
    """Draw the rows of a tree, have its tasks written, and apply the criteria.

    Returns:
        The record of the domain, and its files by path.

    Raises:
        ReplyRejected: An expression of a hand-written tree fails.
    """
    author = growth.author
    candidates, too_large = tree_tasks(tree)
    drawing = await draw(growth.settings, tree, candidates)
    writing = []
    for task, measures in zip(candidates, drawing.measures, strict=True):
        writing.append(write_task(author, reviewer, tree, task, measures))

    accepted_by_goal: dict[str, AcceptedTask] = {}
    rejected = [*growth.rejections, *too_large]
    for result in await gather(*writing):
        if isinstance(result, Rejection):
            rejected.append(result)
            continue
        goal = normalize_case_and_spaces(result.text.goal)
        if goal in accepted_by_goal:
            rejected.append(Rejection(result.task.name, "duplicate", "another task has the same goal"))
        else:
            accepted_by_goal[goal] = result

    files, golds = _task_files(domain_number, tree, accepted_by_goal.values(), drawing, growth.settings.seed)
    files[tree_path(slug_of(tree.domain))] = encode_tree(tree)
    record = DomainRecord(
        number=domain_number,
        domain=tree.domain,
        golds=tuple(golds),
        rejected=tuple(rejected),
        author=str(author),
        reviewer=str(reviewer),
    )
    return record, files


def _task_files(
    domain_number: int, tree: Tree, accepted: Iterable[AcceptedTask], drawing: Drawing, seed: int
) -> tuple[dict[str, bytes], list[GoldRow]]:
    """Return the data and metadata files of a domain's tasks by path, and their rows of the answer key.

    A folder has one data file for all tasks with the same start height and target depth, as in DB-SYNTH.

    Args:
        domain_number: Number of the domain in the set.
        tree: The tree of the domain.
        accepted: The accepted tasks of the domain.
        drawing: The rows of the tree.
        seed: Seed of the set.
    """
    folders: dict[str, list[AcceptedTask]] = {}
    for result in accepted:
        task = result.task
        name = f"{slug_of(tree.domain)}_{task.start_height}_{task.depth}"
        folders.setdefault(name, []).append(result)

    files: dict[str, bytes] = {}
    golds: list[GoldRow] = []
    descriptions = tree.descriptions()
    for folder, results in folders.items():
        tasks = [result.task for result in results]
        names = file_columns(tree, tasks, f"{seed}/{folder}")
        columns = [drawing.columns[name] for name in names]
        rows = zip(*columns, strict=True)
        files[f"{folder}/{DATA_FILE}"] = encode_csv([names, *rows])
        data_file = {
            "name": DATA_FILE,
            "description": tree.description,
            "columns": [{"name": name, "description": descriptions[name]} for name in names],
        }
        for metadata_number, (task, text) in enumerate(results):
            # Ids of one domain are MAX_DOMAINS apart, and each domain starts at its own number, which is below
            # MAX_DOMAINS. So no two tasks of a set have the same id.
            query_id = domain_number + MAX_DOMAINS * len(golds)
            metadata = {
                "id": metadata_number,
                "domain": tree.domain,
                "datasets": [data_file],
                "queries": [goal_entry(task, query_id, text)],
            }
            files[f"{folder}/metadata_{metadata_number}.json"] = encode_json(metadata, indent=4)
            golds.append(
                GoldRow(
                    folder=folder,
                    metadata_number=metadata_number,
                    query_id=query_id,
                    hypothesis=text.hypothesis,
                )
            )
    return files, golds


@scorer(metrics=[mean()], name="accepted")
def accepted() -> Scorer:
    """Number of accepted tasks, divided by the number of accepted tasks, rejected tasks and rejected nodes.

    A node that the author cannot derive is rejected and has no tasks. The explanation has the reason of each rejection.
    """

    async def score(state: TaskState, target: Target) -> Score:
        result = store_as(GenerationState)
        count = len(result.accepted)
        lines = [f"{count} tasks were accepted."]
        if result.failure:
            lines.append(f"Failure: {result.failure}")
        for name, criterion, reason in result.rejected:
            lines.append(f"- {name}: {criterion}: {reason}")
        return Score(
            value=count / max(1, count + len(result.rejected)),  # 0 without any task
            answer=result.domain,
            explanation="\n".join(lines),
        )

    return score
