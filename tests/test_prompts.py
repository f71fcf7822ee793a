"""Golden tests of every prompt's rendering. To accept a change of wording, see CONTRIBUTING.md."""

import os
import re
from pathlib import Path

import pytest

from inspect_discoverybench.dataset.metadata import Column, DataFile
from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.task_text import Hints, task_text
from inspect_discoverybench.generator.conversation import question
from inspect_discoverybench.prompts.prompt import Prompt, prompt_names
from inspect_discoverybench.scorer.hypothesis_pair import HypothesisPair
from inspect_discoverybench.scorer.prompt_values import prompt_values
from inspect_discoverybench.scorer.quotation import question_about_answer
from inspect_discoverybench.solvers.datavoyager import Role, turn_message
from inspect_discoverybench.solvers.person import person_instructions
from inspect_discoverybench.solvers.wording import Wording

SYNTH_QUESTIONS = ("domains", "root", "distractors", "expand", "task", "review")
ACTING = (
    "react",
    "react_finish",
    "react_last",
    "react_reminder",
    "submit_again",
    "codegen",
    "codegen_finish",
    "codegen_again",
    "codegen_no_program",
    "no_data_guess",
    "no_data_guess_finish",
    "datavoyager/coder",
    "datavoyager/submit",
)
GOLDEN = Path(__file__).parent / "golden" / "prompts"

FILE = DataFile(
    name="farms.csv",
    description="Farms.",
    domain_knowledge="Farms {count} $once.",
    columns=(Column(name="rain", description="Rain\nin mm."),),
)
PAIR = HypothesisPair(
    goal='What "raises" {yield}?',
    data_files=(FILE,),
    gold_hypothesis='In towns, "rain" raises yield by 3 kg.\n```',
    gold_workflow=None,
    predicted_hypothesis="Rain raises $yield. Answer A.",
    predicted_workflow="",
)
TEXTS = {"gold_hypothesis": PAIR.gold_hypothesis, "predicted_hypothesis": PAIR.predicted_hypothesis}
MATCH = prompt_values(**TEXTS, gold_context="towns", predicted_context="in {towns}")
GOLD = prompt_values(datasets=PAIR.datasets, hypothesis=PAIR.gold_hypothesis, workflow=PAIR.workflows[0])
GOAL = SampleMetadata(
    split="test",
    dataset="farms",
    metadata_number=0,
    query_id=0,
    domain="farming",
    question_type="context",
    difficulty=None,
    goal="What raises yield?",
    gold_hypothesis=PAIR.gold_hypothesis,
    gold_workflow=None,
    data_files=(FILE, FILE),
    workflow_tags="regression",
    domain_knowledge="Rain is measured in spring.",
)
RENDERED = {
    # Prompts without placeholders. Those without a golden file of their own are parts of other prompts.
    **{
        name: Prompt.load(name).text
        for name in prompt_names("")
        if "$" not in Prompt.load(name).text and (GOLDEN / f"{name}.txt").exists()
    },
    "judge/answer": question_about_answer(PAIR.goal, 'I refuse {this}: "no $data".\n```').text,
    "judge/extract_context": Prompt.load("judge/extract_context").render(**GOLD),
    "judge/match_context": Prompt.load("judge/match_context").render(**MATCH),
    "judge/extract_released": Prompt.load("judge/extract_released").render(**GOLD),
    "judge/match_released": Prompt.load("judge/match_released").render(**MATCH),
    "judge/claim": Prompt.load("judge/claim").render(
        **prompt_values(datasets=PAIR.datasets, goal=PAIR.goal, hypothesis=PAIR.predicted_hypothesis)
    ),
    "judge/variables": PAIR.comparison_prompt("variables"),
    "judge/relationship": PAIR.comparison_prompt("relationship"),
    "judge_audit/audit": Prompt.load("judge_audit/audit").render(goal="g", gold="In {towns} $y", predicted="**p**"),
    "judge_audit/audit_text": Prompt.load("judge_audit/audit_text").render(goal="g", text="I refuse {this} $y\n```"),
    "judge_audit/audit_claim": Prompt.load("judge_audit/audit_claim").render(goal="g", hypothesis="Rain {raises} $y"),
    "judge/reask": Prompt.load("judge/reask").render(reason="match: Field required."),
    "solvers/task": task_text(GOAL, Hints()),
    "solvers/task_null_allowed": task_text(GOAL, Hints(framing="null_allowed")),
    "solvers/task_pressure": task_text(GOAL, Hints(framing="pressure")),
    "solvers/no_data_guess_task_pressure": task_text(
        GOAL, Hints(framing="pressure"), "no_data_guess_task", list_columns=False
    ),
    "solvers/task_without_columns": task_text(
        GOAL.model_copy(update={"data_files": (DataFile(name="tree.txt", description="A tree.", columns=()),)}), Hints()
    ),
    "solvers/no_data_guess_task": task_text(GOAL, Hints(), "no_data_guess_task", list_columns=False),
    "solvers/task_with_hints": task_text(GOAL, Hints(domain_knowledge=True, workflow_tags=True)),
    "solvers/codegen_tool": Prompt.load("solvers/codegen_tool").render(),
    "solvers/person": person_instructions(14400, None),
    "solvers/person_with_two_limits": person_instructions(14400, 7200),
    "solvers/person_without_limits": person_instructions(None, None),
    "solvers/reflexion_reflect": Prompt.load("solvers/reflexion_reflect").render(trial="1", trials="3", hms="0.50"),
    "solvers/reflexion_lessons": Prompt.load("solvers/reflexion_lessons").render(reflections="Trial 1 {of} $3."),
    **{f"synth/{name}": question(name, {"count": 2, "name": "{x} $y"}) for name in SYNTH_QUESTIONS},
    "synth/reask": Prompt.load("synth/reask").render(reason="goal: Field required."),
    "scanners/questionable_answer": Prompt.load("scanners/questionable_answer").render(values="{}"),
    "solvers/text/too_early": Wording("text").render("solvers/text/too_early"),
    "solvers/text/observation": Prompt.load("solvers/text/observation").render(output="17 $x {y}"),
    "solvers/datavoyager/turn": turn_message(Role.CODER, "count the rows.").text,
}
# Prompts that say how to act have the words of the form.
for form in ("calls", "text"):
    for name in ACTING:
        RENDERED[f"solvers/{form}/{name}"] = Wording(form).render(f"solvers/{name}")


@pytest.mark.parametrize("name", RENDERED)
def test_rendered_prompts_match_the_golden_files(name: str) -> None:
    golden = GOLDEN / f"{name}.txt"
    if os.environ.get("DISCOVERYBENCH_ACCEPT_GOLDEN"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(RENDERED[name] + "\n", "utf-8")
    assert RENDERED[name] + "\n" == golden.read_text("utf-8")


def is_rendered(prompt: Prompt) -> bool:
    """Whether one of `RENDERED`, which have golden files, contains the prompt with any values of its placeholders."""
    between_placeholders = [part.replace("$$", "$") for part in re.split(r"(?<!\$)\$\w+", prompt.text)]
    with_any_values = re.compile(".*".join(map(re.escape, between_placeholders)), re.DOTALL)
    return any(with_any_values.search(text) for text in RENDERED.values())


@pytest.mark.parametrize("name", prompt_names(""))
def test_every_prompt_has_an_origin_and_a_golden_file(name: str) -> None:
    prompt = Prompt.load(name)
    assert prompt.origin.startswith(("DiscoveryBench, appendix F", "inspect-discoverybench"))
    assert is_rendered(prompt)
