"""Which agent ran a sample: in real evals with every way of passing one."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry, task_with
from inspect_ai.agent import Agent, AgentState, agent, as_solver
from inspect_ai.agent import react as inspect_react
from inspect_ai.log import EvalError, EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import (
    Generate,
    Solver,
    SolverSpec,
    TaskState,
    basic_agent,
    chain,
    fork,
    generate,
    solver,
    system_message,
)

from inspect_discoverybench.results.agent_record import AgentSteps
from inspect_discoverybench.results.configuration import configurations_of
from inspect_discoverybench.results.frame import read_results
from inspect_discoverybench.solvers.codegen import codegen
from inspect_discoverybench.solvers.gold import goal_echo, gold
from inspect_discoverybench.solvers.no_data_guess import no_data_guess
from inspect_discoverybench.solvers.react import react
from inspect_discoverybench.tasks import demo

JUDGE = "discoverybench/lexical"


def answer(*_: Any) -> ModelOutput:
    output = ModelOutput.from_content("mockllm/model", "The number of visits rises with the height.")
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def model() -> Model:
    return get_model("mockllm/model", custom_outputs=answer)


@solver
def head_first(n: int = 3) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await generate(state)

    return solve


@solver
def two_steps(note: str = "Think.") -> Solver:
    return chain(system_message(note), generate())


@solver
def with_inner_agent() -> Solver:
    inner = codegen()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await inner(state, generate)

    return solve


@solver(name="react")
def other_react() -> Solver:
    return generate()


@solver(name="gold")
def other_gold() -> Solver:
    return generate()


@solver
def failing() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        raise ValueError("This agent always fails.")

    return solve


@solver
def many_questions() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for _ in range(150):  # Inspect keeps the last 100 events in memory if transcripts are bounded
            state.output = await get_model().generate(state.messages)
        return state

    return solve


@solver
def sometimes_forking() -> Solver:
    """On one of the samples, return the state of a fork."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.sample_id != demo().dataset[0].id:
            return await generate(state)
        [forked] = await fork(state, [head_first()])
        return forked

    return solve


@agent
def single_question(words: int = 2) -> Agent:
    async def execute(state: AgentState) -> AgentState:
        state.output = await model().generate(state.messages)
        state.messages.append(state.output.message)
        return state

    return execute


def run(solver: Any = None, *, in_task: bool = True, **options: Any) -> EvalLog:
    """Run the first sample of the demo with a solver that is part of the task, or passed to `eval`."""
    task = demo()
    if in_task:
        task = task_with(task, solver=solver)
    else:
        options["solver"] = solver
    defaults: dict[str, Any] = {"limit": 1, "message_limit": 20, "model": model(), "model_roles": {"grader": JUDGE}}
    [log] = inspect_eval(task, **defaults | options)
    return log


def run_named(agent: str, **arguments: Any) -> EvalLog:
    """Run the first sample of the demo with an agent that the task is told by its name."""
    task = demo(agent=agent, agent_args=arguments)
    [log] = inspect_eval(task, limit=1, message_limit=20, model=model(), model_roles={"grader": JUDGE})
    return log


def configurations(*logs: EvalLog) -> set[tuple[str, str]]:
    """The agent and the settings of each configuration in these logs."""
    rows = read_results([log.location for log in logs]).rows
    return {(configuration.agent, configuration.settings) for configuration in configurations_of(rows)}


def agents(*logs: EvalLog) -> set[str]:
    return {name for name, _ in configurations(*logs)}


def test_agents_that_are_part_of_the_task_are_told_apart() -> None:
    logs = [run(react()), run(codegen()), run(no_data_guess())]
    assert agents(*logs) == {"react", "codegen", "no_data_guess"}


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    ("solver", "name"),
    [
        (generate(), "generate"),
        (head_first(), "head_first"),
        (with_inner_agent(), "with_inner_agent"),
        (as_solver(single_question()), "single_question"),
        (single_question(), "single_question"),
        # Inspect runs the solvers of these two one by one, and records no name for them together.
        (basic_agent(message_limit=6), "chain"),
        ([system_message("Think."), generate()], "chain"),
        (inspect_react(attempts=1), "react of another package"),
        (other_react(), "react of another package"),
    ],
    # All workers of pytest-xdist need the same ids. The text of a solver contains its address in memory.
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_agents_of_others_have_their_own_name(solver: Any, name: str) -> None:
    assert agents(run(solver)) == {name}


def test_a_compound_solver_has_its_own_name_if_it_is_passed_to_eval() -> None:
    """As a part of the task, it would be a chain: Inspect then records only the solvers in it."""
    assert agents(run(two_steps(), in_task=False)) == {"two_steps"}
    assert agents(run(chain(system_message("Think."), generate()), in_task=False)) == {"chain"}


