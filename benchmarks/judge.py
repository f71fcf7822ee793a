"""How long the judge takes at an endpoint of known latency, beside Inspect's own time for the same requests."""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import httpx
from endpoint import Endpoint, endpoint
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.event import ModelEvent, SpanBeginEvent, SpanEndEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import CachePolicy, ChatMessage, GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect
from measure import own_folders, require_data, show

from inspect_discoverybench import real

LATENCY = 0.2
SINGLE = 11
CONNECTIONS = 20
PAIRS = 3
TARGET_SINGLE = {0.2: 2.3, 1.0: 2.05}
"""Latencies for a sample, by the endpoint's."""
TARGET_ALL = 1.05
"""Times Inspect's own scorer."""
TARGET_CACHED = 8.0
THROUGHPUT = {1: 8, 10: 60, 50: 239, 200: 239}
"""Samples by connections."""
SHARDED = 50
"""Connections of all processes together."""
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


@dataclass(frozen=True)
class Measured:
    """What one eval did.

    Attributes:
        log: Its log.
        samples: Seconds from the begin to the end of each sample's scoring.
        whole: Seconds from the begin of the first to the end of the last.
        requests: Requests that reached the endpoint.
        cpu: CPU seconds of this process.
    """

    log: EvalLog
    samples: tuple[float, ...]
    whole: float
    requests: int
    cpu: float

    def questions(self) -> dict[str, list[Question]]:
        """What `bare` asks again."""
        full = read_eval_log(self.log.location, resolve_attachments=True)
        return {
            str(sample.id): sorted(
                ((event.input, event.config) for event in sample.events if isinstance(event, ModelEvent)),
                key=lambda question: "predicted context" in question[0][-1].text,
            )
            for sample in full.samples or []
        }


def evaluate(
    server: Endpoint,
    cache: str,
    asking: Scorer | None = None,
    *,
    limit: int | tuple[int, int] | None = None,
    connections: int = CONNECTIONS,
    one_by_one: bool = False,
) -> Measured:
    """Score DB-REAL test with our scorer or another."""
    os.environ["INSPECT_CACHE_DIR"] = str(Path(cache).resolve())
    before, cpu = server.requests, time.process_time()
    task = task_with(real(), sandbox=None, setup=[])
    log = inspect_eval(
        task if asking is None else Task(dataset=task.dataset, scorer=asking),
        model="mockllm/model",
        model_roles={"grader": JUDGE},
        solver=other_hypothesis(),
        limit=limit,
        max_samples=1 if one_by_one else max(connections, CONNECTIONS),
        max_connections=connections,
    )[0]
    if log.status != "success" or not log.samples:
        sys.exit(f"The eval ended with {log.status}: {log.error}")
    spans = [scoring(sample) for sample in log.samples]
    whole = max(end for _, end in spans) - min(begin for begin, _ in spans)
    seconds = tuple((end - begin).total_seconds() for begin, end in spans)
    return Measured(log, seconds, whole.total_seconds(), server.requests - before, time.process_time() - cpu)


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


def show_latency(server: Endpoint, latency: float, limit: int | None) -> None:
    """One sample after the other, and all at `CONNECTIONS` connections; each beside Inspect's own."""
    request = bare_request(server.url)
    one = evaluate(server, "one", limit=SINGLE, one_by_one=True)
    one_bare = evaluate(server, "one-bare", bare(one.questions()), limit=SINGLE, one_by_one=True)
    every, own = [], []
    for number in range(PAIRS):
        every.append(evaluate(server, f"all-{number}", limit=limit))
        own.append(evaluate(server, f"own-{number}", bare(every[0].questions()), limit=limit))
    rerun = evaluate(server, "all-0", limit=limit)
    count = len(rerun.samples)

    def single(name: str, run: Measured, target: str = "") -> tuple[str, ...]:
        seconds = median(run.samples)
        return name, f"{seconds / latency:.2f} L", target, f"{seconds:.3f}", f"{run.requests / SINGLE:.0f}", ""

    def all_of_them(name: str, runs: Sequence[Measured], target: str = "") -> tuple[str, ...]:
        ratio = median(run.whole / beside.whole for run, beside in zip(runs, own, strict=False))
        seconds = median(run.whole for run in runs)
        cpu = median(1000 * run.cpu / max(run.requests, count) for run in runs)
        return name, f"{ratio:.2f} ×", target, f"{seconds:.1f}", str(runs[0].requests), f"{cpu:.1f}"

    show(
        f"Judge at an endpoint with L = {latency} s",
        ("what", "ratio", "target", "seconds", "requests", "CPU ms"),
        [
            ("one request by a bare client", f"{request / latency:.2f} L", "", f"{request:.3f}", "1", ""),
            single("a sample: five questions", one, f"{TARGET_SINGLE.get(latency, 2.05)} L"),
            single("– Inspect's own for the same requests", one_bare),
            all_of_them(f"{count} samples, {CONNECTIONS} connections", every, f"{TARGET_ALL} ×"),
            all_of_them("– Inspect's own for the same requests", own),
            all_of_them("– again, from the cache", [rerun], f"{TARGET_CACHED} s"),
        ],
        f"A sample: the scoring alone, median of {SINGLE} samples one after the other.",
        "All: from the begin of the first sample's scoring to the end of the last.",
        f"Medians of {PAIRS} pairs of ours and Inspect's own, one after the other; from the cache once.",
        "CPU: of the process per request, or per sample where nothing is requested; samples, log and all.",
    )


