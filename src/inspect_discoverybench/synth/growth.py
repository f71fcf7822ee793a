"""Growing a semantic tree with the author, level by level (paper §4.2)."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError

from inspect_discoverybench.errors.exceptions import AuthorFailed, ReplyRejected
from inspect_discoverybench.errors.invalid_values import first_reason
from inspect_discoverybench.replies import Reply
from inspect_discoverybench.submission.answer import is_placeholder
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.sampler import draw
from inspect_discoverybench.synth.set_folder import Domain, SetSettings
from inspect_discoverybench.synth.tree import Node, Tree, Variable
from inspect_discoverybench.synth.tree_task import Rejection

COLUMNS = (26, 40)
"""Range of the number of columns of a domain. Half of the released data files have 22 to 39."""

SUB_POPULATION = 0.5
"""Probability that the root's relationship is to hold in a sub-population."""


class Expansion(Reply):
    """The children of a variable that was a leaf. An empty expression declines the expansion."""

    expression: str
    children: tuple[Variable, ...] = Field(default=(), max_length=6)


class Root(Expansion):
    """The root of a tree."""

    context: str
    rows: str
    target: Variable


class Distractor(Variable):
    """A column beside the tree: unrelated, or following one of its variables."""

    follows: str | None = None
    strength: Annotated[float, AfterValidator(lambda strength: min(0.95, max(-0.95, strength)))] = 0.7


class Distractors(Reply):
    """The further columns of a domain."""

    columns: tuple[Distractor, ...]


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
            AuthorFailed: The author gave no valid root.
        """
        tree = await self._root(domain)
        for level in range(1, self.settings.height):
            tree = await self._expand_level(tree, level)
        return await self._add_distractors(tree)

    async def _root(self, domain: Domain) -> Tree:
        async def check(reply: Root) -> Tree:
            context, root = reply.context.strip().rstrip(",."), reply.target.model_dump() | _derivation(reply)
            fields = {"domain": domain.name, "description": reply.rows, "context": context, "roots": [root]}
            return await self._checked(fields)

        return await self.author.ask(
            "root", {**domain.model_dump(), **self._drawn(domain.name, "root", ())}, Root, check
        )

    async def _expand_level(self, tree: Tree, level: int) -> Tree:
        """Derive the first leaf of a level that the author does not decline.

        The paper derives each leaf with probability 0.6 (footnote 6). The released trees have about one inner node per
        level, and their difficulties follow from that. Children are in the order of their importance.
        """
        for leaf in tree.nodes():
            if leaf.sampled and tree.level(leaf.name) == level and leaf.distribution != "sequence":
                grown = await self._expand(tree, leaf)
                if grown is not tree:
                    return grown
        return tree

    async def _expand(self, tree: Tree, leaf: Node) -> Tree:
        """Derive one leaf. The tree is unchanged if the author declines or fails."""

        async def check(reply: Expansion) -> Tree:
            if is_placeholder(reply.expression):
                return tree
            dumped = tree.model_dump(exclude_defaults=True)
            pending = [*dumped["roots"]]
            while (node := pending.pop())["name"] != leaf.name:
                pending += node.get("children", ())
            node.update(_derivation(reply))
            return await self._checked(dumped)

        values = {
            "name": leaf.name,
            "domain": tree.domain,
            "rows": tree.description,
            "node": leaf.model_dump(exclude_defaults=True),
            **self._drawn(tree.domain, leaf.name, [column.name for column in tree.columns()]),
        }
        try:
            return await self.author.ask("expand", values, Expansion, check)
        except AuthorFailed as error:
            self.rejections.append(Rejection(leaf.name, "expression", error.message))
            return tree

    async def _add_distractors(self, tree: Tree) -> Tree:
        """Add columns that follow variables of the tree, and unrelated ones. Repeated ones are left out."""
        names = {column.name for column in tree.columns()}
        count = self._random(tree.domain, "columns").randint(*COLUMNS) - len(names)

        async def check(reply: Distractors) -> Tree:
            given = {column.name: column.model_dump() for column in reply.columns if column.name not in names}
            columns = [
                {**column, "follows": column["follows"] if column["follows"] in names else None}
                for column in [*given.values()][:count]
            ]
            following = [column["follows"] for column in columns if column["follows"]]
            # The tasks of a variable leave out what follows it.
            most = max(map(following.count, following), default=0)
            if len(columns) < count / 2 or len(following) < len(columns) / 4 or most > len(columns) / 3:
                reason = f"there are {len(columns)} new columns, {len(following)} follow a variable, {most} the same."
                raise ReplyRejected(f"{reason} Expected: {count}, about half of which follow different variables.")
            return await self._checked(tree.model_dump(exclude_defaults=True) | {"distractors": columns})

        values = {
            "name": tree.domain,
            "rows": tree.description,
            "count": count,
            "variables": [node.model_dump(include={"name", "description"}) for node in tree.nodes()],
            "seed": self.settings.seed,
        }
        try:
            return await self.author.ask("distractors", values, Distractors, check) if count > 0 else tree
        except AuthorFailed as error:
            self.rejections.append(Rejection("distractors", "distractors", error.message))
            return tree

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

    def _drawn(self, domain: str, node: str, used_names: Sequence[str]) -> Mapping[str, Any]:
        """What is drawn for one expression, such as the two workflow steps, and the names that it must not use."""
        lines = files(__package__).joinpath("workflows.txt").read_text("utf-8").splitlines()
        steps, random = [line for line in lines if line and not line.startswith("#")], self._random(domain, node)
        return {
            "workflow_steps": random.sample(steps, 2),
            "sub_population": node == "root" and random.random() < SUB_POPULATION,
            "used_names": used_names,
            "seed": self.settings.seed,
        }

    def _random(self, *key: str) -> random.Random:
        return random.Random("/".join(map(str, (self.settings.seed, *key))))


def _derivation(reply: Expansion) -> dict[str, Any]:
    """The expression, and the children that it uses."""
    children = [
        child.model_dump() for child in reply.children if re.search(rf"\b{re.escape(child.name)}\b", reply.expression)
    ]
    return {"expression": reply.expression, "children": children}
