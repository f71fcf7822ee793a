"""Growing a semantic tree with the author, level by level (paper §4.2)."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from pydantic import Field, ValidationError

from inspect_discoverybench.errors.exceptions import AuthorFailed, ReplyRejected
from inspect_discoverybench.errors.invalid_values import first_reason
from inspect_discoverybench.replies import Reply
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.sampler import draw
from inspect_discoverybench.synth.set_folder import Domain, SetSettings
from inspect_discoverybench.synth.tree import Distractor, Tree, Variable
from inspect_discoverybench.synth.tree_task import Rejection

DERIVED = 0.6
"""Probability that a leaf is derived further (paper, footnote 6)."""

DISTRACTORS = (8, 14)
"""Range of the number of unrelated columns, so that data files have about as many columns as the released ones."""

COPIED = 0.15
"""Probability that a column has a second record. It is the same for all columns, so it does not tell which are gold."""


class Expansion(Reply):
    """The hypothesis about a variable that was a leaf, and its children. An empty expression declines the expansion."""

    hypothesis: str = ""
    sub_population: str | None = None
    expression: str
    children: tuple[Variable, ...] = Field(default=(), max_length=6)

    def derivation(self) -> dict[str, Any]:
        """The fields of a node that the reply gives."""
        fields = self.model_dump(include={"hypothesis", "sub_population", "expression", "children"})
        return {name: value for name, value in fields.items() if value}


class Root(Expansion):
    """The root of a tree."""

    context: str
    rows: str
    target: Variable


class Distractors(Reply):
    """Columns that have nothing to do with the tree."""

    columns: tuple[Variable, ...]


@dataclass
class Growth:
    """Grows the trees of one domain.

    Attributes:
        author: The author.
        settings: The settings of the set.
        rejections: Nodes that the author could not derive; they stay leaves.
    """

    author: Author
    settings: SetSettings
    rejections: list[Rejection] = field(default_factory=list)

    async def grow(self, domain: Domain) -> Tree:
        """Grow a tree, and add distractors.

        Raises:
            AuthorFailed: The author gave no valid root or distractors.
        """
        tree = await self._root(domain)
        for depth in range(1, self.settings.height):
            for name in self._leaves_to_derive(tree, depth):
                tree = await self._expand(tree, name)
        return self._with_copies(await self._with_distractors(tree))

    async def _root(self, domain: Domain) -> Tree:
        async def check(reply: Root) -> Tree:
            fields = {
                "domain": domain.name,
                "description": reply.rows,
                "context": reply.context.strip().rstrip(",."),
                "roots": [reply.target.model_dump() | reply.derivation()],
            }
            return await self._checked(fields)

        values = domain.model_dump() | self._instructions(domain.name, "root", ())
        return await self.author.ask("root", values, Root, check)

    def _leaves_to_derive(self, tree: Tree, depth: int) -> list[str]:
        """The leaves of a level to derive: each with the probability of the paper, and one at least."""
        draws = self._random(tree.domain, "derived", depth)
        leaves = [node.name for node in tree.leaves() if tree.depth(node.name) == depth]
        chosen = [name for name in leaves if draws.random() < DERIVED]
        return chosen or leaves[:1]

    async def _expand(self, tree: Tree, name: str) -> Tree:
        """Derive one leaf. The tree is unchanged if the author declines or fails."""
        [leaf] = [node for node in tree.leaves() if node.name == name]

        async def check(reply: Expansion) -> Tree:
            if not reply.expression:
                return tree
            fields = tree.model_dump(exclude_defaults=True)
            fields["roots"] = [_replaced(root, name, reply.derivation()) for root in fields["roots"]]
            return await self._checked(fields)

        values = {
            "name": name,
            "domain": tree.domain,
            "rows": tree.description,
            "node": leaf.model_dump(exclude_defaults=True),
            **self._instructions(tree.domain, name, tree.names()),
        }
        try:
            return await self.author.ask("expand", values, Expansion, check)
        except AuthorFailed as error:
            self.rejections.append(Rejection(name, "expression", error.message))
            return tree

    async def _with_distractors(self, tree: Tree) -> Tree:
        """Add unrelated columns. Repeated ones are left out."""
        used_names = tree.names()
        count = self._random(tree.domain, "distractors").randint(*DISTRACTORS)

        async def check(reply: Distractors) -> Tree:
            new = {column.name: column.model_dump() for column in reply.columns if column.name not in used_names}
            if len(new) < count:
                raise ReplyRejected(f"there are {len(new)} new columns, expected {count}.")
            distractors = list(new.values())[:count]
            return await self._checked(tree.model_dump(exclude_defaults=True) | {"distractors": distractors})

        values = {
            "name": tree.domain,
            "rows": tree.description,
            "count": count,
            "used_names": used_names,
            "seed": self.settings.seed,
        }
        return await self.author.ask("distractors", values, Distractors, check)

    def _with_copies(self, tree: Tree) -> Tree:
        """Add second records of columns, whether they are nodes or not."""
        draws = self._random(tree.domain, "copies")
        used_names = tree.names()
        distractors = list(tree.distractors)
        for column in tree.columns():
            name = f"{column.name[:46]}_2"  # names have at most 48 characters
            if draws.random() < COPIED and name not in used_names:
                copy = Distractor(
                    name=name,
                    description=f"{column.description[:1_100]} (a second, less reliable record)",
                    type=column.type,
                    low=column.low,
                    high=column.high,
                    values=column.values,
                    follows=column.name,
                )
                distractors.append(copy)
        return tree.model_copy(update={"distractors": tuple(distractors)})

    async def _checked(self, fields: dict[str, Any]) -> Tree:
        """The tree with these fields, after its expressions have been evaluated.

        Raises:
            ReplyRejected: It is invalid.
        """
        try:
            tree = Tree.model_validate(fields)
        except ValidationError as error:
            raise ReplyRejected(first_reason(error)) from error
        await draw(self.settings, tree)
        return tree

    def _instructions(self, domain: str, node: str, used_names: Sequence[str]) -> dict[str, Any]:
        """The two workflow steps that are drawn for an expression, and the names that it must not use."""
        steps = files(__package__).joinpath("workflows.txt").read_text("utf-8").splitlines()
        return {
            "workflow_steps": self._random(domain, node).sample(steps, 2),
            "used_names": used_names,
            "seed": self.settings.seed,
        }

    def _random(self, *key: object) -> random.Random:
        return random.Random("/".join(map(str, (self.settings.seed, *key))))


def _replaced(node: dict[str, Any], name: str, derivation: dict[str, Any]) -> dict[str, Any]:
    """A node in which the one with this name has a derivation."""
    if node["name"] == name:
        return node | derivation
    children = [_replaced(child, name, derivation) for child in node.get("children", ())]
    return node | {"children": children}
