"""The formaliser: the model that writes `predict(frame)` from a hypothesis, without the data or the conversation."""

import ast
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from inspect_ai.model import Model

from inspect_discoverybench.dataset.samples import SampleMetadata
from inspect_discoverybench.errors import ReplyRejected
from inspect_discoverybench.scorer.reply import Reply
from inspect_discoverybench.synth.author import Author
from inspect_discoverybench.synth.execution import execute
from inspect_discoverybench.synth.fresh import FreshRows, FreshTask
from inspect_discoverybench.synth.skill import Value

PREDICT_SECONDS = 30
MAX_CHARACTERS = 10_000
MODULES = ("numpy", "pandas", "math")
REFUSED_NAMES = {
    *("open", "input", "eval", "exec", "compile", "globals", "locals", "vars", "getattr", "setattr", "delattr"),
    *("breakpoint", "help", "exit", "quit", "memoryview", "type", "object", "super"),
}
REFUSED_ATTRIBUTES = {
    *("os", "sys", "io", "ctypes", "ctypeslib", "lib", "core", "testing", "compat", "builtins", "subprocess"),
    *("load", "loadtxt", "genfromtxt", "fromregex", "fromfile", "memmap", "save", "savez", "savetxt", "tofile"),
    *("DataSource", "HDFStore", "ExcelFile", "ExcelWriter", "eval", "query", "format", "format_map"),
    *("gi_frame", "tb_frame", "f_globals", "f_builtins", "f_back"),
}


class Formalisation(Reply):
    """The reply of the formaliser."""

    computable: bool
    reason: str = ""
    level_stated: bool = True
    code: str = ""


@dataclass(frozen=True)
class Prediction:
    """The predictions of a hypothesis on fresh rows.

    Attributes:
        values: One value per row; empty if the hypothesis has no computable claim.
        code: The function.
        level_stated: Whether the hypothesis states the level of the target.
        reason: Why there are no values.
    """

    values: Sequence[Value]
    code: str = ""
    level_stated: bool = True
    reason: str = ""


async def formalise(
    model: Model, hypothesis: str, metadata: SampleMetadata, task: FreshTask, fresh: FreshRows
) -> Prediction:
    """Ask the formaliser for the function and run it on fresh rows; invalid code is sent back at most three times.

    Raises:
        AuthorFailed: All replies are invalid.
        ReplyMissing: The provider returned a reply without choices.
    """

    async def check(reply: Formalisation) -> Prediction:
        if not reply.computable:
            return Prediction((), reason=reply.reason.strip() or "no reason given")
        check_code(reply.code)
        values = await _predicted(reply.code, fresh)
        if task.target.type != "category" and any(isinstance(value, str) for value in values):
            raise ReplyRejected(f"predict returned text for {task.target.name}, which is {task.target.type}.")
        return Prediction(values, reply.code, reply.level_stated)

    [data_file] = metadata.data_files
    described = {column.name: " ".join(column.description.split()) for column in data_file.columns}
    values = {
        "hypothesis": hypothesis,
        "goal": metadata.goal,
        "target": {"name": task.target.name, "description": described[task.target.name]},
        "columns": [{"name": name, "description": described[name]} for name in task.columns],
    }
    return await Author(model, "prediction").ask("formalise", values, Formalisation, check)


def check_code(code: str) -> None:
    """Check the code of `predict` before it runs.

    Raises:
        ReplyRejected: It is not Python, has no function `predict`, or uses what is not available.
    """
    if len(code) > MAX_CHARACTERS:
        raise ReplyRejected(f"the code has {len(code):,} characters, more than {MAX_CHARACTERS:,}.")
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ReplyRejected(f"the code is not valid Python: {error}.") from error
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "predict"]
    if len(functions) != 1 or len(functions[0].args.args) != 1:
        raise ReplyRejected("the code needs one function predict(frame) at its top level.")
    for node in ast.walk(tree):
        if refused := _refused(node):
            raise ReplyRejected(f"{refused} is not available.")


def _refused(node: ast.AST) -> str:
    """What a node of the code uses that is not allowed; empty if nothing."""
    match node:
        case ast.Import(names=names):
            return next((f"the module {one.name}" for one in names if one.name not in MODULES), "")
        case ast.ImportFrom(module=module, names=names):
            return f"from {module} import" if module != "math" else ""
        case ast.Name(id=name) if name in REFUSED_NAMES or name.startswith("_"):
            return f"the name {name}"
        case ast.Attribute(attr=name) if name.startswith(("_", "read_")) or name in REFUSED_ATTRIBUTES:
            return f"the attribute {name}"
        case ast.ClassDef() | ast.AsyncFunctionDef() | ast.Await() | ast.Global() | ast.Nonlocal():
            return f"a statement of the type {type(node).__name__}"
    return ""


async def _predicted(code: str, fresh: FreshRows) -> tuple[Value, ...]:
    """Run the function on the fresh columns; the process never has the target."""
    program = files(__package__).joinpath("predict.py").read_text("utf-8")
    run = await execute(program, json.dumps({"code": code, "columns": fresh.columns}), PREDICT_SECONDS)
    if run.failure:
        raise ReplyRejected(f"predict failed: {run.failure}.")
    # The output is whatever the code made of it.
    try:
        reply = json.loads(run.output)
        if error := reply.get("error"):
            raise ReplyRejected(f"predict failed: {error}.")
        values = tuple(reply["values"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ReplyRejected("predict gave no predictions.") from error
    if len(values) != len(fresh.target) or not all(map(_is_value, values)):
        raise ReplyRejected(f"predict did not give {len(fresh.target)} values.")
    return values


def _is_value(value: object) -> bool:
    return isinstance(value, (bool, str)) or (isinstance(value, (int, float)) and math.isfinite(value))
