"""Fresh rows of a generated task: drawn from its semantic tree after the submission, so nobody has seen them."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from inspect_discoverybench.dataset.metadata import Study
from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.dataset.studies import absolute
from inspect_discoverybench.errors import InvalidArgument, SessionFailed
from inspect_discoverybench.shipped import shipped
from inspect_discoverybench.synth.execution import execute
from inspect_discoverybench.synth.expression import Expression
from inspect_discoverybench.synth.generated import METADATA_FILE
from inspect_discoverybench.synth.settings import Noise, SetSettings
from inspect_discoverybench.synth.skill import Value
from inspect_discoverybench.synth.tree import Column, Tree, slug_of

ROWS = 1_000
"""Number of fresh rows. Rows with a missing value are left out."""

DRAW_SECONDS = 60


@dataclass(frozen=True)
class FreshRows:
    """Fresh rows without missing values.

    Attributes:
        columns: The observed columns, without the target.
        target: The values of the target.
        gold: What the gold expression gives.
    """

    columns: Mapping[str, Sequence[Value]]
    target: Sequence[Value]
    gold: Sequence[Value]


@dataclass(frozen=True)
class FreshTask:
    """A generated task from which fresh rows can be drawn.

    Attributes:
        tree: Its semantic tree.
        noise: Noise of its set.
        target: The target.
        expression: The gold expression.
        columns: The columns of its data file, without the target.
    """

    tree: Tree
    noise: Noise
    target: Column
    expression: Expression
    columns: tuple[str, ...]

    @classmethod
    def of(cls, metadata: SampleMetadata, path: Path | None) -> "FreshTask":
        """Find the tree of a sample.

        Args:
            metadata: Metadata of the sample.
            path: Folder of the generated set or of one of its splits; None for the demo.

        Raises:
            InvalidArgument: The folder has no tree for the sample.
            DataError: A file of the set cannot be read.
            InvalidTree: A tree is invalid.
        """
        trees, noise, tasks = _set_of(path and absolute(path))
        slug = metadata.dataset.rsplit("_", 2)[0]
        tree = trees.get(slug)
        file = tasks / metadata.dataset / METADATA_FILE
        if tree is None or not file.is_file():
            raise InvalidArgument(
                f"The sample {metadata.dataset} is not in the set {path or 'of the demo'}. Pass the path of its set, "
                "which discoverybench/synth_generate made."
            )
        goal = json.loads(file.read_text("utf-8"))["queries"][0]
        [data_file] = Study.read(file).data_files
        named = {column.name: column for column in tree.columns()}
        columns = tuple(column.name for column in data_file.columns if column.name != goal["target_col"])
        if {goal["target_col"], *columns} - set(named):
            raise InvalidArgument(f"{file} has columns that its tree does not have. Generate the set again.")
        return cls(tree, noise, named[goal["target_col"]], Expression.parse(goal["true_hypothesis_expr"]), columns)

    async def draw(self) -> FreshRows:
        """Draw the rows in a process of the sandbox. No file there holds them.

        Raises:
            SessionFailed: The sandbox cannot draw them.
        """
        request = {
            "tree": self.tree.model_dump(exclude_defaults=True),
            "seed": secrets.token_hex(16),
            "rows": ROWS,
            "noise": self.noise.model_dump(),
            "target": self.target.name,
            "expression": self.expression.text,
            "columns": self.columns,
        }
        program = files(__package__).joinpath("rows.py").read_text("utf-8")
        run = await execute(f"{program}\ndraw_fresh(sys.stdin.read())\n", json.dumps(request), DRAW_SECONDS)
        if run.failure:
            raise SessionFailed(f"The sandbox cannot draw fresh rows: {run.failure}.")
        return FreshRows(**json.loads(run.output))


@lru_cache(maxsize=8)
def _set_of(path: Path | None) -> tuple[Mapping[str, Tree], Noise, Path]:
    """The trees of a set by slug, its noise, and the folder of its tasks."""
    if path is None:
        demo = absolute(Path(str(files("inspect_discoverybench.dataset").joinpath("demo"))))
        return _trees(shipped("examples/trees")), Noise(share=0.0, missing=0.0), demo
    tasks = path
    root = next((folder for folder in (tasks, tasks.parent) if (folder / "trees").is_dir()), None)
    if root is None or not (root / "settings.json").is_file():
        raise InvalidArgument(
            f"{tasks} has no semantic trees. Predictions can be scored only in sets of discoverybench/synth_generate."
        )
    settings: dict[str, Any] = json.loads((root / "settings.json").read_text("utf-8"))
    return _trees(root / "trees"), SetSettings.model_validate(settings).noise, tasks


def _trees(folder: Path) -> Mapping[str, Tree]:
    trees = map(Tree.read, sorted(folder.glob("*.json")))
    return {slug_of(tree.domain): tree for tree in trees}
