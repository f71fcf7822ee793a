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
from inspect_discoverybench.synth.domains import DomainSource
from inspect_discoverybench.synth.growth import Growth
from inspect_discoverybench.synth.sampler import Drawing, Measures, draw
from inspect_discoverybench.synth.set_folder import (
    DomainRecord,
    GoldRow,
    SetFolder,
    SetSettings,
    checksums,
    csv_file,
    json_file,
)
from inspect_discoverybench.synth.task_text import write_text
from inspect_discoverybench.synth.tree import Tree
from inspect_discoverybench.synth.tree_task import (
    DATA_FILE,
    Rejection,
    TaskText,
    TreeTask,
    file_columns,
    query,
    tree_tasks,
)

REVIEWER = "reviewer"
"""Role of the model that answers three questions about each task; by default the author."""

MAX_DOMAINS = 1_000
"""Query ids are unique in a set of up to this many domains."""


class GenerationState(StoreModel):
    """The result of generating a domain, kept in the log.

    Attributes:
        domain: Name of the domain.
        accepted: The accepted tasks: folder and number of the metadata file.
        rejected: Each rejected node and task, with the criterion and the reason.
        failure: Why the domain has no tasks; empty if it has some.
    """

    domain: str = ""
    accepted: list[str] = Field(default_factory=list)
    rejected: list[Rejection] = Field(default_factory=list)
    failure: str = ""


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
                record, contents = await create_tasks(number, tree, growth, reviewer)
                if record.golds:
                    folder.accept(record, contents)
            result.accepted = [f"{gold.folder}/{gold.metadata_number}" for gold in record.golds]
            result.rejected = list(record.rejected)
            if not record.golds:
                result.failure = "no task was accepted"
        except AuthorFailed as error:
            result.failure = error.message
        return state

    return solve


class AcceptedTask(NamedTuple):
    """A task that meets all criteria."""

    task: TreeTask
    text: TaskText


async def create_tasks(
    number: int, tree: Tree, growth: Growth, reviewer: Author
) -> tuple[DomainRecord, dict[str, bytes]]:
    """Draw the rows of a tree, have its tasks written, and apply the criteria.

    Returns:
        The record of the domain, and its files by path.

    Raises:
        AuthorFailed: An expression of a hand-written tree fails.
    """
    author, settings = growth.author, growth.settings
    candidates, too_large = tree_tasks(tree)
    try:
        drawing = await draw(settings, tree, candidates)
    except ReplyRejected as error:
        raise AuthorFailed(error.message) from error

    async def apply_criteria(task: TreeTask, measures: Measures) -> AcceptedTask | Rejection:
        rejection = measures.rejection(task.name)
        if rejection is not None:
            return rejection
        text = await write_text(author, reviewer, tree, task, measures)
        return text if isinstance(text, Rejection) else AcceptedTask(task, text)

    accepted: dict[str, AcceptedTask] = {}
    rejected = [*growth.rejections, *too_large]
    for result in await gather(*map(apply_criteria, candidates, drawing.measures)):
        if isinstance(result, Rejection):
            rejected.append(result)
        elif normalize_case_and_spaces(result.text.goal) in accepted:
            rejected.append(Rejection(result.task.name, "duplicate", "another task has the same goal"))
        else:
            accepted[normalize_case_and_spaces(result.text.goal)] = result

    files, golds = _task_files(number, tree, list(accepted.values()), drawing, settings.seed)
    files[f"trees/{slug_of(tree.domain)}.json"] = json_file(tree.model_dump(exclude_defaults=True))
    record = DomainRecord(
        number=number,
        domain=tree.domain,
        golds=tuple(golds),
        rejected=tuple(rejected),
        author=str(author.model),
        reviewer=str(reviewer.model),
        files=checksums(files),
    )
    return record, files


def _task_files(
    number: int, tree: Tree, accepted: Sequence[AcceptedTask], drawing: Drawing, seed: int
) -> tuple[dict[str, bytes], list[GoldRow]]:
    """The folders of a domain's tasks: their files by path, and the answer key.

    A folder has one data file for all tasks with the same start height and target depth, as in DB-SYNTH.
    """
    folders: dict[str, list[AcceptedTask]] = {}
    for result in accepted:
        name = f"{slug_of(tree.domain)}_{result.task.start_height}_{result.task.depth}"
        folders.setdefault(name, []).append(result)

    files = {}
    golds: list[GoldRow] = []
    descriptions = {column.name: column.description for column in tree.columns()}
    for folder, results in folders.items():
        names = file_columns(tree, [result.task for result in results], f"{seed}/{folder}")
        columns = [drawing.columns[name] for name in names]
        files[f"{folder}/{DATA_FILE}"] = csv_file([names, *zip(*columns, strict=True)])
        data_file = {
            "name": DATA_FILE,
            "description": tree.description,
            "columns": [{"name": name, "description": descriptions[name]} for name in names],
        }
        for metadata_number, (task, text) in enumerate(results):
            query_id = number + MAX_DOMAINS * len(golds)
            metadata = {
                "id": metadata_number,
                "domain": tree.domain,
                "datasets": [data_file],
                "queries": [query(task, query_id, text)],
            }
            files[f"{folder}/metadata_{metadata_number}.json"] = json_file(metadata, indent=4)
            golds.append(GoldRow(folder, metadata_number, query_id, text.hypothesis))
    return files, golds


@scorer(metrics=[mean()], name="accepted")
def accepted() -> Scorer:
    """Share of tasks that meet the criteria; the explanation lists each rejection with its reason."""

    async def score(state: TaskState, target: Target) -> Score:
        result = store_as(GenerationState)
        count = len(result.accepted)
        lines = [f"{count} tasks were accepted."]
        if result.failure:
            lines.append(f"Failure: {result.failure}")
        for name, criterion, reason in result.rejected:
            lines.append(f"- {name}: {criterion}: {reason}")
        return Score(
            value=count / max(1, count + len(result.rejected)),
            answer=result.domain,
            explanation="\n".join(lines),
        )

    return score
