"""The published study that a data set belongs to.

Tasks of one study share data and authors, so their scores depend on each other.
"""

from collections.abc import Mapping
from typing import Any

from inspect_discoverybench.dataset.synth_folder import target_depth

STUDIES: Mapping[str, str] = {
    "evolution_freshwater_fish": "cerezer2023",
    "introduction_pathways_non-native_plants": "riera2024",
    "immigration_offshoring_effect_on_employment": "ottaviano2013",
    "requirements_engineering_for_ML_enabled_systems": "alves2023",
    "meta_regression": "heyard2024",
    "meta_regression_raw": "heyard2024",
    "nls_bmi": "nls",
    "nls_bmi_raw": "nls",
    "nls_incarceration": "nls",
    "nls_raw": "nls",
    "nls_ses": "nls",
    "worldbank_education_gdp": "worldbank",
    "worldbank_education_gdp_indicators": "worldbank",
    "archaeology": "archaeology",
}
"""The study of each folder of DB-REAL: the work that the paper's appendix B lists for the topic of the folder.

Folders with the same prefix have the same underlying data (appendix D.2)."""

GUESSED_STUDIES = frozenset({"nls", "worldbank", "archaeology"})
"""Studies that are guesses.

The appendix lists five works for `nls`, four for `worldbank` and twelve for `archaeology`, and does not say which task
is from which work. The tasks of each of these three share data, so they count as one study."""


def study_of(metadata: Mapping[str, Any]) -> str | None:
    """The study of a sample, by the data set in its metadata; None if its metadata names no data set.

    Samples of other packages may have any metadata. A data set that is not in `STUDIES` is a study of its own.
    """
    folder = str(metadata.get("dataset") or "")
    if not folder:
        return None

    domain = str(metadata.get("domain") or "")
    is_synthetic = target_depth(folder, domain) is not None
    # The tasks of a synthetic domain have one author, who invented the whole domain. So the domain is the study.
    if is_synthetic:
        return domain
    return STUDIES.get(folder, folder)
