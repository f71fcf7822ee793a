"""Mean HMS by configuration: every number is worked out by hand."""

import pytest

from inspect_discoverybench.report.means import HIGH, HIGHEST, HMS, LOW, LOWEST
from inspect_discoverybench.report.table import shown_tables
from tests.typed_results import MISSING, contents, result, results, rows, sections


def test_epochs_are_averaged_before_tasks_and_gold_hypotheses_are_counted() -> None:
    section = sections(
        results({"a": 1.0, "b": 0.0}, epoch=1, gold_hypothesis="one"),
        results({"a": 0.5, "b": 0.0}, epoch=2, gold_hypothesis="one"),
        results({"c": 1.0}, gold_hypothesis="two"),
    )["hms"]
    # The means of the tasks are 75, 0 and 100.
    assert rows(section, HMS, "tasks", "gold hypotheses") == [(pytest.approx(175 / 3), 3, 2)]


def test_missing_samples_are_counted_and_the_interval_covers_what_they_could_be() -> None:
    samples = [
        result("a", 1.0),
        result("a", epoch=2),
        result("b", 0.0, outcome="no submission"),
        result("c", 0.0, outcome="limit"),
        result("d", outcome="error"),
    ]
    section = sections(samples)["hms"]
    # Task a has 1 and an unscored epoch: from 50 to 100. Tasks b and c have 0. Task d has an error: from 0 to 100.
    assert rows(section, LOWEST, HIGHEST) == [(12.5, 50)]
    [(low, high)] = rows(section, LOW, HIGH)
    assert low < 12.5
    assert high > 50
    outcomes = ("judged", "unscored", "no submission", "limit", "error", "invalidated")
    assert rows(section, *outcomes) == [(1, 1, 1, 1, 1, 0)]


@pytest.mark.parametrize(
    ("name", "column"),
    [("hms", HMS), ("domain", HMS), ("cost", HMS), ("facets", "variables × 100"), ("controls", f"agent {HMS}")],
)
def test_means_with_missing_samples_are_marked(name: str, column: str) -> None:
    section = sections(
        results({"a": 1.0, "b": MISSING, "c": 0.5}, agent="react", domain="x"),
        results({"a": 1.0, "b": 0.5}, agent="codegen", domain="x"),
        results({"a": 0.0, "b": 0.0}, agent="goal_echo", domain="y"),
    )[name]
    [table] = shown_tables(section.table, {})
    [cells] = [cells for heading, cells in table.columns.items() if heading.removesuffix(", 95 % CI") == column]
    marked, unmarked, *_ = [cell.partition("\n")[0] for cell in cells]
    assert marked.endswith("*")
    assert not unmarked.endswith("*")
    # Without `b`, HMS is 1 and 0.5 on two of three tasks. The section of controls has the range of the difference from
    # `goal_echo`, which ran only `a` and `b`, and has 0 on both.
    possible = "50.0 to 100.0" if name == "controls" else "50.0 to 83.3"
    assert table.columns["possible range"][:2] == [possible, "–"]


def test_a_mean_has_an_interval_on_new_studies() -> None:
    studies = ["nls", *"abcdefghi"]  # the study of `nls` is a guess: its tasks are from several works
    tasks = []
    for study in studies:
        tasks += results({f"{study} 1": 1.0, f"{study} 2": 0.0}, study=study)
    section = sections(tasks)["studies"]
    # The interval is not a point, although each study has the mean 50: `ADDITIONAL_STUDIES` add to the variance.
    [(low, high)] = rows(section, "new studies low", "new studies high")
    assert low < 50 < high
    columns = ("studies", "largest study in %", "lowest without one study")
    assert rows(section, *columns) == [(10, 10, 50)]
    assert section.text.endswith(" Studies that are guesses: nls.")


def test_the_released_form_has_counts_and_a_possible_range_of_its_own() -> None:
    """A sample may lack only one of the two scores.

    It has no HMS if its contexts are undecided, and no score in the released form if its sub-hypotheses are undecided.
    """
    report = contents(
        [
            result("a", 1.0, hms_released=1.0),
            result("b", 1.0),
            result("c", hms_released=0.5),
            result("d", 0.0, hms_released=0.0, outcome="no submission"),
        ]
    )
    by_name = {section.name: section for section in report.sections}
    outcomes = ("judged", "unscored", "no submission")
    # HMS: 1, 1, unscored and 0. The released form: 1, unscored, 0.5 and 0.
    assert rows(by_name["hms"], HMS, *outcomes) == [(pytest.approx(200 / 3), 2, 1, 1)]
    released = by_name["released"]
    assert rows(released, "HMS released × 100", *outcomes) == [(50, 2, 1, 1)]
    # The unscored sample has 0 to 1: (1 + 0 + 0.5 + 0) / 4 and (1 + 1 + 0.5 + 0) / 4.
    assert rows(released, LOWEST, HIGHEST) == [(37.5, 62.5)]
    assert list(report.samples.hms_released.fillna(-1)) == [1.0, -1, 0.5, 0.0]


def test_columns_that_say_the_same_of_all_rows_are_left_out_with_a_sentence() -> None:
    section = sections(results({"a": 1.0, "b": 0.0}), results({"a": 0.5, "b": 0.0}, agent="codegen"))["hms"]
    [table] = shown_tables(section.table, {})
    assert not {"tasks", "error", "limit", "judged"} & table.columns.keys()
    assert HMS in table.columns
    same, zero = table.notes
    assert same.endswith("tasks 2, gold hypotheses 2, judged 2.")
    assert zero == "0 in all rows: no submission, limit, unscored, error, invalidated."

    section = sections(results({"a": 1.0}), results({"a": 1.0, "b": MISSING}, agent="codegen"))["hms"]
    [table] = shown_tables(section.table, {})
    assert table.columns["unscored"] == ["0", "1"]
