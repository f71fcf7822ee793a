"""How long the judge takes at an endpoint of known latency: a sample, all of DB-REAL test, and both from the cache."""

import json
import os
import sys
import time
from dataclasses import dataclass
from datetime import datetime
from statistics import median

import httpx
from endpoint import Endpoint, endpoint
from inspect_ai import eval as inspect_eval
from inspect_ai import task_with
from inspect_ai.event import SpanBeginEvent, SpanEndEvent
from inspect_ai.log import EvalSample
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver
from measure import own_folders, require_data, show

from inspect_discoverybench import real

LATENCY = 0.2
QUESTIONS = 5
SINGLE = 9
CONNECTIONS = 20
TARGET_SINGLE = 2.3
TARGET_ALL = 1.2
JUDGE = "openai/gpt-4o-2024-08-06"


@dataclass(frozen=True)
class Measured:
    """What one eval did.

    Attributes:
        samples: Seconds from the begin to the end of each sample's scoring.
        whole: Seconds from the begin of the first to the end of the last.
        requests: Requests that reached the endpoint.
    """

    samples: tuple[float, ...]
    whole: float
    requests: int


@solver
def other_hypothesis() -> Solver:
    """Submit a hypothesis that is not the gold one, without a model call."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        # With the sample's id in it, only the extraction of a gold hypothesis can be shared by samples.
        text = f"In the part of the data called {state.sample_id}, the first column has no effect on the second."
        state.output = ModelOutput.from_content("other", text)
        state.messages.append(state.output.message)
        return state

    return solve


def evaluate(server: Endpoint, limit: int | None, connections: int) -> Measured:
    """Score samples of DB-REAL test, `connections` requests and samples at a time."""
    before = server.requests
    log = inspect_eval(
        task_with(real(), sandbox=None),
        model="mockllm/model",
        model_roles={"grader": JUDGE},
        solver=other_hypothesis(),
        limit=limit,
        max_connections=connections,
        max_samples=1 if limit else None,
    )[0]
    if log.status != "success" or not log.samples:
        sys.exit(f"The eval ended with {log.status}: {log.error}")
    spans = [scoring(sample) for sample in log.samples]
    whole = max(end for _, end in spans) - min(begin for begin, _ in spans)
    return Measured(
        tuple((end - begin).total_seconds() for begin, end in spans), whole.total_seconds(), server.requests - before
    )


def scoring(sample: EvalSample) -> tuple[datetime, datetime]:
    """When the scoring of a sample began and ended, by the events of its log."""
    begin = next(e for e in sample.events if isinstance(e, SpanBeginEvent) and e.type == "scorers")
    end = next(e for e in sample.events if isinstance(e, SpanEndEvent) and e.id == begin.id)
    return begin.timestamp, end.timestamp


def bare_request(url: str) -> float:
    """Median seconds of a request by a client that does nothing else."""
    slots = json.dumps({"HypoA": "a", "HypoB": "b"})
    body = {"model": "x", "messages": [{"role": "user", "content": f"```json\n{slots}\n```"}]}
    seconds = []
    with httpx.Client() as client:
        for _ in range(SINGLE):
            start = time.perf_counter()
            client.post(f"{url}/chat/completions", json=body).raise_for_status()
            seconds.append(time.perf_counter() - start)
    return median(seconds)


def main() -> None:
    """Measure and print."""
    require_data()
    with own_folders(), endpoint(LATENCY) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        bare = bare_request(server.url)
        single = evaluate(server, limit=SINGLE, connections=QUESTIONS)
        single_again = evaluate(server, limit=SINGLE, connections=QUESTIONS)
        os.environ["INSPECT_CACHE_DIR"] += "-of-all"
        everything = evaluate(server, limit=None, connections=CONNECTIONS)
        everything_again = evaluate(server, limit=None, connections=CONNECTIONS)

    count = len(everything.samples)
    ideal = count * QUESTIONS * LATENCY / CONNECTIONS
    reached = everything.requests * LATENCY / CONNECTIONS
    one, again = median(single.samples), median(single_again.samples)
    rows = [
        ("one request, nothing else", "1", f"{bare:.3f}", f"{bare / LATENCY:.2f} L", ""),
        ("a sample, five questions", str(QUESTIONS), f"{one:.3f}", f"{one / LATENCY:.2f} L", f"{TARGET_SINGLE} L"),
        ("the same, cached", f"{single_again.requests / SINGLE:.0f}", f"{again:.3f}", f"{again / LATENCY:.2f} L", ""),
        (
            f"{count} samples, {CONNECTIONS} connections",
            str(everything.requests),
            f"{everything.whole:.1f}",
            f"{everything.whole / ideal:.2f} × {ideal:.1f} s",
            f"{TARGET_ALL} ×",
        ),
        (
            "the same, cached",
            str(everything_again.requests),
            f"{everything_again.whole:.1f}",
            f"{everything_again.whole / ideal:.2f} × {ideal:.1f} s",
            "",
        ),
    ]
    show(
        f"Judge at an endpoint with L = {LATENCY} s",
        ("what", "requests", "seconds", "ratio", "target"),
        rows,
        f"A sample: median of the scoring of {SINGLE} samples, one after the other; the first took "
        f"{single.samples[0]:.3f} s.",
        f"All: from the begin of the first sample's scoring to the end of the last, beside {count * QUESTIONS} questions",
        f"× L / {CONNECTIONS}; beside the {everything.requests} requests that the cache left: "
        f"{everything.whole / reached:.2f} × {reached:.1f} s.",
    )


if __name__ == "__main__":
    main()
