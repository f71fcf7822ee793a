"""A trial of a model and a judge: a few samples of every agent and of the judge audit, chosen at random.

It asserts structure, not quality: that the model acts and submits, and that the judge replies in the right form.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.solver import SolverSpec

from inspect_discoverybench.doctor.checks import check_docker
from inspect_discoverybench.doctor.connection import MAX_RETRIES
from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.errors.provider_failures import inspect_errors, one_line
from inspect_discoverybench.judge_pairs.audit import ACCURACIES
from inspect_discoverybench.results.result_row import ResultRow, results_of
from inspect_discoverybench.results.score_record import ScoreRecord
from inspect_discoverybench.scorer.judge import GRADER
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome
from inspect_discoverybench.submission.submission import Source
from inspect_discoverybench.tasks import demo, judge_audit, real

SEED = 2
"""Seed of the choice of samples of discovery tasks."""

AUDIT_SEED = 162
"""Seed of the choice of samples of the judge audit.

With this seed, samples of all three kinds are chosen: ten pairs, four texts and one claim."""

DEMO_SAMPLES = 3
REAL_SAMPLES = 2
AUDIT_SAMPLES = 15

AGENTS: dict[str, dict[str, int]] = {
    "react": {"turns": 6},
    "codegen": {},
    "datavoyager": {"turns": 4},
    "reflexion": {"trials": 2},
    "no_data_guess": {},
}
"""The agents, with arguments that keep a trial short."""


@dataclass(frozen=True)
class AgentTrial:
    """The trial of one agent.

    Attributes:
        task: Name of the task.
        agent: Name of the agent.
        form: The form in which the model was to act: `calls` or `text`.
        results: A result for each sample.
    """

    task: str
    agent: str
    form: str
    results: Sequence[ResultRow]

    @property
    def samples_with_code(self) -> int:
        """Number of samples in which code ran."""
        return sum(1 for result in self.results if result.sample.cells)

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers of a row by the headers of their columns."""
        return {
            "samples": len(self.results),
            "acted": self.samples_with_code,
            "submitted\nby call": self._count_source("call"),
            "as one\nobject": self._count_source("object"),
            "quoted": self._count_source("quoted"),
            "whole\ntext": self._count_source("whole"),
            "zero": self._count_outcome(SampleOutcome.NO_SUBMISSION),
            "zero by\na limit": self._count_outcome(SampleOutcome.LIMIT),
            "unscored": self._count_outcome(SampleOutcome.UNSCORED),
            "errors": self._count_outcome(SampleOutcome.ERROR),
            "tokens": sum(result.sample.tokens for result in self.results),
            "seconds": round(sum(result.sample.seconds or 0 for result in self.results)),
        }

    def _count_source(self, source: Source) -> int:
        """Number of answers that were read from this source."""
        sources = [result.score.metadata.get("submission_source") for result in self.results]
        return sources.count(source)

    def _count_outcome(self, outcome: SampleOutcome) -> int:
        """Number of samples with this outcome."""
        outcomes = [result.score.outcome for result in self.results]
        return outcomes.count(outcome)


