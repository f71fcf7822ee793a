"""The forms in which models write their final answer, and texts that only look like one."""

import time
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from inspect_discoverybench.final_message import is_plain_refusal, read_submission

from inspect_discoverybench.hypothesis import MAX_CHARACTERS, Submission

A = "BMI rises with age."
"""The answer in most of the texts below."""

OBJECTS: dict[str, tuple[str, str, str]] = {
    # text, hypothesis, workflow
    "object": ('{"hypothesis": "A rises.", "workflow": "1. fit"}', "A rises.", "1. fit"),
    "fenced object": ('```json\n{"hypothesis": "A rises.", "workflow": "fit"}\n```', "A rises.", "fit"),
    "unnamed fence between sentences": ('Here it is:\n```\n{"hypothesis": "A rises."}\n```\nDone.', "A rises.", ""),
    "Python notation": ("My answer is {'hypothesis': 'A rises.', 'workflow': 'fit'}.", "A rises.", "fit"),
    "Python notation with None": ("{'hypothesis': \"It's A.\", 'workflow': None}", "It's A.", ""),
    "braces around it and in it": (
        'The set {a, b} matters. {"hypothesis": "A {b} rises.", "workflow": "f"}',
        "A {b} rises.",
        "f",
    ),
    "a draft first": ('First {"hypothesis": "draft"}, then {"hypothesis": "final"}', "final", ""),
    "nested": ('{"answer": {"hypothesis": "inner", "workflow": "w"}}', "inner", "w"),
    "nested twice": ('{"result": [{"submission": {"hypothesis": "inner", "workflow": "w"}}]}', "inner", "w"),
    "hypothesis around another": (
        '{"hypothesis": "outer", "workflow": [{"hypothesis": "inner"}]}',
        "outer",
        '{"hypothesis": "inner"}',
    ),
    "capitals and a list of steps": (
        '{"Hypothesis": "A rises.", "Workflow": ["load", "fit"]}',
        "A rises.",
        "load\nfit",
    ),
    "raw line end": ('{"hypothesis": "line one\nline two"}', "line one\nline two", ""),
    "the form quoted after it": (
        '{"hypothesis": "A rises."} I used the form {"hypothesis": "...", "workflow": "..."}',
        "A rises.",
        "",
    ),
    "an empty one after it": ('{"hypothesis": "A rises."} and no {"hypothesis": ""}', "A rises.", ""),
    "a call as JSON text": ('{"name": "submit", "arguments": "{\\"hypothesis\\": \\"A rises.\\"}"}', "A rises.", ""),
    "a call between tags": (
        '<tool_call>\n{"name": "submit", "arguments": {"hypothesis": "A rises.", "workflow": "w"}}\n</tool_call>',
        "A rises.",
        "w",
    ),
    "a call in parentheses": ('submit(hypothesis="A rises.", workflow="1. load")', "A rises.", "1. load"),
    "a call in a fence": (
        "```python\nsubmit(\n    hypothesis='It\\'s A.',\n    workflow='load, fit',\n)\n```",
        "It's A.",
        "load, fit",
    ),
    "a call in triple quotes": ('submit(hypothesis="""A\nrises.""", workflow="w")', "A\nrises.", "w"),
    "a call by position": ('I call submit("A rises.", "load").', "A rises.", "load"),
    "a call with strings on several lines": (
        'submit(\n    hypothesis="A rises "\n    "with B.",\n    workflow="w",\n)',
        "A rises with B.",
        "w",
    ),
    "a call with strings in parentheses": (
        'submit(hypothesis=("A rises "\n    "with B."), workflow="w")',
        "A rises with B.",
        "w",
    ),
    "strings joined by plus signs": (
        '{"hypothesis": "A rises " +\n "with B.", "workflow": "w"}',
        "A rises with B.",
        "w",
    ),
    "a missing brace in a fence": ('```json\n{"hypothesis": "A rises.", "workflow": "w"\n```', "A rises.", "w"),
    "a call with an object": ('submit({"hypothesis": "A rises.", "workflow": "w"})', "A rises.", "w"),
    "half a surrogate pair": ('{"hypothesis": "bad \\ud83d x"}', "bad ? x", ""),
    "final key": ('{"final_hypothesis": "A rises.", "workflow": "w"}', "A rises.", "w"),
    "camel case": ('{"finalHypothesis": "A rises.", "analysisWorkflow": "w"}', "A rises.", "w"),
    "initial and final key": ('{"initial_hypothesis": "B", "final_hypothesis": "A rises."}', "A rises.", ""),
    "null and final key": ('{"null_hypothesis": "B", "hypothesis": "A rises.", "p": 0.01}', "A rises.", ""),
    "answer key": ('{"answer": "A rises.", "workflow": "w"}', "A rises.", "w"),
    "list of hypotheses": ('{"hypotheses": ["A rises.", "B falls."], "workflow": "w"}', "A rises.\nB falls.", "w"),
    "hypothesis as a list": ('{"hypothesis": ["A rises.", "B falls."]}', "A rises.\nB falls.", ""),
    "hypothesis as an object": (
        '{"hypothesis": {"context": "men", "variables": ["age", "BMI"], "relationship": "rises"}, "workflow": "w"}',
        "context: men\nvariables: age, BMI\nrelationship: rises",
        "w",
    ),
    "hypothesis inside the hypothesis": (
        '{"hypothesis": {"hypothesis": "A rises."}, "workflow": "w"}',
        "A rises.",
        "w",
    ),
    "hypothesis as JSON text": (
        '{"hypothesis": "{\\"hypothesis\\": \\"A rises.\\", \\"workflow\\": \\"w\\"}"}',
        "A rises.",
        "w",
    ),
    "cut off in the workflow": (
        '```json\n{"hypothesis": "A rises.", "workflow": "1. load 2. f',
        "A rises.",
        "1. load 2. f",
    ),
    "cut off in the hypothesis": ('{"hypothesis": "A rises with', "A rises with", ""),
    "a call cut off in the hypothesis": ('submit(hypothesis="A rises with', "A rises with", ""),
    "a call on several lines, cut off": ('submit(\n    hypothesis="A rises with', "A rises with", ""),
    "bare quotes inside": ('{"hypothesis": "The "big" A rises.", "workflow": "w"}', 'The "big" A rises.', "w"),
    "trailing comma": ('{"hypothesis": "A rises.", "p": null, }', "A rises.", ""),
    "LaTeX in the string": (r'{"hypothesis": "A \alpha rises.", "workflow": "w"}', r"A \alpha rises.", "w"),
    "comment in the object": ('{\n  // the answer\n  "hypothesis": "A rises.",\n  "workflow": "w"\n}', "A rises.", "w"),
    "apostrophes before it": ("It's {'odd. It's {'odder. {\"hypothesis\": \"A rises.\"}", "A rises.", ""),
    "bare keys": ('{hypothesis: "A rises.", workflow: "w"}', "A rises.", "w"),
    "bare keys after a token": ('<|tool_call|>submit{hypothesis:"A rises.",workflow:"w"}', "A rises.", "w"),
    "an action": ('Action: submit\nAction Input: {"hypothesis": "A rises.", "workflow": "w"}', "A rises.", "w"),
    "after a label": (
        '**Hypothesis:** a draft.\n\n```json\n{"hypothesis": "A rises.", "workflow": "w"}\n```',
        "A rises.",
        "w",
    ),
}

