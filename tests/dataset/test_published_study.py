"""The published study of a data set."""

import re
from pathlib import Path

import pytest

from inspect_discoverybench.dataset.published_study import GUESSED_STUDIES, STUDIES, study_of

DOCUMENTED = Path(__file__).parents[2] / "docs" / "statistics.md"


def test_the_study_of_each_data_set_is_that_of_the_documented_table() -> None:
    documented: dict[str, str] = {}
    guessed = set()
    rows = re.findall(r"^\| `(\w+)`( \(a guess\))? \|.*\| (.*) \|$", DOCUMENTED.read_text("utf-8"), re.MULTILINE)
    for study, guess, folders in rows:
        documented |= dict.fromkeys(re.findall("`(.+?)`", folders), study)
        if guess:
            guessed.add(study)
    assert documented == STUDIES
    assert guessed == GUESSED_STUDIES


@pytest.mark.parametrize(
    ("dataset", "domain", "study"),
    [
        ("m-lltonnen_0_1", "Mülltonnen", "Mülltonnen"),
        # The folder is not named after the domain, so this is a custom study.
        ("space-tourism_12_0", "sociology", "space-tourism_12_0"),
    ],
)
def test_the_study_of_a_synthetic_data_set_is_its_domain_and_that_of_a_custom_one_its_folder(
    dataset: str, domain: str, study: str
) -> None:
    assert study_of({"dataset": dataset, "domain": domain}) == study
