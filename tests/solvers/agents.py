"""The package's agents with limits that suit tests."""

from collections.abc import Callable

from inspect_ai.solver import Solver

from inspect_discoverybench.solvers.codegen import codegen
from inspect_discoverybench.solvers.datavoyager import datavoyager
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.reflexion import reflexion

AGENTS: dict[str, Callable[[str], Solver]] = {
    "react": lambda actions: react(turns=6, cell_seconds=1, actions=actions),
    "codegen": lambda actions: codegen(cell_seconds=1, actions=actions),
    "datavoyager": lambda actions: datavoyager(turns=3, cell_seconds=1, actions=actions),
    "reflexion": lambda actions: reflexion(trials=2, cell_seconds=1, actions=actions),
    "no_data_guess": lambda actions: no_data_guess(actions=actions),
}
"""Agents by name, made for a form in which models act."""

USE_PYTHON = ["react", "codegen", "datavoyager", "reflexion"]
"""The agents that run code."""
