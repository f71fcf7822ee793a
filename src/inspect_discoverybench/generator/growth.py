"""Growing a semantic tree with the author, level by level (paper §4.2)."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Annotated, Any

from inspect_ai.model import Model
from pydantic import FailFast, ValidationError

from inspect_discoverybench.errors.exceptions import AuthorFailed, ReplyRejected
from inspect_discoverybench.errors.invalid_values import first_reason
from inspect_discoverybench.generator.conversation import ask
from inspect_discoverybench.generator.sampler import draw
from inspect_discoverybench.generator.set_folder import Domain, SetSettings
from inspect_discoverybench.generator.tree import Distractor, Node, Tree, Variable
from inspect_discoverybench.generator.tree_task import Rejection
from inspect_discoverybench.replies import Reply

DERIVATION_PROBABILITY = 0.6
"""Probability that a leaf is derived further (paper, footnote 6)."""

DISTRACTORS = (8, 14)
"""Range of the number of unrelated columns, so that data files have about as many columns as the released ones."""

SECOND_RECORD_PROBABILITY = 0.15
"""Probability that a column has a second record.

It is the same for all columns. So a second record does not tell an agent whether the gold hypothesis is about the
column.
"""


class Expansion(Reply):
    """The author's reply that derives a leaf from new children. An empty expression declines to derive it."""

    hypothesis: str = ""
    sub_population: str | None = None
    expression: str
    children: Annotated[tuple[Variable, ...], FailFast()] = ()

    def derivation(self) -> dict[str, Any]:
        """The fields that turn a leaf into an inner node. An empty field is left out, and so keeps its default."""
        # A `Root` has further fields, which are not part of a derivation.
        fields = self.model_dump(include=set(Expansion.model_fields))
        return {name: value for name, value in fields.items() if value}


class Root(Expansion):
    """The author's reply that starts a tree: its root, and the population that the data are about.

    Attributes:
        context: Phrase that names the population.
        rows: What each row of the data records.
        target: The root.
    """

    context: str
    rows: str
    target: Variable


class Distractors(Reply):
    """Columns that have nothing to do with the tree."""

    columns: Annotated[tuple[Variable, ...], FailFast()]