SECTIONS: dict[str, tuple[str, str, str]] = {
    "plain": ("Hypothesis: A rises.\n\nWorkflow: load, fit", "A rises.", "load, fit"),
    "an aside in the workflow": (
        "Hypothesis: A rises.\n\nWorkflow:\n1. load\nLimitations: few rows\n2. fit",
        "A rises.",
        "1. load\nLimitations: few rows\n2. fit",
    ),
    "bold": ("**Hypothesis:** A rises.\n**Workflow:**\n1. load", "A rises.", "1. load"),
    "colon outside": ("**Hypothesis**: A rises.\n**Workflow**: w", "A rises.", "w"),
    "bold without a colon": ("**Hypothesis** A rises.\n\n**Workflow** Load.", "A rises.", "Load."),
    "bold line": ("**Hypothesis**\nA rises.\n\n**Workflow**\nw", "A rises.", "w"),
    "bold sentence": ("**Hypothesis: A rises.**\n\n**Workflow: w**", "A rises.", "w"),
    "bold sentence with an emoji": ("**🔬 Hypothesis: A rises.**\n\n**🛠️ Workflow: w**", "A rises.", "w"),
    "a number sign in it": ("Hypothesis:\n#1 A rises.\n#2 B falls.\n\nWorkflow: w", "#1 A rises.\n#2 B falls.", "w"),
    "bold italics": ("***Hypothesis:*** A rises.\n***Workflow:*** w", "A rises.", "w"),
    "italics": ("*Hypothesis:* A rises.\n*Workflow:* w", "A rises.", "w"),
    "underscores": ("__Hypothesis__: A rises.\n__Workflow:__ w", "A rises.", "w"),
    "single underscores": ("_Hypothesis:_ A rises.\n_Workflow_: w", "A rises.", "w"),
    "HTML underline": ("<u>Hypothesis</u>: A rises.\n<u>Workflow:</u> w", "A rises.", "w"),
    "HTML bold": ("<b>Hypothesis:</b> A rises.<br>\n<b>Workflow:</b> w", "A rises.", "w"),
    "HTML heading": ("<h2>Hypothesis</h2>\nA rises.\n<h2>Workflow</h2>\nw", "A rises.", "w"),
    "bold underline": ("**<u>Hypothesis</u>:** A rises.\n**<u>Workflow</u>:** w", "A rises.", "w"),
    "code": ("`Hypothesis`: A rises.\n`Workflow`: w", "A rises.", "w"),
    "headings": ("## Final hypothesis\nA rises.\n\n## Workflow summary\nload", "A rises.", "load"),
    "heading of level 1": ("# Hypothesis\nA rises.\n# Workflow\nw", "A rises.", "w"),
    "heading of level 6": ("###### Hypothesis\nA rises.\n###### Workflow\nw", "A rises.", "w"),
    "heading with a colon": ("### Hypothesis: A rises.\n### Workflow: w", "A rises.", "w"),
    "closed heading": ("## Hypothesis ##\nA rises.\n## Workflow ##\nw", "A rises.", "w"),
    "bold heading": ("## **Hypothesis**\nA rises.\n## **Workflow:**\nw", "A rises.", "w"),
    "heading without a space": ("##Hypothesis\nA rises.\n##Workflow\nw", "A rises.", "w"),
    "numbered headings": ("## 3. Final Hypothesis\nA rises.\n## 4. Workflow\nw", "A rises.", "w"),
    "roman headings": ("## II. Hypothesis\nA rises.\n## III. Workflow\nw", "A rises.", "w"),
    "setext": ("Hypothesis\n----------\nA rises.\n\nWorkflow\n--------\nw", "A rises.", "w"),
    "setext with other sections": (
        "Context\n=======\nmen\n\nHypothesis\n==========\nA rises.\n\nEvidence\n========\np < 0.01",
        "A rises.",
        "",
    ),
    "capitals": ("FINAL HYPOTHESIS: A rises.\nWORKFLOW: w", "A rises.", "w"),
    "capitals alone": ("FINAL HYPOTHESIS\nA rises.\n\nWORKFLOW\nw", "A rises.", "w"),
    "small letters": ("hypothesis: A rises.\nworkflow: w", "A rises.", "w"),
    "numbered items": ("1. **Hypothesis**: A rises.\n2. **Workflow**: w", "A rises.", "w"),
    "numbered items with parentheses": ("1) Hypothesis: A rises.\n2) Workflow: w", "A rises.", "w"),
    "lettered items": ("(a) Hypothesis: A rises.\n(b) Workflow: w", "A rises.", "w"),
    "dash items": ("- Hypothesis: A rises.\n- Workflow: w", "A rises.", "w"),
    "star items": ("* **Hypothesis:** A rises.\n* **Workflow:** w", "A rises.", "w"),
    "bullets": ("• Hypothesis: A rises.\n• Workflow: w", "A rises.", "w"),
    "indented items": ("   - **Hypothesis** – A rises.\n   - **Workflow** – w", "A rises.", "w"),
    "quoted": ("> **Hypothesis:** A rises\n> with B.\n>\n> **Workflow:** w", "A rises\nwith B.", "w"),
    "quoted heading": ("> ## Hypothesis\n> A rises.\n>\n> ## Workflow\n> w", "A rises.", "w"),
    "table": (
        "| Field | Content |\n|---|---|\n| Hypothesis | A rises. |\n| Workflow | load, fit |",
        "A rises.",
        "load, fit",
    ),
    "bold table": (
        "Done.\n\n| | |\n|:--|:--|\n| **Hypothesis** | **A** rises. |\n| **Workflow** | w |\n\nBye.",
        "**A** rises.",
        "w",
    ),
    "table without a head": ("| Hypothesis | A rises. |\n| Workflow | w |", "A rises.", "w"),
    "table with the label as its head": ("| Hypothesis | A rises. |\n|---|---|\n| Workflow | w |", "A rises.", "w"),
    "table with the values below": ("| Hypothesis | Workflow |\n|---|---|\n| A rises. | w |", "A rises.", "w"),
    "numbered table": (
        "| # | Part | Text |\n|--|--|--|\n| 1 | Hypothesis | A rises. |\n| 2 | Workflow | w |",
        "A rises.",
        "w",
    ),
    "emoji": ("🔬 **Hypothesis:** A rises.\n✅ **Workflow:** w", "A rises.", "w"),
    "emoji inside": ("**🔬 Hypothesis:** A rises.\n**🛠️ Workflow:** w", "A rises.", "w"),
    "emoji heading": ("## 📌 Hypothesis\nA rises.\n## 🛠️ Workflow\nw", "A rises.", "w"),
    "dash": ("Hypothesis - A rises.\nWorkflow - w", "A rises.", "w"),
    "en dash": ("**Hypothesis** – A rises.\n**Workflow** – w", "A rises.", "w"),
    "em dash": ("Hypothesis — A rises.\nWorkflow—w", "A rises.", "w"),
    "full-width colon": ("Hypothesis\uff1aA rises.\nWorkflow\uff1aw", "A rises.", "w"),
    "parenthesis": ("Hypothesis (final): A rises.\nWorkflow (summary): w", "A rises.", "w"),
    "brackets": ("[Hypothesis]: A rises.\n[Workflow]: w", "A rises.", "w"),
    "lone brackets": ("[Hypothesis]\nA rises.\n\n[Workflow]\nw", "A rises.", "w"),
    "qualified": ("**My proposed hypothesis:** A rises.\n**Analysis workflow:** w", "A rises.", "w"),
    "statement": ("Hypothesis statement: A rises.", "A rises.", ""),
    "as follows": ("My final hypothesis is as follows: A rises.\n\nWorkflow: w", "A rises.", "w"),
    "final answer": ("We looked at B first.\n\n**Final Answer:** A rises.", "A rises.", ""),
    "answer around the hypothesis": ("# Final answer\n\n**Hypothesis:** A rises.\n\n**Workflow:** w", "A rises.", "w"),
    "hypothesis and workflow": (
        "# Hypothesis and Workflow\n\n**Hypothesis:** A rises.\n\n**Workflow:** w",
        "A rises.",
        "w",
    ),
    "workflow first": ("## Workflow\n1. load\n2. fit\n\n## Hypothesis\nA rises.", "A rises.", "1. load\n2. fit"),
    "bold workflow first": ("**Workflow:** load\n\n**Hypothesis:** A rises.", "A rises.", "load"),
    "steps as a synonym": ("**Hypothesis:** A rises.\n\n**Steps:**\n1. load", "A rises.", "1. load"),
    "YAML": ("hypothesis: >\n  A rises\n  with B.\nworkflow: |\n  load\n  fit", "A rises\n  with B.", "load\n  fit"),
    "fenced YAML": ("```yaml\nhypothesis: A rises.\nworkflow: w\n```", "A rises.", "w"),
    "fenced labels": ("Here:\n```\nHypothesis: A rises.\nWorkflow: w\n```\nBye.", "A rises.", "w"),
    "fenced value": ("## Hypothesis\n```text\nA rises.\n```\n## Workflow\nw", "A rises.", "w"),
    "tags": ("<hypothesis>A rises.</hypothesis>\n<workflow>w</workflow>", "A rises.", "w"),
    "tags on lines": (
        "<final_hypothesis>\nA rises.\n</final_hypothesis>\nMore.\n<workflow>\nw\n</workflow>",
        "A rises.",
        "w",
    ),
    "tags in an answer": ("<answer><hypothesis>A rises.</hypothesis><workflow>w</workflow></answer>", "A rises.", "w"),
    "answer tag": ("I looked.\n<answer>A rises.</answer>", "A rises.", ""),
    "call of tags": (
        "<function=submit>\n<parameter=hypothesis>\nA rises.\n</parameter>\n"
        "<parameter=workflow>\nw\n</parameter>\n</function>",
        "A rises.",
        "w",
    ),
    "call of named tags": (
        '<invoke name="submit"><parameter name="hypothesis">A rises.</parameter>'
        '<parameter name="workflow">w</parameter></invoke>',
        "A rises.",
        "w",
    ),
    "boxed": (r"We find that $\boxed{\text{A rises with B.}}$", "A rises with B.", ""),
    "call of tags in a namespace": (
        '<ns:invoke name="submit"><ns:parameter name="hypothesis">A rises.</ns:parameter>'
        '<ns:parameter name="workflow">w</ns:parameter></ns:invoke>',
        "A rises.",
        "w",
    ),
    "boxed final answer": (r"The final answer is: $\boxed{A rises with B.}$", "A rises with B.", ""),
    "end-of-turn token": ("Hypothesis: A rises.\nWorkflow: w<|eot_id|>", "A rises.", "w"),
    "end-of-turn token after the hypothesis": ("**Hypothesis:** A rises.<|return|>", "A rises.", ""),
    "value in quotation marks": ('hypothesis: "A rises."\nworkflow: "w"', "A rises.", "w"),
    "TOML": ('```toml\nhypothesis = "A rises."\nworkflow = "w"\n```', "A rises.", "w"),
    "workflow used": ("**Hypothesis:** A rises.\n\nWorkflow used: w", "A rises.", "w"),
    "workflow steps": ("Hypothesis: A rises.\n\nWorkflow steps:\n1. load", "A rises.", "1. load"),
    "workflow as a sentence": ("My hypothesis is: A rises.\n\nThe workflow was:\n1. load", "A rises.", "1. load"),
    "scratchpad": ("<scratchpad>Final hypothesis: B</scratchpad>\nHypothesis: A rises.", "A rises.", ""),
    "null hypothesis after it": (
        "**Hypothesis (H1):** A rises.\n**Null Hypothesis (H0):** none.\n\n**Workflow:** w",
        "A rises.",
        "w",
    ),
    "boxed label": (
        r"**Hypothesis:** A rises. The slope is $\boxed{0.3}$.",
        r"A rises. The slope is $\boxed{0.3}$.",
        "",
    ),
    "in the middle of a line": ("Sure! **Hypothesis:** A rises. **Workflow:** w", "A rises.", "w"),
    "sentences on one line": ("Here is it. Hypothesis: A rises. Workflow: load, fit.", "A rises.", "load, fit."),
    "Windows line ends": ("## Hypothesis\r\n\r\nA rises.\r\n\r\n## Workflow\r\nw\r\n", "A rises.", "w"),
    "non-breaking spaces": ("**Final\u00a0Hypothesis\u00a0:**\u00a0A rises.\n##\u00a0Workflow\nw", "A rises.", "w"),
    "byte-order mark": ("\ufeffHypothesis: A rises.\nWorkflow: w", "A rises.", "w"),
    "rules between": ("**Hypothesis:** A rises.\n\n---\n\n**Workflow:** w\n\n---", "A rises.", "w"),
    "quoted value": ("**Hypothesis**:\n> A rises.\n\n**Workflow**: w", "A rises.", "w"),
    "items without a colon": ("1. Hypothesis\n   A rises.\n2. Workflow\n   w", "A rises.", "w"),
    "table without bars at its sides": ("Hypothesis | Workflow\n--- | ---\nA rises. | w", "A rises.", "w"),
    "LaTeX": ("\\textbf{Hypothesis:} A rises.\n\n\\textbf{Workflow:} w", "A rises.", "w"),
    "LaTeX sections": ("\\section*{Hypothesis}\nA rises.\n\\section*{Workflow}\nw", "A rises.", "w"),
    "arrows": ("Hypothesis → A rises.\nWorkflow -> w", "A rises.", "w"),
    "two colons": ("Hypothesis :: A rises.\nWorkflow :: w", "A rises.", "w"),
    "full stop in bold": ("**Hypothesis.** A rises.\n\n**Workflow.** Load.", "A rises.", "Load."),
    "steps": ("## Step 1: Load\nx\n## Step 2: Final Hypothesis\nA rises.", "A rises.", ""),
    "data-driven": ("**Data-driven hypothesis:** A rises.", "A rises.", ""),
    "HTML on one line": (
        "<p><strong>Hypothesis:</strong> A rises.</p> <strong>Workflow:</strong> w</p>",
        "A rises.",
        "w",
    ),
    "numbered, one is the main one": (
        "**Hypothesis 1 (main):** A rises.\n**Hypothesis 2 (secondary):** B.\n**Workflow:** w",
        "A rises.",
        "w",
    ),
    # Where a section ends.
    "bold statement": (f"## Hypothesis\n\n**{A}**\n\n## Workflow\nw", f"**{A}**", "w"),
    "bold labels inside": (
        "**Hypothesis:**\n\n**Context:** men\n**Relationship:** rises",
        "**Context:** men\n**Relationship:** rises",
        "",
    ),
    "bold labels inside a heading": (
        "## Hypothesis\n**Context:** men\n**Variables:** age\n\n**Workflow:** w",
        "**Context:** men\n**Variables:** age",
        "w",
    ),
    "lower headings inside": (
        "## Hypothesis\n### Context\nmen\n### Relationship\nrises\n## Workflow\nw",
        "### Context\nmen\n### Relationship\nrises",
        "w",
    ),
    "a heading of the same level": ("## Hypothesis\nA rises.\n## Evidence\np < 0.01\n## Workflow\nw", "A rises.", "w"),
    "a heading of a higher level": ("### Hypothesis\nA rises.\n# Notes\nnone", "A rises.", ""),
    "a bold label ends at a heading": (
        "**Final Hypothesis**: A rises.\n**Analysis workflow**: fit\n## Notes\nnone",
        "A rises.",
        "fit",
    ),
    "a deeper workflow": ("# Hypothesis\nA rises.\n### Workflow\nw", "A rises.", "w"),
    "a rule under a sentence": ("## Hypothesis\nA rises with B.\n---\n## Workflow\nw", "A rises with B.", "w"),
    "paragraphs": (
        "**Hypothesis:** A rises.\n\nIt rises by 3 units.\n\n**Workflow:** w",
        "A rises.\n\nIt rises by 3 units.",
        "w",
    ),
    "items": ("## Hypothesis\n- A rises.\n- B falls.\n\n## Workflow\nw", "- A rises.\n- B falls.", "w"),
    # Which of several.
    "final after initial": (
        "**Initial hypothesis:** B.\n**Evidence:** p\n**Final hypothesis:** A rises.\n**Workflow:** w",
        "A rises.",
        "w",
    ),
    "final after plain": (
        "## Hypothesis\nB.\n## Tests\np\n## Final Hypothesis\nA rises.\n## Workflow\nw",
        "A rises.",
        "w",
    ),
    "final before plain": ("Final hypothesis: A rises.\n\nHypothesis: B.\n\nWorkflow: w", "A rises.", "w"),
    "main after plain": ("Hypothesis: B.\nMain hypothesis: A rises.", "A rises.", ""),
    "proposed after plain": ("**Hypothesis:** B.\n\n**Proposed hypothesis:** A rises.", "A rises.", ""),
    "concluding after plain": ("### Hypothesis\nB.\n### Concluding hypothesis\nA rises.", "A rises.", ""),
    "numbered then final": (
        "Hypothesis 1: B.\nHypothesis 2: C.\nHypothesis 3: D.\n\nFinal hypothesis: A rises.",
        "A rises.",
        "",
    ),
    "numbered": (
        "**Hypothesis 1:** A rises.\n**Hypothesis 2:** B falls.\n\n**Workflow:** w",
        "A rises.\n**Hypothesis 2:** B falls.",
        "w",
    ),
    "numbered headings of hypotheses": (
        "## Hypothesis 1\nA rises.\n## Hypothesis 2\nB falls.\n## Workflow\nw",
        "A rises.\n## Hypothesis 2\nB falls.",
        "w",
    ),
    "null and alternative": (
        "**Null hypothesis:** nothing.\n**Alternative hypothesis:** something.\n\n"
        "**Hypothesis:** A rises.\n\n**Workflow:** w",
        "A rises.",
        "w",
    ),
    "alternatives considered": (
        "## Alternative hypotheses considered\nB, C.\n\n## Hypothesis\nA rises.\n\n## Workflow\nw",
        "A rises.",
        "w",
    ),
    "alternatives after it": (
        "## Hypothesis\nA rises.\n\n## Alternative Hypotheses Considered\nB.\n\n## Workflow\nw",
        "A rises.",
        "w",
    ),
    "testing": ("## Hypothesis testing\np < 0.01\n\n## Hypothesis\nA rises.\n\n## Workflow\nw", "A rises.", "w"),
    "testing after it": ("**Hypothesis**: A rises.\n\n## Hypothesis Testing\np < 0.01", "A rises.", ""),
    "a label in the workflow": (
        "## Hypothesis\nA rises.\n## Workflow\n1. load\n2. Hypothesis: tested",
        "A rises.",
        "1. load\n2. Hypothesis: tested",
    ),
    "a bold label in the workflow": (
        "**Hypothesis:** A rises.\n**Workflow:**\n1. **Load:** x\n2. **Hypothesis:** formed",
        "A rises.",
        "1. **Load:** x\n2. **Hypothesis:** formed",
    ),
    "an empty label after it": ("Hypothesis: A rises.\n\nThe rest.\nHypothesis:", "A rises.\n\nThe rest.", ""),
    "an empty heading before it": ("# Hypothesis\n\n**Hypothesis:** A rises.", "A rises.", ""),
    "program text before it": (
        "```python\nresults = {'hypothesis': 'H0', 'p': 0.3}\n```\n\n**Hypothesis:** A rises.\n\n**Workflow:** w",
        "A rises.",
        "w",
    ),
    "an object of a program before it": (
        "```\n{'hypothesis': 'H0', 'p': 0.3}\n```\n## Hypothesis\nA rises.",
        "A rises.",
        "",
    ),
    "program text after it": (
        "## Hypothesis\nA rises.\n## Workflow\n```python\nprint({'hypothesis': 'H0', 'p': 0.3})\n```",
        "A rises.",
        "print({'hypothesis': 'H0', 'p': 0.3})",
    ),
    "comments of a program": (
        "```python\n# Hypothesis: B\n# Workflow\nx = 1\n```\nHypothesis: A rises.\nWorkflow: w",
        "A rises.",
        "w",
    ),
    "final label after an object": (
        '{"hypothesis": "draft", "workflow": "x"}\n\nOn reflection:\n\n'
        "**Final hypothesis:** A rises.\n\n**Workflow:** w",
        "A rises.",
        "w",
    ),
    "an empty object before it": ('{"hypothesis": "", "workflow": ""}\n\n**Hypothesis:** A rises.', "A rises.", ""),
}

