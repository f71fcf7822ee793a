"""The expected calls, tokens and cost of an experiment, before it runs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from inspect_discoverybench.experiment.experiment import Experiment
from inspect_discoverybench.experiment.prices import Prices
from inspect_discoverybench.experiment.run import ExperimentRun


@dataclass(frozen=True)
class Usage:
    """Model calls of one sample.

    Attributes:
        calls: Number of calls.
        input_tokens: Their input tokens.
        output_tokens: Their output tokens.
    """

    calls: float
    input_tokens: float
    output_tokens: float

    def __mul__(self, factor: float) -> "Usage":
        return Usage(self.calls * factor, self.input_tokens * factor, self.output_tokens * factor)

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls, self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens
        )

    def cost(self, model: str, prices: Prices) -> float:
        """US dollars; NaN for a model without a price."""
        if not self.calls:
            return 0.0
        if model not in prices:
            return math.nan
        return (self.input_tokens * prices[model].input + self.output_tokens * prices[model].output) / 1_000_000


NO_USAGE = Usage(0, 0, 0)
JUDGMENT = Usage(5, 5000, 300)
"""Usage of the judge for one sample, without cached replies."""


@dataclass(frozen=True)
class AgentUsage:
    """Model usage of an agent for one sample.

    Attributes:
        own: Usage of the evaluated model.
        roles: Usage by model role. The evaluated model is used for roles without a model.
        judgments: Number of times the sample is judged.
    """

    own: Usage = NO_USAGE
    roles: Mapping[str, Usage] = field(default_factory=dict)
    judgments: int = 1


# Averages of benchmarks/agents.py on DB-REAL train.
AGENTS = {
    "no_data_guess": AgentUsage(Usage(1, 1190, 211)),
    "codegen": AgentUsage(Usage(2, 4744, 559)),
    "react": AgentUsage(Usage(7, 25786, 2299)),
    "datavoyager": AgentUsage(
        roles={
            "planner": Usage(1, 1127, 173),
            "critic": Usage(10, 41560, 910),
            "coder": Usage(6, 22753, 2088),
            "analyst": Usage(4, 18826, 732),
        }
    ),
    "reflexion": AgentUsage(Usage(8, 21832, 2023), judgments=3),
    "gold": AgentUsage(),
}


@dataclass(frozen=True)
class UsageEstimate:
    """Estimated usage of a run. Values that cannot be estimated are NaN.

    Attributes:
        samples: Number of samples, multiplied by epochs.
        calls: Calls of the agent's models, without the judge.
        judge_calls: Calls of the judge.
        input_tokens: Input tokens of the agent's models.
        output_tokens: Their output tokens.
        cost: US dollars, including the judge.
    """

    samples: int
    calls: float
    judge_calls: float
    input_tokens: float
    output_tokens: float
    cost: float


def estimate(run: ExperimentRun, samples: int, experiment: Experiment, prices: Prices) -> UsageEstimate:
    """Estimate a run from the measured averages of its agent.

    Args:
        run: The run.
        samples: Number of its samples, multiplied by epochs.
        experiment: The experiment, for the models of roles.
        prices: Prices of models.
    """
    agent = _agent_usage(run)
    if agent is None:
        return UsageEstimate(samples, *[math.nan] * 5)
    evaluated = run.cell.model.name
    usages = [(evaluated, agent.own)]
    for role, usage in agent.roles.items():
        usages.append((experiment.roles[role].name if role in experiment.roles else evaluated, usage))
    total_usage = sum((usage for _, usage in usages), NO_USAGE) * samples
    judgment = JUDGMENT * (agent.judgments * samples if run.judge else 0)
    costs = [(usage * samples).cost(model, prices) for model, usage in usages]
    return UsageEstimate(
        samples=samples,
        calls=total_usage.calls,
        judge_calls=judgment.calls,
        input_tokens=total_usage.input_tokens,
        output_tokens=total_usage.output_tokens,
        cost=sum(costs) + (judgment.cost(run.judge, prices) if run.judge else 0.0),
    )


def total(estimates: Sequence[UsageEstimate]) -> UsageEstimate:
    """The sum over runs."""
    return UsageEstimate(
        samples=sum(e.samples for e in estimates),
        calls=sum(e.calls for e in estimates),
        judge_calls=sum(e.judge_calls for e in estimates),
        input_tokens=sum(e.input_tokens for e in estimates),
        output_tokens=sum(e.output_tokens for e in estimates),
        cost=sum(e.cost for e in estimates),
    )


def _agent_usage(run: ExperimentRun) -> AgentUsage | None:
    """The usage of the run's agent; None if it was not measured."""
    task = run.cell.task.name.rpartition("/")[2]
    if task == "judge_audit":  # the evaluated model is the judge
        return AgentUsage(JUDGMENT * int(run.cell.task.args.get("repeats", 2)), judgments=0)
    solver = "react" if run.cell.solver is None else run.cell.solver.name.rpartition("/")[2]
    return AGENTS.get(solver)
