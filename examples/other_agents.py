"""Agents of Inspect with the tools of the package, and an agent behind a bridge (docs/other_agents.md)."""

from inspect_ai.agent import Agent, AgentState, AgentSubmit, agent, agent_bridge
from inspect_ai.agent import deepagent as inspect_deepagent
from inspect_ai.agent import react as inspect_react
from openai import AsyncOpenAI

from inspect_discoverybench.session.tool import python
from inspect_discoverybench.solvers.submission import submit


@agent
def react() -> Agent:
    """Inspect's `react()`."""
    return inspect_react(tools=[python()], submit=AgentSubmit(tool=submit()))


@agent
def deepagent() -> Agent:
    """Inspect's `deepagent()`. The compaction of long conversations is off: it downloads tables to count tokens."""
    return inspect_deepagent(tools=[python()], submit=AgentSubmit(tool=submit()), compaction=None)


@agent
def bridge() -> Agent:
    """An agent of another framework: Inspect's bridge takes its requests to the evaluated model."""

    async def execute(state: AgentState) -> AgentState:
        async with agent_bridge(state) as requests:
            text = state.messages[-1].text
            client = AsyncOpenAI(api_key="unused")
            await client.chat.completions.create(model="inspect", messages=[{"role": "user", "content": text}])
        return requests.state

    return execute
