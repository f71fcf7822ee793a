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
"""Smallest similarity of a quote to the expected one, because quotes may start and end a few words apart."""


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
        """Whether the judge quotes the expected hypothesis; None says that none is asserted."""
        if not self.asserted:
            return submission is None
        if submission is None or submission.source == "whole":  # the judge's quotes were invalid
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
                "study": f"answer {number}",
                "expected": text.model_dump(),
                "goal": text.goal,
            },
        )
        for number, text in enumerate(answer_texts(), 1)
    ]
