"""The two hypotheses to compare, and the prompt head shared by both comparison questions (paper, Listings 3 and 4)."""

import json
from dataclasses import dataclass
from typing import Any

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.prompts import Prompt

NOT_PUBLIC = "The workflow of this hypothesis is not public."
NOT_SUBMITTED = "No workflow was submitted."


@dataclass(frozen=True, kw_only=True)
class HypothesisPair:
    """A gold and a predicted hypothesis for one goal.

    Fields are keyword-only to prevent swapping gold and predicted.

    Attributes:
        goal: The discovery goal.
        data_files: Descriptions of the data files.
        gold_hypothesis: HypoA in the listings.
        gold_workflow: Workflow of the gold hypothesis; None if it is not public.
        predicted_hypothesis: HypoB in the listings.
        predicted_workflow: Workflow of the predicted hypothesis; may be empty.
    """

    goal: str
    data_files: tuple[DataFile, ...]
    gold_hypothesis: str
    gold_workflow: str | None
    predicted_hypothesis: str
    predicted_workflow: str

    @property
    def datasets(self) -> str:
        """The data files as shown to the judge: names, descriptions and columns as JSON."""
        return to_json([file.model_dump(include={"name", "description", "columns"}) for file in self.data_files])

    @property
    def workflows(self) -> tuple[str, str]:
        """The gold and the predicted workflow as shown to the judge."""
        return self.gold_workflow or NOT_PUBLIC, self.predicted_workflow or NOT_SUBMITTED

    def prompt(self, question: str) -> str:
        """Render the shared prompt head followed by a comparison question.

        Args:
            question: Name of the question's prompt, such as `judge/variables`.
        """
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
    """Encode a value as JSON, so that quotes, braces, code fences and instructions in it remain data."""
    return json.dumps(value, ensure_ascii=False)
