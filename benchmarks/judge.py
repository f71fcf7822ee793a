"""How long the judge takes at an endpoint of known latency, beside Inspect's own time for the same requests."""

import argparse
import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from tempfile import mkdtemp

from endpoint import Endpoint, endpoint
from inspect_ai import Task, task_with
from inspect_ai import eval as inspect_eval
from inspect_ai.event import ModelEvent, SpanBeginEvent, SpanEndEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import CachePolicy, ChatMessage, GenerateConfig, ModelOutput, get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect
from measure import own_folders, require_data, require_success, show

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
        submission = json.dumps({"hypothesis": text})
        state.output = ModelOutput.from_content("other", submission)
        state.messages.append(state.output.message)
        return state

    return solve


Question = tuple[list[ChatMessage], GenerateConfig]
"""Messages and settings of a request."""


def bare(questions: dict[str, list[Question]]) -> Scorer:
    """The least that a scorer can do with the same requests: all but the match at once, then the match.

    It reads no answer.

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
            asked = [judge.generate(messages, config=config, cache=cache) for messages, config in first]
            await collect(*asked)
            messages, config = match
            await judge.generate(messages, config=config, cache=cache)
            return Score(value=1)

        return score

    return without_arguments()


def questions_of(log: EvalLog) -> dict[str, list[Question]]:
    """What `bare` asks again."""
    full = read_eval_log(log.location, resolve_attachments=True)
    questions = {}
    for sample in require_success(full):
        asked = [(event.input, event.config) for event in sample.events if isinstance(event, ModelEvent)]
        asked.sort(key=_is_match)
        questions[str(sample.id)] = asked
    return questions


def _is_match(question: Question) -> bool:
    """Whether a question is that about the match of contexts, the last one."""
    messages, _ = question
    return "predicted context" in messages[-1].text


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


def evaluate(server: Endpoint, limit: int | None, at_once: int, claim: bool, asking: Scorer | None = None) -> Run:
    """Score DB-REAL test with our scorer or another, with as many samples and connections at once."""
    requests = server.requests
    cpu = time.process_time()
    task = task_with(real(claim=claim), sandbox=None, setup=[])
    if asking is not None:
        task = Task(dataset=task.dataset, scorer=asking)
    [log] = inspect_eval(
        task,
        model="mockllm/model",
        model_roles={"grader": "openai/gpt-4o-2024-08-06"},
        solver=other_hypothesis(),
        limit=limit,
        max_samples=at_once,
        # A sample alone asks four questions at once, or five with that about claims.
        max_connections=max(at_once, 5),
    )
    spans = [scoring(sample) for sample in require_success(log)]
    begins = [begin for begin, _ in spans]
    ends = [end for _, end in spans]
    return Run(
        log=log,
        sample=median(end - begin for begin, end in spans),
        seconds=max(ends) - min(begins),
        requests=server.requests - requests,
        cpu=time.process_time() - cpu,
    )


def scoring(sample: EvalSample) -> tuple[float, float]:
    """When the scoring of a sample begins and ends."""
    begins = [event for event in sample.events if isinstance(event, SpanBeginEvent)]
    ends = {event.id: event for event in sample.events if isinstance(event, SpanEndEvent)}
    [begin] = [event for event in begins if event.type == "scorers"]
    end = ends[begin.id]
    return begin.timestamp.timestamp(), end.timestamp.timestamp()


def row(server: Endpoint, latency: float, limit: int | None, at_once: int, claim: bool) -> Sequence[str | float]:
    """Medians of pairs of ours and Inspect's own, and the time of ours from the cache."""
    ours = []
    own = []
    for _ in range(PAIRS):
        os.environ["INSPECT_CACHE_DIR"] = mkdtemp(dir=os.environ["TMPDIR"])
        ours.append(evaluate(server, limit, at_once, claim))
        questions = questions_of(ours[0].log)
        own.append(evaluate(server, limit, at_once, claim, bare(questions)))
    cached = evaluate(server, limit, at_once, claim)

    ratios = [run.seconds / other.seconds for run, other in zip(ours, own, strict=True)]
    samples = require_success(cached.log)
    return (
        f"{len(samples)}, {at_once} at once",
        median(run.sample for run in ours) / latency,
        median(ratios),
        median(run.requests / run.seconds for run in ours),
        cpu_per_request(ours),
        cpu_per_request(own),
        cached.seconds,
    )


def cpu_per_request(runs: Sequence[Run]) -> float:
    """Milliseconds of CPU time of the whole process for each request."""
    seconds = median(run.cpu / run.requests for run in runs)
    return 1000 * seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.2, help="of the endpoint, in seconds")
    parser.add_argument("--limit", type=int, help="samples at most; default: all 239")
    parser.add_argument("--connections", type=int, nargs="+", default=[20], help="a row for each number")
    parser.add_argument("--claim", action="store_true", help="also ask whether a relationship is claimed")
    options = parser.parse_args()
    require_data()
    with own_folders(), endpoint(options.latency) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}
        alone = row(server, options.latency, ALONE, 1, options.claim)
        others = [row(server, options.latency, options.limit, count, options.claim) for count in options.connections]
    columns = {
        "samples": "",
        "a sample, L": ".2f",
        "× Inspect's own time": ".2f",
        "requests/s": ".1f",
        "CPU ms": ".1f",
        "Inspect's own CPU ms": ".1f",
        "from the cache, s": ".1f",
    }
    show(
        f"Judge at an endpoint with L = {options.latency} s",
        columns,
        [alone, *others],
        f"Medians of {PAIRS} pairs of ours and Inspect's own, one after the other; from the cache once.",
        "A sample: its scoring alone. CPU: of the whole process per request.",
    )


if __name__ == "__main__":
    main()
