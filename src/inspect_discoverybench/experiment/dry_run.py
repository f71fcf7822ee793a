"""An experiment file with the changes of the command line, and its dry run."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from inspect_ai.log import EvalLog

from inspect_discoverybench.experiment.run import ExperimentPlan, prepare
from inspect_discoverybench.experiment.source import load


@dataclass(frozen=True)
class ExperimentFile:
    """An experiment file with the changes of the command line.

    Attributes:
        path: The file.
        changes: Changes of the form `a.b=c`.
        price_file: File in the format of `--model-cost-config`.
    """

    path: Path
    changes: tuple[str, ...]
    price_file: Path | None

    def plan(self) -> ExperimentPlan:
        """Read the file and build every run.

        Raises:
            InvalidExperiment: The file is invalid, or a run cannot be built.
        """
        return prepare(*load(self.path, self.changes), self.price_file)


def dry_run(file: ExperimentFile) -> list[EvalLog]:
    """Dry-run an experiment: one log per run, without samples.

    Raises:
        InvalidExperiment: Inspect rejects the experiment.
    """
    logs = file.plan().dry_run()
    # A dry run has no samples, but Inspect would try to read them from its folder, which no longer exists.
    return [log.model_copy(update={"samples": None, "reductions": None}) for log in logs]


def dry_run_in_subprocess(file: ExperimentFile) -> list[EvalLog]:
    """Dry-run an experiment in a separate process.

    Inspect keeps the display of the first `eval` in a process, and a dry run has no display.
    """
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(dry_run, file).result()
