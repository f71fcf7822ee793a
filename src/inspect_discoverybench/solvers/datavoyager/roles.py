"""The roles of DataVoyager. Each has a system prompt and, optionally, its own model."""

from enum import StrEnum

from inspect_ai.model import ChatMessageSystem, ChatMessageUser, Model, get_model

from inspect_discoverybench.prompts import Prompt


class Role(StrEnum):
    """A member of the team (paper §5.1)."""

    PLANNER = "planner"
    """States what is given and what is asked, and writes and revises the plan."""

    CODER = "coder"
    """Writes and runs code."""

    ANALYST = "analyst"
    """Interprets results, and submits."""

    CRITIC = "critic"
    """Decides who acts next."""

    def model(self) -> Model:
        """The model of this model role; defaults to the evaluated model."""
        evaluated = get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the solver, for each turn
        return get_model(role=self.value, default=evaluated)  # inspect-evals-lint: ignore[IEBP001] -- the same

    def system_message(self) -> ChatMessageSystem:
        """The role's system prompt."""
        return ChatMessageSystem(content=Prompt.load(f"solvers/datavoyager/{self}").render())


def turn_message(role: Role, instruction: str) -> ChatMessageUser:
    """The message that announces a role's turn, with its instruction."""
    text = Prompt.load("solvers/datavoyager/turn").render(role=role, instruction=instruction)
    return ChatMessageUser(content=text, metadata={"role": role.value})
