"""Every chart of a report renders, with one and with many configurations."""

import itertools
import re
from random import Random
from xml.etree import ElementTree

import pytest

from inspect_discoverybench.report.figure import png, svg
from inspect_discoverybench.report.section import Section
from inspect_discoverybench.results.result import Result
from tests.typed_results import MISSING, result, results, sections

AGENTS = ("codegen", "react", "datavoyager", "no_data_guess", "reflexion")
MODELS = (
    "provider/model",
    "provider/model-with-a-name-that-is-much-longer-than-any-axis-has-room-for-2026",
    "openai/o",
)
HINTED = '{"domain_knowledge": true}'


def configurations() -> list[Result]:
    """Ten configurations per model, with hints, variants, missing samples and long names."""
    random = Random(0)
    rows = []
    for agent, model, hints, number in itertools.product(AGENTS, MODELS, ("", HINTED), range(12)):
        hms = random.choice((0.0, 0.0, 0.5, 1.0)) if number else MISSING
        row = result(
            f"t{number}",
            hms,
            agent=agent,
            model=model,
            task_arguments=hints,
            domain=("humanities", "biology")[number % 2],
            goal_type=("context", "variables", "relationship")[number % 3],
            workflow_tags=("regression, glm", "data cleaning")[number % 2],
            cost=random.lognormvariate(-3, 2),
            tokens=random.randrange(1, 10**6),
        )
        rows.append(row)
    return rows


def images(parts: dict[str, Section]) -> dict[str, str]:
    """SVG images of all sections with a chart."""
    return {name: svg(part.chart).decode() for name, part in parts.items() if part.chart is not None}


def texts(image: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", image)


@pytest.mark.usefixtures("sweep")
def test_charts_of_many_configurations() -> None:
    parts = sections(configurations())
    shown = images(parts)
    names = ("hms", "facets", "losses", "domain", "goal_type", "workflow_tags")
    assert {*shown} == {*names, "domain_knowledge", "controls", "cost"}
    expected = ("DB-REAL test: 12 of 239 tasks", "react · provider/model", "(domain_knowledge)", "best agent", "oracle")
    assert [text for text in expected if text not in shown["hms"]] == []
    assert parts["hms"].chart is not None
    assert png(parts["hms"].chart).startswith(b"\x89PNG")


def test_the_panels_of_a_chart_share_their_axis() -> None:
    strong = results({"a": 1.0, "b": 0.9}, agent="react") + results({"a": 0.2, "b": 0.1}, agent="codegen")
    weak = results({"a": 0.1, "b": 0.0}, split="train") + results({"a": 0.0, "b": 0.1}, agent="codegen", split="train")
    image = images(sections(strong, weak))["hms"]
    assert texts(image).count("100") == 1


def test_ticks_are_distinct_and_usage_is_named() -> None:
    cheap = results({"a": 1.0}, agent="react", cost=0.00012) + results({"a": 0.5}, agent="codegen", cost=0.00019)
    labels = texts(images(sections(cheap))["cost"])
    assert "USD per sample" in labels
    ticks = [label for label in labels if label.startswith("0.000")]
    assert len(ticks) == len(set(ticks)) > 2
    unknown = results({"a": 1.0}, agent="react", cost=0.1) + results({"a": 0.5}, agent="codegen")
    assert "tokens per sample" in texts(images(sections(unknown))["cost"])


def test_a_chart_shows_the_first_rows_of_a_long_table() -> None:
    many = [row for number in range(50) for row in results({"a": 1 - number / 100}, model=f"m{number:02d}")]
    labels = texts(images(sections(many))["hms"])
    assert "react · m39" in labels
    assert "react · m40" not in labels


def test_text_that_xml_does_not_allow_is_replaced_and_endless_text_is_cut() -> None:
    model = "provider/\x08\ufffe"
    rows = [
        *results({"a": 1.0}, domain="a\x0b<b>\U0001f600", model=model),
        *results({"b": 1.0}, domain="c" * 2_000_000, model=model),
        *results({"a": 0.5, "b": 0.5}, agent="codegen"),
    ]
    shown = images(sections(rows))
    for image in shown.values():
        ElementTree.fromstring(image)
    assert "a\N{REPLACEMENT CHARACTER}&lt;b&gt;\U0001f600" in shown["domain"]
    assert len(shown["domain"]) < 100_000
