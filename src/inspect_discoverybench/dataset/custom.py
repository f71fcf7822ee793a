"""Samples of custom studies, and of the invented ones of the demo."""

from collections.abc import Sequence
from pathlib import Path

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.absolute_path import absolute_path
from inspect_discoverybench.dataset.answer_key import read_answer_key
from inspect_discoverybench.dataset.draft import Draft
from inspect_discoverybench.dataset.file_format import file_format, unreadable_reason
from inspect_discoverybench.dataset.goals import SourcedGoal, goal_metadata, read_goals
from inspect_discoverybench.dataset.metadata import Goal, Study
from inspect_discoverybench.dataset.metadata_files import metadata_files
from inspect_discoverybench.dataset.samples import make_samples
from inspect_discoverybench.dataset.table_file import Table, is_table
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import DataError, InvalidArgument
from inspect_discoverybench.replies import normalize_case_and_spaces


def demo_samples(hints: Hints) -> list[Sample]:
    """Load the eight invented studies of the demo."""
    folder = Path(__file__).with_name("demo")
    goals = read_goals("demo", metadata_files(folder), answer_key=None)
    return make_samples(goals, hints)


def custom_samples(path: Path, answer_key: Path | None, hints: Hints) -> list[Sample]:
    """Load custom studies.

    Args:
        path: A metadata file, or a folder of them, in the format of DB-REAL or DB-SYNTH.
        answer_key: CSV file with the gold hypotheses; None if they are in the metadata files.
        hints: Hints to add to the task text.

    Raises:
        InvalidArgument: No sample has a requested hint.
        DataError: A file is missing, invalid or truncated.
    """
    goals = read_goals("custom", metadata_files(absolute_path(path)), answer_key)
    samples = make_samples(goals, hints)
    _require_valid_files(samples, answer_key)
    return samples


def require_readable_by_image(samples: Sequence[Sample]) -> None:
    """Check that the package's sandbox image can read every data file. Files of unknown formats are not checked.

    Raises:
        DataError: The image cannot read a file.
    """
    unreadable = []
    for file in _data_files(samples):
        reason = unreadable_reason(file)
        if reason:
            unreadable.append(f"{file} ({reason})")
    if unreadable:
        listed = ", ".join(unreadable)
        raise DataError(
            f"The sandbox image cannot read {listed}. Convert it to Parquet or CSV, or pass an image that has the "
            "package: -T image=NAME."
        )


def _require_valid_files(samples: Sequence[Sample], answer_key: Path | None) -> None:
    """Check the data files: each has the format of its suffix, tables can be read, and none is the answer key."""
    for file in _data_files(samples):
        if answer_key and file.samefile(answer_key):
            raise DataError(
                f"{file} is described as a data file but is the answer key, which the agent must not see. "
                "Remove it from `datasets`."
            )
        file_format(file)  # refuses a file whose content is not what its suffix says
        if is_table(file):
            Table.read(file)  # refuses a table with too few or too many values in a row


def _data_files(samples: Sequence[Sample]) -> list[Path]:
    """The paths of the data files, each once: many samples have the same files."""
    paths: set[str] = set()
    for sample in samples:
        paths.update((sample.files or {}).values())
    return [Path(path) for path in sorted(paths)]


def study_goal_samples(path: Path, goal: object, answer_key: Path | None, hints: Hints) -> list[Sample]:
    """Make one sample that asks a goal about the study of one metadata file.

    If the metadata file has the same goal, the sample has the gold hypothesis of this goal: that of the answer key or,
    without an answer key, that of the metadata file. If the goal is new, the sample has no gold hypothesis.

    Args:
        path: The metadata file.
        goal: The discovery goal.
        answer_key: CSV file with the gold hypotheses; None if they are in the metadata files.
        hints: Hints to add to the task text.

    Raises:
        InvalidArgument: The goal is empty or not one text.
        DataError: A file is missing, invalid or truncated.
    """
    question = _goal_text(goal)
    location = absolute_path(path)
    if location.is_dir():
        first_file = metadata_files(location)[0]
        raise InvalidArgument(f"{location} is a folder. With a goal, name the metadata file, such as {first_file}.")
    study = Study.read(location)
    asked_goal = _existing_or_new_goal(study, question)
    # The answer key is read even for a new goal, so that an invalid key is always reported.
    golds = read_answer_key(answer_key) if answer_key else None
    is_new = asked_goal not in study.goals
    if is_new:
        # A new goal has no gold hypothesis, even if the answer key has a row with its new id.
        golds = None
    metadata = goal_metadata("custom", location, study, asked_goal, golds)
    samples = make_samples([SourcedGoal(location, metadata)], hints)
    _require_valid_files(samples, answer_key)
    return samples


def data_file_goal_samples(paths: Sequence[Path], goal: object, hints: Hints) -> list[Sample]:
    """Make one sample that asks a goal about data files without a metadata file. It has no gold hypothesis.

    Args:
        paths: The data files.
        goal: The discovery goal.
        hints: Hints to add to the task text. Only the framing may be set, because data files alone have no hints.

    Raises:
        InvalidArgument: The goal is empty or not one text, or a hint is requested.
        DataError: A file is missing, invalid or truncated.
    """
    question = _goal_text(goal)
    draft = Draft.of(paths)
    study = draft.study()
    # There is no metadata file. This is the path that it would have, from which the id of the sample and the paths of
    # the data files are derived.
    location = draft.folder / "metadata_0.json"
    new_goal = _existing_or_new_goal(study, question)  # new, because a draft has no goals
    metadata = goal_metadata("custom", location, study, new_goal)
    samples = make_samples([SourcedGoal(location, metadata)], hints)
    _require_valid_files(samples, answer_key=None)
    return samples


def check_study(path: Path, answer_key: Path | None) -> None:
    """Check a metadata file and its data files, as a task does when it is built. The file may have no goals yet.

    Raises:
        DataError: A file is missing, invalid or truncated, or a goal has no gold hypothesis.
    """
    if Study.read(path).goals:
        custom_samples(path, answer_key, Hints())
    else:
        # Data files are checked through a sample, and a sample needs a goal. Any goal will do.
        study_goal_samples(path, "What do the data show?", answer_key, Hints())


def _goal_text(goal: object) -> str:
    """The goal as it is given, if it is a text. Raises `InvalidArgument` otherwise."""
    if not isinstance(goal, str) or not goal.strip():
        raise InvalidArgument(
            f"goal={goal} is empty or not one text. Pass a question about the data. Inspect splits values of -T at "
            "commas: pass a question with commas to `discoverybench ask`."
        )
    return goal


def _existing_or_new_goal(study: Study, question: str) -> Goal:
    """The goal of the study with this question; otherwise a new goal, whose id is one above the highest."""
    normalized = normalize_case_and_spaces(question)
    for goal in study.goals:
        if normalize_case_and_spaces(goal.question) == normalized:
            return goal

    last_id = max((goal.query_id for goal in study.goals), default=-1)
    # `general`, because it is not known which facet the question asks for.
    query = {"qid": last_id + 1, "question": question, "question_type": "general"}
    return Goal.model_validate(query)