def test_a_compound_solver_has_its_own_name_and_arguments_if_it_is_an_argument_of_the_task() -> None:
    """Basic agents with different limits consist of the same solvers, which Inspect records without these limits."""
    name = "inspect_ai/basic_agent"
    short, long = {"message_limit": 6}, {"message_limit": 8}
    logs = [run_named(name, **short), run_named(name, **long)]
    expected = {("basic_agent", "message_limit=6"), ("basic_agent", "message_limit=8")}
    assert configurations(*logs) == expected
    # Passed to eval, the short one is no third configuration.
    passed_to_eval = run(SolverSpec(name, args=short, args_passed=short), in_task=False)
    assert configurations(*logs, passed_to_eval) == expected


def test_solvers_that_a_program_puts_in_the_place_of_an_agent_of_this_package_do_not_have_its_name() -> None:
    task = task_with(demo(agent="discoverybench/codegen"), solver=[system_message("Think."), generate()])
    [log] = inspect_eval(task, limit=1, model=model(), model_roles={"grader": JUDGE})
    assert agents(log) == {"chain"}


AGENT_FILE = """
from inspect_ai.solver import generate, solver

@solver
def mine():
    return generate()
"""

COMPOUND_FILE = """
from inspect_ai.solver import chain, generate, solver, system_message

@solver
def compound():
    return chain(system_message("Think."), generate())
"""


def test_agents_of_one_name_in_two_files_and_two_versions_of_a_file_are_told_apart() -> None:
    for name in ("first", "second"):
        Path(name).mkdir()
        Path(f"{name}/{name}.py").write_text(AGENT_FILE, "utf-8")
    logs = [run_named("first/first.py@mine"), run_named("second/second.py@mine")]
    assert configurations(*logs) == {("mine", "agent file first.py"), ("mine", "agent file second.py")}

    Path("first/first.py").write_text(f"{AGENT_FILE}# edited", "utf-8")
    edited = run_named("first/first.py@mine")
    versions = configurations(logs[0], edited)
    assert len(versions) == 2
    assert all(settings.startswith("agent file sha256 ") for _, settings in versions)


def test_an_agent_in_a_file_is_one_agent_in_any_folder_and_however_it_is_passed() -> None:
    for folder in ("here", "there"):
        Path(folder).mkdir()
        Path(f"{folder}/mine.py").write_text(AGENT_FILE, "utf-8")
    logs = [
        run_named("here/mine.py@mine"),
        run_named("there/mine.py@mine"),
        run(SolverSpec("here/mine.py@mine", args={}, args_passed={}), in_task=False),
        run(SolverSpec("here/mine.py", args={}, args_passed={}), in_task=False),
    ]
    assert configurations(*logs) == {("mine", "")}


def test_a_compound_solver_that_is_named_by_its_file_alone_is_one_agent_in_any_folder() -> None:
    for folder in ("here", "there"):
        Path(folder).mkdir()
        Path(f"{folder}/compound.py").write_text(COMPOUND_FILE, "utf-8")
    logs = [run_named("here/compound.py"), run_named("there/compound.py")]
    logs.append(run(SolverSpec("here/compound.py", args={}, args_passed={}), in_task=False))
    assert configurations(*logs) == {("compound.py", "")}


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize(
    ("create", "name", "changed", "default"),
    [
        (codegen, "discoverybench/codegen", {"actions": "text"}, {"actions": "calls"}),
        (head_first, "head_first", {"n": 5}, {"n": 3}),
    ],
    ids=["of the package", "of others"],
)
def test_one_agent_is_one_configuration_however_it_is_passed(
    create: Any, name: str, changed: dict[str, Any], default: dict[str, Any]
) -> None:
    with_changed = [
        run(SolverSpec(name, args=changed, args_passed=changed), in_task=False),
        run(create(**changed), in_task=False),
        run(create(**changed)),
    ]
    with_default = [
        run(create()),
        run(create(**default)),
        run(SolverSpec(name, args=default, args_passed=default), in_task=False),
    ]
    assert len(configurations(*with_changed)) == 1
    assert len(configurations(*with_default)) == 1
    assert len(configurations(*with_changed, *with_default)) == 2


def test_only_arguments_that_the_agent_has_got_are_recorded() -> None:
    """Inspect records `args`, but calls the solver with `args_passed`."""
    log = run(SolverSpec("discoverybench/codegen", args={"actions": "text"}), in_task=False)
    [row] = read_results([log.location]).rows
    assert row.sample.agent_arguments == ()


def test_chains_with_other_arguments_are_other_configurations() -> None:
    logs = [run(chain(system_message(text), generate())) for text in ("Think.", "Answer.")]
    assert len(configurations(*logs)) == 2


