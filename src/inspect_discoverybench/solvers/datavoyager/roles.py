"""The roles of DataVoyager: each with a system prompt and, if the user wishes, a model of its own."""

from enum import StrEnum

from inspect_ai.model import ChatMessageSystem, ChatMessageUser, Model, get_model

from inspect_discoverybench.prompts import Prompt


class Role(StrEnum):
    """Who speaks (paper §5.1)."""

    PLANNER = "planner"
    """Writes down what is given and asked, plans, and revises the plan."""

    CODER = "coder"
    """Writes code and runs it."""

    ANALYST = "analyst"
    """Interprets results that exist, and submits."""

    CRITIC = "critic"
    """Says who acts next."""

    def model(self) -> Model:
        """The model of the role, the evaluated one by default."""
        evaluated = get_model()  # inspect-evals-lint: ignore[IEBP001] -- called by the solver, for each turn
        return get_model(role=self.value, default=evaluated)  # inspect-evals-lint: ignore[IEBP001] -- the same

    def briefing(self) -> ChatMessageSystem:
        """The role's system prompt."""
        return ChatMessageSystem(content=Prompt.load(f"solvers/datavoyager/{self}").render())


def turn_of(role: Role, instruction: str) -> ChatMessageUser:
    """The message that gives a role its turn."""
    text = Prompt.load("solvers/datavoyager/turn").render(role=role, instruction=instruction)
    return ChatMessageUser(content=text, metadata={"role": role.value})
