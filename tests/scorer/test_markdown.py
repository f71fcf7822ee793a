"""No text of a model or of a data file is Markdown in the explanation of a score."""

import html
import re

import pytest
from markdown_it import MarkdownIt

from inspect_discoverybench.scorer.markdown import escape_markdown
from tests.scorer.judging import InProcessJudge, evaluate, score_of, scripted

CONSTRUCTS = {
    "thematic breaks": "--- *** ___ - - -",
    "a line of hyphens": "---",
    "a line of hyphens and spaces": "- - -",
    "a line of underscores": "___",
    "a line of equals signs": "===",
    "a heading": "# HMS 1.00",
    "a fence of backticks": "``` python",
    "a fence of tildes": "~~~",
    "a long fence of tildes": "~~~~ text",
    "a tag": "<div> rises with <b>age</b>",
    "a comment": "<!-- rises",
    "a declaration": "<!DOCTYPE html>",
    "an instruction": "<?php rises ?>",
    "raw text": "<script>rises",
    "a link reference definition": "[rain]: /url 'title'",
    "a table": "| a | b | |---|---|",
    "a quotation": "> rises with age",
    "a quotation within a list": "- > rises",
    "an item with a hyphen": "- rises",
    "an item with a plus sign": "+ rises",
    "an item with an asterisk": "* rises",
    "an item with a number": "12. rises",
    "an item with a number in a parenthesis": "3) rises",
    "an empty item": "-",
    # A raw string cannot end with a backslash, so the test strips the space at the end.
    "a backslash": r"\beta rises \* with \\ age\ ",
    "a character reference": "&lt;b&gt; &copy; &#42; &#x2A;",
    "code": "``rises ` with`` `age`",
    "emphasis": "*rises* **with** _age_ __and__ *__height__* _rain_fall_",
    "strikethrough": "~~rises~~ ~0.3",
    "a link": "[rises](https://example.org 'title') [with][age] [age]",
    "an image": "![rises](picture.png)",
    "an automatic link": "<https://example.org> <a@example.org>",
    "mathematics": r"$\beta$ of $5 and $$x^2$$",
    "plain text": "income_2020 rises by 0.3 (p < 0.05 & n > 5) - not 2. in towns; a<5",
}


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_every_construct_of_markdown_is_shown_as_it_is(construct: str) -> None:
    text = CONSTRUCTS[construct].strip()
    escaped = escape_markdown(text)
    # Inspect's viewer escapes HTML before it reads the Markdown.
    for source in (escaped, html.escape(escaped, quote=False)):
        # The second one has tables and strikethrough, too.
        for dialect in ("commonmark", "js-default"):
            rendered = MarkdownIt(dialect, {"html": True}).render(source)
            # Escaping may add word joiners, which are invisible.
            shown = html.unescape(rendered).replace("\u2060", "")
            assert shown == f"<p>{text}</p>\n"


def title_of(heading: str) -> str:
    """The text of a heading of the third level, up to its colon."""
    match = re.match(r"<h3>([^:<]*)", heading)
    assert match, heading
    return match[1]


@pytest.mark.parametrize("text", ["~~~", "```", "<!-- "])
def test_a_hypothesis_cannot_hide_the_verdicts(text: str) -> None:
    judge = InProcessJudge(scripted())
    hypothesis = f"Rainfall raises yield.\n{text}\n# HMS 1.00"
    explanation = score_of(evaluate(judge.model, hypothesis)).explanation
    rendered = MarkdownIt("commonmark").render(explanation)
    headings = [line for line in rendered.splitlines() if line.startswith("<h")]
    assert [title_of(heading) for heading in headings] == [
        "Gold hypothesis",
        "Predicted hypothesis (from a JSON object in the final message)",
        "Context",
        "Variables",
        "Relationship",
    ]
