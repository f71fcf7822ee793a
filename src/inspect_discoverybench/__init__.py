"""DiscoveryBench for Inspect AI: can language-model agents make data-driven discoveries?"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from inspect_discoverybench.public_names import SCORERS, SOLVERS, TASKS

if TYPE_CHECKING:
    from inspect_discoverybench.scorer.scorer import hms
    from inspect_discoverybench.solvers.codegen import codegen
    from inspect_discoverybench.solvers.datavoyager import datavoyager
    from inspect_discoverybench.solvers.gold import goal_echo, gold
    from inspect_discoverybench.solvers.no_data_guess import no_data_guess
    from inspect_discoverybench.solvers.react import react
    from inspect_discoverybench.solvers.reflexion import reflexion
    from inspect_discoverybench.tasks import custom, demo, judge_audit, real, synth, synth_generate

__all__ = [
    "codegen",
    "custom",
    "datavoyager",
    "demo",
    "goal_echo",
    "gold",
    "hms",
    "judge_audit",
    "no_data_guess",
    "react",
    "real",
    "reflexion",
    "synth",
    "synth_generate",
]


def __getattr__(name: str) -> Any:
    """Import a task, a solver or the scorer on first use (PEP 562).

    Importing all of them would slow down every `inspect` command, because each one imports this package. It would also
    slow down `discoverybench --help`, which does not need Inspect.
    """
    module = (TASKS | SOLVERS | SCORERS).get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
