"""Separates a model's reasoning from its answer."""

import re

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_TAG = re.compile(
    rf"(?P<open><(?:{_NAMES})(?:\s[^<>]*)?>|\[THINK\]|◁think▷|<\|begin_of_thought\|>)"
    rf"|(?P<close></(?:{_NAMES})\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>)",
    re.IGNORECASE,
)
_END_OF_TURN = re.compile(r"<\|(?:eot_id|eom_id|im_end|end|return|endoftext|end_of_text)\|>|</s>")


def split_reasoning(text: str) -> tuple[str, str]:
    """Split a text into the answer outside of reasoning tags, and the text after a tag that is never closed.

    Text before a closing tag without an opening tag is reasoning. If a tag is opened twice and closed once, the
    reasoning ends at the closing tag. End-of-turn tokens are removed. Takes linear time.
    """
    answer: list[str] = []
    depth, position = 0, 0
    closing = False
    for tag in _TAG.finditer(text):
        closing = tag["close"] is not None
        if not closing:
            if depth == 0:
                answer.append(text[position : tag.start()])
            depth += 1
        elif depth == 0:
            answer.clear()
        else:
            depth -= 1
        position = tag.end()
    rest = text[position:]
    if depth == 0 or closing:
        return _END_OF_TURN.sub("", "".join([*answer, rest])), ""
    return _END_OF_TURN.sub("", "".join(answer)), _END_OF_TURN.sub("", rest)
