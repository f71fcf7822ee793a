"""Two logs of the demo task, from real evals with the offline models."""

from pathlib import Path

from inspect_ai import eval as inspect_eval
from inspect_ai.solver import Solver

from inspect_discoverybench import demo
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react


def evaluated(folder: Path, samples: int) -> tuple[str, str]:
    """Paths of two logs: one of an agent that looks at the data, one of an agent that guesses."""
    return _log(react(), folder, samples), _log(no_data_guess(), folder, samples)


def _log(solver: Solver, folder: Path, samples: int) -> str:
    [log] = inspect_eval(
        demo(),
        model="discoverybench/baseline",
        solver=solver,
        limit=samples,
        log_dir=str(folder),
        display="none",
    )
    assert log.status == "success"
    return log.location
