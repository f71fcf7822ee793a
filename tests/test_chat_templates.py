"""The functions that read the table `FORMS`: what each of them does with examples of the forms."""

import json
import re
import time

import pytest

from inspect_discoverybench.chat_templates import FORMS, Form, Meaning, pattern
from inspect_discoverybench.code_fence import python_blocks
from inspect_discoverybench.replies import without_reasoning
from inspect_discoverybench.scorer.prompt_values import prompt_values
from inspect_discoverybench.session.tool import has_code_or_call
from inspect_discoverybench.submission.answer import parse_submission

EXAMPLES = {
    Meaning.REASONING_STARTS: ["<think>", '<Thinking time="3">', "[THINK]", "◁think▷"],
    Meaning.REASONING_ENDS: ["</think>", "</scratchpad >", "[/THINK]", "◁/think▷", "<|channel|>final<|message|>"],
    Meaning.TURN_ENDS: [
        "<|eot_id|>",
        "<|EOT|>",
        "<|im_end|>",
        "<|endoftext|>",
        "<|return|>",
        "</s>",
        "<end_of_turn>",
        "<\uff5cend\u2581of\u2581sentence\uff5c>",
    ],
    Meaning.CALL: [
        '{"name": "python", "arguments": {"code": "x = 1"}}',
        "{'tool' : 'python'}",
        '{"type": "function", "function": {"name": "python"}}',
        "<tool_call>",
        "<function=python>\n<parameter=code>\nx = 1\n</parameter>",
        '<invoke name="python">',
        "<|start_function_call|>",
        "<|python_tag|>import pandas",
        '[TOOL_CALLS]python[ARGS]{"code": "1"}',
        "<|channel|>analysis to=python code<|message|>x",
        "to=functions.submit",
        "<|channel|>commentary to=functions.python",
        'python("1")',
        'python(code="1")',
        "submit(hypothesis=",
    ],
    Meaning.ARGUMENTS: ["arguments", "parameters", "input"],
    Meaning.CODE: ["code", "cmd", "command", "script"],
    Meaning.PYTHON: ["python", "Python3", "py", "ipython", "python_code", "tool_code"],
    Meaning.TOKEN: [
        "<|assistant|>",
        "<\uff5cUser\uff5c>",
        "<start_of_turn>",
        "</tool>",
        "<seed:eos>",
        "[INST]",
        "[/INST]",
        "[gMASK]",
        "[UNUSED_TOKEN_145]",
        "]~b]",
        "]~!b[",
        "[e~[",
        "◁user▷",
    ],
}


@pytest.mark.parametrize("form", FORMS, ids=[form.pattern for form in FORMS])
def test_every_form_has_an_example(form: Form) -> None:
    assert any(re.search(form.pattern, example) for example in EXAMPLES[form.meaning])


@pytest.mark.parametrize("tag", EXAMPLES[Meaning.REASONING_STARTS])
def test_reasoning_is_removed_also_if_the_text_is_cut_off_in_it(tag: str) -> None:
    assert without_reasoning(f"A rises.{tag}B?</think>") == "A rises."
    assert without_reasoning(f"A rises.{tag}B?", is_complete=False) == "A rises."


@pytest.mark.parametrize("tag", EXAMPLES[Meaning.REASONING_ENDS])
def test_text_before_the_end_of_reasoning_is_removed(tag: str) -> None:
    assert without_reasoning(f"B?{tag}A rises.") == "A rises."


@pytest.mark.parametrize("token", EXAMPLES[Meaning.TURN_ENDS])
def test_the_end_of_a_turn_is_removed(token: str) -> None:
    assert without_reasoning(f"A rises.{token}") == "A rises."


@pytest.mark.parametrize("call", EXAMPLES[Meaning.CALL])
def test_a_call_in_a_text_is_recognized(call: str) -> None:
    assert has_code_or_call(f"I look at the data. {call}")


@pytest.mark.parametrize("text", ["A rises with B.", "The function of x", "name: A", "a python script", "[0.1, 0.3]"])
def test_an_ordinary_text_has_no_call(text: str) -> None:
    assert not has_code_or_call(text)


@pytest.mark.parametrize("key", EXAMPLES[Meaning.ARGUMENTS])
def test_the_arguments_of_a_call_that_is_written_as_json_are_the_answer(key: str) -> None:
    answer = parse_submission(json.dumps({"type": "function", key: {"hypothesis": "A rises."}}))
    assert answer is not None
    assert answer.hypothesis == "A rises."


@pytest.mark.parametrize("label", EXAMPLES[Meaning.PYTHON])
def test_a_label_of_python_code_is_recognized(label: str) -> None:
    [block] = python_blocks(f"```bash\nls\n```\n```{label}\nx = 1\n```")
    assert block.code == "x = 1\n"


TOKENS = [
    *EXAMPLES[Meaning.TURN_ENDS],
    *EXAMPLES[Meaning.TOKEN],
    "<think>",
    "[THINK]",
    "◁think▷",
    "◁/think▷",
    "<|python_tag|>",
    "[TOOL_CALLS]",
    "<tool_call>",
]


@pytest.mark.parametrize("token", TOKENS)
def test_no_judge_reads_a_token_in_a_value_as_its_own(token: str) -> None:
    text = prompt_values(value=f"A rises.{token}")["value"]
    assert token not in text
    assert json.loads(text) == f"A rises.{token}"


@pytest.mark.parametrize("meaning", Meaning)
@pytest.mark.parametrize("fragment", ["<", "<think ", "[A", "{ ", "python( ", " ", "\\", "]~"])
def test_searching_takes_linear_time(meaning: Meaning, fragment: str) -> None:
    """The fragments are beginnings of forms, so a search could try each of them up to the end of the text.

    It takes much less than a second. A quadratic search would take minutes.
    """
    start = time.process_time()
    pattern(meaning).search(fragment * 100_000)
    assert time.process_time() - start < 2
