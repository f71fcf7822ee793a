"""Loading samples: the released splits, the demo and custom studies."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.metadata import Goal, Study
from inspect_discoverybench.dataset.released import checksums, data_root, file_checksum, require_released
from inspect_discoverybench.dataset.samples import Hints, SampleMetadata, to_samples
from inspect_discoverybench.dataset.studies import absolute, goal_metadata, metadata_files, read_goals
from inspect_discoverybench.dataset.table import Table, is_table
from inspect_discoverybench.errors.exceptions import DataError, InvalidArgument
from inspect_discoverybench.submission.text import normalized

Kind = Literal["real", "synth"]


@dataclass(frozen=True)
class Split:
    """A split of the released data.

    Attributes:
        kind: `real` or `synth`.
        name: Name of the split; sample ids start with it.
    """

    kind: Kind
    name: str

    @property
    def folder(self) -> str:
        """Folder of its studies, relative to the released data."""
        return f"discoverybench/{self.kind}/{self.name}"

    @property
    def answer_key(self) -> str | None:
        """Path of its answer key, relative to the released data; None if the metadata has the gold hypotheses."""
        return f"eval/answer_key_{self.kind}.csv" if self.name == "test" else None

    def files(self) -> list[str]:
        """Paths of its files, relative to the released data."""
        return [path for path in checksums() if path == self.answer_key or path.startswith(f"{self.folder}/")]

    def goals(self, root: Path) -> list[tuple[Path, SampleMetadata]]:
        """Read every goal.

        Args:
            root: Folder with the released data.

        Returns:
            The goals, each with the folder of its study.

        Raises:
            DataError: A file is missing or invalid.
        """
        answer_key = root / self.answer_key if self.answer_key else None
        goals = read_goals(self.name, metadata_files(root / self.folder), answer_key)
        if self.kind == "real":
            return goals
        # The last number in the name of a folder is the level below the root of the semantic tree.
        return [(folder, goal.model_copy(update={"tree_level": int(folder.name[-1])})) for folder, goal in goals]


REAL: Mapping[str, Split] = {name: Split("real", name) for name in ("train", "test")}
SYNTH: Mapping[str, Split] = {name: Split("synth", name) for name in ("train", "dev", "test")}


def released(kind: Kind, split: str, hints: Hints) -> list[Sample]:
    """Load a split of DB-REAL (25 train and 239 test samples) or DB-SYNTH (550 train, 153 dev and 200 test samples).

    Args:
        kind: `real` or `synth`.
        split: Name of the split.
        hints: Hints to add to the task text.

    Raises:
        InvalidArgument: The split does not exist, or no sample has a requested hint.
        DataError: The data are missing, or a file differs from the released file.
    """
    splits = REAL if kind == "real" else SYNTH
    if str(split) not in splits:  # `str`, because the command line turns `train,test` into a list
        choices = ", ".join(splits)
        raise InvalidArgument(f"split={split} is not a split of DB-{kind.upper()}. Possible values: {choices}.")
    root, chosen = data_root(), splits[split]
    require_released(root, chosen.files())
    return to_samples(
        f"DB-{kind.upper()} {split}",
        chosen.goals(root),
        hints,
        lambda path: checksums()[path.relative_to(root).as_posix()],
    )


def demo(hints: Hints) -> list[Sample]:
    """Load the eight invented studies of the demo."""
    paths = metadata_files(Path(__file__).with_name("demo"))
    return to_samples("the demo", read_goals("demo", paths, None), hints, file_checksum)


def custom(path: Path, answer_key: Path | None, hints: Hints) -> list[Sample]:
    """Load custom studies.

    Args:
        path: A metadata file, or a folder of them, in the format of DB-REAL or DB-SYNTH.
        answer_key: CSV file with the gold hypotheses; otherwise they are in the metadata.
        hints: Hints to add to the task text.

    Raises:
        InvalidArgument: No sample has a requested hint.
        DataError: A file is missing, invalid or truncated.
    """
    goals = read_goals("custom", metadata_files(absolute(path)), answer_key)
    samples = to_samples(str(path), goals, hints, file_checksum)
    for file in sorted({folder / file.name for folder, goal in goals for file in goal.data_files}):
        if answer_key and file.samefile(answer_key):
            raise DataError(
                f"{file} is described as a data file but is the answer key, which the agent must not see. "
                "Remove it from `datasets`."
            )
        if is_table(file):
            Table.read(file)
    return samples


def single_goal(path: Path, goal: str, hints: Hints) -> list[Sample]:
    """Make one sample that asks a goal about the study of one metadata file.

    The sample has a gold hypothesis only if the metadata file has the same goal.

    Args:
        path: The metadata file.
        goal: The discovery goal.
        hints: Hints to add to the task text.

    Raises:
        InvalidArgument: The goal is empty, or the path is not a file.
        DataError: The metadata file is invalid, or a data file is missing.
    """
    if not goal.strip():
        raise InvalidArgument("goal is empty. Pass a question about the data.")
    location = absolute(path)
    if not location.is_file():
        raise InvalidArgument(f"path={path} is not a file. With a goal, the path must be that of one metadata file.")
    study = Study.read(location)
    next_id = max(known.query_id for known in study.goals) + 1
    new_goal = Goal.model_validate({"qid": next_id, "question": goal, "question_type": "general"})
    asked = next((known for known in study.goals if normalized(known.question) == normalized(goal)), new_goal)
    metadata = goal_metadata("custom", location, study, asked)
    return to_samples(str(path), [(location.parent, metadata)], hints, file_checksum)
