"""Texts of agents with the hypothesis that a careful reader would quote, for the judge audit's answer question."""

from difflib import SequenceMatcher
from importlib.resources import files
from typing import Any

import yaml
from inspect_ai.dataset import Sample
from pydantic import BaseModel, ConfigDict, TypeAdapter

from inspect_discoverybench.answer import FreeText
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.judge import Judge
from inspect_discoverybench.scorer.quotation import fold_quote, read_answer

MIN_SIMILARITY = 0.6
"""Smallest similarity of a quote to the expected one, because quotes may start and end a few words apart."""


class AnswerText(BaseModel):
    """A text with the expected reply.

    Attributes:
        kind: The kind of text, such as "closing remark".
        goal: The discovery goal.
        text: What the agent wrote last.
        asserted: Whether its author asserts a hypothesis.
        hypothesis: Quotes of the hypothesis.
        workflow: Quotes of the workflow.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    goal: str
    text: str
    asserted: bool
    hypothesis: tuple[str, ...] = ()
    workflow: tuple[str, ...] = ()


class Reading(BaseModel):
    """How the judge read a text.

    Attributes:
        source: `quoted`, or `whole` after three invalid replies; None if the text asserts no hypothesis.
        hypothesis: The hypothesis; empty if there is none.
    """

    model_config = ConfigDict(frozen=True)

    # Logs leave out null.
    source: str | None = None
    hypothesis: str

    def is_correct(self, expected: AnswerText) -> bool:
        """Whether the reply is valid and close to the expected one."""
        if self.source == "whole" or (self.source is not None) != expected.asserted:
            return False
        quoted, wanted = fold_quote(self.hypothesis), fold_quote("\n".join(expected.hypothesis))
        return SequenceMatcher(None, quoted, wanted, autojunk=False).ratio() >= MIN_SIMILARITY


def answer_texts() -> list[AnswerText]:
    """Read the texts of `answer_pairs.yaml`."""
    content = yaml.safe_load(files(__package__).joinpath("answer_pairs.yaml").read_text("utf-8"))
    return TypeAdapter(list[AnswerText]).validate_python(content)


def text_samples() -> list[Sample]:
    """Build the Inspect samples of all texts."""
    return [
        Sample(
            id=f"answer/{number}",
            input=Prompt.load("judge/audit_text").render(goal=item.goal, text=item.text),
            target="\n".join(item.hypothesis) or "no hypothesis is asserted",
            metadata={"kind": item.kind, "study": f"answer {number}", "expected": item.model_dump(), "goal": item.goal},
        )
        for number, item in enumerate(answer_texts(), 1)
    ]


async def read_text(judge: Judge, expected: dict[str, Any]) -> Reading:
    """Let the judge read a text, as in scoring."""
    item = AnswerText.model_validate(expected)
    submission = (await read_answer(judge, item.goal, FreeText(item.text))).submission
    return Reading(source=submission and submission.source, hypothesis=submission.hypothesis if submission else "")
