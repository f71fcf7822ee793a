"""ReAct: a loop of thought, `python` call and observation (paper §5.1)."""

from functools import partial

from inspect_ai.agent import Agent, AgentPrompt, AgentState, AgentSubmit, agent, as_solver
from inspect_ai.agent import react as react_agent
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool
from inspect_ai.util import store_as

from inspect_discoverybench.errors.invalid_values import require_positive
from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.session.session import DEFAULT_CELL_SECONDS
from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.step import generate_reply, start_agent, submit_step
from inspect_discoverybench.solvers.submission import submit
from inspect_discoverybench.submission.submission import SubmissionState


@solver
def react(turns: int = 25, cell_seconds: int = DEFAULT_CELL_SECONDS) -> Solver:
    """Run Inspect's ReAct agent with the tools `python` and `submit`.

    The agent ends when it calls `submit`, or at a limit of the eval. The last of `turns` model calls says that it is
    the last one and offers `submit` alone. A message without a tool call gets one reminder; a second one in a row leads
    to the last call. No text ends a run by itself.
    """
    require_positive("turns", turns)
    run_code, submission = python(cell_seconds), submit()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        start_agent()
        prompt = Prompt.load("solvers/react").render()
        agent = react_agent(
            name="react",
            model=generate_message(),
            prompt=AgentPrompt(instructions=prompt, handoff_prompt=None, assistant_prompt=None),
            tools=[run_code],
            submit=AgentSubmit(tool=submission, keep_in_messages=True),
            on_continue=partial(_next_turn, turns=turns),
        )
        if turns > 1:
            await as_solver(agent)(state, generate)
        if store_as(SubmissionState).submission is None:
            last = state.messages[-1]
            if isinstance(last, ChatMessageAssistant) and last.tool_calls:  # not executed at a full context window
                state.messages[-1] = last.model_copy(update={"tool_calls": None})
            state.messages.append(ChatMessageUser(content=Prompt.load("solvers/react_last").render()))
            state.output, messages = await submit_step(state.messages, [submission])
            state.messages.extend(messages)
        return state

    return solve


@agent
def generate_message() -> Agent:  # inspect-evals-lint: ignore[custom_solver_tests] -- all tests of react() run it
    """Generate one message, like `react()` does by default, and repair it."""

    async def execute(state: AgentState, tools: list[Tool]) -> AgentState:
        state.output = await generate_reply(get_model(), state.messages, tools)
        state.messages.append(state.output.message)
        return state

    return execute


async def _next_turn(state: AgentState, *, turns: int) -> bool | AgentState:
    """Continue after a tool call, append a reminder to a first text, and stop before the last call."""
    calls = sum(isinstance(message, ChatMessageAssistant) for message in state.messages)
    reminder = Prompt.load("solvers/react_reminder").render()
    was_reminded = any(message.text == reminder for message in state.messages[-2:])
    has_called = bool(state.output.message.tool_calls)
    if calls >= turns - 1 or (was_reminded and not has_called):
        return False
    if has_called:
        return True
    state.messages.append(ChatMessageUser(content=reminder))
    return state
