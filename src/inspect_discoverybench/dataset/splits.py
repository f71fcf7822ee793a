"""What can be loaded: the splits of the release, the demo, and studies of one's own."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.answer_key import AnswerKey
from inspect_discoverybench.dataset.data_path import locate
from inspect_discoverybench.dataset.integrity import checksum
from inspect_discoverybench.dataset.metadata import Goal
from inspect_discoverybench.dataset.samples import Hints, SampleMetadata, SandboxFiles, to_sample
from inspect_discoverybench.dataset.source import checksums, data_root, require
from inspect_discoverybench.dataset.studies import absolute, described_target, metadata_files, own_goal, read_goals
from inspect_discoverybench.dataset.table import Table, is_table
from inspect_discoverybench.dataset.target import Target, synth_targets
from inspect_discoverybench.errors import InvalidArgument, InvalidMetadata

Kind = Literal["real", "synth"]


@dataclass(frozen=True)
class Split:
    """A split of the released data.

    Attributes:
        kind: `real` or `synth`.
        name: Its name, the first part of its sample ids.
    """

    kind: Kind
    name: str

    @property
    def folder(self) -> str:
        """Where its studies stand below the data folder."""
        return f"discoverybench/{self.kind}/{self.name}"

    @property
    def answer_key(self) -> str | None:
        """The file with its gold hypotheses; None where they stand in the metadata."""
        return f"eval/answer_key_{self.kind}.csv" if self.name == "test" else None

    def goals(self, root: Path) -> list[tuple[Path, SampleMetadata]]:
        """Every goal with the folder of its study.

        Raises:
            DataError: A file does not follow its form.
        """
        key = AnswerKey(root / self.answer_key) if self.answer_key else None
        find_target = _released_target if self.kind == "synth" else described_target
        goals = read_goals(self.name, metadata_files(root / self.folder), key, find_target)
        return [(folder, _with_tree_level(goal) if self.kind == "synth" else goal) for folder, goal in goals]

    def load(self, hints: Hints) -> list[Sample]:
        """Every sample, from files that are the released ones byte by byte.

        Raises:
            DataError: The data are not there, or a file differs from the released one.
            InvalidArgument: A hint is asked for that no sample has.
        """
        root = data_root()
        require(root, (path for path in checksums() if path == self.answer_key or path.startswith(f"{self.folder}/")))
        return _samples(
            f"DB-{self.kind.upper()} {self.name}",
            self.goals(root),
            hints,
            lambda path: checksums()[path.relative_to(root).as_posix()],
        )


REAL: Mapping[str, Split] = {name: Split("real", name) for name in ("train", "test")}
SYNTH: Mapping[str, Split] = {name: Split("synth", name) for name in ("train", "dev", "test")}


def released(kind: Kind, split: str, hints: Hints) -> list[Sample]:
    """A split of DB-REAL (train 25, test 239 samples) or of DB-SYNTH (train 550, dev 153, test 200).

    Raises:
        InvalidArgument: There is no such split, or it has not the hints asked for.
        DataError: The data are not there, or a file differs from the released one.
    """
    splits = REAL if kind == "real" else SYNTH
    if str(split) not in splits:  # a list too, which the command line makes of `train,test`
        raise InvalidArgument(f"split={split} is not a split of DB-{kind.upper()}; possible are: {', '.join(splits)}.")
    return splits[split].load(hints)


def demo(hints: Hints) -> list[Sample]:
    """The project's own small tasks, in DB-SYNTH's on-disk form."""
    paths = metadata_files(Path(__file__).with_name("demo"))
    return _samples("the demo", read_goals("demo", paths, None, described_target), hints)


def custom(path: Path, answer_key: Path | None, hints: Hints) -> list[Sample]:
    """Studies of one's own: a metadata file, or a folder of them, with their data files beside them.

    Args:
        path: In either on-disk form.
        answer_key: CSV file with gold hypotheses; otherwise they stand in the metadata.
        hints: What to add to the task text.

    Raises:
        InvalidArgument: There is nothing at this path, or a hint is asked for that no sample has.
        DataError: A file is missing, does not follow its form, or cannot be read to its end.
    """
    if not path.expanduser().exists():
        raise InvalidArgument(f"path={path}: no such file or folder; give a metadata file or a folder of them.")
    place = absolute(path)
    paths = metadata_files(place) if place.is_dir() else [place]
    goals = read_goals("custom", paths, AnswerKey(answer_key) if answer_key else None, described_target)
    samples = _samples(str(path), goals, hints)
    for file in sorted({folder / file.name for folder, goal in goals for file in goal.data_files}):
        if answer_key and file.samefile(answer_key):
            raise InvalidMetadata(
                f"{file}: a data file is the answer key, which the agent must not see. Remove it from `datasets`."
            )
        if is_table(file):
            Table.read(file)
    return samples


def own(path: Path, goal: str, hints: Hints) -> list[Sample]:
    """One sample: a goal in words on the study of one metadata file; without a gold hypothesis unless the file has one.

    Raises:
        InvalidArgument: The goal is empty, or there is no file at this path.
        DataError: The file does not follow its form, or a data file is missing.
    """
    if not goal.strip():
        raise InvalidArgument("goal is empty; ask something of the data.")
    if not path.expanduser().is_file():
        raise InvalidArgument(f"path={path}: with a goal of your own, name one metadata file.")
    place = absolute(path)
    return _samples(str(path), [(place.parent, own_goal(place, goal))], hints)


def _released_target(metadata: SampleMetadata, goal: Goal, folder: Path) -> Target | None:
    return synth_targets()[metadata.split, metadata.dataset, metadata.metadata_number, metadata.query_id]


def _with_tree_level(goal: SampleMetadata) -> SampleMetadata:
    """The last number of a DB-SYNTH folder is the level of its hypotheses below the root of the tree."""
    return goal.model_copy(update={"tree_level": int(goal.dataset.rpartition("_")[2])})


def _samples(
    whole: str,
    goals: list[tuple[Path, SampleMetadata]],
    hints: Hints,
    checksum: Callable[[Path], str] = checksum,
) -> list[Sample]:
    for hint, requested in asdict(hints).items():
        if requested and not any(getattr(goal, hint) for _, goal in goals):
            raise InvalidArgument(f"{hint}=true: no sample of {whole} has any; those of DB-REAL have.")
    files: dict[tuple[Path, tuple[str, ...]], SandboxFiles] = {}
    samples = []
    for folder, goal in goals:
        names = tuple(file.name for file in goal.data_files)
        if (folder, names) not in files:
            files[folder, names] = SandboxFiles.of({name: locate(folder, name) for name in names}, checksum)
        samples.append(to_sample(goal, hints, files[folder, names]))
    return samples
