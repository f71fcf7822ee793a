"""Growing a semantic tree with the author, level by level (paper §4.2)."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from pydantic import ValidationError

from inspect_discoverybench.errors import AuthorFailed, ReplyRejected
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.gate import Gate, Rejection
from inspect_discoverybench.synth.replies import Domain, Expansion, Root, Variable
from inspect_discoverybench.synth.sampler import Sampler
from inspect_discoverybench.synth.settings import SetSettings
from inspect_discoverybench.synth.tree import Tree, first_error

EXPANDED_SHARE = 0.6
"""Share of the leaves of a level that are derived further, rounded up.

The paper derives each leaf with probability 0.6 (footnote 6), so some trees stay small by chance. With a fixed share,
every tree in which nodes have at least two children has at least 3 tasks at height 2 and 10 at height 3.
"""

WORKFLOW_STEPS = 2
"""Number of workflow steps drawn for each expression, which the author combines."""


@cache
def workflow_steps() -> tuple[str, ...]:
    """The pool of workflow steps."""
    lines = files(__package__).joinpath("workflows.txt").read_text("utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


@dataclass
class Growth:
    """Grows the trees of one domain.

    Attributes:
        author: The author.
        sampler: Evaluates the expressions in the sandbox.
        settings: Settings of the set.
        rejections: Nodes that the author could not derive; they stay leaves.
    """

    author: Author
    sampler: Sampler
    settings: SetSettings
    rejections: list[Rejection] = field(default_factory=list)

    async def grow(self, domain: Domain) -> Tree:
        """Grow one tree, or a forest.

        Raises:
            AuthorFailed: The author gave no valid root.
        """
        tree: Tree | None = None
        for _ in range(self.settings.forest):
            try:
                tree = await self._root(domain, tree)
            except AuthorFailed as error:
                if tree is None:
                    raise
                self.rejections.append(Rejection("root", Gate.EXPRESSION, error.message))
                break
            root = tree.roots[-1].name
            for level in range(1, self.settings.height):
                tree = await self._expand_level(tree, root, level)
        assert tree is not None  # a forest has at least one tree
        return tree

    async def _root(self, domain: Domain, earlier: Tree | None) -> Tree:
        async def check(reply: Root) -> Tree:
            fields = {**_fields(reply.target), "expression": reply.expression}
            root = {**fields, "children": [_fields(child) for child in reply.children]}
            dumped: dict[str, Any] = earlier.model_dump(exclude_defaults=True) if earlier else {}
            tree = _validated(
                {
                    "domain": domain.name,
                    "description": reply.rows,
                    "context": reply.context.strip().rstrip(","),
                    **{name: dumped[name] for name in ("description", "context") if name in dumped},
                    "roots": [*dumped.get("roots", ()), root],
                    "distractors": [*dumped.get("distractors", ()), *map(_fields, reply.distractors)],
                }
            )
            await self.sampler.check(tree)
            return tree

        number = len(earlier.roots) if earlier else 0
        values = {
            **domain.model_dump(),
            "workflow_steps": self._steps(domain.name, f"root {number}"),
            "used_names": [column.name for column in earlier.columns()] if earlier else [],
        }
        return await self.author.ask("root", values, Root, check)

    async def _expand_level(self, tree: Tree, root: str, level: int) -> Tree:
        """Expand leaves of one level in random order, until the share is reached or the author declines the rest."""
        leaves = [
            node.name
            for node in next(part for part in tree.roots if part.name == root).walk()
            if node.expression is None and tree.levels()[node.name] == level and node.distribution != "sequence"
        ]
        remaining = math.ceil(EXPANDED_SHARE * len(leaves))
        random.Random(f"{self.settings.seed}/{tree.domain}/{root}/{level}/expansion").shuffle(leaves)
        for name in leaves:
            if not remaining:
                break
            grown = await self._expand(tree, name)
            remaining -= grown is not tree
            tree = grown
        return tree

    async def _expand(self, tree: Tree, name: str) -> Tree:
        """Derive one leaf. The tree is unchanged if the author declines or fails."""

        async def check(reply: Expansion) -> Tree:
            if not reply.expression.strip():
                return tree
            expansion = {"expression": reply.expression, "children": [_fields(child) for child in reply.children]}
            grown = _validated(_with_fields(tree.model_dump(exclude_defaults=True), name, expansion))
            await self.sampler.check(grown)
            return grown

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
            self.rejections.append(Rejection(name, Gate.EXPRESSION, error.message))
            return tree

    def _steps(self, domain: str, node: str) -> Sequence[str]:
        chance = random.Random(f"{self.settings.seed}/{domain}/{node}/workflow")
        return chance.sample(workflow_steps(), WORKFLOW_STEPS)


def _fields(variable: Variable) -> dict[str, Any]:
    """The fields of a column, except those that do not apply to its type."""
    fields = variable.fields()
    if variable.type not in ("real", "integer"):
        fields |= {"low": None, "high": None}
    if variable.type != "category":
        fields["values"] = ()
    return fields


def _validated(fields: dict[str, Any]) -> Tree:
    try:
        return Tree.model_validate(fields)
    except ValidationError as error:
        raise ReplyRejected(first_error(error)) from error


def _with_fields(tree: dict[str, Any], name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Add fields to the node of this name."""

    def changed(node: dict[str, Any]) -> dict[str, Any]:
        if node["name"] == name:
            return {**node, **fields}
        return {**node, "children": [changed(child) for child in node["children"]]} if "children" in node else node

    return {**tree, "roots": [changed(root) for root in tree["roots"]]}
