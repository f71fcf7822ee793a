"""Charts: what their images show."""

import re
from xml.etree import ElementTree

import pytest

from inspect_discoverybench.report.figure import svg
from inspect_discoverybench.results.result_row import ResultRow
from tests.typed_results import MISSING, results, sections

HINTED = '{"domain_knowledge": true}'
LONG = "provider/model-with-a-name-that-is-much-longer-than-any-axis-has-room-for-2026"


def images(*groups: list[ResultRow]) -> dict[str, str]:
    """SVG images of all sections with a chart."""
    shown = {}
    for name, section in sections(*groups).items():
        chart = section.chart
        if chart is not None:
            shown[name] = svg(chart)
    return shown


def texts(image: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", image)


@pytest.mark.usefixtures("slow")
def test_every_section_with_a_chart_renders_also_with_long_names_and_missing_samples() -> None:
    groups = []
    for agent in ("react", "no_data_guess", "reflexion", "goal_echo"):
        for hints in ("{}", HINTED):
            setup = {"agent": agent, "model": LONG, "task_arguments": hints}
            # The floor is lower, or no best agent would be marked.
            hms = 0.1 if agent == "goal_echo" else 1.0
            first = results({"a": hms, "b": 0.5}, domain="humanities", workflow_tags="x, y", **setup)
            second = results({"c": 0.0, "d": MISSING}, domain="biology", goal_type="variables", **setup)
            groups += [first, second]

    shown = images(*groups)
    assert shown.keys() == {
        "hms",
        "facets",
        "losses",
        "domain",
        "goal_type",
        "workflow_tags",
        "controls",
        "cost",
    }
    assert "DB-REAL test: 4 of 239 tasks" in shown["hms"]
    assert "(domain_knowledge), best agent" in shown["hms"]
    assert "with 95 % CI on these tasks" in shown["hms"]


@pytest.mark.usefixtures("slow")
def test_the_panels_of_a_chart_share_their_axis() -> None:
    strong = results({"a": 1.0, "b": 0.9})
    weak = results({"a": 0.1, "b": 0.0}, split="train")
    shown = images(strong, weak)
    labels = texts(shown["hms"])
    assert labels.count("100") == 1  # the end of the axis, which the panels of test and train share


def test_a_chart_shows_every_row() -> None:
    """DB-SYNTH has 48 domains."""
    domains = [f"domain {number}" for number in range(48)]
    groups = [results({domain: 1.0}, domain=domain) for domain in domains]
    # The chart shows the best agent, and a single agent is not marked as the best.
    other = results(dict.fromkeys(domains, 0.0), agent="codegen")
    shown = images(*groups, other)
    labels = [text for text in texts(shown["domain"]) if text.startswith("domain ")]
    assert len(labels) == len(domains)


def test_a_chart_with_short_labels_fits_on_the_screen_of_a_phone() -> None:
    shown = images(results({"a": 1.0, "b": 0.0}))
    svg_tag = ElementTree.fromstring(shown["hms"])
    width = float(svg_tag.attrib["width"])
    assert width <= 358  # of 390, without the margins of the page


def test_the_chart_of_costs_has_distinct_ticks_and_names_tokens_if_a_cost_is_unknown() -> None:
    cheap = results({"a": 1.0}, agent="react", cost=0.00012)
    dear = results({"a": 0.5}, agent="codegen", cost=0.00019)
    shown = images(cheap, dear)
    labels = texts(shown["cost"])
    ticks = [label for label in labels if label.startswith("0.000")]
    assert "USD per sample" in labels
    assert len(ticks) == len(set(ticks)) > 1

    unknown = results({"a": 0.5}, agent="codegen")
    shown = images(cheap, unknown)
    labels = texts(shown["cost"])
    assert "tokens per sample" in labels


def test_text_that_xml_does_not_allow_is_replaced_and_endless_text_is_cut() -> None:
    model = "provider/\x08\ufffe"
    hostile = results({"a": 1.0}, domain="a\x0b<b>\U0001f600", model=model)
    endless = results({"b": 1.0}, domain="c" * 2_000_000, model=model)
    # The chart shows the best agent, and a single agent is not marked as the best.
    other = results({"a": 0.5, "b": 0.5}, agent="codegen")
    shown = images(hostile, endless, other)
    image = shown["domain"]
    ElementTree.fromstring(image)
    assert "a\N{REPLACEMENT CHARACTER}&lt;b&gt;\U0001f600" in image
    assert len(image) < 100_000
