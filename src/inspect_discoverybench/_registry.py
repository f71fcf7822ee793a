"""Inspect's entry point: imports everything that registers itself, and gives each the short name.

Inspect prefixes registered names with the name of this package. Everything is found as `discoverybench/…` too, from a
wheel and from an editable install alike.
"""

from collections.abc import Callable
from typing import Any

from inspect_ai._util.registry import (  # inspect-evals-lint: ignore[IECQ001] -- there is no public way to alias
    registry_add,
)
from inspect_ai.util import registry_info

from inspect_discoverybench.offline import provider as provider
from inspect_discoverybench.scorer.scorer import hms
from inspect_discoverybench.solvers.codegen import codegen
from inspect_discoverybench.solvers.datavoyager.datavoyager import datavoyager
from inspect_discoverybench.solvers.gold import gold
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.reflexion import reflexion
from inspect_discoverybench.tasks import custom, demo, judge_audit, real, synth

PACKAGES = ("discoverybench", "inspect_discoverybench")


def _add_names(registered: Callable[..., Any]) -> None:
    """Register the same object under its function's name in both packages.

    Whatever name it is created by, the registry name in the log is the one that its decorator gave it.
    """
    info = registry_info(registered)
    for package in PACKAGES:
        registry_add(registered, info.model_copy(update={"name": f"{package}/{registered.__name__}"}))
    registry_add(registered, info)  # `registry_add` labels the object too, and the last label stays


for _registered in (
    *(real, synth, custom, demo, judge_audit),
    *(react, codegen, datavoyager, reflexion, no_data_guess, gold),
    hms,
):
    _add_names(_registered)
