"""The scores that the paper published, beside those of full splits."""

import pytest

from inspect_discoverybench.report.figure import svg
from inspect_discoverybench.report.means import HMS
from inspect_discoverybench.report.section import Section
from tests.typed_results import result, rows, sections


@pytest.mark.parametrize(
    ("split", "tasks", "is_full"),
    [
        ("test", 239, True),
        ("test", 238, False),
    ],
)
@pytest.mark.parametrize("has_released", [True, False])
def test_published_scores_stand_beside_the_released_form_of_full_splits(
    split: str, tasks: int, is_full: bool, has_released: bool
) -> None:
    released = {"hms_released": 0.4} if has_released else {}
    report = sections([result(f"t{number}", 0.5, split=split, **released) for number in range(tasks)])
    assert "paper: 24.4" not in image_of(report["hms"])
    assert ("released" in report) == has_released
    if has_released:
        assert rows(report["released"], "HMS released × 100") == [(pytest.approx(40),)]
        assert ("react · GPT-4o, paper: 24.4" in image_of(report["released"])) == is_full

    assert ("published" in report) == is_full
    if is_full:
        assert ("have no score in this form" in report["published"].text) == (not has_released)
        table = rows(report["published"], "benchmark", "agent", f"{HMS}, GPT-4o")
        assert ("DB-REAL test", "react", 24.4) in table


def image_of(section: Section) -> str:
    assert section.chart is not None
    return svg(section.chart)
