"""The author: the model that invents domains, trees and goals. The reviewer is asked in the same way."""

import json
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import json_repair
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

from inspect_discoverybench.errors.exceptions import AuthorFailed, ReplyRejected
from inspect_discoverybench.errors.provider_failures import model_errors
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import (
    ReplyT,
    ResultT,
    ask_until_valid,
    parse_reply,
    reject_duplicate_keys,
    reply_schema,
    without_reasoning,
)

MAX_ATTEMPTS = 4
"""Maximum number of requests for one valid reply."""

_DECODER = json.JSONDecoder(
    object_pairs_hook=lambda pairs: {k: v for k, v in reject_duplicate_keys(pairs).items() if v is not None and v == v},
    strict=False,
)
"""Leaves out null and NaN, so that defaults apply."""


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
        self,
        prompt: str,
        values: Mapping[str, Any],
        reply_type: type[ReplyT],
        check: Callable[[ReplyT], Awaitable[ResultT]],
    ) -> ResultT:
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

        async with span(f"{prompt}: {values.get('name', '')}".removesuffix(": ")):
            try:
                return await ask_until_valid(
                    messages,
                    send,
                    lambda text: check(parse_reply(tidied(text, {*reply_type.model_fields}), reply_type)),
                    self._send_back,
                    MAX_ATTEMPTS,
                )
            except ReplyRejected as error:
                reason = error.message
        raise AuthorFailed(f"no valid reply to {prompt!r} after {MAX_ATTEMPTS} attempts; the last error: {reason}")

    def _send_back(self, reason: str) -> ChatMessage:
        self.sent_back += 1
        return ChatMessageUser(content=Prompt.load("synth/reask").render(reason=reason))


def tidied(text: str, fields: Set[str]) -> str:
    """The object with these fields in a text, as valid JSON; the text itself if there is none, or if several differ."""
    body = without_reasoning(text)
    cut = body[body.find("{") : body.rfind("}") + 1]
    try:
        found = [*_objects(body, fields)] or [*_objects(json.dumps(json_repair.loads(cut, strict=True)), fields)]
    except (ValueError, RecursionError):
        return text
    return json.dumps(found[0]) if found and found.count(found[0]) == len(found) else text


def _objects(text: str, fields: Set[str]) -> Iterator[Mapping[str, Any]]:
    """The JSON objects in a text that have one of the fields, with whatever is around them."""
    for brace in re.finditer("{", text):
        with suppress(json.JSONDecodeError):
            content, _ = _DECODER.raw_decode(text, brace.start())
            if fields & content.keys():
                yield content


def question(prompt: str, values: Mapping[str, Any]) -> str:
    """The text of a request."""
    rules = {name: Prompt.load(f"synth/{name}").render() for name in ("columns", "expressions")}
    rules["values"] = json.dumps(dict(values), indent=1, ensure_ascii=False)
    return Prompt.load(f"synth/{prompt}").render(count=str(values.get("count")), **rules)
