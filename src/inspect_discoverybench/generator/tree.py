"""Semantic trees (paper §4.2, Figure 3): the variables of a domain and how each inner node follows from its children.

A tree is JSON, and a person can write one by hand (docs/generator.md). `Tree.model_json_schema()` is its JSON schema.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from inspect_discoverybench.dataset.text_file import read_text
from inspect_discoverybench.errors.exceptions import DataError, ExpressionRefused
from inspect_discoverybench.errors.invalid_values import first_reason
from inspect_discoverybench.generator.expression import Expression
from inspect_discoverybench.json_text import load_json
from inspect_discoverybench.replies import Reply

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,47}$")]
Text = Annotated[str, Field(min_length=3, max_length=1_200)]
Label = Annotated[str, BeforeValidator(str), Field(min_length=1, max_length=60)]
"""A value of a category. If the author writes a number or a boolean, the label is its text."""


class Variable(Reply):
    """A variable as the author describes it.

    Attributes:
        name: Name in the data file: lower case, digits and underscores.
        description: Meaning of the values, with the unit.
        type: `real`, `integer`, `category` (strings) or `boolean`.
        low: Lower end of the range; required for a numeric column without an expression, unless it is a second record.
        high: Upper end of the range.
        values: Allowed values of a category, 2 to 12.
        distribution: How numbers are sampled: `normal` with the mean in the middle of the range, which spans six
            standard deviations; `uniform` or None with equal chances over the range.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    name: Name
    description: Text
    type: Literal["real", "integer", "category", "boolean"]
    low: float | None = None
    high: float | None = None
    values: tuple[Label, ...] | None = None
    distribution: Literal["uniform", "normal"] | None = None

    @model_validator(mode="after")
    def _check_values(self) -> "Variable":
        if self.type == "category":
            labels = self.values or ()
            has_duplicates = len(set(labels)) < len(labels)
            if has_duplicates or not 2 <= len(labels) <= 12:
                raise ValueError("a category needs 2 to 12 different values")

        # A range is optional here. `Tree` requires one for the columns of numbers that are sampled.
        if self.is_number and self.low is not None and self.high is not None:
            self._check_range(self.low, self.high)
        return self

    def _check_range(self, low: float, high: float) -> None:
        if low >= high:
            raise ValueError(f"low {low} must be below high {high}")
        if self.type == "integer" and not (low.is_integer() and high.is_integer()):
            raise ValueError("low and high of an integer must be whole numbers")

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers."""
        return self.type in ("real", "integer")


class Distractor(Variable):
    """A column beside the trees.

    Attributes:
        follows: The column that it is a second, less reliable record of; None if it is unrelated to all others.
    """

    model_config = ConfigDict(extra="forbid")

    follows: Name | None = None


class Node(Variable):
    """A variable of the tree: a leaf, or an inner node with an expression over its children.

    Attributes:
        expression: Pandas expression over the children (`generator/expression.py`); None for a leaf.
        children: The columns of the expression.
        hypothesis: What the expression says, in words: a draft for the author, who writes the gold hypotheses. If the
            node has a goal, this text is the gold hypothesis of path length 1.
        sub_population: Phrase for the rows in which the hypothesis holds; None if it holds in all rows.
        goal: Discovery goal of path length 1; None if the author is to write it.
    """

    model_config = ConfigDict(extra="forbid")

    expression: str | None = None
    children: tuple["Node", ...] = ()
    hypothesis: Text | None = None
    sub_population: Text | None = None
    goal: Text | None = None

    @property
    def is_computed(self) -> bool:
        """Whether an expression gives the values."""
        return self.expression is not None

    @model_validator(mode="after")
    def _check_goal(self) -> "Node":
        if self.goal is not None and self.hypothesis is None:
            raise ValueError("a goal needs the hypothesis that answers it")
        return self

    @model_validator(mode="after")
    def _check_expression(self) -> "Node":
        if self.expression is None:
            if self.children:
                raise ValueError("a node with children needs an expression")
            return self

        try:
            columns = self.parsed.columns
        except ExpressionRefused as error:
            raise ValueError(error.message) from error
        children = {child.name for child in self.children}
        unmatched = children.symmetric_difference(columns)
        if unmatched:
            names = ", ".join(sorted(unmatched))
            raise ValueError(f"{names} must be a child and a column of the expression, or neither")
        return self

    @cached_property
    def parsed(self) -> Expression:
        """The expression, checked against the allow-list.

        Raises:
            ExpressionRefused: It has a part that is not allowed, or the node is a leaf.
        """
        return Expression.parse(self.expression or "")  # the empty text of a leaf is refused

    @cached_property
    def height(self) -> int:
        """Number of edges to the deepest leaf; 0 for a leaf."""
        return max((child.height + 1 for child in self.children), default=0)

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
        distractors: Columns that are unrelated to the trees, and second records of columns.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    domain: Annotated[str, Field(min_length=3, max_length=60)]
    description: Text
    context: Annotated[str, Field(min_length=3, max_length=160)]
    roots: tuple[Node, ...] = Field(min_length=1)
    distractors: tuple[Distractor, ...] = ()

    @model_validator(mode="after")
    def _check_columns(self) -> "Tree":
        [(name, uses)] = Counter(self.names()).most_common(1)
        if uses > 1:
            raise ValueError(f"the name {name} is used twice. Use a different name for each column")
        for root in self.roots:
            if not root.is_computed:
                raise ValueError(f"{root.name}: the root needs an expression and children")
        # A second record needs no range, because its values are those of another column.
        unrelated = [column for column in self.distractors if column.follows is None]
        for column in (*self.leaves(), *unrelated):
            if column.is_number and (column.low is None or column.high is None):
                raise ValueError(f"{column.name}: a sampled {column.type} column needs low and high")
        self._check_originals()
        return self

    def _check_originals(self) -> None:
        """Check that each second record follows a column that is drawn before it and is no second record itself."""
        # All nodes are drawn first, and then the distractors in their order.
        originals = {node.name for node in self.nodes()}
        for column in self.distractors:
            if column.follows is None:
                originals.add(column.name)
            elif column.follows not in originals:
                raise ValueError(
                    f"{column.name}: {column.follows} is not a column that it can follow. Name a node, or a distractor "
                    "before it that follows none"
                )

    def nodes(self) -> Iterator[Node]:
        """Iterate over the nodes of all trees, parents first."""
        for root in self.roots:
            yield from root.walk()

    def columns(self) -> Iterator[Variable]:
        """Iterate over all nodes, then the distractors."""
        yield from self.nodes()
        yield from self.distractors

    def leaves(self) -> list[Node]:
        """The nodes without an expression."""
        return [node for node in self.nodes() if not node.is_computed]

    def names(self) -> list[str]:
        """Names of all nodes and distractors."""
        return [column.name for column in self.columns()]

    def descriptions(self) -> dict[str, str]:
        """Descriptions of all nodes and distractors by name."""
        return {column.name: column.description for column in self.columns()}

    def depth(self, name: str) -> int:
        """Number of edges from the root to a node."""
        node_and_ancestors = [node for node in self.nodes() if name in node.names]
        return len(node_and_ancestors) - 1

    @classmethod
    def read(cls, path: Path) -> "Tree":
        """Read a JSON file.

        Raises:
            DataError: The file cannot be read, or is not the JSON of a tree.
        """
        try:
            content = load_json(read_text(path))
            return cls.model_validate(content)
        except ValidationError as error:
            raise DataError(f"{path}: {first_reason(error)}") from error
        except ValueError as error:
            raise DataError(f"{path}: {error}.") from error
