"""Inspect's entry point: imports everything that registers itself, and gives each the short name.

Inspect prefixes registered names with this module's name. The aliases make `discoverybench/real` of
`inspect_discoverybench/real`, from a wheel and from an editable install alike.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from inspect_ai._util.registry import (  # inspect-evals-lint: ignore[IECQ001] -- there is no public way to alias
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
from inspect_discoverybench.tasks import custom, demo, judge_audit, real, synth

PACKAGES = ("discoverybench", "inspect_discoverybench")


def _alias(registered: Callable[..., Any]) -> None:
    """Register a second name: what is created by it says so in the log."""

    @wraps(registered)
    def alias(*args: Any, **kwargs: Any) -> Any:
        return registered(*args, **kwargs)

    info = registry_info(registered)
    name = f"{PACKAGES[0]}/{registered.__name__}"
    registry_add(alias, RegistryInfo(type=info.type, name=name, metadata=info.metadata))


def _synonyms(registered: Callable[..., Any]) -> None:
    """Register further names for the same thing: the log has the one of its decorator, whichever was typed."""
    info = registry_info(registered)
    for package in PACKAGES:
        name = f"{package}/{registered.__name__}"
        registry_add(registered, RegistryInfo(type=info.type, name=name, metadata=info.metadata))
    registry_add(registered, info)


SOLVERS = (react, codegen, datavoyager, reflexion, no_data_guess, gold)

for _registered in (real, synth, custom, demo, judge_audit, *SOLVERS):
    _alias(_registered)
_synonyms(hms)
