"""How long the judge takes at an endpoint of known latency, beside Inspect's own time for the same requests."""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from tempfile import mkdtemp

from endpoint import Endpoint, endpoint
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.event import ModelEvent, SpanBeginEvent, SpanEndEvent
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import CachePolicy, ChatMessage, GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect
from measure import own_folders, require_data, show

from inspect_discoverybench import real

PAIRS = 3
"""Runs of ours and of Inspect's own, one after the other."""
ALONE = 11
"""Samples that are judged one after the other."""


@solver
def other_hypothesis() -> Solver:
    """Submit a hypothesis that is not the gold one, without a model call."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # With the sample's id in it, only the extraction of a gold hypothesis can be shared by samples.
        text = f"In the part of the data called {state.sample_id}, the first column has no effect on the second."
        # An object is read without a question to the judge.
        state.output = ModelOutput.from_content("other", json.dumps({"hypothesis": text}))
        state.messages.append(state.output.message)
        return state

    return solve


Question = tuple[list[ChatMessage], GenerateConfig]
"""Messages and settings of a request."""


def bare(questions: dict[str, list[Question]]) -> Scorer:
    """The least that a scorer can do with the same requests: four at once, then the match, and no answer is read.

    Args:
        questions: The requests by sample id, the match last.
    """

    # Not an argument of the scorer: Inspect would keep all of them in the log.
    @scorer(metrics=[mean()], name="bare")
    def without_arguments() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            judge = get_model(role="grader")
            cache = CachePolicy(expiry=None, per_epoch=False)
            *first, match = questions[str(state.sample_id)]
            await collect(*(judge.generate(messages, config=config, cache=cache) for messages, config in first))
            messages, config = match
            await judge.generate(messages, config=config, cache=cache)
            return Score(value=1)

        return score

    return without_arguments()


def questions_of(log: EvalLog) -> dict[str, list[Question]]:
    """What `bare` asks again."""
    full = read_eval_log(log.location, resolve_attachments=True)
    return {
        str(sample.id): sorted(
            ((event.input, event.config) for event in sample.events if isinstance(event, ModelEvent)),
            key=lambda question: "predicted context" in question[0][-1].text,
        )
        for sample in full.samples or []
    }


@dataclass(frozen=True)
class Run:
    """What one eval did.

    Attributes:
        log: Its log.
        sample: Median seconds from the begin to the end of a sample's scoring.
        seconds: From the begin of the first scoring to the end of the last.
        requests: That reached the endpoint.
        cpu: CPU seconds of this process.
    """

    log: EvalLog
    sample: float
    seconds: float
    requests: int
    cpu: float


def evaluate(server: Endpoint, limit: int | None, at_once: int, asking: Scorer | None = None) -> Run:
    """Score DB-REAL test with our scorer or another, with as many samples and connections at once."""
    before, cpu = server.requests, time.process_time()
    task = task_with(real(), sandbox=None, setup=[])
    log = inspect_eval(
        task if asking is None else Task(dataset=task.dataset, scorer=asking),
        model="mockllm/model",
        model_roles={"grader": "openai/gpt-4o-2024-08-06"},
        solver=other_hypothesis(),
        limit=limit,
        max_samples=at_once,
        # A sample alone asks four questions at once.
        max_connections=max(at_once, 4),
    )[0]
    if log.status != "success":
        sys.exit(f"The eval ended with {log.status}: {log.error}")
    begins, ends = [], []
    for sample in log.samples or []:
        begin = next(e for e in sample.events if isinstance(e, SpanBeginEvent) and e.type == "scorers")
        end = next(e for e in sample.events if isinstance(e, SpanEndEvent) and e.id == begin.id)
        begins.append(begin.timestamp.timestamp())
        ends.append(end.timestamp.timestamp())
    return Run(
        log=log,
        sample=median(end - begin for begin, end in zip(begins, ends, strict=True)),
        seconds=max(ends) - min(begins),
        requests=server.requests - before,
        cpu=time.process_time() - cpu,
    )


def row(server: Endpoint, latency: float, limit: int | None, at_once: int) -> Sequence[str]:
    """Medians of pairs of ours and Inspect's own, and the time of ours from the cache."""
    ours, own = [], []
    for _ in range(PAIRS):
        os.environ["INSPECT_CACHE_DIR"] = mkdtemp(dir=os.environ["TMPDIR"])
        ours.append(evaluate(server, limit, at_once))
        own.append(evaluate(server, limit, at_once, bare(questions_of(ours[0].log))))
    cached = evaluate(server, limit, at_once)
    return (
        f"{len(cached.log.samples or [])}, {at_once} at once",
        f"{median(run.sample for run in ours) / latency:.2f} L",
        f"{median(run.seconds / bare.seconds for run, bare in zip(ours, own, strict=True)):.2f} ×",
        f"{median(run.requests / run.seconds for run in ours):.1f}",
        " and ".join(f"{median(1000 * run.cpu / run.requests for run in runs):.1f}" for runs in (ours, own)),
        f"{cached.seconds:.1f} s",
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.2, help="of the endpoint, in seconds")
    parser.add_argument("--limit", type=int, help="samples at most; default: all 239")
    parser.add_argument("--connections", type=int, nargs="+", default=[20], help="a row for each number")
    options = parser.parse_args()
    require_data()
    with own_folders(), endpoint(options.latency) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        rows = [
            row(server, options.latency, ALONE, 1),
            *(row(server, options.latency, options.limit, number) for number in options.connections),
        ]
    show(
        f"Judge at an endpoint with L = {options.latency} s",
        ("samples", "a sample", "of Inspect's own time", "requests/s", "CPU ms and Inspect's own", "from the cache"),
        rows,
        f"Medians of {PAIRS} pairs of ours and Inspect's own, one after the other; from the cache once.",
        "A sample: its scoring alone. CPU: of the whole process per request.",
    )


if __name__ == "__main__":
    main()
