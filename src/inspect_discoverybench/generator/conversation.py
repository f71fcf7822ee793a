"""Conversations with the author, the model that invents domains, trees and hypotheses, and with the reviewer."""

import json
from collections.abc import Awaitable, Callable, Mapping
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

from inspect_discoverybench.errors.exceptions import AuthorFailed, ModelFailed, ReplyRejected
from inspect_discoverybench.errors.provider_failures import model_errors
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.replies import (
    MAX_EMPTY_REPLIES,
    ReplyT,
    ResultT,
    ask_until_valid,
    has_no_choices,
    parse_reply,
    reply_schema,
)

MAX_ATTEMPTS = 4
"""Maximum number of requests for one valid reply, apart from those whose replies have no choices."""


async def ask(
    model: Model,
    prompt: str,
    values: Mapping[str, Any],
    reply_type: type[ReplyT],
    check: Callable[[ReplyT], Awaitable[ResultT]],
) -> ResultT:
    """Ask the author or the reviewer until a reply is valid. An invalid reply is sent back with the error.

    Args:
        model: The author or the reviewer.
        prompt: Name of the prompt in `prompts/synth`.
        values: The values of the prompt's JSON block. Some have the seed of the set, which no prompt explains. It makes
            the requests of sets with different seeds differ. Otherwise, a cache or a deterministic author could give
            all these sets the same reply.
        reply_type: Type of the reply.
        check: Returns the result of a reply, or raises `ReplyRejected` if the reply is invalid.

    Raises:
        AuthorFailed: All replies are invalid.
        ModelFailed: The provider failed, or `MAX_EMPTY_REPLIES` replies had no choices.
    """
    messages: list[ChatMessage] = [
        ChatMessageSystem(content=Prompt.load("synth/system").render()),
        ChatMessageUser(content=question(prompt, values)),
    ]
    schema = ResponseSchema(name=f"synth_{prompt}", json_schema=reply_schema(reply_type))

    last_sent: list[ChatMessage] = []

    async def send(conversation: list[ChatMessage]) -> ModelOutput:
        nonlocal last_sent
        for _ in range(MAX_EMPTY_REPLIES):
            config = GenerateConfig(response_schema=schema)
            if conversation == last_sent:
                # The same request is sent again after a reply without choices, and after one that `ask_until_valid`
                # does not send back, such as a truncated reply. Inspect's cache would return the same reply.
                config.cache = False
            last_sent = conversation
            with model_errors(f"The model {model}", model):
                output = await model.generate(conversation, config=config)
            if not has_no_choices(output):
                return output
        raise ModelFailed(f"The model {model} failed: its replies have no choices.")

    async def accept(text: str) -> ResultT:
        reply = parse_reply(text, reply_type)
        return await check(reply)

    # Only the request for the domains of a set has no `name` among its values. Its span is `domains: set`.
    async with span(f"{prompt}: {values.get('name', 'set')}"):
        try:
            return await ask_until_valid(messages, send, accept, _repeat_question, MAX_ATTEMPTS)
        except ReplyRejected as error:
            raise AuthorFailed(
                f"no valid reply to {prompt!r} after {MAX_ATTEMPTS} attempts; the last error: {error.message}"
            ) from error


def question(prompt: str, values: Mapping[str, Any]) -> str:
    """Render a prompt of `prompts/synth` with the rules for columns and expressions, and its values as JSON."""
    return Prompt.load(f"synth/{prompt}").render(
        columns=Prompt.load("synth/columns").render(),
        expressions=Prompt.load("synth/expressions").render(),
        values=json.dumps(dict(values), indent=1, ensure_ascii=False),
    )


def _repeat_question(reason: str) -> ChatMessage:
    return ChatMessageUser(content=Prompt.load("synth/reask").render(reason=reason))