PROSE: dict[str, str] = {
    "sentence": "I think A rises with B.",
    "odd braces": "A rises {with 'odd' braces",
    "a sentence on the hypothesis": "The hypothesis is that A rises: clearly.",
    "my hypothesis is that": "My hypothesis is that A rises with B, as the slope is 0.3 (p < 0.01).",
    "bold sentence on the hypothesis": "**Our hypothesis is that A rises with B.**",
    "bold word": "**Hypothesis** testing shows that A rises.",
    "no such key": '{"conclusion": "no such key"}',
    "null hypothesis": "Null hypothesis: nothing.\nAlternative hypothesis: A rises.",
    "only testing": "## Hypothesis testing\nA rises with B (p < 0.01).",
    "only null keys": '{"null_hypothesis": "nothing", "p": 0.3}',
    "evidence": "## Evidence for the hypothesis\nA rises with B (p < 0.01).",
    "hypothesis-driven": "Hypothesis-driven work: A rises.",
    "a wrapped word": "In this study we test the\nhypothesis\nthat A rises.",
    "refusal": "I cannot determine this without data.",
    "comparison": "A < B and B > C, so A < C.",
    "a mention of tags": "In <b>towns</b>, A rises.",
}

FALLS_BACK: dict[str, tuple[str, str, str]] = {
    "empty section": (f"{A}\n\nHypothesis:\n\nWorkflow: w", A, "w"),
    "empty section before the text": (f"## Hypothesis\n\n## Results\n{A}\n\n## Workflow\nw", f"## Results\n{A}", "w"),
    "empty object": (f'{A}\n\n{{"hypothesis": "", "workflow": "w"}}', A, "w"),
    "empty fenced object": (f'```json\n{{"hypothesis": null}}\n```\n{A}', A, ""),
    "empty tags": (f"{A} <hypothesis></hypothesis>", A, ""),
    "prose and a program": (f"{A}\n\n```python\nr = {{'hypothesis': 'H0', 'p': 0.3}}\n```", A, ""),
    "prose and a step of the workflow": (
        f"{A}\n\nWorkflow:\n1. load\n2. Hypothesis: formed",
        A,
        "1. load\n2. Hypothesis: formed",
    ),
    "a verdict": (f"{A}\n\nHypothesis: supported.", A, ""),
    "a verdict after the hypothesis": (f"**Hypothesis:** {A}\n\n## Tests\n**Hypothesis:** Confirmed", A, ""),
    "only the workflow is labelled": (f"{A}\n\n**Workflow:** load, fit", A, "load, fit"),
    "a paragraph after the steps": (
        f"Steps:\n1. load\n2. fit\n\n{A}",
        f"Steps:\n1. load\n2. fit\n\n{A}",
        "",
    ),
    "only in the workflow": (
        "Workflow:\n1. load\n2. Hypothesis: A rises.",
        "A rises.",
        "1. load\n2. Hypothesis: A rises.",
    ),
    "only a program's object": ("```python\nr = {'hypothesis': 'A rises.', 'p': 0.3}\n```", "A rises.", ""),
    "only an initial one": ("Initial hypothesis: A rises.", "A rises.", ""),
}

