"""Semantic trees (paper §4.2, Figure 3): the variables of a domain and how each inner node follows from its children.

A tree is JSON, and a person can write one by hand (docs/generator.md). `Tree.model_json_schema()` is its JSON schema.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from inspect_discoverybench.dataset.stated_formula import stated_formula
from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors.exceptions import ExpressionRefused, InvalidTree
from inspect_discoverybench.errors.invalid_values import first_reason
from inspect_discoverybench.replies import Reply
from inspect_discoverybench.synth.expression import MAX_NUMBER, Expression

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,47}$")]
Text = Annotated[str, Field(min_length=3, max_length=600)]
TYPES = {
    "int": "integer",
    "float": "real",
    "number": "real",
    "numeric": "real",
    "bool": "boolean",
    "str": "category",
    "string": "category",
    "categorical": "category",
}
"""The types by their other names, as in Python, JSON and pandas."""
Kind = Annotated[
    Literal["real", "integer", "category", "boolean"],
    BeforeValidator(lambda name: TYPES.get(str(name).lower(), str(name).lower())),
]
Distribution = Literal["uniform", "normal", "skewed", "sequence"]


class Variable(Reply):
    """A variable as the author describes it.

    Attributes:
        name: Name in the data file: lower case, digits and underscores.
        description: Meaning of the values, with the unit.
        type: `real`, `integer`, `category` (strings) or `boolean`.
        low: Lower end of the range; required for a numeric column without an expression.
        high: Upper end of the range.
        values: Allowed values of a category, 2 to 12.
        distribution: How numbers are sampled: `uniform`; `normal` (mean in the middle of the range, which spans six
            standard deviations); `skewed` (towards the lower end); `sequence` (row numbers from `low` on).
    """

    model_config = ConfigDict(allow_inf_nan=False)

    name: Name
    description: Text
    type: Kind
    low: float | None = Field(default=None, ge=-MAX_NUMBER, le=MAX_NUMBER)
    high: float | None = Field(default=None, ge=-MAX_NUMBER, le=MAX_NUMBER)
    values: tuple[Annotated[str, BeforeValidator(str), Field(min_length=1, max_length=60)], ...] = ()
    distribution: Distribution = "uniform"


class TreeColumn(Variable):
    """A column: a distractor, or what a node has in common with one.

    Attributes:
        decimals: Decimals in the data file; by default those of four significant digits of the standard deviation.
        noise: Standard deviation of the noise that is added to every value; by default the noise of the set.
        missing: Share of missing values; by default that of the set.
        follows: For a distractor, the node that it is another measurement or a consequence of.
        strength: Correlation of its ranks with those of this node, before noise.
    """

    model_config = ConfigDict(extra="forbid")

    decimals: int | None = Field(default=None, ge=0, le=8)
    noise: float | None = Field(default=None, ge=0)
    missing: float | None = Field(default=None, ge=0, le=0.5)
    follows: Name | None = None
    strength: float = Field(default=0.7, ge=-0.98, le=0.98)

    @property
    def label(self) -> str:
        """The name in words."""
        return self.name.replace("_", " ")

    @property
    def sampled(self) -> bool:
        """Whether the values are sampled, not computed."""
        return getattr(self, "expression", None) is None

    @model_validator(mode="after")
    def _check_values(self) -> "TreeColumn":
        is_number, is_label = self.type in ("real", "integer"), self.type == "category"
        ends = [end for end in (self.low, self.high) if end is not None and is_number]
        needed = 1 if self.distribution == "sequence" and self.follows is None and self.low is not None else 2
        errors = {
            "a category needs 2 to 12 different values": is_label
            and not 2 <= len({*self.values}) == len(self.values) <= 12,
            f"low {self.low} must be below high {self.high}": ends != sorted({*ends}),
            "low and high of an integer must be whole numbers": self.type == "integer" and any(end % 1 for end in ends),
            f"a sampled {self.type} column needs low and high": is_number and self.sampled and len(ends) < needed,
        }
        if reasons := [reason for reason, is_wrong in errors.items() if is_wrong]:
            raise ValueError(f"{self.name}: {reasons[0]}")
        return self


class Node(TreeColumn):
    """A variable of the tree: a leaf, or an inner node with an expression over its children.

    Attributes:
        expression: Pandas expression over the children (`synth/expression.py`); None for a leaf.
        children: The columns of the expression.
        hypothesis: Gold hypothesis of path length 1; by default it is written from the expression.
        goal: Discovery goal of path length 1; by default the author writes it.
        difficulty: Difficulty of path length 1; by default it follows from path length and expression.
    """

    expression: str | None = None
    children: tuple["Node", ...] = ()
    hypothesis: Text | None = None
    goal: Text | None = None
    difficulty: int | None = Field(default=None, ge=1, le=4)

    @model_validator(mode="after")
    def _check_expression(self) -> "Node":
        if self.expression is None:
            if self.children:
                raise ValueError(f"{self.name}: a node with children needs an expression")
            return self
        try:
            used = set(self.parsed.columns)
        except ExpressionRefused as error:
            raise ValueError(f"{self.name}: {error.message}") from error
        children = {child.name for child in self.children}
        if used != children:
            uses, are = (", ".join(sorted(names)) or "none" for names in (used, children))
            raise ValueError(
                f"{self.name}: the expression uses {uses}, but the children are {are}. Use each child, and nothing else"
            )
        return self

    @cached_property
    def parsed(self) -> Expression:
        """The checked expression.

        Raises:
            ExpressionRefused: It is not on the allow-list.
        """
        return Expression.parse(self.expression or "")

    @cached_property
    def height(self) -> int:
        """Number of edges to the deepest leaf; 0 for a leaf."""
        return 1 + max(child.height for child in self.children) if self.children else 0

    @cached_property
    def names(self) -> frozenset[str]:
        """Names of the node and all nodes below it."""
        return frozenset(node.name for node in self.walk())

    def walk(self) -> Iterator["Node"]:
        """Iterate over the node and all nodes below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


