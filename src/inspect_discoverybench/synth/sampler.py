"""Drawing the rows of trees in the sandbox's session. Expressions never run on the host."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from inspect_discoverybench.errors import ReplyRejected, SessionFailed
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.synth.criterion import Measures
from inspect_discoverybench.synth.set_settings import SetSettings
from inspect_discoverybench.synth.tree import Tree, slug_of
from inspect_discoverybench.synth.tree_task import TreeTask

CELL_SECONDS = 120
"""Time limit of one drawing in seconds."""

OUTPUT_BYTES = 9_000_000
"""Maximum size of the drawn columns. Inspect limits the output of a command to 10 MB."""


class Drawing(BaseModel):
    """The rows of a tree; empty if no task was given.

    Attributes:
        error: Why an expression failed; empty if none did.
        measures: Measures of each task, in the given order.
        columns: The values of every column as text, after noise; an empty text is a missing value.
        versions: Versions of Python and numpy in the sandbox.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    error: str = ""
    measures: tuple[Measures, ...] = ()
    columns: Mapping[str, Sequence[str]] = {}
    versions: Mapping[str, str] = {}


@dataclass
class Sampler:
    """Draws the rows of a set in the session of the running sample."""

    settings: SetSettings
    _session: PythonSession = field(default_factory=lambda: PythonSession(CELL_SECONDS, OUTPUT_BYTES))
    _loaded: bool = False

    async def draw(self, tree: Tree, tasks: Sequence[TreeTask] = ()) -> Drawing:
        """Evaluate all expressions of a tree. If there are tasks, draw its rows and measure them.

        Raises:
            ReplyRejected: An expression fails, or its values do not vary.
            SessionFailed: The session cannot run the program.
        """
        request = {
            "tree": tree.model_dump(exclude_defaults=True),
            "seed": f"{self.settings.seed}/{slug_of(tree.domain)}",
            "settings": self.settings.model_dump(),
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
        drawing = Drawing.model_validate_json(await self._run(f"draw({json.dumps(request)!r})"))
        if drawing.error:
            raise ReplyRejected(f"{drawing.error}.")
        return drawing

    async def _run(self, call: str) -> str:
        if not self._loaded:
            loaded = await self._session.run(files(__package__).joinpath("rows.py").read_text("utf-8"))
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
