"""What chat templates leave in the texts of models: tags, tokens and forms of calls, in one table.

Servers should remove all of it, and many do not. A new model's form is one row of `FORMS`, and one example in
`tests/test_chat_templates.py`.
"""

import re
from dataclasses import dataclass
from enum import StrEnum, auto
from functools import cache

_REASONING_TAG = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"


class Meaning(StrEnum):
    """What a form stands for."""

    REASONING_STARTS = auto()
    REASONING_ENDS = auto()
    TURN_ENDS = auto()
    CALL = auto()
    """The beginning of a call that a model wrote as text."""

    ARGUMENTS = auto()
    """The key of the arguments in a call that is written as JSON."""

    CODE = auto()
    """Name of the argument in which a tool takes code, for Inspect's tools and for those of common agents."""

    PYTHON = auto()
    """The label with which models open a block of Python code."""

    TOKEN = auto()
    """The shape of other tokens, and of the tokens of models that are not known here."""


@dataclass(frozen=True)
class Form:
    """One form and its meaning.

    Attributes:
        pattern: Regular expression that matches it.
        meaning: What it stands for.
    """

    pattern: str
    meaning: Meaning


FORMS = (
    Form(rf"(?i:<(?:{_REASONING_TAG})(?:\s[^<>]*)?>)", Meaning.REASONING_STARTS),
    Form(r"(?i:\[THINK\])", Meaning.REASONING_STARTS),  # Mistral
    Form("◁think▷", Meaning.REASONING_STARTS),  # Kimi
    Form(rf"(?i:</(?:{_REASONING_TAG})\s*>)", Meaning.REASONING_ENDS),
    Form(r"(?i:\[/THINK\])", Meaning.REASONING_ENDS),
    Form("◁/think▷", Meaning.REASONING_ENDS),
    Form(r"<\|channel\|>final<\|message\|>", Meaning.REASONING_ENDS),  # gpt-oss
    Form(r"<\|(?:eot|EOT|eot_id|eom_id)\|>", Meaning.TURN_ENDS),  # Llama
    Form(r"<\|(?:im_end|endoftext|end_of_text)\|>", Meaning.TURN_ENDS),  # Qwen and others
    Form(r"<\|(?:end|return|call)\|>", Meaning.TURN_ENDS),  # gpt-oss, Phi
    Form("</s>", Meaning.TURN_ENDS),  # Mistral, Llama 2
    Form("<end_of_turn>", Meaning.TURN_ENDS),  # Gemma
    Form("<\uff5cend\u2581of\u2581sentence\uff5c>", Meaning.TURN_ENDS),  # DeepSeek
    Form(r"""\{\s*["'](?:name|type|function|action|tool|tool_name|code)["']\s*:""", Meaning.CALL),  # JSON
    Form(r"<\|?(?:function|tool_call|invoke|execute|start_function_call)\b", Meaning.CALL),  # Hermes, Qwen, Granite
    Form(r"<\|python_tag\|>", Meaning.CALL),  # Llama
    Form(r"\[TOOL_CALLS\]", Meaning.CALL),  # Mistral
    Form(r"\bto=(?:functions\.|python\b)", Meaning.CALL),  # gpt-oss
    Form(r"""\b(?:python|submit)\(\s*(?:\w+\s*=|["'])""", Meaning.CALL),  # Python
    Form("arguments|parameters|input", Meaning.ARGUMENTS),
    Form("code|cmd|command|script", Meaning.CODE),
    Form(r"(?i:i?py(?:thon)?\d*|python_code)", Meaning.PYTHON),
    Form("(?i:tool_code)", Meaning.PYTHON),  # Gemma
    Form(r"<[|\uff5c]", Meaning.TOKEN),
    Form(r"</?[A-Za-z_][\w:-]*>", Meaning.TOKEN),
    Form(r"\[/?(?:[a-z]?[A-Z_]{2,}|[A-Z]+_[A-Z]+_\d+)\]", Meaning.TOKEN),  # Mistral, GLM, InternLM
    Form(r"\]~!?b[\[\]]|\[e~\[", Meaning.TOKEN),  # MiniMax
    Form("◁", Meaning.TOKEN),  # Kimi
)
"""All forms. Each is matched in time linear in the length of the text."""


@cache
def pattern(*meanings: Meaning) -> re.Pattern[str]:
    """Compile a pattern that matches the forms with these meanings."""
    return re.compile("|".join(f"(?:{form.pattern})" for form in FORMS if form.meaning in meanings))
