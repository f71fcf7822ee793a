"""The pair of hypotheses that the judge compares."""

from dataclasses import dataclass
from typing import Any

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.scorer.prompt_values import prompt_values

NO_WORKFLOW = "The workflow of this hypothesis is not public, or was not submitted."
"""Shown to the judge in place of a missing gold workflow, and of a missing predicted one. With two different texts, the
judge could tell which hypothesis is the gold one."""


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
    def datasets(self) -> list[dict[str, Any]]:
        """The data files as shown to the judge: names, descriptions and columns."""
        return [file.model_dump(include={"name", "description", "columns"}) for file in self.data_files]

    @property
    def workflows(self) -> tuple[str, str]:
        """The gold and the predicted workflow as shown to the judge."""
        return self.gold_workflow or NO_WORKFLOW, self.predicted_workflow or NO_WORKFLOW

    def comparison_prompt(self, question: str) -> str:
        """Render the head that both comparison questions share, and then one of them: `variables` or `relationship`."""
        gold_workflow, predicted_workflow = self.workflows
        values = prompt_values(
            datasets=self.datasets,
            query=self.goal,
            gold_hypothesis=self.gold_hypothesis,
            gold_workflow=gold_workflow,
            predicted_hypothesis=self.predicted_hypothesis,
            predicted_workflow=predicted_workflow,
        )
        question_text = Prompt.load(f"judge/{question}").render()
        return Prompt.load("judge/compare").render(question=question_text, **values)

    def extraction_prompt(self, prompt: str, hypothesis: str, workflow: str) -> str:
        """Render a question about one of the hypotheses. Nothing in it tells which of the two it is about."""
        values = prompt_values(datasets=self.datasets, hypothesis=hypothesis, workflow=workflow)
        return Prompt.load(f"judge/{prompt}").render(**values)
