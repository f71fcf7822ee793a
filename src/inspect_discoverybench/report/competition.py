"""Which configurations of a benchmark compete, and which of them are best."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from inspect_discoverybench.dataset.task_text import NEUTRAL
from inspect_discoverybench.report.standing import AGENT, FLOOR, Standing, highest_hms, judges_of
from inspect_discoverybench.results.sample_inputs import changed_inputs
from inspect_discoverybench.results.task_result import TaskResult
from inspect_discoverybench.scorer.judge_record import is_offline

MIN_COVERAGE = 0.9
"""The agent with the most scored tasks is the reference. Another agent competes if it has scores on at least this share
of the scored tasks of the reference."""

ROUNDING = 1e-9
"""Means that differ by no more than this are equal."""


@dataclass(frozen=True)
class Competition:
    """The agents of a benchmark whose means can be compared, and the best of them.

    Attributes:
        best: The competitors with the highest mean HMS: several if they are tied, none if no best agent is marked.
        runners_up: The other competitors: all of them if no best agent is marked.
        reason_for_no_best: Why no best agent is marked; None if one is.
    """

    best: Sequence[Standing]
    runners_up: Sequence[Standing]
    reason_for_no_best: str | None

    @classmethod
    def of(cls, standings: Sequence[Standing]) -> "Competition":
        """Let the agents of a benchmark compete.

        Args:
            standings: All configurations of the benchmark, with its oracles and its floor.
        """
        competitors = _competitors(standings)
        floor = highest_hms(standing for standing in standings if standing.kind == FLOOR)
        reason_for_no_best = _reason_for_no_best(competitors, floor)
        best = [] if reason_for_no_best else _best(competitors)
        runners_up = [standing for standing in competitors if standing not in best]
        return cls(best, runners_up, reason_for_no_best)


def _competitors(standings: Sequence[Standing]) -> list[Standing]:
    """The agents without a framing that have scores on enough tasks (`MIN_COVERAGE`).

    The mean over fewer tasks does not say which agent is better. A framing urges an agent to find something, or allows
    it to find nothing, so its score is not comparable with the scores of agents without a framing.
    """
    agents = [
        standing for standing in standings if standing.kind == AGENT and standing.configuration.framing == NEUTRAL
    ]
    ids_by_agent = {agent: agent.scored_ids for agent in agents}
    # The tasks on which the agent with the most scored tasks has scores.
    reference_ids = max(ids_by_agent.values(), key=len, default=set())
    min_common = max(1, MIN_COVERAGE * len(reference_ids))  # an agent without any scored task does not compete
    return [agent for agent, ids in ids_by_agent.items() if len(ids & reference_ids) >= min_common]


def _reason_for_no_best(competitors: Sequence[Standing], floor: float | None) -> str | None:
    """Why none of the competitors can be called the best; None if one can."""
    judges = judges_of(competitors)
    if any(is_offline(judge) for judge in judges):
        return "the judge is not a language model"
    if len(judges) > 1:
        return "different judges scored the samples"
    versions = set()
    for competitor in competitors:
        versions |= {(result.run.version_number, result.run.data_commit) for result in competitor.results}
    if len(versions) > 1 or _is_study_edited(competitors):
        return "the task versions or the data differ"
    if len(competitors) < 2:
        return "there is no other agent to compare with"
    highest = highest_hms(competitors)
    if highest is not None and floor is not None and highest <= floor:
        return "no agent is above the floor"
    return None


def _is_study_edited(standings: Sequence[Standing]) -> bool:
    """Whether samples with one id have different gold hypotheses, gold workflows, data files or task texts."""
    tasks_by_id: defaultdict[str, list[TaskResult]] = defaultdict(list)
    for standing in standings:
        for task in standing.tasks:
            tasks_by_id[task.sample.id].append(task)
    return any(_have_different_inputs(tasks) for tasks in tasks_by_id.values())


def _have_different_inputs(tasks: Sequence[TaskResult]) -> bool:
    """Whether any two of these tasks, which all have one id, differ in an input."""
    # An input that one sample of a pair does not record is not compared. A sample without a record may then
    # equal two others that differ from each other, so all pairs are compared.
    for first, second in combinations(tasks, 2):
        changes = changed_inputs(first.sample.inputs, second.sample.inputs)
        # Configurations with different hints have different task texts on purpose.
        has_same_hints = first.results[0].run.hints == second.results[0].run.hints
        if any(change != "task text" or has_same_hints for change in changes):
            return True
    return False


def _best(competitors: Sequence[Standing]) -> list[Standing]:
    """The competitors with the highest mean HMS: several if they are tied."""
    highest = highest_hms(competitors)
    if highest is None:
        return []  # does not occur: every competitor has scored tasks
    return [standing for standing in competitors if standing.hms is not None and standing.hms >= highest - ROUNDING]
