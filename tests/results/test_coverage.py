"""Which tasks were run, in one line."""

from inspect_discoverybench.results.coverage import describe_tasks


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
