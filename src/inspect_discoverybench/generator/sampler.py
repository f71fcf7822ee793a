"""Drawing the rows of trees in the sandbox's session. Expressions never run on the host."""

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from math import isnan

from inspect_discoverybench.dataset.synth_folder import slug_of
from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, ReplyRejected
from inspect_discoverybench.generator.set_folder import SetSettings
from inspect_discoverybench.generator.tree import Tree
from inspect_discoverybench.generator.tree_task import Rejection, TreeTask
from inspect_discoverybench.replies import Reply, parse_reply
from inspect_discoverybench.session.session import PythonSession

CELL_SECONDS = 120
"""Time limit of one drawing in seconds."""

OUTPUT_BYTES = 9_000_000
"""Maximum size of the drawn columns. Inspect limits the output of a command to 10 MB."""

MIN_LOSS = 0.02
"""Minimum loss of a variable, as `Measures` defines it. A task is rejected if one of its variables has a smaller loss.

At the default noise, a variable has a smaller loss if it explains less than about 1 % of the target's variance.
"""


class Measures(Reply):
    """Measures of a task in the sandbox.

    Attributes:
        losses: For each column of the expression, by how much the error of the prediction grows if the values of this
            column are shuffled. The unit is the error of always predicting the target's median, or its most common
            label.
        table: The target in groups of rows, by title, column and group. There is one title, which says what the numbers
            are: the mean of the target, or the share of its most common label. The groups of a column are its values,
            or fifths of its rows if it has many different numbers.
    """

    losses: Mapping[str, float]
    table: Mapping[str, Mapping[str, Mapping[str, float]]]

    def rejection(self, name: str) -> Rejection | None:
        """Reject the task of this name if a variable of its expression does not matter; None if all do."""
        for column, loss in self.losses.items():
            if isnan(loss):
                reason = f"with shuffled values of {column}, the expression has no finite values"
                return Rejection(name, "variables", reason)
            if loss < MIN_LOSS:
                return Rejection(name, "variables", f"without {column}, the prediction is worse by only {loss:.1%}")
        return None


class Drawing(Reply):
    """The rows of a tree; empty if no task was given.

    Attributes:
        error: Why an expression failed, if one did.
        measures: Measures of each task, in the given order.
        columns: The values of every column as text, after noise; an empty text is a missing value.
    """

    error: str | None = None
    measures: tuple[Measures, ...] = ()
    columns: Mapping[str, Sequence[str]] = {}


async def draw(settings: SetSettings, tree: Tree, tasks: Sequence[TreeTask] = ()) -> Drawing:
    """Evaluate all expressions of a tree in the sample's session. If there are tasks, draw rows and measure the tasks.

    Raises:
        ReplyRejected: An expression fails, needs too much time or memory, or its values do not vary.
        DiscoveryBenchError: The session cannot run the program.
    """
    measured_tasks = [
        {"target": task.node.name, "expression": task.expression.text, "columns": task.expression.columns}
        for task in tasks
    ]
    request = {
        "tree": tree.model_dump(exclude_defaults=True),
        "seed": f"{settings.seed}/{slug_of(tree.domain)}",
        "settings": settings.model_dump(),
        "tasks": measured_tasks,
    }
    program = files(__package__).joinpath("rows.py").read_text("utf-8")
    text = json.dumps(request)
    cell = await PythonSession(CELL_SECONDS, OUTPUT_BYTES).run(f"{program}\ndraw({text!r})")
    # The program catches the errors of expressions. Any other exception is a fault of the sandbox or of the program.
    if cell.status == "error":
        end_of_traceback = cell.output[-500:]
        raise DiscoveryBenchError(f"The sandbox cannot run the generator: {end_of_traceback}")
    # The cell was interrupted, or its process ended: an expression may need too much time or memory.
    if cell.status != "ok":
        raise ReplyRejected(f"the sandbox could not draw the rows ({cell.status}).")
    drawing = parse_reply(cell.output, Drawing, OUTPUT_BYTES)
    if drawing.error is not None:
        raise ReplyRejected(f"{drawing.error}.")
    return drawing
