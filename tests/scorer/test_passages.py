"""Quotes stand for passages of the author's own text, and for nothing that the author did not write."""

import pytest

from inspect_discoverybench.errors.exceptions import ReplyRejected
from inspect_discoverybench.judge_pairs.answer_texts import answer_texts
from inspect_discoverybench.scorer.passages import passages

ACCEPTED_QUOTES: dict[str, tuple[str, str, str]] = {
    # text, quote, passage
    "emphasis added": ("BMI rises with age.", "**BMI** rises _with_ age.", "BMI rises with age."),
    # Marks at the ends of the passage are left out, those within it stay.
    "emphasis left out": ("**BMI** rises *with* age.", "BMI rises with age.", "BMI** rises *with* age."),
    "quotation marks": ('It says "BMI rises with age", p. 3', "\u201cBMI rises with age\u201d", "BMI rises with age"),
    "another apostrophe": ("A doesn\u2019t rise with B", "A doesn't rise with B", "A doesn\u2019t rise with B"),
    "without its full stop": ("We see: A rises with B.", "A rises with B", "A rises with B."),
    "a short sentence": ("I tested it. **BMI rises.** I am sure.", "BMI rises.", "BMI rises."),
    "a short line": ("Answer\n- **BMI rises**\nEnd", "BMI rises", "BMI rises"),
    "a short statement after a label": ("Hypothesis: BMI rises.", "BMI rises.", "BMI rises."),
    "after a longer word": (
        "I tested whether BMI rises with ageing. My conclusion: BMI rises with age",
        "BMI rises with age",
        "BMI rises with age",
    ),
    "a question mark after a space": (
        'So "does BMI rise with age" ?',
        "does BMI rise with age",
        'does BMI rise with age" ?',
    ),
    # A decimal point or an operator after the quote is no end of a sentence, and no part of the passage.
    "before a decimal point": ("the slope by age is .5 per year", "the slope by age is", "the slope by age is"),
    "before an operator": ("the two group means != 0", "the two group means", "the two group means"),
    "after a longer number": ("It is not that the slope is 0.5: the slope is 0.", "the slope is 0", "the slope is 0."),
    "after a dash": (
        "Final answer\u2014women earn less in towns.",
        "women earn less in towns.",
        "women earn less in towns.",
    ),
    "in parentheses": ("(women earn less in towns)", "women earn less in towns", "women earn less in towns"),
    "after a number": ("1.Women earn less in towns.", "Women earn less in towns.", "Women earn less in towns."),
    # "[Hypothesis] BMI rises. That is all."
    "a script without spaces": (
        "\u3010\u4eee\u8aac\u3011BMI\u306f\u4e0a\u304c\u308b\u3002\u4ee5\u4e0a\u3002",
        "BMI\u306f\u4e0a\u304c\u308b\u3002",
        "BMI\u306f\u4e0a\u304c\u308b\u3002",
    ),
    # "Will prices rise? The data of 2020 do not suffice."
    "a question before a digit": (
        "\u4ef7\u683c\u4f1a\u4e0a\u5347\u5417\uff1f2020\u5e74\u6570\u636e\u4e0d\u8db3\u3002",
        "\u4ef7\u683c\u4f1a\u4e0a\u5347\u5417",
        "\u4ef7\u683c\u4f1a\u4e0a\u5347\u5417\uff1f",
    ),
    "a sentence after the marker of a list": ("Options\n(a) BMI rises.\nEnd", "BMI rises.", "BMI rises."),
}

NOT_IN_TEXT: dict[str, tuple[str, str]] = {
    # text, quote
    "another word": ("BMI rises with age in towns.", "BMI falls with age in towns."),
    "a symbol added": ("the slope of A is 5 in towns", "the slope of A is > 5 in towns"),
    "a tilde added": ("it rises by 0.3 in towns", "it rises by ~0.3 in towns"),
    "a symbol left out": ("we found p > 0.05 in towns", "we found p 0.05 in towns"),
    "a sign left out": ("it rises by -0.3 in towns", "it rises by 0.3 in towns"),
    "a superscript": ("an area of 10\u00b2 in each town", "an area of 102 in each town"),
    "a sign added in parentheses": ("the slope (0.3 in towns) is clear", "the slope (>0.3 in towns) is clear"),
    "a space after a decimal point": ("it rises by 1.5 in towns", "it rises by 1. 5 in towns"),
    "a part of a word with a hyphen": ("a non-linear relation holds", "linear relation holds"),
    "a number without its sign": ("Slope: \u22120.3 per year in towns", "0.3 per year in towns"),
    "digits joined": ("the values 1 2 of the towns", "the values 12 of the towns"),
    "a product joined": ("it depends on a*b in towns", "it depends on ab in towns"),
    "bars left out": ("the value of |x| rises with time", "the value of x rises with time"),
    "part of the first word": (r"here \beta rises with time", "eta rises with time"),
    "part of the last word": ("each year it rises by 0.35%", "each year it rises by 0"),
    "nothing": ("BMI rises with age.", "**"),
}

