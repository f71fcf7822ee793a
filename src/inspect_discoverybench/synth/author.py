"""The author: the model that invents domains, trees and goals. The reviewer is asked in the same way."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ResponseSchema,
)
from inspect_ai.util import span

from inspect_discoverybench.errors import AuthorFailed, ReplyMissing, ReplyRejected, model_errors
from inspect_discoverybench.prompts import Prompt
from inspect_discoverybench.structured_reply import Reply, parse_reply, reply_schema

MAX_SENT_BACK = 3
"""Maximum number of times that an invalid reply is sent back with the error."""

R = TypeVar("R", bound=Reply)
T = TypeVar("T")


class Author:
    """A model that replies to requests of the generator."""

    def __init__(self, model: Model, folder: str = "synth") -> None:
        """Create an author.

        Args:
            model: The model.
            folder: Folder of its prompts.
        """
        self.model = model
        self.folder = folder
        self.sent_back = 0

    async def ask(
        self, prompt: str, values: Mapping[str, Any], reply_type: type[R], check: Callable[[R], Awaitable[T]]
    ) -> T:
        """Ask until a reply is valid. An invalid reply is sent back with the error at most three times.

        Args:
            prompt: Name of the prompt in its folder.
            values: The values of its JSON block.
            reply_type: Type of the reply.
            check: Converts the reply, or raises `ReplyRejected`.

        Raises:
            AuthorFailed: All replies are invalid.
            ModelFailed: The provider failed, or returned a reply without choices.
        """
        messages: list[ChatMessage] = [
            ChatMessageSystem(content=Prompt.load(f"{self.folder}/system").render()),
            ChatMessageUser(content=question(prompt, values, self.folder)),
        ]
        schema = ResponseSchema(name=f"{self.folder}_{prompt}", json_schema=reply_schema(reply_type))
        reason = ""
        async with span(f"{prompt}: {values.get('name', '')}".removesuffix(": ")):
            for attempt in range(1 + MAX_SENT_BACK):
                with model_errors(f"The model {self.model}"):
                    output = await self.model.generate(messages, config=GenerateConfig(response_schema=schema))
                if not output.choices:
                    raise ReplyMissing(f"The model {self.model} failed: its reply has no choices.")
                try:
                    return await check(parse_reply(output.completion, reply_type))
                except ReplyRejected as error:
                    reason = error.message
                if attempt < MAX_SENT_BACK:
                    self.sent_back += 1
                    reask = Prompt.load(f"{self.folder}/reask").render(reason=reason)
                    messages += [ChatMessageAssistant(content=output.completion), ChatMessageUser(content=reask)]
        raise AuthorFailed(f"no valid reply to {prompt!r} after {1 + MAX_SENT_BACK} attempts; the last error: {reason}")


def question(prompt: str, values: Mapping[str, Any], folder: str = "synth") -> str:
    """The text of a request."""
    names = ("columns", "expressions") if prompt in ("root", "expand") else ()
    rules = {name: Prompt.load(f"synth/{name}").render() for name in names}
    text = json.dumps(dict(values), indent=1, ensure_ascii=False)
    return Prompt.load(f"{folder}/{prompt}").render(values=text, count=str(values.get("count")), **rules)
