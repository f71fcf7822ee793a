"""`discoverybench data audit --placebo`: how often single tests are significant without any association."""

import json
from pathlib import Path
from random import Random

import pytest

from inspect_discoverybench.dataset.chance import ChanceTests, chance_tests
from inspect_discoverybench.dataset.custom import custom_samples
from inspect_discoverybench.dataset.task_text import Hints
from tests.command_line import completed, refused
from tests.dataset.studies import study, write_study


def table(rows: int, columns: int) -> str:
    """A table with this many equal columns of numbers, and three others: a category, a name and a constant.

    The category follows from the numbers. So before the permutation, every tested pair of columns is associated. Names
    differ in each row, and are not tested. Neither is the constant.
    """
    random = Random(3)
    lines = [",".join(["x", *(f"y{number}" for number in range(1, columns)), "kind", "name", "constant"])]
    for row in range(rows):
        value = random.random()
        kind = "low" if value < 0.5 else "high"
        numbers = [str(value)] * columns
        lines.append(",".join([*numbers, kind, f"name {row}", "1"]))
    return "\n".join(lines) + "\n"


def audited(folder: Path, seed: int) -> ChanceTests:
    samples = custom_samples(folder, None, Hints())
    [tests] = chance_tests(samples, seed).values()
    return tests


def test_about_one_test_in_twenty_is_significant_by_chance(tmp_path: Path) -> None:
    write_study(tmp_path, table=table(60, 25))
    tests = audited(tmp_path, 1)
    # The category is the 26th tested column. Every pair of columns is tested.
    assert (tests.rows, tests.columns, tests.tests) == (60, 26, 26 * 25 // 2)
    # The standard error of a share of 0.05 is 0.012 with 325 independent tests. These are not independent.
    assert tests.share == pytest.approx(0.05, abs=0.03)


def test_of_a_wide_table_500_pairs_of_columns_are_tested(tmp_path: Path) -> None:
    write_study(tmp_path, table=table(30, 33))
    tests = audited(tmp_path, 1)
    # The tested columns are the 33 columns of numbers and the category. They have 34 * 33 / 2 = 561 pairs.
    assert (tests.columns, tests.tests) == (34, 500)
    assert audited(tmp_path, 1) == tests  # the draw depends on nothing but the seed


def test_columns_of_any_types_are_tested_and_tests_that_are_not_defined_do_not_count(tmp_path: Path) -> None:
    write_study(tmp_path, table="x,y,z\n1,a,u\n2,b,v\n3,a,\n4,b,\n")
    # The pairs are a number with a category, twice, and two categories. Only two rows have a value of `z`. If the
    # permutation of a seed gives both of them the same `y`, the test of `y` and `z` is not defined.
    assert {audited(tmp_path, seed).tests for seed in range(1, 9)} == {2, 3}
    # `x` is constant and so not tested, and `y` alone makes no pair.
    write_study(tmp_path, table="x,y\n1,5\n1,6\n")
    assert audited(tmp_path, 1) == ChanceTests(rows=2, columns=1, tests=0, significant=0)


def test_the_command_prints_a_row_for_each_table() -> None:
    write_study(Path("mine"), study(), table(40, 5))
    output = completed("data audit --path mine --placebo 2")
    assert "mine/a.csv" in output
    assert "not independent" in output
    [numbers] = json.loads(completed("data audit --path mine --placebo 2 --json")).values()
    assert numbers["tests"] == 6 * 5 // 2  # the pairs of six columns: five of numbers, and the category


def test_the_seed_of_the_command_is_a_positive_integer() -> None:
    write_study(Path("mine"))
    assert "placebo must be a positive integer" in refused("data audit --path mine --placebo 0")
