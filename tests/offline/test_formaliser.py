"""The baseline as the formaliser: its own sentences, and gold hypotheses read back as expressions."""

import ast
import json

import numpy as np
import pandas as pd
import pytest
from inspect_ai.model import ChatMessageUser

from inspect_discoverybench.offline import author
from inspect_discoverybench.offline.request import Request
from inspect_discoverybench.offline.stated_expression import stated_expression
from inspect_discoverybench.synth.expression import Expression
from inspect_discoverybench.synth.formaliser import check_code
from inspect_discoverybench.synth.wording import in_words

COLUMNS = ["sail_area", "drag", "rig", "new"]
FRAME = pd.DataFrame(
    {"sail_area": [1.0, 2.0, 4.0], "drag": [3.0, 1.0, 2.0], "rig": ["a", "b", "a b"], "new": [True] * 3}
)


def formalised(hypothesis: str) -> dict[str, object]:
    values = {"hypothesis": hypothesis, "goal": "?", "columns": [{"name": name} for name in COLUMNS]}
    message = ChatMessageUser(content=f"```json\n{json.dumps(values)}\n```")
    reply = author.reply(Request([message], {}, "prediction_formalise"))
    assert reply
    answer: dict[str, object] = json.loads(reply.text)
    return answer


@pytest.mark.parametrize(
    ("hypothesis", "values", "level_stated"),
    [
        ("speed increases linearly with sail_area, by 2 per unit (p < 0.001)", [2, 4, 8], False),
        ("speed decreases linearly with the ratio of sail_area to drag, by 3 per unit", [-1, -6, -6], False),
        ("speed is quadratic in drag: it falls up to 2 and rises beyond it (coefficient 1.5)", [1.5, 1.5, 0], False),
        ("speed is 5 lower above a threshold of drag at 1.5 (mean 2) than below it", [2, 7, 2], True),
        ("speed is 5 higher where rig is a b (mean 9) than elsewhere (mean 4)", [4, 4, 9], True),
        ("speed increases with drag only where rig is a, by 2 per unit, with no effect elsewhere", [6, 0, 0], False),
        (
            "speed decreases with drag, by 2 more for each unit of sail_area above 1",
            [0, -2, -12],
            False,
        ),
    ],
)
def test_sentences_of_the_baseline(hypothesis: str, values: list[float], level_stated: bool) -> None:
    answer = formalised(hypothesis)
    assert (answer["computable"], answer["level_stated"]) == (True, level_stated)
    check_code(str(answer["code"]))
    names = {"np": np}
    exec(str(answer["code"]), names)
    assert [*names["predict"](FRAME)] == pytest.approx(values)  # type: ignore[operator]


def test_other_hypotheses_are_not_computable() -> None:
    answer = formalised("Boats with large sails are fast.")
    assert answer["computable"] is False
    assert answer["reason"]
    assert formalised("the value of the speed is high (very")["computable"] is False


@pytest.mark.parametrize(
    "expression",
    [
        "5 + 2 * df['sail_area'] - df['drag'] / 3",
        "5 - (df['sail_area'] - (df['drag'] - 2))",
        "df['sail_area'] / (df['drag'] * 2) / 4",
        "-3 * df['drag'] + 0.5 * (-df['sail_area'])",
        "(df['drag'] - 4) ** 2 + df['sail_area'] ** 0.5 + df['drag'] ** 3 + df['drag'] ** 1.5",
        "np.where(df['sail_area'] > 2, df['drag'] + 1, np.where(df['rig'] == 'a b', 4, 5)) + 1",
        "np.where(df['new'] & (df['rig'] != 'a'), 3 * df['drag'], 0)",
        "np.where(df['new'] & ((df['drag'] <= 1) | (df['drag'] >= 3)), 1, 2)",
        "np.minimum(df['drag'], df['sail_area'] + 1) * np.maximum(2, df['drag'])",
        "np.clip(df['drag'] + df['sail_area'], 1, 4) - np.abs(df['drag'] - 2)",
        "np.log(df['drag']) + np.log1p(df['sail_area'] * 2) + np.exp(-0.5 * df['drag']) + np.tanh(df['drag'])",
        "np.sin(df['drag']) - np.cos(df['drag']) + np.sqrt(df['sail_area'])",
        "2 * (df['rig'].isin(['a', 'a b'])) + (df['drag'].between(1, 2))",
        "df['drag'] % 2 + 1",
        "(df['rig'] == 'a') | (df['drag'] > 2)",
    ],
)
def test_gold_expressions_are_read_back(expression: str) -> None:
    gold = Expression.parse(expression)
    words = in_words(gold, {name: name.replace("_", " ") for name in COLUMNS})
    statement = stated_expression(
        f"Among boats, the value of the speed is {words}; it increases with the drag.", COLUMNS
    )
    assert statement, words
    ast.parse(statement)
    values = eval(statement, {"frame": FRAME, "np": np})
    expected = eval(gold.text, {"df": FRAME, "np": np})
    assert [*map(float, values)] == pytest.approx([*map(float, expected)]), words
