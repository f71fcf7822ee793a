"""Inspect's entry point: registers every task, solver, scorer and model under both package names.

Inspect prefixes registered names with the name of the top-level module, `inspect_discoverybench`. The aliases with the
prefix `discoverybench` work in a wheel and in an editable install.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

from inspect_ai._util.registry import (  # inspect-evals-lint: ignore[IECQ001] -- there is no public API for aliases
    registry_add,
)
from inspect_ai.util import RegistryInfo, registry_info

from inspect_discoverybench.offline import provider as provider
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.solvers.codegen import codegen
from inspect_discoverybench.solvers.datavoyager.datavoyager import datavoyager
from inspect_discoverybench.solvers.gold import gold
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.reflexion import reflexion
from inspect_discoverybench.tasks import custom, demo, judge_audit, real, synth, synth_generate

PACKAGES = ("discoverybench", "inspect_discoverybench")

SCANNERS = ("unsupported_number", "no_successful_cell", "questionable_answer")
"""The transcript scanners, each in the module of its name. They need the extra `scout`."""


def _add_names(registered: Callable[..., Any]) -> None:
    """Register an object under its function name, with both package names as prefix.

    Logs record the name from its decorator, whichever name it is created by.
    """
    info = registry_info(registered)
    for package in PACKAGES:
        registry_add(registered, info.model_copy(update={"name": f"{package}/{registered.__name__}"}))
    registry_add(registered, info)  # restores the object's own label, which each `registry_add` overwrites


for _registered in (
    *(real, synth, custom, demo, judge_audit, synth_generate),
    *(react, codegen, datavoyager, reflexion, no_data_guess, gold),
    hms,
):
    _add_names(_registered)


def _add_scout_name(kind: Literal["scanner", "scanjob"], name: str) -> None:
    """Register an object of inspect-scout that is imported on first use: most commands of Inspect need none."""

    def create(**arguments: Any) -> Any:
        return getattr(import_module(f"inspect_discoverybench.scanners.{name}"), name)(**arguments)

    for package in PACKAGES:
        registry_add(create, RegistryInfo(type=kind, name=f"{package}/{name}"))


for _name in SCANNERS:
    _add_scout_name("scanner", _name)
_add_scout_name("scanjob", "scan")
