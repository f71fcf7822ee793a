"""Where scores are lost: the first facet that fails."""

from typing import TYPE_CHECKING

from inspect_discoverybench.hypothesis import Facet
from inspect_discoverybench.results import Outcome

if TYPE_CHECKING:
    import pandas as pd

MISSING = "no score"
NO_SUBMISSION = "no submission"
PARTIAL = "partial score"
COMBINED = "several parts"
NOTHING = "full score"

FACETS = tuple(facet.value for facet in Facet)
"""Columns of facets."""

STAGES = (MISSING, NO_SUBMISSION, *FACETS, COMBINED, PARTIAL, NOTHING)
"""Stages in the order in which a sample can lose its score."""


def lost_at(samples: "pd.DataFrame") -> "pd.Series[str]":
    """Where each sample loses its score.

    The value is `no score` (unscored, or an error), `no submission` (also at a limit), the first facet that is 0,
    `partial score` (no facet is 0, but HMS is below 1) or `full score`. With several sub-hypotheses, HMS can be 0
    although no facet is 0: `several parts`.

    Args:
        samples: The frame of samples.
    """
    import pandas as pd

    # Later assignments take precedence.
    stage = pd.Series(PARTIAL, index=samples.index, dtype=object)
    stage[samples.hms >= 1] = NOTHING
    stage[samples.hms == 0] = COMBINED
    for facet in reversed(FACETS):
        stage[(samples.hms < 1) & (samples[facet] == 0)] = facet
    stage[samples.outcome.isin((Outcome.NO_SUBMISSION, Outcome.LIMIT))] = NO_SUBMISSION
    stage[samples.hms.isna()] = MISSING
    return stage
