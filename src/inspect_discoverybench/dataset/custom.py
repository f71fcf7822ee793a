"""Samples of custom studies, and of the invented ones of the demo."""

from pathlib import Path

from inspect_ai.dataset import Sample

from inspect_discoverybench.dataset.answer_key import read_answer_key
from inspect_discoverybench.dataset.goals import SourcedGoal, goal_metadata, read_goals
from inspect_discoverybench.dataset.metadata import Goal, Study
from inspect_discoverybench.dataset.paths import absolute, metadata_files
from inspect_discoverybench.dataset.samples import make_samples
from inspect_discoverybench.dataset.table import Table, is_table
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.errors.exceptions import DataError, InvalidArgument
from inspect_discoverybench.replies import normalize_case_and_spaces


def demo_samples(hints: Hints) -> list[Sample]:
    """Load the eight invented studies of the demo."""
    folder = Path(__file__).with_name("demo")
    goals = read_goals("demo", metadata_files(folder), None)
    return make_samples(goals, hints)


def custom_samples(path: Path, answer_key: Path | None, hints: Hints) -> list[Sample]:
    """Load custom studies.

    Args:
        path: A metadata file, or a folder of them, in the format of DB-REAL or DB-SYNTH.
        answer_key: CSV file with the gold hypotheses; otherwise they are in the metadata.
        hints: Hints to add to the task text.

    Raises:
        InvalidArgument: No sample has a requested hint.
        DataError: A file is missing, invalid or truncated.
    """
    paths = metadata_files(absolute(path))
    goals = read_goals("custom", paths, answer_key)
    return _checked(make_samples(goals, hints), answer_key)


def _checked(samples: list[Sample], answer_key: Path | None) -> list[Sample]:
    """The samples, whose data files are checked."""
    files: set[str] = set()
    for sample in samples:
        files.update((sample.files or {}).values())
    for file in sorted(files):
        _check_data_file(Path(file), answer_key)
    return samples


def _check_data_file(file: Path, answer_key: Path | None) -> None:
    if answer_key and file.samefile(answer_key):
        raise DataError(
            f"{file} is described as a data file but is the answer key, which the agent must not see. "
            "Remove it from `datasets`."
        )
    if is_table(file):
        Table.read(file)


def single_goal(path: Path, goal: object, answer_key: Path | None, hints: Hints) -> list[Sample]:
    """Make one sample that asks a goal about the study of one metadata file.

    The sample has a gold hypothesis only if the metadata file has the same goal, and its gold hypothesis is given.

    Args:
        path: The metadata file.
        goal: The discovery goal.
        answer_key: CSV file with the gold hypotheses; otherwise they are in the metadata.
        hints: Hints to add to the task text.

    Raises:
        InvalidArgument: The goal is empty or not one text.
        DataError: A file is missing, invalid or truncated.
    """
    if not isinstance(goal, str) or not goal.strip():
        raise InvalidArgument(
            f"goal={goal} is empty or not one text. Pass a question about the data. Inspect splits values of -T at "
            "commas: pass a question with commas to `discoverybench ask`."
        )
    location = absolute(path)
    study = Study.read(location)
    known_or_new = _known_or_new(study, goal)
    golds = None  # a new goal has none, whatever rows the answer key has
    if answer_key and known_or_new in study.goals:
        golds = read_answer_key(answer_key)
    metadata = goal_metadata("custom", location, study, known_or_new, golds)
    sourced = SourcedGoal(location, metadata)
    return _checked(make_samples([sourced], hints), answer_key)


def _known_or_new(study: Study, question: str) -> Goal:
    normalized = normalize_case_and_spaces(question)
    for goal in study.goals:
        if normalize_case_and_spaces(goal.question) == normalized:
            return goal

    last_id = max(goal.query_id for goal in study.goals)
    query = {"qid": last_id + 1, "question": question, "question_type": "general"}
    return Goal.model_validate(query)
