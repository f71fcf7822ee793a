"""Configurations of custom data: equal data are equal, wherever they are and however they were named."""

import shutil
from pathlib import Path

from inspect_ai import eval as inspect_eval

from inspect_discoverybench import custom
from inspect_discoverybench.results.configuration import Configuration, configurations_of
from inspect_discoverybench.results.frame import read_results
from tests.dataset.studies import write_study


def run(*paths: str) -> None:
    """Run on each of these paths, with the logs in `runs`."""
    for path in paths:
        [log] = inspect_eval(
            custom(path=path, sandbox="local", agent="discoverybench/gold"),
            model="none",
            model_roles={"grader": "discoverybench/lexical"},
            log_dir="runs",
        )
        assert log.status == "success"


def read_configurations() -> list[Configuration]:
    """The configuration of each sample in all logs in `runs`, in the order of the runs."""
    return configurations_of(read_results(["runs"]).rows)


def test_a_study_is_the_same_by_folder_and_by_file_and_on_another_machine() -> None:
    write_study(Path("study"))
    shutil.copytree("study", "elsewhere/study")
    run("study", "study/metadata_0.json", "elsewhere/study")
    configurations = read_configurations()
    assert len(configurations) == 3
    assert {configuration.name for configuration in configurations} == {"gold · none/none"}
    assert len(set(configurations)) == 1


def test_different_studies_have_different_names_without_the_folders_above_them() -> None:
    write_study(Path("study"))
    write_study(Path("mine"), table="x,y\n1,2\n")
    write_study(Path("elsewhere/mine"), table="x,y\n1,9\n")
    run("study", "mine", "elsewhere/mine/metadata_0.json", "elsewhere/mine")
    write_study(Path("mine"), table="x,y\n1,2\n5,6\n")
    run("mine")
    configurations = read_configurations()
    assert [configuration.settings for configuration in configurations] == [
        "path=study",
        "path=mine",
        "path=mine/metadata_0.json",  # elsewhere/mine, given by file
        "path=mine/metadata_0.json",  # elsewhere/mine, given by folder: the same data, so the same name
        "path=mine",  # mine after an edit: the same path, so the same name
    ]


def test_two_studies_with_one_name_are_numbered() -> None:
    write_study(Path("study"))
    write_study(Path("other/study"), table="x,y\n1,9\n")
    run("study", "other/study")
    configurations = read_configurations()
    assert [configuration.hints for configuration in configurations] == [("path=study",), ("path=study (2)",)]


def test_a_study_whose_folder_is_named_like_a_numbered_study_is_numbered() -> None:
    write_study(Path("study"))
    write_study(Path("other/study"), table="x,y\n1,9\n")
    write_study(Path("study (2)"), table="x,y\n7,8\n")
    run("study", "other/study", "study (2)")
    configurations = read_configurations()
    assert [configuration.hints for configuration in configurations] == [
        ("path=study",),
        ("path=study (2)",),
        ("path=study (2) (2)",),
    ]


def test_a_study_that_was_edited_to_equal_another_one_is_the_same() -> None:
    """Runs have the same data if they have the same path or the same content.

    The last run has the path of the first one and the content of the second one. So the data of all three count as the
    same.
    """
    write_study(Path("study"))
    write_study(Path("other/study"), table="x,y\n1,9\n")
    run("study", "other/study")
    write_study(Path("study"), table="x,y\n1,9\n")
    run("study")
    configurations = read_configurations()
    assert len(configurations) == 3
    assert len(set(configurations)) == 1