TOO_SHORT: dict[str, tuple[str, str]] = {
    # text, quote of fewer than four words. Most of them leave out the words that change the meaning.
    "a line of marks": ("BMI rises with age.\n;\n", ";"),
    "marks instead of words": ("BMI does not rise.", "BMI * * * does"),
    "three words": ("BMI does not rise with age.", "BMI does not"),
    "the end of a sentence": ("BMI does not rise.", "rise."),
    "the end of a sentence after a parenthesis": ("BMI does not (yet) rise.", "rise."),
    "the end of a sentence after a reference": ("BMI does not [1] rise.", "rise."),
    "words before a decimal point": ("BMI rises .5 per year", "BMI rises"),
    "words before an operator": ("the means != 0", "the means"),
}


@pytest.mark.parametrize("case", ACCEPTED_QUOTES)
def test_a_quote_stands_for_the_authors_own_text(case: str) -> None:
    text, quote, passage = ACCEPTED_QUOTES[case]
    assert passages(text, [quote]) == [passage]


@pytest.mark.parametrize("case", NOT_IN_TEXT)
def test_a_quote_that_the_author_did_not_write_is_rejected(case: str) -> None:
    text, quote = NOT_IN_TEXT[case]
    with pytest.raises(ReplyRejected, match=r"^this quote does not occur in the text"):
        passages(text, [quote])


@pytest.mark.parametrize("case", TOO_SHORT)
def test_a_short_quote_that_is_no_whole_line_or_sentence_is_rejected(case: str) -> None:
    text, quote = TOO_SHORT[case]
    with pytest.raises(ReplyRejected, match=r"^this quote is no whole line or sentence, nor 4 words long"):
        passages(text, [quote])


def test_a_rejected_quote_is_shown_as_data() -> None:
    with pytest.raises(ReplyRejected) as rejected:
        passages("BMI rises with age.", ["BMI falls.<|im_end|>"])
    assert rejected.value.message.endswith('"BMI falls.\\u003c|im_end|>".')


TEXT = "A does not rise with B. It rises with C, and it falls with D in towns."
FIRST = "A does not rise with B."
SECOND = "it falls with D in towns."


def test_quotes_are_in_the_order_of_the_text() -> None:
    assert passages(TEXT, [FIRST, SECOND]) == [FIRST, SECOND]


def test_quotes_in_another_order_are_rejected() -> None:
    with pytest.raises(ReplyRejected, match="not after the quote before it"):
        passages(TEXT, [SECOND, FIRST])


def test_words_cannot_be_picked_one_by_one() -> None:
    with pytest.raises(ReplyRejected, match="no whole line or sentence"):
        passages(TEXT, ["A", "rises with", "D in towns."])


def test_a_fourth_quote_is_rejected() -> None:
    text = f"{FIRST}\n" * 4
    three = [FIRST] * 3
    four = [FIRST] * 4
    assert passages(text, three) == three
    with pytest.raises(ReplyRejected, match="there are 4 quotes, but the maximum is 3"):
        passages(text, four)


def test_the_expected_quotes_of_the_audit_are_valid() -> None:
    for item in answer_texts():
        # A quote that is not valid raises an error.
        hypothesis = passages(item.text, item.hypothesis)
        assert bool(hypothesis) == item.asserted
        passages(item.text, item.workflow)


@pytest.mark.parametrize("part", ["a ", "a", "*", "a*", "\n", "a.\n", '"a" ', "\u3002a"])
@pytest.mark.usefixtures("slow")
@pytest.mark.timeout(20)
def test_matching_takes_linear_time(part: str) -> None:
    """Texts have at most 100,000 characters. A quadratic algorithm would take minutes."""
    count = 100_000 // len(part)
    text = part * count
    half = text[:50_000]
    # A long quote that fits, one that fits up to its last character, and one that fits at every place.
    for quote in (half, f"{half}b", part):
        try:
            passages(text, [quote])
        except ReplyRejected:
            continue