def test_metadata_does_not_name_an_agent() -> None:
    assert agents(run(react(), metadata={"solver": "foo", "solver_args": {"a": 1}})) == {"react"}


def test_samples_with_an_error_and_samples_without_a_score_have_an_agent() -> None:
    failed = run(failing(), fail_on_error=False)
    not_scored = run(codegen(actions="text"), score=False)
    assert configurations(failed, not_scored) == {("failing", ""), ("codegen", "")}


def test_a_sample_whose_agent_returned_the_state_of_a_fork_has_the_agent() -> None:
    assert agents(run(sometimes_forking(), limit=2)) == {"sometimes_forking"}


def test_the_agent_is_recorded_if_inspect_keeps_only_the_last_events_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INSPECT_TRANSCRIPT_BOUNDED", "1")
    [sample] = run(many_questions()).samples or []
    assert sample.store_as(AgentSteps).steps == ["many_questions"]


def test_samples_that_a_retry_kept_belong_to_the_agent_that_ran_them() -> None:
    """A retry makes the task anew, with its default solver `react`, and runs only the samples that are missing.

    It keeps the samples that the earlier run has finished, with `codegen`.
    """
    log = run(codegen(actions="text"), limit=2, model="discoverybench/baseline")
    failed = read_eval_log(log.location)
    assert failed.samples
    failed.samples = failed.samples[:1]
    failed.status = "error"
    write_eval_log(failed, log.location)
    [retried] = eval_retry(log.location)
    assert retried.status == "success", retried.error

    rows = read_results([retried.location]).rows
    assert [(row.sample.agent, row.sample.agent_arguments) for row in rows] == [
        ("codegen", ("actions=text",)),
        ("react", ()),
    ]
    assert len({*configurations_of(rows)}) == 2


def remove_records(log: EvalLog) -> None:
    """Remove the records of the agent from the samples in a log's file, as if an earlier version had written it."""
    read = read_eval_log(log.location)
    for sample in read.samples or []:
        sample.store = {key: value for key, value in sample.store.items() if not key.startswith("AgentSteps")}
    write_eval_log(read, log.location)


@pytest.mark.parametrize("in_task", [True, False])
def test_a_log_without_records_has_the_agent_of_its_plan(in_task: bool) -> None:
    log = run(codegen(actions="text"), in_task=in_task)
    assert configurations(log) == {("codegen", "")}
    remove_records(log)
    assert configurations(log) == {("codegen", "")}

    # The plan has the arguments of the agent, too.
    other = run(codegen(), in_task=in_task)
    remove_records(other)
    assert len(configurations(log, other)) == 2


def test_unknown_agents_of_two_logs_are_not_pooled() -> None:
    logs = []
    for _ in range(2):
        log = run(codegen())
        remove_records(log)
        without_plan = read_eval_log(log.location)
        without_plan.plan.steps = []
        write_eval_log(without_plan, log.location)
        logs.append(log)
    assert agents(*logs) == {"unknown"}
    assert len(configurations(*logs)) == 2


def two_samples() -> EvalLog:
    """A log of two samples of one agent."""
    log = run(codegen(actions="text"), limit=2, model="discoverybench/baseline")
    return read_eval_log(log.location)


def test_if_only_some_samples_have_a_record_the_agent_of_the_others_is_unknown() -> None:
    """A retry copied the others from a log of an earlier version of this package, maybe with another agent."""
    log = two_samples()
    *_, last = log.samples or []
    del last.store["AgentSteps:steps"]
    write_eval_log(log, log.location)
    assert agents(log) == {"codegen", "unknown"}
    # A sample that ended with an error may have no record, because it ended before the record was made.
    last.error = EvalError(message="killed", traceback="", traceback_ansi="")
    write_eval_log(log, log.location)
    assert agents(log) == {"codegen"}


def test_a_sample_that_ended_in_its_setup_is_of_the_agent_of_the_run() -> None:
    log = two_samples()
    *_, last = log.samples or []
    last.store["AgentSteps:steps"] = []  # no solver ran after the setup
    write_eval_log(log, log.location)
    assert agents(log) == {"codegen"}


@pytest.mark.parametrize(("name", "agent_name"), [("v1_react", "react"), ("v1_no_data_guess", "no_data_guess")])
def test_logs_of_the_first_task_version_have_their_agent(name: str, agent_name: str) -> None:
    path = Path(__file__).parents[1] / "fixtures" / "logs" / f"{name}.eval"
    assert {row.sample.agent for row in read_results([path]).rows} == {agent_name}


def test_controls_of_this_package_are_recognized_and_namesakes_are_not() -> None:
    assert agents(run(gold()), run(goal_echo())) == {"gold", "goal_echo"}
    assert agents(run(other_gold())) == {"gold of another package"}
