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
from inspect_discoverybench.solvers.gold import gold
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.tasks import custom, demo, real, synth

SHORT = "discoverybench"


def _alias(registered: Callable[..., Any]) -> None:
    @wraps(registered)
    def alias(*args: Any, **kwargs: Any) -> Any:
        return registered(*args, **kwargs)

    info = registry_info(registered)
    name = info.name.rpartition("/")[2]
    registry_add(alias, RegistryInfo(type=info.type, name=f"{SHORT}/{name}", metadata=info.metadata))


for _registered in (real, synth, custom, demo, react, gold, hms):
    _alias(_registered)
