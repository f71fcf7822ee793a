"""Inspect's entry point: registers everything that Inspect finds by name.

Tasks, solvers, scorers and scanners are registered under both package names. Inspect prefixes registered names with the
name of the top-level module, `inspect_discoverybench`. The aliases with the shorter prefix `discoverybench` are added
here. To find a name, Inspect loads the entry point that is called like the prefix of the name, so `pyproject.toml` has
an entry point for each of the two prefixes.

`inspect score` and `recompute_metrics` find scorers and metrics by the names in a log. In a log, the name of a
scorer has no prefix, so the scorers are also registered without one.

Every `inspect` command imports this module. What only some commands need is imported on first use.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Literal

from inspect_ai._util.registry import (  # inspect-evals-lint: ignore[IECQ001] -- there is no public API for aliases
    registry_add,
)
from inspect_ai.model import ModelAPI, modelapi
from inspect_ai.scorer import Metric, Scorer
from inspect_ai.solver import Solver
from inspect_ai.util import RegistryInfo, registry_info

from inspect_discoverybench.public_names import PACKAGES, SCORERS, SOLVERS
from inspect_discoverybench.tasks import custom, demo, judge_audit, real, synth, synth_generate

SCANNERS = ("no_successful_cell", "questionable_answer")
"""The transcript scanners. They need the extra `scout`."""

CONSTANT_JUDGES = ("always_true", "always_false", "always_A", "always_B", "always_C")
"""Metrics of the judge audit: the accuracy of judges that always give the same verdict."""


@modelapi(name="discoverybench")
def discoverybench() -> type[ModelAPI]:
    """The offline models `discoverybench/baseline` and `discoverybench/lexical`."""
    from inspect_discoverybench.offline.provider import OfflineModel

    return OfflineModel


def _add_names(registered: Callable[..., Any], info: RegistryInfo, name: str) -> None:
    """Register an object under both package names.

    Logs record the name in `info`, whichever of the two names the user writes.
    """
    for package in PACKAGES:
        alias = info.model_copy(update={"name": f"{package}/{name}"})
        registry_add(registered, alias)
    # `registry_add` also puts the name on the object itself, in place of the previous name, and logs record this name.
    # So the name of `info` is added last.
    registry_add(registered, info)


def _lazy(module: str, name: str, result: Any = Any) -> Callable[..., Any]:
    """A function that imports a function of this package and calls it.

    Args:
        module: The module of the function, imported at the first call.
        name: Name of the function.
        result: The return annotation of the new function. To create a registered solver, scorer or metric, Inspect
            calls the new function only if its return annotation is `Solver`, `Scorer` or `Metric`. With any other
            annotation, Inspect takes the function itself for the solver, scorer or metric.
    """

    def create(**arguments: Any) -> Any:
        function = getattr(import_module(f"inspect_discoverybench.{module}"), name)
        return function(**arguments)

    create.__annotations__["return"] = result
    return create


def _add_scorer(module: str, name: str, log_name: str) -> None:
    """Register a scorer under all of its names.

    - `LOG_NAME`, by which logs name its scores;
    - `discoverybench/NAME` and `inspect_discoverybench/NAME`, which users write;
    - `inspect_discoverybench/LOG_NAME`, which its decorator gives it in its module.
    """
    scorer = _lazy(module, name, Scorer)
    registry_add(scorer, RegistryInfo(type="scorer", name=log_name))
    decorator_info = RegistryInfo(type="scorer", name=f"inspect_discoverybench/{log_name}")
    _add_names(scorer, decorator_info, name)


def _add_metric(module: str, name: str, log_name: str) -> None:
    """Register a metric under the name that logs have."""
    registry_add(_lazy(module, name, Metric), RegistryInfo(type="metric", name=log_name))


def _add_function(kind: Literal["solver", "scanner", "scanjob"], module: str, name: str, result: Any = Any) -> None:
    """Register a function under both package names. Logs record the longer name."""
    _add_names(_lazy(module, name, result), RegistryInfo(type=kind, name=f"inspect_discoverybench/{name}"), name)


for _registered in (real, synth, custom, demo, judge_audit, synth_generate):
    _add_names(_registered, registry_info(_registered), _registered.__name__)
for _solver, _module in SOLVERS.items():
    _add_function("solver", _module, _solver, Solver)
for _scanner in SCANNERS:
    _add_function("scanner", "scanners.scanners", _scanner)
_add_function("scanjob", "scanners.scanners", "scan")
_add_scorer(SCORERS["hms"], "hms", log_name="HMS")
_add_scorer("judge_pairs.audit", "audit", log_name="judge_audit")
_add_scorer("generator.generate", "accepted", log_name="accepted")
_add_metric("scorer.metrics", "hms_summary", "inspect_discoverybench/hms")
_add_metric("judge_pairs.audit", "effect", "inspect_discoverybench/effect")
# A log has the arguments of `constant_judge` beside each of these names, so one function serves all of them.
for _name in CONSTANT_JUDGES:
    _add_metric("judge_pairs.audit", "constant_judge", _name)