M = "Among men, BMI rises with age."

AFTER_WORKFLOW: dict[str, tuple[str, str]] = {
    # text, words that the answer must contain
    "bold conclusion": (f"**Analysis steps:**\n1. Load\n2. OLS\n\n**Conclusion:** {M}", M),
    "conclusion after a rule": (f"**Workflow:**\n1. Load\n\n---\n\n**Conclusion:** {M}", M),
    "conclusion on the next line": (f"Steps:\n1. Load data\n2. Fit OLS\nConclusion: {M}", M),
    "key finding": ("**Methodology:** OLS on 500 men.\n\n**Key finding:** BMI rises by 0.3 per year.", "0.3 per year"),
    "main results": (f"## Workflow\nload\n\n### Main results\n{M}", M),
    "results": (f"Workflow: load\n\nResults: {M}", M),
    "on the same line": (f"Workflow: load -> fit. The final result is that {A}", A),
    "bold sentence": (f"**Analysis steps**\n\n1. Load\n2. Fit\n\n**{A}**", A),
    "conclusion in a step": (f"Workflow:\n1. Load\n2. Conclusion: {M}", M),
    "conclusion after an initial hypothesis": (f"Initial hypothesis: BMI falls.\n\nConclusion: {M}", M),
    "only a workflow": ("Workflow: load", "load"),
    "only a verdict": ("**Final answer:** Yes, it does.", "Yes, it does."),
    "a statement in brackets": (f"**Hypothesis:** <{M}>\n**Workflow:** load", M),
    "an empty conclusion": (f"{M}\n\nConclusion:", M),
}

