"""The words of the agents' prompts for the form in which a model acts, and how a sample's conversation begins."""

from dataclasses import dataclass

from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import TaskState
from inspect_ai.util import store_as

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.submission.submission import SubmissionState

WORDS = ("actions", "answer", "example", "run", "submit")
"""The placeholders that have another text in each form."""


@dataclass(frozen=True)
class Wording:
    """The words for one form.

    Attributes:
        form: `calls` or `text`: the folder of the words in `prompts/solvers/`.
    """

    form: str

    def render(self, name: str) -> str:
        """Render a prompt with the words of this form."""
        words = {word: Prompt.load(f"solvers/{self.form}/{word}").render() for word in WORDS}
        return Prompt.load(name).render(**words)

    def message(self, name: str) -> ChatMessageUser:
        """A message with a prompt."""
        return ChatMessageUser(content=self.render(name))

    def begin(self, state: TaskState, *, finish: str, system: str | None = None) -> None:
        """Prepare a sample's conversation for one of our agents.

        Args:
            state: The sample. Its messages are changed.
            finish: Name of the prompt that replaces the last lines of the task text, which are written for any agent.
            system: Name of the system prompt; None for an agent with several.
        """
        # A list, even an empty one, tells the scorer that the agent is one of ours. If the model must submit and does
        # not, `Actor.submit` stores here what it wrote instead, and the scorer reads the answer from nothing else.
        store_as(SubmissionState).texts = []
        finish_for_any_agent = Prompt.load("solvers/finish").render()
        state.user_prompt.text = state.user_prompt.text.replace(finish_for_any_agent, self.render(finish))
        if system is not None:
            state.messages.insert(0, ChatMessageSystem(content=self.render(system)))
