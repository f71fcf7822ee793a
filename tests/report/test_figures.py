"""Every chart of a report renders, with one and with many configurations."""

import itertools
import json
from collections.abc import Sequence
from random import Random
from xml.etree import ElementTree

import pandas as pd
import pytest

from inspect_discoverybench.report.figures import Chart, render, theme
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.report.sections import sections
from tests.report.frames import MISSING, frame, scores

AGENTS = ("codegen", "react", "datavoyager", "no_data_guess", "reflexion")
MODELS = (
    "provider/model",
    "provider/model-with-a-name-that-is-much-longer-than-any-axis-has-room-for-2026",
    "openai/o",
)
HINTED = '{"domain_knowledge": true}'


def configurations(models: Sequence[str]) -> pd.DataFrame:
    """Ten configurations per model, with hints, variants, two judges, missing samples and long names."""
    random = Random(0)
    rows = []
    for agent, model, hints in itertools.product(AGENTS, models, ("", HINTED)):
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


@pytest.fixture(scope="module")
def report() -> dict[str, Section]:
    return {section.name: section for section in sections(configurations(MODELS[:1]))}


def test_charts_of_30_configurations(sweep: None) -> None:
    for section in sections(configurations(MODELS)):
        if section.chart is not None:
            assert_renders(section.chart)


@pytest.mark.usefixtures("sweep")
def test_charts_of_ten_configurations(report: dict[str, Section]) -> None:
    charts = {name: section.chart for name, section in report.items() if section.chart is not None}

    assert {*charts} == {
        *("hms", "oracles", "facets", "losses", "domain", "goal_type", "workflow_category"),
        *("domain_knowledge", "variants", "memory", "cost", "judges", "judge_agreement"),
    }
    for chart in charts.values():
        assert_renders(chart)


@pytest.mark.usefixtures("sweep")
def test_charts_of_one_configuration_without_scores() -> None:
    for samples in (frame(scores({"a": 1.0})), frame(scores({"a": MISSING})), frame(scores({"a": 0.0}, cost=0.0))):
        for section in sections(samples):
            if section.chart is not None:
                assert_renders(section.chart)


def test_no_figure_without_scores() -> None:
    samples = frame(scores({"a": MISSING, "b": MISSING}, task="demo", split="demo", domain="biology"))

    assert [section.name for section in sections(samples) if section.chart is not None] == ["losses"]


def test_text_that_xml_does_not_allow_is_replaced() -> None:
    samples = frame(
        [
            *scores({"a": 1.0}, domain="a\x0b<b>\U0001f600", model="provider/\x08\ufffe"),
            *scores({"b": 1.0}, domain="other", model="provider/\x08\ufffe"),
        ]
    )

    pictures = {}
    for section in sections(samples):
        if section.chart is not None:
            pictures[section.name] = render(section.chart, "svg").decode()
            ElementTree.fromstring(pictures[section.name])
            if section.name == "domain":
                assert_renders(section.chart)
    assert "a\N{REPLACEMENT CHARACTER}&lt;b&gt;\U0001f600" in pictures["domain"]


def test_legend_of_losses_is_above_the_bars(report: dict[str, Section]) -> None:
    chart = report["losses"].chart
    assert chart is not None

    assert '"orient": "top"' in json.dumps(chart.to_dict())


def test_text_of_figures(report: dict[str, Section]) -> None:
    chart = report["hms"].chart
    assert chart is not None

    svg = render(chart, "svg").decode()

    for text in (
        "DB-REAL test",
        "react · provider/model",
        "(domain_knowledge)",
        "best agent",
        "oracle",
        "95 % interval",
    ):
        assert text in svg


def test_themes_differ_in_text_only(report: dict[str, Section]) -> None:
    chart = report["losses"].chart
    assert chart is not None

    light, dark = render(chart, "svg").decode(), render(chart, "svg", dark=True).decode()

    ink, dark_ink = theme()["text"]["color"], theme(dark=True)["text"]["color"]
    assert ink in light
    assert dark_ink in dark
    assert ink not in dark
    assert dark_ink not in light


def assert_renders(chart: Chart) -> None:
    assert render(chart, "svg").startswith(b"<svg")
    assert render(chart, "png").startswith(b"\x89PNG")
