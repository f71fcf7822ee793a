"""Growing a semantic tree with the author, level by level (paper §4.2)."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from pydantic import Field, ValidationError

from inspect_discoverybench.errors import AuthorFailed, ReplyRejected, first_reason
from inspect_discoverybench.structured_reply import Reply
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.criterion import Criterion, Rejection
from inspect_discoverybench.synth.sampler import Sampler
from inspect_discoverybench.synth.set_folder import Domain
from inspect_discoverybench.synth.tree import Distribution, Kind, Tree

EXPANDED_SHARE = 0.6
"""Share of the leaves of a level that are derived further, rounded up.

The paper derives each leaf with probability 0.6 (footnote 6), so some trees stay small by chance. With a fixed share,
every tree in which nodes have at least two children has at least 3 tasks at height 2 and 10 at height 3.
"""

WORKFLOW_STEPS = 2
"""Number of workflow steps drawn for each expression, which the author combines."""


class Variable(Reply):
    """A variable of the tree, or a distractor."""

    name: str
    description: str
    type: Kind
    low: float | None = None
    high: float | None = None
    values: tuple[str, ...] = ()
    distribution: Distribution = "uniform"


class Expansion(Reply):
    """The children of a variable that was a leaf. An empty expression declines the expansion."""

    expression: str
    children: tuple[Variable, ...] = Field(default=(), max_length=6)


class Root(Expansion):
    """The root of a tree."""

    context: str
    rows: str
    target: Variable
    distractors: tuple[Variable, ...] = ()


@dataclass
class Growth:
    """Grows the trees of one domain.

    Attributes:
        author: The author.
        sampler: Evaluates the expressions in the sandbox.
        rejections: Nodes that the author could not derive; they stay leaves.
    """

    author: Author
    sampler: Sampler
    rejections: list[Rejection] = field(default_factory=list)

    async def grow(self, domain: Domain) -> Tree:
        """Grow one tree, or a forest.

        Raises:
            AuthorFailed: The author gave no valid root.
        """
        tree = await self._root(domain, None)
        for number in range(self.sampler.settings.forest):
            if number:
                try:
                    tree = await self._root(domain, tree)
                except AuthorFailed as error:
                    self.rejections.append(Rejection("root", Criterion.EXPRESSION, error.message))
                    break
            for level in range(1, self.sampler.settings.height):
                tree = await self._expand_level(tree, level)
        return tree

    async def _root(self, domain: Domain, earlier: Tree | None) -> Tree:
        """Add a root: the first one of a new tree, or another one of the forest."""

        async def check(reply: Root) -> Tree:
            context = reply.context.strip().rstrip(",")
            fields: dict[str, Any] = {"domain": domain.name, "description": reply.rows, "context": context}
            if earlier:
                fields = earlier.model_dump(exclude_defaults=True)
            fields["roots"] = [*fields.get("roots", ()), reply.target.model_dump() | _derivation(reply)]
            distractors = [column.model_dump() for column in reply.distractors]
            fields["distractors"] = [*fields.get("distractors", ()), *distractors]
            return await self._checked(fields)

        values = {
            **domain.model_dump(),
            "workflow_steps": self._steps(domain.name, f"root {len(earlier.roots) if earlier else 0}"),
            "used_names": [column.name for column in earlier.columns()] if earlier else [],
        }
        return await self.author.ask("root", values, Root, check)

    async def _expand_level(self, tree: Tree, level: int) -> Tree:
        """Expand leaves of one level of the last root, in random order, until the share is reached or none is left."""
        root, levels = tree.roots[-1], tree.levels()
        leaves = [
            node.name
            for node in root.walk()
            if node.sampled and levels[node.name] == level and node.distribution != "sequence"
        ]
        remaining = math.ceil(EXPANDED_SHARE * len(leaves))
        random.Random(f"{self.sampler.settings.seed}/{tree.domain}/{root.name}/{level}/expansion").shuffle(leaves)
        for name in leaves:
            if remaining:
                grown = await self._expand(tree, name)
                remaining -= grown is not tree
                tree = grown
        return tree

    async def _expand(self, tree: Tree, name: str) -> Tree:
        """Derive one leaf. The tree is unchanged if the author declines or fails."""

        async def check(reply: Expansion) -> Tree:
            if not reply.expression.strip():
                return tree
            dumped = tree.model_dump(exclude_defaults=True)
            pending = [*dumped["roots"]]
            while (node := pending.pop())["name"] != name:
                pending += node.get("children", ())
            node.update(_derivation(reply))
            return await self._checked(dumped)

        leaf = next(node for node in tree.nodes() if node.name == name)
        values = {
            "name": name,
            "domain": tree.domain,
            "rows": tree.description,
            "node": leaf.model_dump(exclude_defaults=True),
            "workflow_steps": self._steps(tree.domain, name),
            "used_names": [column.name for column in tree.columns()],
        }
        try:
            return await self.author.ask("expand", values, Expansion, check)
        except AuthorFailed as error:
            self.rejections.append(Rejection(name, Criterion.EXPRESSION, error.message))
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
        await self.sampler.draw(tree)
        return tree

    def _steps(self, domain: str, node: str) -> Sequence[str]:
        lines = files(__package__).joinpath("workflows.txt").read_text("utf-8").splitlines()
        steps = [line for line in lines if line and not line.startswith("#")]
        return random.Random(f"{self.sampler.settings.seed}/{domain}/{node}/workflow").sample(steps, WORKFLOW_STEPS)


def _derivation(reply: Expansion) -> dict[str, Any]:
    return reply.model_dump(include={"expression", "children"})