class Tree(BaseModel):
    """The semantic trees of one domain, and the distractor columns beside them.

    Attributes:
        domain: Name of the domain.
        description: What each row of the data records.
        context: Phrase that starts gold hypotheses, such as "Among the hives of the Alder Valley".
        roots: One tree, or a forest.
        distractors: Columns that are unrelated to the trees.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    domain: Annotated[str, Field(min_length=3, max_length=60)]
    description: Text
    context: Annotated[str, Field(min_length=3, max_length=160)]
    roots: tuple[Node, ...] = Field(min_length=1)
    distractors: tuple[TreeColumn, ...] = ()

    @model_validator(mode="after")
    def _check_columns(self) -> "Tree":
        names = [column.name for column in self.columns()]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"the name {min(twice)} is used twice. Use a different name for each column")
        if leaves := [root.name for root in self.roots if root.sampled]:
            raise ValueError(f"{leaves[0]}: the root needs an expression and children")
        nodes = set().union(*(root.names for root in self.roots))
        for column in self.columns():
            if column.follows is not None and (column.name in nodes or column.follows not in nodes):
                raise ValueError(f"{column.name}: only a distractor can follow a column, and only one of the tree")
        # A description tells the meaning of a column, and not how it is computed.
        texts = [("rows", self.description), ("context", self.context)]
        for name, text in [*texts, *((column.name, column.description) for column in self.columns())]:
            if formula := stated_formula(text, names):
                raise ValueError(f"{name}: the description states a formula, {formula!r}. Describe the meaning")
        for node in self.nodes():
            family = (node, *node.children)
            ends = {abs(end) for one in family for end in (one.low, one.high) if end is not None}
            own = node.parsed.constants - ends - {0.0, 1.0, 100.0} if node.expression else frozenset()
            described = " ".join((self.description, self.context, *(one.description for one in family)))
            if shared := own.intersection(map(float, re.findall(r"(?<![\w.])\d+(?:\.\d+)?", described))):
                raise ValueError(f"{node.name}: a description has {min(shared):g}, a number of the expression")
        return self

    def nodes(self) -> Iterator[Node]:
        """Iterate over the nodes of all trees, parents first."""
        for root in self.roots:
            yield from root.walk()

    def columns(self) -> Iterator[TreeColumn]:
        """Iterate over all nodes, then the distractors."""
        yield from self.nodes()
        yield from self.distractors

    def level(self, name: str) -> int:
        """The level of a node: its distance from the root."""
        return sum(name in node.names for node in self.nodes()) - 1

    @classmethod
    def read(cls, path: Path) -> "Tree":
        """Read a JSON file.

        Raises:
            DataMissing: The file cannot be read.
            InvalidTree: It is not the JSON of a tree.
        """
        try:
            return cls.model_validate_json(read_text(path))
        except ValidationError as error:
            raise InvalidTree(f"{path}: {first_reason(error)}") from error
