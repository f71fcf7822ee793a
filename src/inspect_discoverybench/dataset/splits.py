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
        answer_key: Path of its answer key, relative to the released data; None if the metadata has the gold hypotheses.
    """

    benchmark: Benchmark
    name: str
    answer_key: str | None = None

    @property
    def folder(self) -> str:
        """Folder of its studies, relative to the released data."""
        return f"discoverybench/{self.benchmark}/{self.name}/"

    def files(self) -> list[str]:
        """Paths of its files, relative to the released data."""
        return [path for path in checksums() if path.startswith(self.folder) or path == self.answer_key]

    def goals(self, root: Path) -> list[SourcedGoal]:
        """Read every goal.

        Args:
            root: Folder with the released data.

        Raises:
            DataError: A file is missing or invalid.
        """
        answer_key = root / self.answer_key if self.answer_key else None
        return read_goals(self.name, metadata_files(root / self.folder), answer_key)


REAL = (
    Split("real", "train"),
    Split("real", "test", "eval/answer_key_real.csv"),
)
SYNTH = (
    Split("synth", "train"),
    Split("synth", "dev"),
    Split("synth", "test", "eval/answer_key_synth.csv"),
)

ALL = "all"
"""Name for all splits of a benchmark together: 264 samples of DB-REAL, 903 of DB-SYNTH."""

LITE = "lite"
"""Name of a fixed part of DB-REAL test: 48 goals with different gold hypotheses (docs/tasks.md)."""

LITE_IDS = Path(__file__).with_name("real_lite.txt")
"""The ids of these samples, in order. `scripts/draw_lite.py` has drawn them."""


def released_samples(benchmark: Benchmark, split: str, hints: Hints) -> list[Sample]:
    """Load a split of DB-REAL (25 train and 239 test samples) or DB-SYNTH (550 train, 153 dev and 200 test samples).

    Args:
        benchmark: `real` or `synth`.
        split: Name of the split, `all`, or for DB-REAL `lite`, whose samples keep their ids. Flags of repeated
            questions are by split.
        hints: Hints to add to the task text.

    Raises:
        InvalidArgument: The split does not exist, or no sample has a requested hint.
        DataError: The data are missing, or a file differs from the released file.
    """
    if benchmark == "real" and split == LITE:
        samples = {sample.id: sample for sample in released_samples(benchmark, "test", hints)}
        return [samples[sample_id] for sample_id in LITE_IDS.read_text("utf-8").split()]

    splits = REAL if benchmark == "real" else SYNTH
    chosen = [each for each in splits if split in (each.name, ALL)]
    if not chosen:
        names = [each.name for each in splits]
        if benchmark == "real":
            names.append(LITE)
        raise InvalidArgument(
            f"split={split} is not a split of {benchmark}. Possible values: {', '.join([*names, ALL])}."
        )

    root = data_root()
    goals: list[SourcedGoal] = []
    for each in chosen:
        require_released(root, each.files())
        goals += each.goals(root)
    return make_samples(goals, hints)
