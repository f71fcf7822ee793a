"""Inspect's entry point: registers the tasks, solvers and the scorer under both package names, and the models.

Inspect prefixes registered names with the name of the top-level module, `inspect_discoverybench`. The aliases with the
prefix `discoverybench` work in a wheel and in an editable install.

Every `inspect` command imports this module. What only some of them need is imported on first use.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

from inspect_ai._util.registry import (  # inspect-evals-lint: ignore[IECQ001] -- there is no public API for aliases
    registry_add,
)
from inspect_ai.model import ModelAPI, modelapi
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver
from inspect_ai.util import RegistryInfo, registry_info

from inspect_discoverybench.public_names import SCORERS, SOLVERS
from inspect_discoverybench.tasks import custom, demo, judge_audit, real, synth, synth_generate

PACKAGES = ("discoverybench", "inspect_discoverybench")

SCANNERS = ("no_successful_cell", "questionable_answer")
"""The transcript scanners. They need the extra `scout`."""


@modelapi(name="discoverybench")
def discoverybench() -> type[ModelAPI]:
    """The offline models `discoverybench/baseline` and `discoverybench/lexical`."""
    from inspect_discoverybench.offline.provider import OfflineModel

    return OfflineModel


def _add_names(registered: Callable[..., Any], info: RegistryInfo, name: str) -> None:
    """Register an object under both package names. Logs record the name in `info`, whichever of them is used."""
    for package in PACKAGES:
        alias = info.model_copy(update={"name": f"{package}/{name}"})
        registry_add(registered, alias)
    registry_add(registered, info)  # restores the object's own label, which each `registry_add` overwrites


def _add_lazily(
    kind: Literal["solver", "scorer", "scanner", "scanjob"],
    module: str,
    name: str,
    result: Any = Any,
    label: str | None = None,
) -> None:
    """Register a function of a module that is imported when the function is first called.

    Inspect recognizes solvers and scorers by the return type. Logs have the label; by default, this is the name.
    """

    def create(**arguments: Any) -> Any:
        function = getattr(import_module(f"inspect_discoverybench.{module}"), name)
        return function(**arguments)

    create.__annotations__["return"] = result
    _add_names(create, RegistryInfo(type=kind, name=f"inspect_discoverybench/{label or name}"), name)


for _registered in (real, synth, custom, demo, judge_audit, synth_generate):
    _add_names(_registered, registry_info(_registered), _registered.__name__)
for _solver, _module in SOLVERS.items():
    _add_lazily("solver", _module, _solver, Solver)
_add_lazily("scorer", SCORERS["hms"], "hms", Scorer, label="HMS")
_add_lazily("scorer", "judge_pairs.audit", "audit", Scorer)
for _scanner in SCANNERS:
    _add_lazily("scanner", "scanners.scanners", _scanner)
_add_lazily("scanjob", "scanners.scanners", "scan")
