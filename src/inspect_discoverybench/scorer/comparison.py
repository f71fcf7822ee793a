"""The pair that is judged, and the frame that both comparison questions share (paper, Listings 3 and 4)."""

import json
from dataclasses import dataclass
from typing import Any

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.prompts import Prompt

NOT_PUBLIC = "The workflow of this hypothesis is not public."
NOT_SUBMITTED = "No workflow was submitted."


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A gold and a predicted hypothesis for one goal.

    Keyword-only, so that gold and predicted cannot be swapped unseen.

    Attributes:
        goal: The discovery goal.
        data_files: The described data files.
        gold_hypothesis: HypoA of the listings.
        gold_workflow: Its workflow; None where it is not public.
        predicted_hypothesis: HypoB of the listings.
        predicted_workflow: Its workflow; may be empty.
    """

    goal: str
    data_files: tuple[DataFile, ...]
    gold_hypothesis: str
    gold_workflow: str | None
    predicted_hypothesis: str
    predicted_workflow: str

    @property
    def datasets(self) -> str:
        """The data files as the listings show them to the judge: names, descriptions and columns as JSON."""
        return to_json([file.model_dump(include={"name", "description", "columns"}) for file in self.data_files])

    @property
    def workflows(self) -> tuple[str, str]:
        """What stands in the slots of the gold and of the predicted workflow."""
        return self.gold_workflow or NOT_PUBLIC, self.predicted_workflow or NOT_SUBMITTED

    def comparison_prompt(self, question: str) -> str:
        """The shared frame around one of the comparison questions, by the name of its prompt."""
        gold_workflow, predicted_workflow = self.workflows
        return Prompt.load("judge/compare").render(
            datasets=self.datasets,
            query=to_json(self.goal),
            gold_hypothesis=to_json(self.gold_hypothesis),
            gold_workflow=to_json(gold_workflow),
            predicted_hypothesis=to_json(self.predicted_hypothesis),
            predicted_workflow=to_json(predicted_workflow),
            question=Prompt.load(question).render(),
        )


def to_json(value: Any) -> str:
    """A value as JSON, so that quotes, braces, fences and instructions inside it stay data."""
    return json.dumps(value, ensure_ascii=False)
