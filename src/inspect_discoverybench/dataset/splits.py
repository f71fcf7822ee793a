"""The splits of the released data."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.data_folder import data_root, require_released
from inspect_discoverybench.dataset.goals import SourcedGoal, read_goals
from inspect_discoverybench.dataset.paths import metadata_files
from inspect_discoverybench.dataset.release import checksums
from inspect_discoverybench.dataset.samples import make_samples
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import InvalidArgument

Benchmark = Literal["real", "synth"]


@dataclass(frozen=True)
class Split:
    """A split of the released data.

    Attributes:
        benchmark: `real` or `synth`.
        name: Name of the split; sample ids start with it.
    """

    benchmark: Benchmark
    name: str

    @property
    def folder(self) -> str:
        """Folder of its studies, relative to the released data."""
        return f"discoverybench/{self.benchmark}/{self.name}"

    def answer_key(self, root: Path) -> Path | None:
        """Its answer key in a folder with the released data; None if the metadata has the gold hypotheses."""
        if self.name != "test":
            return None
        return root / f"eval/answer_key_{self.benchmark}.csv"

    def files(self) -> list[str]:
        """Paths of its files, relative to the released data."""
        prefix = f"{self.folder}/"
        files = [path for path in checksums() if path.startswith(prefix)]
        answer_key = self.answer_key(Path())
        if answer_key:
            files.append(str(answer_key))
        return files

    def goals(self, root: Path) -> list[SourcedGoal]:
        """Read every goal.

        Args:
            root: Folder with the released data.

        Raises:
            DataError: A file is missing or invalid.
        """
        paths = metadata_files(root / self.folder)
        return read_goals(self.name, paths, self.answer_key(root))


REAL = (Split("real", "train"), Split("real", "test"))
SYNTH = (Split("synth", "train"), Split("synth", "dev"), Split("synth", "test"))

ALL = "all"
"""Name for all splits of a benchmark together: 264 samples of DB-REAL, 903 of DB-SYNTH."""


def released_samples(benchmark: Benchmark, split: str, hints: Hints) -> list[Sample]:
    """Load a split of DB-REAL (25 train and 239 test samples) or DB-SYNTH (550 train, 153 dev and 200 test samples).

    Args:
        benchmark: `real` or `synth`.
        split: Name of the split, or `all`. Flags of repeated questions are by split.
        hints: Hints to add to the task text.

    Raises:
        InvalidArgument: The split does not exist, or no sample has a requested hint.
        DataError: The data are missing, or a file differs from the released file.
    """
    title = f"DB-{benchmark.upper()}"
    existing = REAL if benchmark == "real" else SYNTH
    chosen = [part for part in existing if split in (part.name, ALL)]
    if not chosen:
        names = [part.name for part in existing]
        possible = ", ".join([*names, ALL])
        raise InvalidArgument(f"split={split} is not a split of {title}. Possible values: {possible}.")

    root = data_root()
    goals: list[SourcedGoal] = []
    for part in chosen:
        require_released(root, part.files())
        goals += part.goals(root)
    source = f"{title} {split}"
    return make_samples(source, goals, hints)
