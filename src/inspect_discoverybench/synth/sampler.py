"""Drawing the rows of trees in the sandbox's session. Expressions never run on the host."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files

from inspect_discoverybench.dataset.synth_folder import slug_of
from inspect_discoverybench.errors.exceptions import ReplyRejected, SessionFailed
from inspect_discoverybench.replies import Reply, parse_reply
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.synth.set_folder import SetSettings
from inspect_discoverybench.synth.tree import Tree
from inspect_discoverybench.synth.tree_task import Rejection, TreeTask

CELL_SECONDS = 120
"""Time limit of one drawing in seconds."""

OUTPUT_BYTES = 9_000_000
"""Maximum size of the drawn columns. Inspect limits the output of a command to 10 MB."""

MIN_LOST = 0.01
"""Minimum loss on held-out rows without a variable of the hypothesis, in standard deviations of the target."""

MIN_STANDARD_ERRORS = 3.0
"""Minimum of this loss in standard errors."""


class Case(Reply):
    """How the gold expression depends on a column, in some rows.

    Attributes:
        where: The labels of the partner in these rows, or `low` or `high` for a number.
        shape: `rises`, `falls`, `peaks` or `dips`; `varies` if it is none of them; empty if the result does not change.
        form: For a number that `rises` or `falls`: the function, or `step`, `steeper`, `flatter` or `other`.
        size: The change of the mean.
    """

    where: tuple[str, ...] = ()
    shape: str = "varies"
    form: str = ""
    size: float = 0.0


class Effect(Reply):
    """How the gold expression depends on one column, the others being as they are.

    Attributes:
        cases: What holds for nearly all rows: one case, or one for each kind of rows.
        labels: For a category, the labels with the lowest and the highest result.
        partner: The column on which the effect depends most; empty if there is none.
        interaction: Whether the size of the effect `grows`, `shrinks` or `changes` with the partner; else empty.
    """

    cases: tuple[Case, ...] = (Case(),)
    labels: tuple[str, ...] = ()
    partner: str = ""
    interaction: str = ""


class Measures(Reply):
    """Measures of a task in the sandbox.

    Attributes:
        lost: For each part of the hypothesis and each of its columns, what held-out rows lose without the column, in
            standard deviations of the target and in standard errors.
        effects: For each part, the effects of its columns.
        outcome: For a target of labels, the most common one, whose chance has the effects; else empty.
    """

    lost: tuple[Mapping[str, tuple[float, float]], ...]
    effects: tuple[Mapping[str, Effect], ...]
    outcome: str

    def rejection(self, name: str) -> Rejection | None:
        """Why the task of this name is rejected; None if each variable of its hypothesis counts."""
        for part in self.lost:
            for column, (lost, errors) in part.items():
                if lost < MIN_LOST or errors < MIN_STANDARD_ERRORS:
                    loss = f"{lost:.1%} on held-out rows ({errors:.1f} errors)"
                    return Rejection(name, "variables", f"without {column}, a fit is worse by only {loss}")
        return None


class Drawing(Reply):
    """The rows of a tree; empty if no task was given.

    Attributes:
        error: Why an expression failed; empty if none did.
        measures: Measures of each task, in the given order.
        columns: The values of every column as text, after noise; an empty text is a missing value.
        versions: Versions of Python and numpy in the sandbox.
    """

    error: str = ""
    measures: tuple[Measures, ...] = ()
    columns: Mapping[str, Sequence[str]] = {}
    versions: Mapping[str, str] = {}


async def draw(settings: SetSettings, tree: Tree, tasks: Sequence[TreeTask] = ()) -> Drawing:
    """Evaluate all expressions of a tree in the sample's session. If there are tasks, draw its rows and measure them.

    Raises:
        ReplyRejected: An expression fails, or its values do not vary.
        SessionFailed: The session cannot run the program.
    """
    request = {
        "tree": tree.model_dump(exclude_defaults=True),
        "seed": f"{settings.seed}/{slug_of(tree.domain)}",
        "settings": settings.model_dump(),
        "tasks": [{"target": task.node.name, "parts": [part._asdict() for part in task.parts]} for task in tasks],
    }
    program = files(__package__).joinpath("rows.py").read_text("utf-8")
    cell = await PythonSession(CELL_SECONDS, OUTPUT_BYTES).run(f"{program}\ndraw({json.dumps(request)!r})")
    if cell.status == "error":
        raise SessionFailed(f"The sandbox cannot run the generator: {cell.output[-500:]}")
    if cell.status != "ok":
        raise ReplyRejected(f"the sandbox could not draw the rows ({cell.status}): {cell.output.strip()[-300:]}.")
    drawing = parse_reply(cell.output, Drawing)
    if drawing.error:
        raise ReplyRejected(f"{drawing.error}.")
    return drawing