@dataclass
class Growth:
    """Grows the trees of one domain.

    Attributes:
        author: The author.
        settings: The settings of the set.
        rejections: Nodes that the author could not derive; they stay leaves.
    """

    author: Model
    settings: SetSettings
    rejections: list[Rejection] = field(default_factory=list)

    async def grow(self, domain: Domain) -> Tree:
        """Grow a tree, and add distractors and second records of columns.

        Raises:
            AuthorFailed: The author gave no valid root or distractors.
        """
        tree = await self._root(domain)
        for depth in range(1, self.settings.height):
            for leaf in self._leaves_to_derive(tree, depth):
                tree = await self._expand(tree, leaf)
        tree = await self._with_distractors(tree)
        return self._with_second_records(tree)

    async def _root(self, domain: Domain) -> Tree:
        """Ask the author for a root. A reply is accepted if its tree is valid and its expression can be evaluated."""
        values = domain.model_dump() | self._expression_values(domain.name, "root", used_names=())

        async def tree_of(reply: Root) -> Tree:
            return await self._evaluated(
                {
                    "domain": domain.name,
                    "description": reply.rows,
                    "context": reply.context.strip(" ,."),  # the phrase becomes the start of a sentence
                    "roots": [reply.target.model_dump() | reply.derivation()],
                }
            )

        return await ask(self.author, "root", values, Root, tree_of)

    def _leaves_to_derive(self, tree: Tree, depth: int) -> list[Node]:
        """Draw the leaves of a level that are to be derived.

        If none is drawn, the first leaf of the level is derived, so that the tree reaches its height.
        """
        draws = self._random(tree.domain, "derived", depth)
        leaves = []
        chosen = []
        for leaf in tree.leaves():
            if tree.depth(leaf.name) != depth:
                continue
            leaves.append(leaf)
            if draws.random() < DERIVATION_PROBABILITY:
                chosen.append(leaf)
        if not chosen:
            return leaves[:1]
        return chosen

    async def _expand(self, tree: Tree, leaf: Node) -> Tree:
        """Derive one leaf. The tree is unchanged if the author declines or fails."""
        values = {
            "name": leaf.name,
            "domain": tree.domain,
            "rows": tree.description,
            "node": leaf.model_dump(exclude_defaults=True),
            **self._expression_values(tree.domain, leaf.name, used_names=tree.names()),
        }

        async def with_derivation(reply: Expansion) -> Tree:
            if not reply.expression:  # the author declines
                return tree
            fields = tree.model_dump()
            derivation = reply.derivation()
            fields["roots"] = [_derived(root, leaf.name, derivation) for root in fields["roots"]]
            return await self._evaluated(fields)

        try:
            return await ask(self.author, "expand", values, Expansion, with_derivation)
        except AuthorFailed as error:
            self.rejections.append(Rejection(leaf.name, "expression", error.message))
            return tree

    async def _with_distractors(self, tree: Tree) -> Tree:
        """Add unrelated columns that the author proposes, without those whose names are in use."""
        used_names = tree.names()
        count = self._random(tree.domain, "distractors").randint(*DISTRACTORS)
        values = {
            "name": tree.domain,
            "rows": tree.description,
            "count": count,
            "used_names": used_names,
            "seed": self.settings.seed,  # sets with different seeds have different requests (see `ask`)
        }

        async def with_columns(reply: Distractors) -> Tree:
            distractors = {}  # by name, so that a name that the author repeats counts once
            for column in reply.columns:
                if column.name not in used_names:
                    distractors[column.name] = column.model_dump()
            if len(distractors) < count:
                raise ReplyRejected(f"expected {count} columns with new names.")
            fields = tree.model_dump()
            fields["distractors"] = list(distractors.values())[:count]
            return await self._evaluated(fields)

        return await ask(self.author, "distractors", values, Distractors, with_columns)

    def _with_second_records(self, tree: Tree) -> Tree:
        """Add second records: distractors that are less reliable copies of other columns.

        Any column may have one, a node or an unrelated distractor (see `SECOND_RECORD_PROBABILITY`).
        """
        draws = self._random(tree.domain, "copies")
        used_names = set(tree.names())
        second_records = []
        for column in tree.columns():
            name = f"{column.name[:46]}_2"  # names have at most 48 characters
            is_drawn = draws.random() < SECOND_RECORD_PROBABILITY
            if not is_drawn or name in used_names:
                continue
            used_names.add(name)
            shortened = column.description[:1_100]  # descriptions have at most 1,200 characters
            second_records.append(
                Distractor(
                    name=name,
                    description=f"{shortened} (a second, less reliable record)",
                    follows=column.name,
                    **column.model_dump(include={"type", "low", "high", "values"}),
                )
            )
        return tree.model_copy(update={"distractors": (*tree.distractors, *second_records)})

    async def _evaluated(self, fields: dict[str, Any]) -> Tree:
        """Build a tree from the fields of its JSON, and evaluate its expressions once.

        Raises:
            ReplyRejected: A field is invalid, or an expression fails.
        """
        try:
            tree = Tree.model_validate(fields)
        except ValidationError as error:
            raise ReplyRejected(first_reason(error)) from error
        await draw(self.settings, tree)  # for its error alone: without tasks, it returns no rows
        return tree

    def _expression_values(self, domain: str, node: str, used_names: Sequence[str]) -> dict[str, Any]:
        """Values for the request of an expression: two drawn workflow steps, names that are in use, and the seed."""
        steps = files(__package__).joinpath("workflows.txt").read_text("utf-8").splitlines()
        return {
            "workflow_steps": self._random(domain, node).sample(steps, 2),
            "used_names": used_names,
            "seed": self.settings.seed,  # sets with different seeds have different requests (see `ask`)
        }

    def _random(self, *key: object) -> random.Random:
        """Start a stream of random numbers for one choice, so that choices do not depend on each other."""
        parts = [str(part) for part in (self.settings.seed, *key)]
        return random.Random("/".join(parts))


def _derived(node: dict[str, Any], name: str, derivation: dict[str, Any]) -> dict[str, Any]:
    """Copy a node, and add the derivation to the node of this name at or below it."""
    if node["name"] == name:
        return node | derivation
    children = [_derived(child, name, derivation) for child in node.get("children", ())]
    return node | {"children": children}
