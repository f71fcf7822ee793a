"""The package's agents with limits that suit tests."""

from collections.abc import Callable

from inspect_ai.solver import Solver

from inspect_discoverybench.solvers.codegen import codegen
from inspect_discoverybench.solvers.datavoyager import datavoyager
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.reflexion import reflexion

AGENTS: dict[str, Callable[..., Solver]] = {
    "react": lambda: react(turns=6, cell_seconds=1),
    "codegen": lambda: codegen(cell_seconds=1),
    "datavoyager": lambda: datavoyager(turns=3, cell_seconds=1),
    "reflexion": lambda: reflexion(trials=2, cell_seconds=1),
    "no_data_guess": no_data_guess,
}
USE_PYTHON = ["react", "codegen", "datavoyager", "reflexion"]
