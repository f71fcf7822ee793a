"""How the answers of agents were read."""

from typing import TYPE_CHECKING, get_args

from inspect_discoverybench.hypothesis import Source
from inspect_discoverybench.report.aggregates import KEYS
from inspect_discoverybench.report.section import Section

if TYPE_CHECKING:
    import pandas as pd

NOT_ASSERTED = "none asserted"
FORMS = (*get_args(Source), NOT_ASSERTED)
"""Forms of answers: how the submission was read, or that the judge found no hypothesis in the text."""


def answer_section(samples: "pd.DataFrame") -> Section | None:
    """Share of each form among the answers of a configuration; None if the logs do not record forms.

    Args:
        samples: Labelled samples with the scores of one judge.
    """
    import pandas as pd

    is_refused = (samples.refusal == True) & samples.submission_source.isna()  # noqa: E712 - NaN is false
    form = samples.submission_source.mask(is_refused, NOT_ASSERTED)
    answers = samples.assign(form=pd.Categorical(form, FORMS)).dropna(subset=["form"])
    if answers.empty:
        return None
    keys = list(KEYS)
    counts = answers.groupby([*keys, "form"], sort=False, observed=True).size().rename("samples").reset_index()
    totals = counts.groupby(keys).samples.transform("sum")
    table = counts.assign(**{"share in %": 100 * counts.samples / totals}).sort_values([*keys, "form"])
    return Section(
        name="answers",
        title="How answers were read",
        text=(
            "Share of answers by form: a call of `submit`, a JSON object or the two labels of the task text, quotes of "
            "the judge from another text, or the whole text if the quotes were invalid. An answer that asserts no "
            "hypothesis scores 0. Samples without an answer are left out."
        ),
        table=table.astype({"form": object}).reset_index(drop=True),
        formats={"share in %": ".1f"},
    )