BEST_OF_SEVERAL: dict[str, str] = {
    f"{kind}: {remark}": f"**Hypothesis:** {M}\n\n{remark}"
    for kind, remarks in {
        "remark": [
            "**Final answer:** The hypothesis is supported by the data.",
            "**Final answer:** Submitted.",
            "**Final answer:** See the hypothesis above.",
            "## Final Answer\nI have submitted the hypothesis and workflow above.",
            "**Final hypothesis:** The hypothesis was confirmed by the data.",
        ],
        "another section": [
            "## Workflow\nload\n\n## Next steps\n- Hypothesis: income drives this",
            "## Workflow\nload\n\n## Limitations\n**Hypothesis:** income drives this",
            "## Alternative explanations\n- Hypothesis: income drives this",
            "## Workflow\n### Hypothesis\nIncome drives this",
        ],
    }.items()
    for remark in remarks
} | {
    "placeholder object before it": (
        f'I must answer as {{"hypothesis": "your hypothesis", "workflow": "your steps"}}.\n\n**Hypothesis:** {M}'
    ),
    "placeholder object after it": (
        f"Hypothesis: {M}\n"
        f"Workflow: load\n\n"
        f'I would submit as {{"hypothesis": "<hypothesis>", "workflow": "<workflow>"}}'
    ),
    "placeholder in brackets": (
        f'The form is {{"hypothesis": "[your final hypothesis here]", "workflow": "[steps]"}}.\n\nHypothesis: {M}'
    ),
    "final statement after a draft": f"Hypothesis: BMI might fall.\n\nFinal answer: {M}",
    "report": f"# Final Hypothesis Report\n\n## Background\nMen age.\n\n## Hypothesis\n{M}",
    "final conclusion": f"Hypothesis: BMI might fall.\n\n## Final Conclusion\n{M}",
    "XML call with keys": (
        f"<tool_call>submit\n"
        f"<arg_key>hypothesis</arg_key>\n"
        f"<arg_value>{M}</arg_value>\n"
        f"<arg_key>workflow</arg_key>\n"
        f"<arg_value>load</arg_value>\n"
        f"</tool_call>"
    ),
    "smart quotes": f"{{\u201chypothesis\u201d: \u201c{M}\u201d, \u201cworkflow\u201d: \u201cload\u201d}}",
}

