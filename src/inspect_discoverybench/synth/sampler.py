"""Drawing the rows of trees in the sandbox's session. Expressions never run on the host."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from inspect_discoverybench.errors import ReplyRejected, SessionFailed
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.synth.gate import Measures
from inspect_discoverybench.synth.settings import SetSettings
from inspect_discoverybench.synth.tree import Tree
from inspect_discoverybench.synth.variant import Variant

CELL_SECONDS = 120
"""Time limit of one drawing in seconds."""

OUTPUT_BYTES = 9_000_000
"""Maximum size of the drawn columns. Inspect limits the output of a command to 10 MB."""


@dataclass(frozen=True)
class Drawing:
    """The rows of a tree.

    Attributes:
        measures: Measures of each task, in the given order.
        columns: The values of every column as text, after noise; an empty text is a missing value.
        versions: Versions of Python and numpy in the sandbox.
    """

    measures: tuple[Measures, ...]
    columns: Mapping[str, Sequence[str]]
    versions: Mapping[str, str]


@dataclass
class Sampler:
    """Draws rows in the session of the running sample.

    Attributes:
        settings: Settings of the set.
    """

    settings: SetSettings
    _session: PythonSession = field(default_factory=lambda: PythonSession(CELL_SECONDS, OUTPUT_BYTES))
    _loaded: bool = False

    async def check(self, tree: Tree) -> None:
        """Evaluate all expressions of a tree.

        Raises:
            ReplyRejected: An expression fails, or its values do not vary.
            SessionFailed: The session cannot run the program.
        """
        reply = await self._draw(tree, ())
        for name, error in reply["errors"].items():
            raise ReplyRejected(f"the expression of {name} failed: {error}.")

    async def draw(self, tree: Tree, tasks: Sequence[Variant]) -> Drawing:
        """Draw the rows of a tree, and measure its tasks.

        Raises:
            ReplyRejected: An expression fails.
            SessionFailed: The session cannot run the program.
        """
        reply = await self._draw(tree, tasks)
        for name, error in reply["errors"].items():
            raise ReplyRejected(f"the expression of {name} failed: {error}.")
        measures = tuple(Measures.model_validate(part) for part in reply["measures"])
        return Drawing(measures, reply["columns"], reply.get("versions", {}))

    async def _draw(self, tree: Tree, tasks: Sequence[Variant]) -> dict[str, Any]:
        request = {
            "tree": tree.model_dump(exclude_defaults=True),
            "seed": f"{self.settings.seed}/{tree.slug}",
            "rows": self.settings.rows,
            "noise": self.settings.noise.model_dump(),
            "tasks": [
                {
                    "target": task.node.name,
                    "expression": task.expression.text,
                    "predictors": task.predictors,
                    "columns": task.columns,
                }
                for task in tasks
            ],
        }
        output = await self._run(f"draw({json.dumps(request)!r})")
        reply: dict[str, Any] = json.loads(output)
        return reply

    async def _run(self, call: str) -> str:
        if not self._loaded:
            program = files(__package__).joinpath("rows.py").read_text("utf-8")
            loaded = await self._session.run(program)
            if loaded.status != "ok":
                raise SessionFailed(f"The sandbox cannot run the generator ({loaded.status}): {loaded.output[-500:]}")
            self._loaded = True
        cell = await self._session.run(call)
        if cell.status == "ok" and not cell.restarted:
            return cell.output
        # A lost session starts again. The expression must be the cause, because the same program runs for every tree.
        self._loaded = cell.status in ("ok", "error", "interrupted") and not cell.restarted
        lines = cell.output.strip().splitlines()
        raise ReplyRejected(f"the sandbox could not draw the rows ({cell.status}): {''.join(lines[-1:])[:300]}.")
