"""Texts of agents with the hypothesis that a judge should quote."""

from difflib import SequenceMatcher
from importlib.resources import files

import yaml
from inspect_ai.dataset import Sample
from pydantic import BaseModel, ConfigDict, TypeAdapter

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import normalize_case_and_spaces
from inspect_discoverybench.submission.submission import Submission

MIN_SIMILARITY = 0.6
"""Smallest similarity, from 0 to 1, at which a quote counts as the expected one.

Right quotes may begin and end a few words earlier or later."""


class AnswerText(BaseModel):
    """What an agent wrote last, with the expected reply: whether a hypothesis is asserted, and quotes of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    goal: str
    text: str
    asserted: bool
    hypothesis: tuple[str, ...] = ()
    workflow: tuple[str, ...] = ()

    def is_right(self, submission: Submission | None) -> bool:
        """Whether the judge quotes the expected hypothesis or, if none is expected, says that none is asserted.

        Args:
            submission: What the judge quoted; None if it said that no hypothesis is asserted.
        """
        if not self.asserted:
            return submission is None
        # The source is the whole text if the judge's quotes were invalid.
        if submission is None or submission.source == "whole":
            return False
        quoted = normalize_case_and_spaces(submission.hypothesis)
        expected = normalize_case_and_spaces("\n".join(self.hypothesis))
        similarity = SequenceMatcher(None, quoted, expected, autojunk=False).ratio()
        return similarity >= MIN_SIMILARITY


def answer_texts() -> list[AnswerText]:
    """Read the texts of `answer_texts.yaml`."""
    text = files(__package__).joinpath("answer_texts.yaml").read_text("utf-8")
    return TypeAdapter(list[AnswerText]).validate_python(yaml.safe_load(text))


def answer_text_samples() -> list[Sample]:
    """Build the Inspect samples of all texts."""
    prompt = Prompt.load("judge_audit/audit_text")
    return [
        Sample(
            id=f"answer/{number}",
            input=prompt.render(goal=text.goal, text=text.text),
            target="\n".join(text.hypothesis) or "no hypothesis is asserted",
            metadata={
                "kind": text.kind,
                "study": f"answer {number}",  # a text is of no study, so it is a cluster of its own
                "expected": text.model_dump(),
                "goal": text.goal,
            },
        )
        for number, text in enumerate(answer_texts(), 1)
    ]
