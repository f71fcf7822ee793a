"""A placebo keeps the column by which the rows are ordered, and permutes all others.

If the rows of the placebo were in no order, it could be told from the data.
"""

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from inspect_discoverybench.errors.exceptions import InvalidArgument
from tests.dataset.studies import CHANCE
from tests.dataset.test_placebo_files import placebo_of

ROWS = 60
INDEX = list(range(ROWS))

ORDERED = {
    "an index": INDEX,
    "an index as text": [f"P{number:03}" for number in INDEX],
    "years that descend": [2020 - number // 4 for number in INDEX],
    "numbers of several digits": [10 * number for number in INDEX],
    "a number is missing": [None if number == 7 else number for number in INDEX],
    "groups in no order": [("south", "north", "west", "east")[number // 15] for number in INDEX],
    "groups with some rows elsewhere": ["abcd"[3 if number % 15 == 0 else number // 15] for number in INDEX],
    "names, one of which is a number": [f"{number}" if number == 0 else f"N{number:03}" for number in INDEX],
    "decimal commas": [f"{8 + number / 10:.1f}".replace(".", ",") for number in INDEX],
}


def table(ordered: Sequence[object]) -> pd.DataFrame:
    """A column in some order, two that follow from it, and one at random."""
    noise = np.random.default_rng(1)
    ranks = pd.Series(INDEX)
    return pd.DataFrame(
        {
            "random": noise.permutation(ROWS),
            "key": ordered,
            "effect": ranks + noise.normal(size=ROWS),
            "group": ranks // 10,
        }
    )


def csv_placebo(tmp_path: Path, before: pd.DataFrame) -> pd.DataFrame:
    content = before.to_csv(index=False, sep="\t").encode()
    after = placebo_of(tmp_path / "mine", "a.tsv", content, list(before.columns))
    return pd.read_csv(io.BytesIO(after), sep="\t")


@pytest.mark.parametrize("ordered", ORDERED.values(), ids=ORDERED)
def test_the_column_by_which_rows_are_ordered_keeps_its_order(tmp_path: Path, ordered: Sequence[object]) -> None:
    before = table(ordered)
    # `effect` and `group` are left out. They are ordered, too, and the placebo keeps only the column with the clearest
    # order. In some of the cases above, the order of `key` would not be the clearest.
    after = csv_placebo(tmp_path, before.drop(columns=["effect", "group"]))
    expected = pd.read_csv(io.StringIO(before.to_csv(index=False)))
    assert after["key"].equals(expected["key"])
    assert sorted(after["random"]) == sorted(before["random"])
    assert not after["random"].equals(before["random"])


def test_of_several_ordered_columns_only_the_one_with_the_clearest_order_keeps_it(tmp_path: Path) -> None:
    """If `effect` and `group` kept their orders, too, they would still be associated with `key`."""
    before = table(INDEX)
    assert abs(before["key"].corr(before["effect"])) > 0.99

    after = csv_placebo(tmp_path, before)
    assert after["key"].equals(before["key"])
    assert abs(after["key"].corr(after["effect"])) < CHANCE
    assert abs(after["key"].corr(after["group"])) < CHANCE
    assert abs(after["effect"].corr(after["group"])) < CHANCE


def test_each_column_is_permuted_if_rows_are_in_no_order(tmp_path: Path) -> None:
    before = table(INDEX).sample(frac=1, random_state=5).reset_index(drop=True)
    after = csv_placebo(tmp_path, before)
    for column in before:
        assert not after[column].equals(before[column])


def test_the_order_of_a_stata_file_stays(tmp_path: Path) -> None:
    before = table(INDEX)
    content = io.BytesIO()
    before.to_stata(content, write_index=False)
    after = pd.read_stata(io.BytesIO(placebo_of(tmp_path / "mine", "a.dta", content.getvalue(), list(before.columns))))
    assert after["key"].tolist() == before["key"].tolist()
    assert abs(after["key"].corr(after["effect"])) < CHANCE
    assert not after["random"].equals(before["random"])


def test_of_two_columns_in_opposite_orders_the_first_one_keeps_its_order(tmp_path: Path) -> None:
    """Age and year are ordered equally well, whatever their values and the number of rows are. `row` hardly is."""
    for seed in range(20):
        age = np.sort(np.random.default_rng(seed).integers(20, 60, size=ROWS - seed))
        before = pd.DataFrame({"age": age, "birth_year": 2000 - age, "row": np.arange(len(age)) % 7})
        after = csv_placebo(tmp_path / str(seed), before)
        assert after["age"].equals(before["age"])
        assert not after["birth_year"].equals(before["birth_year"])


def test_a_single_column_is_permuted(tmp_path: Path) -> None:
    """If it kept its order, nothing in the table would be permuted."""
    before = pd.DataFrame({"key": INDEX})
    after = csv_placebo(tmp_path, before)
    assert sorted(after["key"]) == INDEX
    assert list(after["key"]) != INDEX


def test_a_stata_file_that_pandas_cannot_read_is_refused_by_name(tmp_path: Path) -> None:
    content = io.BytesIO()
    # pandas refuses bytes that are not UTF-8 only in strings of the type `strL`. It decodes other strings as Latin-1.
    pd.DataFrame({"x": INDEX, "y": [f"long {number}" for number in INDEX]}).to_stata(
        content,
        write_index=False,
        version=118,  # the first version with text in UTF-8
        convert_strl=["y"],
    )
    # The byte 0xff does not occur in UTF-8.
    damaged = content.getvalue().replace(b"long 7", b"long \xff")
    with pytest.raises(InvalidArgument, match=r"a\.dta \(pandas cannot read it, so it may be damaged\)"):
        placebo_of(tmp_path / "mine", "a.dta", damaged, ["x", "y"])