@dataclass
class Trial:
    """A trial of a model and a judge.

    Attributes:
        options: The model with its options, and the folder of the logs, as arguments of Inspect's `eval`.
        judge: The model that judges the answers. It has neither the arguments nor the base URL of the evaluated model.
        waiting: Makes a context that says, until it ends, what is being waited for.
        agents: The trials of the agents so far.
        notes: Lines that say how the judge did in the judge audit, and what was not tried, with the remedy.
        errors: Errors of evals and of samples, each once and in one line.
    """

    options: Mapping[str, Any]
    judge: str
    waiting: Callable[[str], AbstractContextManager[None]]
    agents: list[AgentTrial] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    errors: set[str] = field(default_factory=set)

    @property
    def best_form(self) -> str | None:
        """The form of actions that worked best: that of the agent trial in which the most samples ran code.

        If several agent trials have the most, it is that of the first. None if no code ran.
        """
        with_code = [trial for trial in self.agents if trial.samples_with_code]
        if not with_code:
            return None
        return max(with_code, key=attrgetter("samples_with_code")).form

    def try_agents(self, forms: Sequence[str]) -> None:
        """Try ReAct in each of the forms. Then try the other agents in `best_form`.

        Args:
            forms: The forms in which the model is to act: `calls`, `text` or both.
        """
        first_agent, *other_agents = AGENTS
        try:
            check_docker()
        except DiscoveryBenchError as error:
            sandbox = "local"
            self.notes.append(f"Left out: DB-REAL in Docker. The demo's code ran on this machine. {error.message}")
        else:
            sandbox = "docker"

        for form in forms:
            self._try_agent(demo(sandbox=sandbox), DEMO_SAMPLES, first_agent, form)

        best_form = self.best_form or forms[0]  # the first one if no code ran in any
        for agent in other_agents:
            self._try_agent(demo(sandbox=sandbox), DEMO_SAMPLES, agent, best_form)

        if sandbox == "docker":
            self._try_real(first_agent, best_form)

    def try_judge(self) -> None:
        """Run a part of the judge audit: the judge compares pairs, reads texts and finds a claim."""
        # In the audit, the evaluated model is the one that judges. `self.options` has the arguments and the URL of
        # another model.
        options = {**self.options, "model": self.judge, "model_args": {}, "model_base_url": None}
        with self.waiting(f"Trying the judge {self.judge} on {AUDIT_SAMPLES} samples"):
            # Without the samples from DB-REAL train, so that the audit needs no released data.
            log = self._eval(judge_audit(released=False), AUDIT_SAMPLES, seed=AUDIT_SEED, **options)
        scores = [ScoreRecord.of(sample, "judge_audit") for sample in log.samples or []]
        times_asked_again = [score.metadata.get("asked_again") for score in scores]
        valid_at_once = times_asked_again.count(0)
        self.notes.append(
            f"Judge {self.judge}: {valid_at_once} of {len(scores)} samples had valid replies at the first try."
        )

        for question in ACCURACIES:
            accuracies = [score.values[question] for score in scores if question in score.values]
            right = sum(accuracies)
            self.notes.append(f"  {question}: right in {right:.0f} of {len(accuracies)}.")

    def _try_real(self, agent: str, form: str) -> None:
        try:
            task = real(split="train")  # the goals of `test` are kept for evaluations
        except DiscoveryBenchError as error:
            self.notes.append(f"Left out: DB-REAL. {error.message}")
        else:
            self._try_agent(task, REAL_SAMPLES, agent, form)

    def _try_agent(self, task: Task, samples: int, agent: str, form: str) -> None:
        arguments = {**AGENTS[agent], "actions": form}
        # The eval gets a spec, because the log would name the agent itself `inspect_discoverybench/…`. Inspect creates
        # the agent with `args_passed`, and records `args` and `args_passed`.
        solver = SolverSpec(f"discoverybench/{agent}", args=arguments, args_passed=arguments)
        with self.waiting(f"Trying {agent} with actions={form} on {samples} samples of {task.name}"):
            log = self._eval(task, samples, solver=solver, **self.options)
        self.agents.append(AgentTrial(log.eval.task, agent, form, results_of(log)))

    def _eval(
        self, task: Task, samples: int, *, model: str, log_dir: str, seed: int = SEED, **arguments: Any
    ) -> EvalLog:
        failure = f"{model} and the judge {self.judge} cannot be tried with logs in {log_dir}"
        with inspect_errors(InvalidArgument, failure):
            logs = inspect_eval(
                task,
                model=model,
                log_dir=log_dir,
                limit=samples,
                sample_shuffle=seed,
                model_roles={GRADER: self.judge},
                fail_on_error=False,
                max_retries=MAX_RETRIES,
                display="none",
                **arguments,
            )
        # Inspect handles an interrupt itself, and may then return no log.
        if not logs or logs[0].status == "cancelled":
            raise KeyboardInterrupt

        [log] = logs
        sample_errors = [sample.error for sample in log.samples or []]
        for error in (log.error, *sample_errors):
            if error is not None:
                self.errors.add(one_line(error.message))
        return log
