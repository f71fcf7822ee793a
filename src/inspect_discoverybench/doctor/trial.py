"""A trial of a model and a judge: a few samples of every agent and of the judge audit, chosen at random.

It asserts structure, not quality: that the model acts and submits, and that the judge replies in the right form.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog
from inspect_ai.solver import SolverSpec

from inspect_discoverybench.doctor.checks import check_docker
from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, InvalidArgument
from inspect_discoverybench.errors.provider_failures import inspect_errors, one_line
from inspect_discoverybench.judge_pairs.audit import ACCURACIES
from inspect_discoverybench.results.result import results_of
from inspect_discoverybench.results.sample_score import SampleScore
from inspect_discoverybench.tasks import demo, judge_audit, real

SEED = 2
"""Seed of the choice of samples. With it, those of the judge audit are ten pairs and four texts."""

DEMO_SAMPLES = 3
REAL_SAMPLES = 2
AUDIT_SAMPLES = 14

FORMS = ("calls", "text")
"""The forms in which a model can act. If code runs equally often in both, the first one is recommended."""

AGENTS: dict[str, dict[str, int]] = {
    "react": {"turns": 6},
    "codegen": {},
    "datavoyager": {"turns": 4},
    "reflexion": {"trials": 2},
    "no_data_guess": {},
}
"""The agents, with arguments that keep a trial short."""

COLUMNS = {
    "samples": "samples",
    "acted": "acted",
    "call": "submitted\nby call",
    "object": "as one\nobject",
    "quoted": "quoted",
    "whole": "whole\ntext",
    "no submission": "zero",
    "limit": "zero by\na limit",
    "unscored": "unscored",
    "error": "errors",
    "tokens": "tokens",
    "seconds": "seconds",
}
"""What is counted for an agent, with the header of its column: among others, each way to read an answer and outcome."""


@dataclass
class Trial:
    """A trial of a model and a judge.

    Attributes:
        options: The model with its options, and the folder of the logs, as arguments of Inspect's `eval`.
        judge: The model that judges the answers. It has neither the arguments nor the base URL of the evaluated model.
        agents: What was counted, by task, agent, and the form in which the model was to act.
        notes: How the judge did in the judge audit, and what was not tried, with the remedy; in lines.
        errors: Errors of evals and of samples, each once and in one line.
    """

    options: Mapping[str, Any]
    judge: str
    agents: dict[tuple[str, str, str], Counter[str | None]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    errors: set[str] = field(default_factory=set)

    @property
    def form(self) -> str | None:
        """The form in which code ran in most samples; None if no code ran."""
        best_form = None
        most = 0
        for (_, _, form), counts in self.agents.items():
            if counts["acted"] > most:
                most = counts["acted"]
                best_form = form
        return best_form

    def try_agents(self, forms: Sequence[str]) -> None:
        """Try ReAct in each of the forms, then the other agents in the better one."""
        first_agent, *other_agents = AGENTS
        for form in forms:
            self._try_agent(demo(), DEMO_SAMPLES, first_agent, form)
        form = self.form or forms[0]
        for agent in other_agents:
            self._try_agent(demo(), DEMO_SAMPLES, agent, form)
        try:
            check_docker()
            task = real(split="train")
        except DiscoveryBenchError as error:
            self.notes.append(f"Left out: DB-REAL in Docker. {error.message}")
        else:
            self._try_agent(task, REAL_SAMPLES, first_agent, form)

    def try_judge(self) -> None:
        """Let the judge judge pairs and read texts of the judge audit."""
        options = {**self.options, "model": self.judge, "model_args": {}, "model_base_url": None}
        task = judge_audit(released=False)
        log = self._eval(task, AUDIT_SAMPLES, **options)
        samples = log.samples or []
        scores = [SampleScore.of(sample, "audit") for sample in samples]
        times_asked_again = [score.metadata.get("asked_again") for score in scores]
        valid_at_once = times_asked_again.count(0)
        note = f"Judge {self.judge}: {valid_at_once} of {len(samples)} samples had valid replies at the first try."
        self.notes.append(note)

        for facet in ACCURACIES:
            decided = [score.values[facet] for score in scores if facet in score.values]
            right = sum(decided)
            self.notes.append(f"  {facet}: right in {right:.0f} of {len(decided)}.")

    def _try_agent(self, task: Task, samples: int, agent: str, form: str) -> None:
        arguments = {**AGENTS[agent], "actions": form}
        solver = SolverSpec(f"discoverybench/{agent}", args=arguments, args_passed=arguments)
        log = self._eval(task, samples, solver=solver, **self.options)
        counts: Counter[str | None] = Counter()
        for result in results_of(log):
            sample = result.sample
            score = result.score
            source = score.metadata.get("submission_source")
            counts["samples"] += 1
            counts["acted"] += bool(sample.cells)
            counts[source] += 1
            counts[score.outcome] += 1
            counts["tokens"] += sample.tokens
            counts["seconds"] += round(sample.seconds or 0)
        self.agents[log.eval.task, agent, form] = counts

    def _eval(self, task: Task, samples: int, **arguments: Any) -> EvalLog:
        model = arguments["model"]
        folder = arguments["log_dir"]
        where = f"{model} and the judge {self.judge} cannot be tried with logs in {folder}"
        with inspect_errors(InvalidArgument, where):
            # The command is interactive. Inspect's default is to retry indefinitely.
            logs = inspect_eval(
                task,
                limit=samples,
                sample_shuffle=SEED,
                model_roles={"grader": self.judge},
                fail_on_error=False,
                max_retries=3,
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
