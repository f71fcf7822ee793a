"""Every chart of a report renders, with one and with many configurations."""

import itertools
from random import Random
from xml.etree import ElementTree

import pandas as pd
import pytest

from inspect_discoverybench.report.charts import render
from inspect_discoverybench.report.sections import sections
from tests.report.frames import MISSING, frame, scores

AGENTS = ("codegen", "react", "datavoyager", "no_data_guess", "reflexion")
MODELS = (
    "provider/model",
    "provider/model-with-a-name-that-is-much-longer-than-any-axis-has-room-for-2026",
    "openai/o",
)
HINTED = '{"domain_knowledge": true}'


def configurations() -> pd.DataFrame:
    """Ten configurations per model, with hints, variants, two judges, missing samples and long names."""
    random = Random(0)
    rows = []
    for agent, model, hints in itertools.product(AGENTS, MODELS, ("", HINTED)):
        for place, number in itertools.product(range(2), range(12)):
            hms = random.choice((0.0, 0.0, 0.5, 1.0)) if number else MISSING
            rows += scores(
                {f"t{number}": hms},
                agent=agent,
                model=model,
                task_arguments=hints,
                domain=("humanities", "biology")[number % 2],
                goal_type=("context", "variables", "relationship")[number % 3],
                workflow_tags=("regression, glm", "data cleaning")[number % 2],
                variant_of=f"t{number - 1}" if number % 4 == 3 else None,
                cost=random.lognormvariate(-3, 2),
                tokens=random.randrange(1, 10**6),
                best_trial_hms=1.0 if agent == "reflexion" else MISSING,
                score=f"HMS{place or ''}",
                judge_record=f'{{"judge": "provider/judge-{place}"}}',
            )
    return frame(rows)


def pictures(samples: pd.DataFrame) -> dict[str, str]:
    """SVG images of all sections with a chart. Each is also rendered as PNG."""
    charts = {section.name: section.chart for section in sections(samples) if section.chart is not None}
    for chart in charts.values():
        assert render(chart, "png").startswith(b"\x89PNG")
    return {name: render(chart, "svg").decode() for name, chart in charts.items()}


@pytest.mark.usefixtures("sweep")
def test_charts_of_many_configurations() -> None:
    images = pictures(configurations())
    assert {*images} == {
        *("hms", "oracles", "facets", "losses", "domain", "goal_type", "workflow_category"),
        *("domain_knowledge", "variants", "memory", "cost", "judges", "judge_agreement"),
    }
    texts = ("DB-REAL test", "react · provider/model", "(domain_knowledge)", "best agent", "oracle", " on these tasks")
    assert [text for text in texts if text not in images["hms"]] == []
    assert images["facets"].count(">100<") == 4  # both axes of two panels


def test_text_that_xml_does_not_allow_is_replaced() -> None:
    model = "provider/\x08\ufffe"
    samples = frame(
        [*scores({"a": 1.0}, domain="a\x0b<b>\U0001f600", model=model), *scores({"b": 1.0}, domain="c", model=model)]
    )
    images = pictures(samples)
    for image in images.values():
        ElementTree.fromstring(image)
    assert "a\N{REPLACEMENT CHARACTER}&lt;b&gt;\U0001f600" in images["domain"]
