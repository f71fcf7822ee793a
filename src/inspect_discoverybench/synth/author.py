"""The author: the model that invents domains, trees and goals. The reviewer is asked in the same way."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
)
from inspect_ai.util import span

from inspect_discoverybench.messages.errors import AuthorFailed, ReplyRejected, model_errors
from inspect_discoverybench.messages.prompts import Prompt
from inspect_discoverybench.messages.structured_reply import R, T, ask_until_valid, parse_reply, reply_schema

MAX_ATTEMPTS = 4
"""Maximum number of requests for one valid reply."""

_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
"""A string, which is kept, or a comma before a closing bracket."""


@dataclass
class Author:
    """A model that replies to requests of the generator.

    Attributes:
        model: The model.
        sent_back: Number of invalid replies that were sent back.
    """

    model: Model
    sent_back: int = 0

    async def ask(
        self, prompt: str, values: Mapping[str, Any], reply_type: type[R], check: Callable[[R], Awaitable[T]]
    ) -> T:
        """Ask until a reply is valid. An invalid reply is sent back with the error.

        Args:
            prompt: Name of the prompt in `prompts/synth`.
            values: The values of its JSON block.
            reply_type: Type of the reply.
            check: Converts the reply, or raises `ReplyRejected`.

        Raises:
            AuthorFailed: All replies are invalid.
            ModelFailed: The provider failed, or returned a reply without choices.
        """
        messages: list[ChatMessage] = [
            ChatMessageSystem(content=Prompt.load("synth/system").render()),
            ChatMessageUser(content=question(prompt, values)),
        ]
        schema = ResponseSchema(name=f"synth_{prompt}", json_schema=reply_schema(reply_type))

        async def send(conversation: list[ChatMessage]) -> ModelOutput:
            with model_errors(f"The model {self.model}", self.model):
                return await self.model.generate(conversation, config=GenerateConfig(response_schema=schema))

        async def read(text: str) -> T:
            try:
                reply = parse_reply(text, reply_type)
            except ReplyRejected:
                if (tidy := tidied(text)) == text:
                    raise
                reply = parse_reply(tidy, reply_type)
            return await check(reply)

        async with span(f"{prompt}: {values.get('name', '')}".removesuffix(": ")):
            try:
                return await ask_until_valid(messages, send, read, self._send_back, MAX_ATTEMPTS)
            except ReplyRejected as error:
                reason = error.message
        raise AuthorFailed(f"no valid reply to {prompt!r} after {MAX_ATTEMPTS} attempts; the last error: {reason}")

    def _send_back(self, reason: str) -> ChatMessage:
        self.sent_back += 1
        return ChatMessageUser(content=Prompt.load("synth/reask").render(reason=reason))


def tidied(text: str) -> str:
    """The JSON object in a text: without what is before and after it, and without commas before a closing bracket."""
    body = text[text.find("{") : text.rfind("}") + 1] or text
    return _TRAILING_COMMA.sub(lambda match: match[1] or "", body)


def question(prompt: str, values: Mapping[str, Any]) -> str:
    """The text of a request."""
    rules = {name: Prompt.load(f"synth/{name}").render() for name in ("columns", "expressions")}
    text = json.dumps(dict(values), indent=1, ensure_ascii=False)
    return Prompt.load(f"synth/{prompt}").render(values=text, count=str(values.get("count")), **rules)
