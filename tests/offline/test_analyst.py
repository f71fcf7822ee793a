"""The rule-based analyst in real evals of real tasks."""

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.agent import as_solver
from inspect_ai.agent import react as inspect_react
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.model import ChatMessageAssistant
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver, use_tools
from inspect_ai.tool import Tool, ToolError, tool

from inspect_discoverybench import demo, real
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.codegen import codegen
from inspect_discoverybench.solvers.datavoyager.datavoyager import datavoyager
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.solvers.reflexion import ReflexionState, reflexion
from tests.dataset.studies import first_of_each_study
from tests.solvers.scripted import score, submission

BEEKEEPING = "demo/beekeeping_0_0/0/0"
TREES = "demo/street-trees_0_0/0/4"  # the study that the analyst does not solve


def evaluated(agent: Solver | list[Solver], *sample_ids: str) -> list[EvalSample]:
    """Samples of the demo task, in the order of their ids."""
    [log] = inspect_eval(demo(), model="discoverybench/baseline", solver=agent, sample_id=list(sample_ids) or None)
    assert log.status == "success", log.error
    samples = read_eval_log(log.location, resolve_attachments=True).samples
    assert samples
    return sorted(samples, key=lambda sample: str(sample.id))


def hypothesis(sample: EvalSample) -> str:
    assert sample.scores
    return str(sample.scores["HMS"].answer)


def workflow(sample: EvalSample) -> str:
    handed_in = submission(sample)
    assert handed_in
    return handed_in.workflow


def tool_calls(sample: EvalSample) -> list[str]:
    replies = [message for message in sample.messages if isinstance(message, ChatMessageAssistant)]
    return [call.function for reply in replies for call in reply.tool_calls or []]


def test_the_demo_is_solved_but_for_one_study() -> None:
    samples = evaluated(react())
    phrases = [
        "proofing_hours and hydration_percent interact: loaf_volume_ml increases with proofing_hours",
        "honey_yield_kg increases linearly with flowering_hectares, by 1.8",
        "reaction_ms decreases with bright_light_hours only where shift is night, by 9.",
        "docking_minutes is 5.16 lower where bow_thruster is yes (mean 9.6",
        "increases linearly with the ratio of reservations to copies, by 4.0",
        "ice_breakup_day decreases linearly with year, by 0.19",
        "breaking_strength_mpa is quadratic in firing_temperature_c: it increases up to 117",
        "lower above a threshold of soil_salinity_ds_m at 3.9",
    ]
    for sample, phrase in zip(samples, phrases, strict=True):
        assert phrase in hypothesis(sample)
        assert "Rule-based baseline, not a language model" in workflow(sample)
        assert tool_calls(sample) == ["python", "python", "submit"]
    scores = [score(sample) for sample in samples]
    assert scores == [0.5, 1, 1, 1, 1, 1, 1, 0]


@pytest.mark.parametrize(
    ("agent", "calls"),
    [
        (codegen(), ["python", "submit"]),
        (datavoyager(), ["python", "submit"]),
        (reflexion(), ["python", "submit"]),
        # Inspect's own, with the tools of the task.
        (generate(), ["python", "python", "submit"]),
        (as_solver(inspect_react(tools=[python()])), ["python", "python"]),
    ],
    ids=["codegen", "datavoyager", "reflexion", "generate", "inspect_react"],
)
@pytest.mark.usefixtures("sweep")
def test_every_agent_runs_the_same_analysis(agent: Solver, calls: list[str]) -> None:
    [sample] = evaluated(agent, BEEKEEPING)
    assert "honey_yield_kg increases linearly with flowering_hectares, by 1.8" in hypothesis(sample)
    assert score(sample) == 1
    assert tool_calls(sample) == calls


def test_every_role_of_datavoyager_speaks_for_itself() -> None:
    [sample] = evaluated(datavoyager(), BEEKEEPING)
    roles = [str(message.metadata["role"]) for message in sample.messages if message.metadata]
    assert roles == ["planner", "coder", "analyst", "analyst"]
    plan, _, finding, _ = [m.text for m in sample.messages if isinstance(m, ChatMessageAssistant)]
    assert plan.startswith("Read the tables")
    assert finding == hypothesis(sample)


def test_reflexion_goes_on_after_a_low_score() -> None:
    [sample] = evaluated(reflexion(trials=2), TREES)
    trials = sample.store_as(ReflexionState).trials
    assert [trial.hms for trial in trials] == [0, 0]
    assert [trial.reflection for trial in trials] == ["Rules do not learn from a score.", None]


@solver
def in_words() -> Solver:
    """One generation without any tool."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.tools = []
        return await generate(state)

    return solve


@pytest.mark.parametrize(
    "agent",
    [no_data_guess(), as_solver(inspect_react()), in_words()],
    ids=["no_data_guess", "inspect_react", "in_words"],
)
def test_without_python_it_guesses_and_says_so(agent: Solver) -> None:
    [sample] = evaluated(agent, BEEKEEPING)
    assert hypothesis(sample) == "The variables that the goal names are related."
    assert "The hypothesis is a guess" in sample.output.completion or "a guess" in workflow(sample)
    assert score(sample) == 0


@tool(name="python")
def broken(output: str, error: str) -> Tool:
    async def execute(code: str) -> str:
        """Fail.

        Args:
            code: Not run.
        """
        if error:
            raise ToolError(error)
        return output

    return execute


@pytest.mark.parametrize(
    ("output", "error"),
    [
        ("Traceback (most recent call last):\nModuleNotFoundError: No module named 'statistics'", ""),
        ("[The session died while this ran: all variables are lost.]", ""),
        ("", "not allowed"),
        ("", ""),
        ("Hypothesis: ", ""),
    ],
)
def test_a_failed_analysis_is_reported_in_the_workflow(output: str, error: str) -> None:
    [sample] = evaluated([use_tools(broken(output, error), append=False), generate()], BEEKEEPING)
    assert "The hypothesis is a guess" in sample.output.completion
    assert (error or output.strip()[-20:]) in sample.output.completion.replace("\\n", "\n")


@pytest.mark.usefixtures("sweep")
@pytest.mark.usefixtures("upstream")
@pytest.mark.parametrize("split", ["train", "test"])
def test_every_real_study_is_analysed_without_an_error(split: str) -> None:
    task = real(split=split, sandbox="local")
    [log] = inspect_eval(
        task_with(task, scorer=None),
        model="discoverybench/baseline",
        model_roles={"grader": "discoverybench/lexical"},
        sample_id=first_of_each_study(task),
    )
    assert log.status == "success", log.error
    samples = read_eval_log(log.location, resolve_attachments=True).samples
    assert samples
    for sample in samples:
        outputs = "\n".join(message.text for message in sample.messages if message.role == "tool")
        assert "Traceback" not in outputs, sample.id
        assert submission(sample), sample.id
