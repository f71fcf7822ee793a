"""What a model wrote for itself before its answer."""

import re

_NAMES = "think|thinking|thought|thoughts|reasoning"
_TAG = re.compile(
    rf"(?P<open><(?:{_NAMES})(?:\s[^<>]*)?>|\[THINK\]|◁think▷|<\|begin_of_thought\|>)"
    rf"|(?P<close></(?:{_NAMES})\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>)",
    re.IGNORECASE,
)


def without_reasoning(text: str) -> tuple[str, str]:
    """The text outside of reasoning tags, and what follows an opening tag that is never closed.

    What stands before a closing tag without an opening one is reasoning too. Where a tag was opened twice and closed
    once, the reasoning ends at the closing tag. Takes linear time.
    """
    kept: list[str] = []
    depth, position = 0, 0
    closing = None
    for tag in _TAG.finditer(text):
        closing = tag["close"] is not None
        if not closing:
            if depth == 0:
                kept.append(text[position : tag.start()])
            depth += 1
        elif depth == 0:
            kept.clear()
        else:
            depth -= 1
        position = tag.end()
    if depth == 0 or closing:
        return "".join([*kept, text[position:]]), ""
    return "".join(kept), text[position:]
