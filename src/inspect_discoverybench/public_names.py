"""Names of the package, its solvers and its scorer, without an import of them."""

PACKAGES = ("discoverybench", "inspect_discoverybench")
"""The package names under which everything is registered. Logs have either."""

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