def shard_rate(url: str, cache: str, samples: tuple[int, int], connections: int) -> float:
    """Requests per second of one process that judges some of the samples."""
    os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", "INSPECT_CACHE_DIR": str(Path(cache).resolve())}
    log = inspect_eval(
        task_with(real(), sandbox=None, setup=[]),
        model="mockllm/model",
        model_roles={"grader": JUDGE},
        solver=other_hypothesis(),
        limit=samples,
        max_samples=max(connections, CONNECTIONS),
        max_connections=connections,
    )[0]
    scored = log.samples or []
    requests = sum(isinstance(event, ModelEvent) for sample in scored for event in sample.events)
    spans = [scoring(sample) for sample in scored]
    return requests / (max(end for _, end in spans) - min(begin for begin, _ in spans)).total_seconds()


def sharded(url: str, samples: int, connections: int) -> tuple[float, float]:
    """Requests per second of one process, and of one for each core, which share samples and connections."""
    rates = []
    for processes in (1, os.cpu_count() or 1):
        bounds = [samples * number // processes for number in range(processes + 1)]
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            jobs = [
                pool.submit(shard_rate, url, f"shard-{processes}-{number}", part, connections // processes)
                for number, part in enumerate(pairwise(bounds))
            ]
            rates.append(sum(job.result() for job in jobs))
    return rates[0], rates[1]


def show_throughput(server: Endpoint, latency: float, limit: int | None) -> None:
    """Requests per second by number of connections; each beside Inspect's own."""
    rows = []
    for connections, most in THROUGHPUT.items():
        samples = min(most, limit or most)
        ours = evaluate(server, f"ours-{connections}", limit=samples, connections=connections)
        own = evaluate(server, f"own-{connections}", bare(ours.questions()), limit=samples, connections=connections)
        for name, run in (("judge", ours), ("Inspect's own", own)):
            ideal = run.requests * latency / connections
            rows.append(
                (
                    f"{connections}: {name}",
                    f"{run.whole / ideal:.2f} ×",
                    f"{run.whole / own.whole * own.requests / run.requests:.2f} ×",
                    f"{run.requests / run.whole:.1f}",
                    f"{1000 * run.cpu / run.requests:.1f}",
                    str(run.requests),
                )
            )
    one, each = sharded(server.url, min(max(THROUGHPUT.values()), limit or 239), SHARDED)
    rows += [
        (f"{SHARDED}: judge, one process", "", "", f"{one:.1f}", "", ""),
        (f"{SHARDED}: judge, one process for each core", f"{each / one:.2f} × the rate", "", f"{each:.1f}", "", ""),
    ]
    show(
        f"Requests of the judge by connections, L = {latency} s",
        ("connections", "of the ideal", "of Inspect's own", "requests/s", "CPU ms", "requests"),
        rows,
        "The ideal: requests × L / connections. CPU: of the one process and thread, per request.",
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=LATENCY, help="of the endpoint, in seconds")
    parser.add_argument("--limit", type=int, help="samples at most; default: all 239")
    parser.add_argument("--throughput", action="store_true", help="by number of connections instead")
    options = parser.parse_args()
    require_data()
    with own_folders(), endpoint(options.latency) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        (show_throughput if options.throughput else show_latency)(server, options.latency, options.limit)


if __name__ == "__main__":
    main()