PROSE_BESIDE_EMPTY: dict[str, str] = {
    "box with a verdict": f"{M} $\\boxed{{\\text{{Yes, it does}}}}$",
    "box about the hypothesis": f"{M} $\\boxed{{\\text{{hypothesis is supported}}}}$",
    "printed dict": f'The regression printed {{"hypothesis": "two-sided", "p_value": 0.01}}.\n\n{M}',
    "N/A": f'{{"hypothesis": "N/A", "workflow": "load"}}\n\n{M}',
    "None": f'{{"hypothesis": "None", "workflow": "load"}}\n\n{M}',
    "to be determined": f"**Hypothesis:** TBD\n\n## Results\n{M}",
    "form on a line": f"I'll answer in the form **Hypothesis:** \u2026 **Workflow:** \u2026\n\n{M}",
}

REASONING: dict[str, tuple[str, str]] = {
    "between tags": ('<think>{"hypothesis": "draft"}</think>A rises with B.', "A rises with B."),
    "long name": ("<thinking>\nHypothesis: draft\n</thinking>\nA rises.", "A rises."),
    "reasoning": ("<reasoning>draft</reasoning>\nA rises.", "A rises."),
    "thought": ("<thought>draft</thought>\nA rises.", "A rises."),
    "capitals": ("<THINK>draft</THINK>A rises.", "A rises."),
    "attribute": ('<think time="3">draft</think>A rises.', "A rises."),
    "unmatched closing": ("Let me see. Hypothesis: draft.\n</think>\nA rises.", "A rises."),
    "unmatched closing before a label": ("Hypothesis: draft\n</think>\n\nHypothesis: A rises.", "A rises."),
    "two blocks": ("<think>a</think>A rises <think>b</think>with B.", "A rises with B."),
    "nested": ("<think>a <think>b</think> c</think>A rises.", "A rises."),
    "nested after the answer": ("A rises. <think>a <think>b</think> c</think>", "A rises."),
    "opened twice, closed once": ("<think>\n<think>\ndraft</think>\nA rises.", "A rises."),
    "a space in the tag": ("<think >draft</think >A rises.", "A rises."),
    "answer, then cut off": ("A rises.\n<think>Was that", "A rises."),
    "opened and never closed around the answer": (
        "<think>Hm.\n\n**Hypothesis:** A rises.\n**Workflow:** w",
        "A rises.",
    ),
    "a chatty start, never closed": ("Sure.\n<think>Hm.\n\n## Hypothesis\nA rises.\n## Workflow\nw", "A rises."),
    "brackets": ("[THINK]draft[/THINK]A rises.", "A rises."),
    "channels": ("<|channel|>analysis<|message|>draft<|end|><|channel|>final<|message|>A rises.", "A rises."),
    "32,000 opening tags, then the answer": ("<think>" * 32_000 + "x</think>A rises.", "A rises."),
}

