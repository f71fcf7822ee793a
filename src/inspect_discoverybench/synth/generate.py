"""The solver and scorer of the task `synth_generate`: one sample is one domain."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import anyio
from inspect_ai.model import get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import StoreModel, store_as
from pydantic import Field

from inspect_discoverybench.errors import AuthorFailed, ReplyRejected
from inspect_discoverybench.scorer.judge import gather
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.gate import Gate, Measures, Rejection, check_measures
from inspect_discoverybench.synth.generated import DomainRecord, GeneratedTask, checksums, domain_files
from inspect_discoverybench.synth.goal import review_goal, write_goal
from inspect_discoverybench.synth.growth import Growth
from inspect_discoverybench.synth.sampler import Drawing, Sampler
from inspect_discoverybench.synth.set_folder import SetFolder
from inspect_discoverybench.synth.settings import SetSettings
from inspect_discoverybench.synth.source import DomainSource
from inspect_discoverybench.synth.tree import Tree, slug_of
from inspect_discoverybench.synth.variant import Variant, variants
from inspect_discoverybench.synth.wording import gold_hypothesis
from inspect_discoverybench.text import fold

REVIEWER = "reviewer"
"""Role of the model that decides whether goals are answerable; by default the author."""


class GenerationState(StoreModel):
    """The result of generating a domain, kept in the log."""

    domain: str = ""
    """Name of the domain."""

    accepted: list[str] = Field(default_factory=list)
    """Folders of the accepted tasks."""

    rejected: list[tuple[str, str, str]] = Field(default_factory=list)
    """Name, gate and reason of each rejected node and task."""

    failure: str = ""
    """Why the domain has no tasks; empty if it has some."""

    resumed: bool = False
    """Whether the domain was accepted in an earlier run."""

    sent_back: int = 0
    """Number of replies that were sent back."""


@solver
def generate_domain(  # inspect-evals-lint: ignore[custom_solver_tests] -- every test of synth_generate() runs it
    folder: SetFolder, settings: SetSettings, source: DomainSource
) -> Solver:
    """Generate the tasks of one domain and add them to the set.

    Args:
        folder: Folder of the set.
        settings: Settings of the set.
        source: Where the domains come from.
    """
    proposal = anyio.Lock()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        number = int(state.metadata["number"])
        result = store_as(GenerationState)
        model = get_model()
        author, reviewer = Author(model), Author(get_model(role=REVIEWER, default=model))
        try:
            async with proposal:
                domain = await source.domain(number, folder, author)
            result.domain = domain.name
            record = folder.record(slug_of(domain.name))
            result.resumed = record is not None
            if record is None:
                sampler = Sampler(settings)
                growth = Growth(author, sampler, settings)
                tree = source.trees[number] if source.trees else await growth.grow(domain)
                work = DomainWork(number, tree, author, reviewer, sampler, settings)
                record = await work.run(folder, growth.rejections, handwritten=bool(source.trees))
            _store(result, record)
        except AuthorFailed as error:
            result.failure = error.message
        result.sent_back = author.sent_back + reviewer.sent_back
        state.output.completion = _summary(result)
        return state

    return solve


@dataclass
class DomainWork:
    """Creates the tasks of one tree.

    Attributes:
        number: Number of the domain.
        tree: The tree.
        author: Writes the goals.
        reviewer: Reviews them.
        sampler: Draws the rows.
        settings: Settings of the set.
    """

    number: int
    tree: Tree
    author: Author
    reviewer: Author
    sampler: Sampler
    settings: SetSettings

    async def run(self, folder: SetFolder, earlier: Sequence[Rejection], handwritten: bool) -> DomainRecord:
        """Draw the rows, apply the gates, write goals, and add the domain to the set if a task is accepted.

        Raises:
            AuthorFailed: An expression of a hand-written tree fails.
        """
        candidates, rejected = variants(self.tree, self.settings.seed)
        try:
            drawing = await self.sampler.draw(self.tree, candidates)
        except ReplyRejected as error:
            raise AuthorFailed(error.message) from error
        tasks, more = await self._tasks(candidates, drawing)
        split = self.settings.split(self.number)
        contents, golds = domain_files(self.number, self.tree, tasks, drawing.columns, split)
        written = handwritten and all(task.variant.node.goal and task.variant.length == 1 for task in tasks)
        record = DomainRecord(
            number=self.number,
            slug=self.tree.slug,
            domain=self.tree.domain,
            split=split,
            tasks=tuple(name for name, _, _ in golds),
            golds=golds,
            measures=tuple(task.measures for task in tasks),
            rejected=tuple((one.name, one.gate.value, one.reason) for one in (*earlier, *rejected, *more)),
            sent_back=self.author.sent_back + self.reviewer.sent_back,
            author=None if written else str(self.author.model),
            reviewer=None if written else str(self.reviewer.model),
            versions=drawing.versions,
            files=checksums(contents),
        )
        if tasks:
            folder.accept(record, contents)
        return record

    async def _tasks(
        self, candidates: Sequence[Variant], drawing: Drawing
    ) -> tuple[list[GeneratedTask], list[Rejection]]:
        """The accepted tasks, and what the gates rejected."""
        rejected: list[Rejection] = []
        passed: list[tuple[Variant, Measures]] = []
        for variant, measures in zip(candidates, drawing.measures, strict=True):
            rejection = check_measures(variant.name, measures, self.settings.min_reproduction)
            if rejection:
                rejected.append(rejection)
            else:
                passed.append((variant, measures))
        results = await gather(*(self._task(variant, measures) for variant, measures in passed))
        tasks: list[GeneratedTask] = []
        for result in results:
            if isinstance(result, Rejection):
                rejected.append(result)
            elif any(fold(result.goal) == fold(task.goal) for task in tasks):
                rejected.append(Rejection(result.variant.name, Gate.DUPLICATE, "another task has the same goal"))
            else:
                tasks.append(result)
        return tasks, rejected

    async def _task(self, variant: Variant, measures: Measures) -> GeneratedTask | Rejection:
        gold = gold_hypothesis(self.tree, variant, measures.directions)
        goal = await write_goal(self.author, self.tree, variant, gold)
        if isinstance(goal, Rejection):
            return goal
        rejection = await review_goal(self.reviewer, self.tree, variant, gold, goal)
        return rejection or GeneratedTask(variant, goal, gold, measures)


def _store(result: GenerationState, record: DomainRecord) -> None:
    result.accepted = list(record.tasks)
    result.rejected = list(record.rejected)
    if not record.tasks:
        result.failure = "no task was accepted"


def _summary(result: GenerationState) -> str:
    if result.failure:
        return f"{result.domain or 'The domain'}: {result.failure}"
    state = "accepted in an earlier run" if result.resumed else "accepted"
    return f"{result.domain}: {len(result.accepted)} tasks {state}, {len(result.rejected)} nodes and tasks rejected"


@metric
def accepted_tasks() -> Metric:
    """Number of accepted tasks."""

    def count(scores: list[SampleScore]) -> float:
        return float(sum((score.score.metadata or {}).get("accepted", 0) for score in scores))

    return count


@scorer(metrics=[mean(), accepted_tasks()], name="accepted")
def accepted() -> Scorer:
    """Share of tasks that passed the quality gates; the explanation lists each rejection with its reason."""

    async def score(state: TaskState, target: Target) -> Score:
        result = store_as(GenerationState)
        tried = len(result.accepted) + len(result.rejected)
        gates = Counter(gate for _, gate, _ in result.rejected)
        lines = [
            f"{len(result.accepted)} tasks were accepted.",
            *([f"Failure: {result.failure}"] if result.failure else []),
            *(f"- {name}: {gate}: {reason}" for name, gate, reason in result.rejected),
        ]
        return Score(
            value=len(result.accepted) / tried if tried else 0.0,
            answer=result.domain,
            explanation="\n".join(lines),
            metadata={"accepted": len(result.accepted), "rejected": dict(sorted(gates.items()))},
        )

    return score
