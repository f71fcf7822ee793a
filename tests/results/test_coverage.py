"""Which tasks were run, in one line."""

import pytest

from inspect_discoverybench.results.coverage import describe_tasks, split_size


def test_the_same_tasks_in_any_order_have_the_same_description() -> None:
    domains: dict[int | str, str | None] = {
        1: "beekeeping",
        2: "artisan bakeries",
        3: None,
        4: "stoneware",
        5: "stoneware",
    }
    in_reverse = dict(reversed(domains.items()))
    text = describe_tasks(domains, ["first"], 8)
    assert text == ("5 of 8 tasks (first 5 in file order: stoneware 2, artisan bakeries 1, beekeeping 1, no domain 1)")
    assert describe_tasks(in_reverse, ["first"], 8) == text


@pytest.mark.parametrize(
    ("benchmark", "size"),
    [
        ("DB-REAL test", 239),
        ("DB-REAL lite", 48),
        ("DB-REAL test, placebo 1", 239),
        ("DB-SYNTH all, placebo 7", 903),
        ("demo", 5),
        ("demo, placebo 1", 5),
    ],
)
def test_the_size_is_that_of_the_released_split_or_else_the_number_of_available_tasks(
    benchmark: str, size: int
) -> None:
    assert split_size(benchmark, available=5) == size
