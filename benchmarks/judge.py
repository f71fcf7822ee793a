"""How long the judge takes at an endpoint of known latency, beside Inspect's own time for the same requests."""

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median

import httpx
from endpoint import Endpoint, endpoint
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.event import ModelEvent, SpanBeginEvent, SpanEndEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import CachePolicy, ChatMessage, ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect
from measure import own_folders, require_data, show

from inspect_discoverybench import real

LATENCY = 0.2
QUESTIONS = 5
SINGLE = 11
CONNECTIONS = 20
TARGET_SINGLE = 2.3
TARGET_ALL = 1.2
JUDGE = "openai/gpt-4o-2024-08-06"


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


def bare(questions: dict[str, list[list[ChatMessage]]]) -> Scorer:
    """The least that a scorer can do with the same requests: four at once, then the match, and no answer is read.

    Args:
        questions: The messages of each request, by sample id, the match last.
    """

    # Not an argument of the scorer: Inspect would keep all of them in the log.
    @scorer(metrics=[mean()], name="bare")
    def without_arguments() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            judge = get_model(role="grader")
            cache = CachePolicy(expiry=None, per_epoch=False)
            *first, match = questions[str(state.sample_id)]
            await collect(*(judge.generate(messages, cache=cache) for messages in first))
            await judge.generate(match, cache=cache)
            return Score(value=1)

        return score

    return without_arguments()


@dataclass(frozen=True)
class Measured:
    """What one eval did.

    Attributes:
        log: Its log.
        samples: Seconds from the begin to the end of each sample's scoring.
        whole: Seconds from the begin of the first to the end of the last.
        requests: Requests that reached the endpoint.
    """

    log: EvalLog
    samples: tuple[float, ...]
    whole: float
    requests: int

    def questions(self) -> dict[str, list[list[ChatMessage]]]:
        """What `bare` asks again."""
        full = read_eval_log(self.log.location, resolve_attachments=True)
        return {
            str(sample.id): sorted(
                (event.input for event in sample.events if isinstance(event, ModelEvent)),
                key=lambda messages: "predicted context" in messages[-1].text,
            )
            for sample in full.samples or []
        }


def evaluate(server: Endpoint, cache: str, one_by_one: bool, asking: Scorer | None = None) -> Measured:
    """Score DB-REAL test, or `SINGLE` samples of it one after the other, with our scorer or another."""
    os.environ["INSPECT_CACHE_DIR"] = str(Path(cache).resolve())
    before = server.requests
    task = task_with(real(), sandbox=None, setup=[])
    log = inspect_eval(
        task if asking is None else Task(dataset=task.dataset, scorer=asking),
        model="mockllm/model",
        model_roles={"grader": JUDGE},
        solver=other_hypothesis(),
        limit=SINGLE if one_by_one else None,
        max_samples=1 if one_by_one else None,
        max_connections=CONNECTIONS,
    )[0]
    if log.status != "success" or not log.samples:
        sys.exit(f"The eval ended with {log.status}: {log.error}")
    spans = [scoring(sample) for sample in log.samples]
    whole = max(end for _, end in spans) - min(begin for begin, _ in spans)
    seconds = tuple((end - begin).total_seconds() for begin, end in spans)
    return Measured(log, seconds, whole.total_seconds(), server.requests - before)


def scoring(sample: EvalSample) -> tuple[datetime, datetime]:
    """When the scoring of a sample began and ended, by the events of its log."""
    begin = next(e for e in sample.events if isinstance(e, SpanBeginEvent) and e.type == "scorers")
    end = next(e for e in sample.events if isinstance(e, SpanEndEvent) and e.id == begin.id)
    return begin.timestamp, end.timestamp


def bare_request(url: str) -> float:
    """Median seconds of a request by a client that does nothing else."""
    slots = json.dumps({"HypoA": "a", "HypoB": "b"})
    body = {"messages": [{"role": "user", "content": f"```json\n{slots}\n```"}]}
    seconds = []
    with httpx.Client(timeout=60) as client:
        for _ in range(SINGLE):
            start = time.perf_counter()
            client.post(f"{url}/chat/completions", json=body).raise_for_status()
            seconds.append(time.perf_counter() - start)
    return median(seconds)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=LATENCY, help="of the endpoint, in seconds")
    latency: float = parser.parse_args().latency
    require_data()
    with own_folders(), endpoint(latency) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        request = bare_request(server.url)
        one = evaluate(server, "one", one_by_one=True)
        one_bare = evaluate(server, "one-bare", one_by_one=True, asking=bare(one.questions()))
        one_cached = evaluate(server, "one", one_by_one=True)
        every = evaluate(server, "all", one_by_one=False)
        every_bare = evaluate(server, "all-bare", one_by_one=False, asking=bare(every.questions()))
        every_cached = evaluate(server, "all", one_by_one=False)

    count = len(every.samples)
    ideal = count * QUESTIONS * latency / CONNECTIONS

    def single(name: str, run: Measured, target: str = "") -> tuple[str, ...]:
        seconds = median(run.samples)
        return name, f"{run.requests / SINGLE:.0f}", f"{seconds:.3f}", f"{seconds / latency:.2f} L", target

    def all_of_them(name: str, run: Measured, target: str = "") -> tuple[str, ...]:
        return name, str(run.requests), f"{run.whole:.1f}", f"{run.whole / ideal:.2f} × {ideal:.1f} s", target

    show(
        f"Judge at an endpoint with L = {latency} s",
        ("what", "requests", "seconds", "ratio", "target"),
        [
            ("one request by a bare client", "1", f"{request:.3f}", f"{request / latency:.2f} L", ""),
            single("a sample: five questions", one, f"{TARGET_SINGLE} L"),
            single("  Inspect's own for the same requests", one_bare),
            single("  again, from the cache", one_cached),
            all_of_them(f"{count} samples, {CONNECTIONS} connections", every, f"{TARGET_ALL} ×"),
            all_of_them("  Inspect's own for the same requests", every_bare),
            all_of_them("  again, from the cache", every_cached),
        ],
        f"A sample: the scoring alone, median of {SINGLE} samples one after the other; the first took "
        f"{one.samples[0]:.3f} s.",
        "All: from the begin of the first sample's scoring to the end of the last.",
        f"The ratio is to {count * QUESTIONS} questions × L / {CONNECTIONS}.",
    )


if __name__ == "__main__":
    main()
