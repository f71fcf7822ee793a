"""The splits of the released data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.data_folder import data_root, require_released
from inspect_discoverybench.dataset.goals import SourcedGoal, read_goals
from inspect_discoverybench.dataset.metadata_files import METADATA_NAME, folder_and_number
from inspect_discoverybench.dataset.release import checksums
from inspect_discoverybench.dataset.samples import make_samples
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import InvalidArgument

BenchmarkName = Literal["real", "synth"]


@dataclass(frozen=True)
class Split:
    """A split of the released data.

    Attributes:
        benchmark: `real` or `synth`.
        name: Name of the split; sample ids start with it.
        answer_key: Path of its answer key, relative to the released data; None if the metadata has the gold hypotheses.
    """

    benchmark: BenchmarkName
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
        # Only released files: a copy of a metadata file that somebody keeps in a study folder adds no goals.
        paths = [root / path for path in self.files()]
        released_metadata = [path for path in paths if METADATA_NAME.fullmatch(path.name)]
        answer_key = root / self.answer_key if self.answer_key else None
        return read_goals(self.name, sorted(released_metadata, key=folder_and_number), answer_key)


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
"""The ids of the samples of `lite`, in order. `scripts/draw_lite.py` has drawn them."""


def released_samples(benchmark: BenchmarkName, split: str, hints: Hints) -> list[Sample]:
    """Load a split of DB-REAL (25 train and 239 test samples) or DB-SYNTH (550 train, 153 dev and 200 test samples).

    The goals of each split are flagged on their own (`flag_repeated_questions`). So in `all`, a question that occurs in
    two splits, once in each, is not flagged as repeated.

    Args:
        benchmark: `real` or `synth`.
        split: Name of the split, `all`, or for DB-REAL `lite`.
        hints: Hints to add to the task text.

    Raises:
        InvalidArgument: The split does not exist, or no sample has a requested hint.
        DataError: The data are missing, or a file differs from the released file.
    """
    splits_to_read = _splits_to_read(benchmark)
    # A list of names: Inspect reads `-T split=train,test` as a list, and a list cannot be looked up in a mapping.
    names = list(splits_to_read)
    if split not in names:
        possible = ", ".join(names)
        raise InvalidArgument(f"split={split} is not a split of {benchmark}. Possible values: {possible}.")

    samples = _read_samples(splits_to_read[split], hints)
    if split == LITE:
        return _lite(samples)
    return samples


def _splits_to_read(benchmark: BenchmarkName) -> Mapping[str, Sequence[Split]]:
    """The splits that are read for each value of the argument `split`. The samples of `lite` are some of `test`."""
    if benchmark == "real":
        train, test = REAL
        return {"train": [train], "test": [test], LITE: [test], ALL: REAL}
    train, dev, test = SYNTH
    return {"train": [train], "dev": [dev], "test": [test], ALL: SYNTH}


def _read_samples(splits: Sequence[Split], hints: Hints) -> list[Sample]:
    root = data_root()
    goals: list[SourcedGoal] = []
    for split in splits:
        require_released(root, split.files())
        goals += split.goals(root)
    return make_samples(goals, hints)


def _lite(test_samples: Sequence[Sample]) -> list[Sample]:
    """The samples of `lite`. Their ids and flags stay those that they have in the whole test split."""
    by_id = {sample.id: sample for sample in test_samples}
    ids = LITE_IDS.read_text("utf-8").split()
    return [by_id[sample_id] for sample_id in ids]
