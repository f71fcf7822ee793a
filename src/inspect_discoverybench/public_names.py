"""Names of the package, its tasks, solvers and scorer, without an import of them."""

PACKAGES = ("discoverybench", "inspect_discoverybench")
"""The package names under which everything is registered. Logs have either."""

_PREFIXES = tuple(f"{package}/" for package in PACKAGES)

TASKS = {
    "real": "tasks",
    "synth": "tasks",
    "custom": "tasks",
    "demo": "tasks",
    "judge_audit": "tasks",
    "synth_generate": "tasks",
}
"""The tasks, with the module of each."""

SOLVERS = {
    "react": "solvers.react",
    "codegen": "solvers.codegen",
    "datavoyager": "solvers.datavoyager",
    "reflexion": "solvers.reflexion",
    "no_data_guess": "solvers.no_data_guess",
    "gold": "solvers.gold",
    "goal_echo": "solvers.gold",
}
"""The solvers, with the module of each."""

SCORERS = {"hms": "scorer.scorer"}
"""The scorer, with its module."""


def is_of_package(name: str) -> bool:
    """Whether a task or solver with this name is one of this package."""
    return name.startswith(_PREFIXES)


def without_package(name: str) -> str:
    """The name of a task or solver, without the package's prefix."""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name
