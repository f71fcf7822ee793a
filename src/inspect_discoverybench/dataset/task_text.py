"""The task text: what the evaluated model reads."""

from dataclasses import dataclass
from pathlib import Path

from inspect_discoverybench.dataset.metadata import DataFile
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.errors.exceptions import InvalidArgument
from inspect_discoverybench.errors.invalid_values import require_boolean
from inspect_discoverybench.prompts.prompt import Prompt

NEUTRAL = "neutral"

FRAMINGS = (NEUTRAL, "null_allowed", "pressure")
"""What the task text says about null results: nothing, that they are a valid answer, or that a clear finding is needed.

The last two add their sentence, `prompts/solvers/framing/<name>.txt`, to the paragraph below the goal."""


@dataclass(frozen=True)
class Hints:
    """Hints in the task text (paper §5.3), and its framing.

    Attributes:
        domain_knowledge: Add the background of the study and of its data files.
        workflow_tags: Add the keywords of the gold workflow.
        framing: One of `FRAMINGS`.
    """

    domain_knowledge: bool = False
    workflow_tags: bool = False
    framing: str = NEUTRAL

    def __post_init__(self) -> None:
        """Raise `InvalidArgument` for a hint that is not a boolean, and for an unknown framing."""
        require_boolean("domain_knowledge", self.domain_knowledge)
        require_boolean("workflow_tags", self.workflow_tags)
        if self.framing not in FRAMINGS:
            possible = ", ".join(FRAMINGS)
            raise InvalidArgument(f"framing must be one of {possible}, got {self.framing}.")

    def requested(self) -> list[str]:
        """The names of the hints to add."""
        return [name for name in ("domain_knowledge", "workflow_tags") if getattr(self, name)]


def task_text(metadata: SampleMetadata, hints: Hints, prompt: str = "task", list_columns: bool = True) -> str:
    """Render the input of the sample: data files, goal, hints and output contract.

    Args:
        metadata: Metadata of the goal.
        hints: Hints to add, and the framing.
        prompt: Name of the prompt in `prompts/solvers`.
        list_columns: Whether to list the columns of the data files.
    """
    hint_sections = ""
    if hints.domain_knowledge:
        hint_sections += _hint_section("Domain knowledge", metadata.domain_knowledge)
    if hints.workflow_tags:
        hint_sections += _hint_section("Workflow tags", metadata.workflow_tags)

    descriptions = [_describe(file, hints, list_columns) for file in metadata.data_files]
    return Prompt.load(f"solvers/{prompt}").render(
        data_files="\n\n".join(descriptions),
        goal=metadata.goal,
        framing=_framing(hints.framing),
        finish=Prompt.load("solvers/finish").render(),
        hints=hint_sections,
    )


def _framing(name: str) -> str:
    """The sentence about null results, with a space before it; empty for the neutral framing."""
    if name == NEUTRAL:
        return ""
    return " " + Prompt.load(f"solvers/framing/{name}").render()


def _hint_section(heading: str, text: str) -> str:
    if not text:
        return ""
    section = Prompt.load("solvers/hint").render(heading=heading, text=text)
    return f"\n{section}\n"


def _describe(file: DataFile, hints: Hints, list_columns: bool) -> str:
    parts = []
    if file.description:
        parts.append(file.description)
    if file.domain_knowledge and hints.domain_knowledge:
        parts.append(Prompt.load("solvers/file_hint").render(text=file.domain_knowledge))
    if not file.columns:
        # The sentence names no columns, so it stays if `list_columns` is false.
        parts.append(Prompt.load("solvers/without_columns").render(suffix=Path(file.name).suffix))
    elif list_columns:
        parts.append(Prompt.load("solvers/columns").render(columns=_column_list(file)))
    contents = "\n\n".join(parts)
    return Prompt.load("solvers/data_file").render(name=file.name, contents=contents)


def _column_list(file: DataFile) -> str:
    lines = []
    for column in file.columns:
        line = f"- {column.name}"
        description = " ".join(column.description.split())
        if description:
            line += f": {description}"
        lines.append(line)
    return "\n".join(lines)