NOTHING = {
    "empty form with a workflow": "Hypothesis:\nWorkflow: load",
    "placeholder": '{"hypothesis": "N/A", "workflow": "load"}',
    "placeholder after a label": "**Hypothesis:** <hypothesis>\n**Workflow:** load",
    "empty": "",
    "blank": "  \n",
    "no word": "...",
    "empty object as the hypothesis": '{"hypothesis": {}}',
    "empty list as the hypothesis": '{"hypothesis": []}',
    "only reasoning": "<think>hm</think>",
    "cut-off reasoning": "<think>I will look at the",
    "only an opening tag": "<think>",
    "only a closing tag": "A rises?</think>",
    "empty hypothesis": '{"hypothesis": "", "workflow": "w"}',
    "empty label": "Hypothesis:\n\nWorkflow: w",
    "empty headings": "## Hypothesis\n\n## Workflow\nw",
    "empty tags": "<hypothesis></hypothesis><workflow>w</workflow>",
    "empty row": "| Hypothesis | |\n| Workflow | w |",
    "empty fence": '```json\n{"hypothesis": ""}\n```',
}


def of(text: str) -> Submission:
    answer = read_submission(text)
    assert answer is not None
    return answer


@pytest.mark.parametrize(("text", "hypothesis", "workflow"), OBJECTS.values(), ids=OBJECTS)
def test_an_object_is_read(text: str, hypothesis: str, workflow: str) -> None:
    assert read_submission(text) == Submission(hypothesis=hypothesis, workflow=workflow, source="json")


@pytest.mark.parametrize(("text", "hypothesis", "workflow"), SECTIONS.values(), ids=SECTIONS)
def test_a_labelled_section_is_read(text: str, hypothesis: str, workflow: str) -> None:
    assert read_submission(text) == Submission(hypothesis=hypothesis, workflow=workflow, source="sections")


@pytest.mark.parametrize("text", PROSE.values(), ids=PROSE)
def test_unlabelled_prose_is_read_as_a_whole(text: str) -> None:
    assert read_submission(text) == Submission(hypothesis=text, source="text")


@pytest.mark.parametrize(("text", "hypothesis", "workflow"), FALLS_BACK.values(), ids=FALLS_BACK)
def test_text_beside_an_empty_form_is_read(text: str, hypothesis: str, workflow: str) -> None:
    answer = of(text)
    assert (answer.hypothesis, answer.workflow) == (hypothesis, workflow)


@pytest.mark.parametrize(("text", "words"), AFTER_WORKFLOW.values(), ids=AFTER_WORKFLOW)
def test_an_answer_after_a_workflow_is_read(text: str, words: str) -> None:
    assert words in of(text).hypothesis


@pytest.mark.parametrize("text", BEST_OF_SEVERAL.values(), ids=BEST_OF_SEVERAL)
def test_the_answer_takes_precedence_over_remarks_and_placeholders(text: str) -> None:
    assert of(text).hypothesis == M


@pytest.mark.parametrize("text", PROSE_BESIDE_EMPTY.values(), ids=PROSE_BESIDE_EMPTY)
def test_prose_beside_a_form_without_an_answer_is_read(text: str) -> None:
    answer = of(text)
    assert answer.source == "text"
    assert M in answer.hypothesis


@pytest.mark.parametrize(("text", "hypothesis"), REASONING.values(), ids=REASONING)
def test_reasoning_is_not_part_of_the_answer(text: str, hypothesis: str) -> None:
    assert of(text).hypothesis == hypothesis


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING)
def test_a_message_without_an_answer_is_none(text: str) -> None:
    assert read_submission(text) is None


def test_long_texts_are_truncated() -> None:
    assert len(of("word " * 5_000).hypothesis) <= MAX_CHARACTERS
    answer = of(f"Hypothesis: {'A rises. ' * 5_000}\n\nWorkflow: {'load ' * 5_000}")
    assert answer.hypothesis.startswith("A rises.")
    assert answer.workflow.startswith("load")
    assert max(len(answer.hypothesis), len(answer.workflow)) <= MAX_CHARACTERS


def test_a_long_text_is_truncated_in_the_middle() -> None:
    answer = of("In towns. " + "So it goes. " * 5_000 + "A rises.")
    assert answer.hypothesis.startswith("In towns.")
    assert answer.hypothesis.endswith("A rises.")


@pytest.mark.parametrize("place", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    "answer",
    ["\n## Hypothesis\nA rises.\n## Workflow\nw\n\n", '\n{"hypothesis": "A rises.", "workflow": "w"}\n'],
    ids=["sections", "object"],
)
def test_the_answer_is_found_anywhere_in_a_long_text(answer: str, place: float) -> None:
    lines = ["The data were looked at once more, and it's as before (p = 0.3).\n"] * 5_000
    lines.insert(int(place * len(lines)), answer)
    assert of("".join(lines)).hypothesis == "A rises."


