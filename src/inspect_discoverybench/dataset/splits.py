"""The splits that can be loaded, by name."""

from dataclasses import asdict, dataclass
from pathlib import Path

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.metadata import AnswerKey, metadata_number
from inspect_discoverybench.dataset.samples import Hints, study_samples
from inspect_discoverybench.dataset.source import checksums, data_root, require
from inspect_discoverybench.errors import DataMissing, InvalidArgument


@dataclass(frozen=True)
class Split:
    """A split of the released data.

    Attributes:
        name: Its name, the first part of its sample ids.
        folder: Where its studies stand below the data folder.
        answer_key: The file with its gold hypotheses; None where they stand in the metadata.
    """

    name: str
    folder: str
    answer_key: str | None = None

    def load(self, hints: Hints) -> list[Sample]:
        """Every sample of the split, from files that are the released ones byte by byte.

        Raises:
            DataError: The data are not there, or a file differs from the released one.
        """
        root = data_root()
        require(root, (path for path in checksums() if path == self.answer_key or path.startswith(f"{self.folder}/")))
        key = AnswerKey(root / self.answer_key) if self.answer_key else None
        return folder_samples(self.name, root / self.folder, key, hints)


REAL = {
    "train": Split("train", "discoverybench/real/train"),
    "test": Split("test", "discoverybench/real/test", "eval/answer_key_real.csv"),
}


def real(split: str, hints: Hints) -> list[Sample]:
    """DB-REAL: `train` (25 samples) or `test` (239 samples).

    Raises:
        InvalidArgument: There is no such split.
        DataError: The data are not there, or a file differs from the released one.
    """
    if split not in REAL:
        raise InvalidArgument(f"split={split} is not a split of DB-REAL; possible are: {', '.join(REAL)}.")
    return REAL[split].load(hints)


def demo(hints: Hints) -> list[Sample]:
    """The project's own small tasks, in DB-SYNTH's on-disk form."""
    return folder_samples("demo", Path(__file__).with_name("demo"), None, hints)


def folder_samples(split: str, folder: Path, answer_key: AnswerKey | None, hints: Hints) -> list[Sample]:
    """Samples of every `<study>/metadata_<number>.json` below a folder, in order of folder, number and goal.

    Raises:
        DataError: There is none, or one does not follow its form.
        InvalidArgument: A hint is asked for that no sample has.
    """
    paths = sorted(folder.glob("*/metadata_*.json"), key=lambda path: (path.parent.name, metadata_number(path)))
    if not paths:
        raise DataMissing(f"{folder}: no <study>/metadata_<number>.json below this folder.")
    samples = [sample for path in paths for sample in study_samples(split, path, answer_key, hints)]
    for hint, asked in asdict(hints).items():
        if asked and not any(sample.metadata and sample.metadata[hint] for sample in samples):
            raise InvalidArgument(f"{hint}=true: no sample of {split} has {hint}; leave it out.")
    return samples
