"""Texts of agents with the hypothesis that a careful reader would quote, for the judge audit's answer question."""

from collections.abc import Mapping
from difflib import SequenceMatcher
from importlib.resources import files

import yaml
from inspect_ai.dataset import Sample
from pydantic import BaseModel, ConfigDict, TypeAdapter

from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.scorer.quotation import fold_quote

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

    def is_met(self, quoted: Mapping[str, str]) -> bool:
        """Whether a submission, which is empty if no hypothesis is asserted, is close to the expected reply."""
        if not quoted or not self.asserted:
            return not quoted and not self.asserted
        texts = fold_quote(quoted["hypothesis"]), fold_quote("\n".join(self.hypothesis))
        similarity = SequenceMatcher(None, *texts, autojunk=False).ratio()
        return quoted["source"] != "whole" and similarity >= MIN_SIMILARITY


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
