"""Charts: what their images show."""

import re
from xml.etree import ElementTree

import pytest

from inspect_discoverybench.report.figure import png, svg
from inspect_discoverybench.results.result import Result
from tests.typed_results import MISSING, results, sections

HINTED = '{"domain_knowledge": true}'
LONG = "provider/model-with-a-name-that-is-much-longer-than-any-axis-has-room-for-2026"


def images(*groups: list[Result]) -> dict[str, str]:
    """SVG images of all sections with a chart."""
    shown = {}
    for name, section in sections(*groups).items():
        if section.chart is not None:
            shown[name] = svg(section.chart).decode()
    return shown


def texts(image: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", image)


@pytest.mark.usefixtures("sweep")
def test_every_section_with_a_chart_renders_also_with_long_names_and_missing_samples() -> None:
    groups = []
    for agent in ("codegen", "react", "no_data_guess", "reflexion", "goal_echo"):
        for model in ("provider/model", LONG):
            for hints in ("{}", HINTED):
                setup = {"agent": agent, "model": model, "task_arguments": hints}
                hms = 0.1 if agent == "goal_echo" else 1.0
                groups.append(results({"a": hms, "b": 0.5}, domain="humanities", workflow_tags="x, y", **setup))
                groups.append(results({"c": 0.0, "d": MISSING}, domain="biology", goal_type="variables", **setup))
    shown = images(*groups)
    assert {*shown} == {
        *("hms", "facets", "losses", "domain", "goal_type", "workflow_tags"),
        *("controls", "cost"),
    }
    expected = ("DB-REAL test: 4 of 239 tasks", "(domain_knowledge)", "oracle", "floor", "with 95 % CI on these tasks")
    assert [text for text in expected if text not in shown["hms"]] == []
    chart = sections(*groups)["hms"].chart
    assert chart is not None
    assert png(chart).startswith(b"\x89PNG")


def test_the_panels_of_a_chart_share_their_axis() -> None:
    strong = results({"a": 1.0, "b": 0.9})
    weak = results({"a": 0.1, "b": 0.0}, split="train")
    assert texts(images(strong, weak)["hms"]).count("100") == 1


def test_the_chart_of_costs_has_distinct_ticks_and_names_tokens_if_a_cost_is_unknown() -> None:
    cheap = results({"a": 1.0}, agent="react", cost=0.00012)
    dear = results({"a": 0.5}, agent="codegen", cost=0.00019)
    labels = texts(images(cheap, dear)["cost"])
    ticks = [label for label in labels if label.startswith("0.000")]
    assert "USD per sample" in labels
    assert len(ticks) == len(set(ticks)) > 1
    unknown = results({"a": 0.5}, agent="codegen")
    assert "tokens per sample" in texts(images(cheap, unknown)["cost"])


def test_a_chart_shows_the_first_rows_of_a_long_table() -> None:
    many = [results({"a": 1 - number / 100}, model=f"m{number:02d}") for number in range(50)]
    labels = texts(images(*many)["hms"])
    assert "react · m39" in labels
    assert "react · m40" not in labels


def test_text_that_xml_does_not_allow_is_replaced_and_endless_text_is_cut() -> None:
    hostile = results({"a": 1.0}, domain="a\x0b<b>\U0001f600", model="provider/\x08\ufffe")
    endless = results({"b": 1.0}, domain="c" * 2_000_000, model="provider/\x08\ufffe")
    other = results({"a": 0.5, "b": 0.5}, agent="codegen")
    image = images(hostile, endless, other)["domain"]
    ElementTree.fromstring(image)
    assert "a\N{REPLACEMENT CHARACTER}&lt;b&gt;\U0001f600" in image
    assert len(image) < 100_000