HOSTILE: dict[str, Callable[[int], str]] = {
    "opening tags": lambda n: "<think>" * (n // 7),
    "closing tags": lambda n: "</think>" * (n // 8),
    "opened tags": lambda n: "<think" * (n // 6),
    "braces": lambda n: "{" * n,
    "braces and quotes": lambda n: "{'" * (n // 2),
    "nested objects": lambda n: '{"a":' * (n // 5),
    "nested hypotheses": lambda n: '{"hypothesis":' * (n // 14),
    "strings on lines": lambda n: '{"hypothesis": "a"' + '\n"a"' * (n // 4),
    "end-of-turn tokens": lambda n: "<|end" * (n // 5),
    "paragraphs of a workflow": lambda n: "Workflow:" + "\n\n" * (n // 2) + "- x",
    "cut-off hypotheses": lambda n: '{"hypothesis": "' * (n // 16),
    "closed objects": lambda n: '{"a": 1}' * (n // 8),
    "broken objects": lambda n: '{"a": x} ' * (n // 9),
    "brackets": lambda n: '{"a": ' + "[" * n,
    "backslashes": lambda n: '{"hypothesis": "x' + "\\" * n,
    "bold marks": lambda n: "**" * (n // 2),
    "bold lines": lambda n: "**\n" * (n // 3),
    "bold words": lambda n: "**a** " * (n // 6),
    "underscores": lambda n: "__a" * (n // 3),
    "hashes": lambda n: "#" * n,
    "headings": lambda n: "# a\n" * (n // 4),
    "labels": lambda n: "Hypothesis:\n" * (n // 12),
    "labels and workflows": lambda n: "Hypothesis: a\nWorkflow: b\n" * (n // 26),
    "numbered labels": lambda n: "Hypothesis 1: a\n" * (n // 16),
    "embedded labels": lambda n: "Workflow:\n" + "1. Hypothesis: a\n" * (n // 17),
    "tags": lambda n: "<hypothesis>" * (n // 12),
    "tags of parameters": lambda n: "<parameter=" * (n // 11),
    "calls": lambda n: "submit(" * (n // 7),
    "calls with a string": lambda n: 'submit("a' * (n // 9),
    "boxes": lambda n: r"\boxed{" * (n // 7),
    "quotes of mail": lambda n: "> " * (n // 2),
    "items": lambda n: "- " * (n // 2),
    "numbered items": lambda n: "1. " * (n // 3),
    "pipes": lambda n: "|" * n,
    "rows": lambda n: "| a | b |\n" * (n // 10),
    "labelled rows": lambda n: "| Hypothesis | b |\n" * (n // 19),
    "fences": lambda n: "```\n" * (n // 4),
    "open fences": lambda n: "```python\n" * (n // 10),
    "spaces": lambda n: "Hypothesis" + " " * n + "x",
    "blank lines": lambda n: "Hypothesis:" + "\n" * n + "x",
    "dashes": lambda n: "Hypothesis " + "-" * n,
    "one word": lambda n: "a" * n,
    "apostrophes": lambda n: "it's " * (n // 5),
    "conclusions": lambda n: "Hypothesis: a\n" + "Conclusion: b\n" * (n // 14),
    "asides": lambda n: "Workflow: a\n" + "Limitations: b\n" * (n // 15),
    "keys of arguments": lambda n: "<arg_key> " * (n // 10),
    "curly quotes": lambda n: "{\u201ca\u201d: " * (n // 6),
    "closing tags at the end": lambda n: "Hypothesis: BMI rises " + "</p>" * (n // 4),
    "closing tags with spaces": lambda n: "Hypothesis: BMI rises " + "</p> " * (n // 5),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.usefixtures("sweep")
def test_reading_takes_linear_time(name: str) -> None:
    """A text of 200,000 characters takes at most a second; a quadratic algorithm would take minutes."""
    text = HOSTILE[name](200_000)
    start = time.process_time()
    read_submission(text)
    assert time.process_time() - start < 5


FRAGMENTS = st.sampled_from(
    ["<think>", "</think>", "**", "__", "#", "## ", "\n", "\n\n", "```", "```json\n", "{", "}", '"', "'", ":", "|",
     "- ", "1. ", "> ", "Hypothesis", "hypothesis", "Workflow", "Final ", '{"hypothesis": "', "submit(", "</", "<", ">",
     "<hypothesis>", "\\boxed{", "\\", "---", ",", "a", " ", "\u00a0", "\r\n", "A rises.", "\ud83d"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(FRAGMENTS, max_size=60).map("".join)))
@example("Hypothesis\n")
@example("|---|\n|")
@settings(max_examples=1_000)
def test_reading_never_raises_and_returns_words_of_the_text(text: str) -> None:
    answer = read_submission(text)
    if answer is not None:
        assert any(character.isalnum() or character == "_" for character in answer.hypothesis)
        assert len(answer.hypothesis) <= MAX_CHARACTERS


WORDS = st.lists(
    st.sampled_from(["in", "towns", "BMI", "rises", "with", "age", "by", "0.3", "(p", "<", "0.01),", "men;", "not"])
)


@given(st.lists(WORDS.map(" ".join), min_size=1).map(lambda sentences: ".\n\n".join(["A", *sentences])))
def test_plain_prose_is_returned_unchanged(text: str) -> None:
    assert read_submission(text) == Submission(hypothesis=text.strip()[:MAX_CHARACTERS], source="text")


PARTS = st.sampled_from(
    ["Workflow:", "**Workflow:** ", "## Workflow", "Steps:\n", "1. Load\n", "- fit\n", "**", "\n", "\n\n", "---\n",
     "Conclusion:", "**Conclusion:** ", "## Results\n", "### Key findings\n", "## Next steps\n", "Limitations: ", "a",
     "BMI rises.", " ", "```python\n", "```", "| Result | 3 |\n", "<b>", "</b>", "\\boxed{", "}", "{",
     '"workflow": "w"', "supported", "N/A", "None", "\u2026", "<x>", "[x]"]
)  # fmt: skip


@given(st.lists(PARTS, max_size=30).map("".join))
@settings(max_examples=1_000)
def test_a_text_with_a_word_and_no_empty_form_is_never_none(text: str) -> None:
    assert (read_submission(text) is None) == (not any(character.isalnum() for character in text))


REFUSALS = [
    "I cannot determine this without data.",
    "I can\u2019t help with that.",
    "I'm sorry, but I can't assist with this request.",
    "I am unable to provide a hypothesis, as no data were given.",
    "Sorry, I cannot reliably answer this.",
    "Unfortunately, we do not have enough information.",
    "As an AI language model, I cannot access the data files.",
    "It is not possible to determine the relationship without the data.",
    "The hypothesis cannot be determined without the data.",
    "No hypothesis can be formed from this.",
    "The data is insufficient to determine the relationship.",
    "There is not enough information to determine whether BMI increases with age.",
    "I cannot answer this. The data files were not provided.",
    "I cannot determine whether BMI increases. Please provide the data.",
    "Unable to answer.",
]
STATEMENTS = [
    A,
    "I cannot support the view that BMI rises; BMI falls with age.",
    "I cannot provide a causal claim. Among men BMI rises with age.",
    "I cannot give a cause. Age is positively associated with BMI.",
    "We cannot reject that BMI is unrelated to age.",
    "I cannot determine this without data. However, BMI likely rises with age.",
    "Men are not able to recall their weight in 30 % of cases.",
    "BMI cannot be predicted by age alone.",
    "I cannot run code, but BMI rises with age.",
    "No relationship between age and BMI can be found among men (p = 0.6).",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_a_plain_refusal_is_recognized_and_read(text: str) -> None:
    assert is_plain_refusal(text)
    assert of(text).hypothesis == text


@pytest.mark.parametrize("text", STATEMENTS)
def test_a_statement_is_not_a_refusal(text: str) -> None:
    assert not is_plain_refusal(text)
