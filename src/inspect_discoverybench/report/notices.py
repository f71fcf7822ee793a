"""Notices: what a reader must know before any number of a report."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from inspect_discoverybench.report.leaderboard import Benchmark, Leaderboard
from inspect_discoverybench.results.log_files import retry_command
from inspect_discoverybench.results.result_row import ResultRow
from inspect_discoverybench.results.task_result import edited_samples
from inspect_discoverybench.scorer.judge_record import OFFLINE_NOTE, is_offline
from inspect_discoverybench.scorer.sample_outcome import SampleOutcome
from inspect_discoverybench.session.tool import CALLS_AS_TEXT, CALLS_AS_TEXT_KEY

MAX_NAMED = 10
"""Number of samples that a notice names."""


def notices(leaderboard: Leaderboard, results: Sequence[ResultRow]) -> Iterator[str]:
    """The notices, one paragraph each.

    Args:
        leaderboard: The configurations, each sample with the score of one judge.
        results: The results of all judges.
    """
    judges_of_leaderboard: set[str] = set()
    for benchmark in leaderboard.benchmarks:
        judges_of_leaderboard |= benchmark.judges
        if len(benchmark.judges) > 1:
            listed = _judges_of_standings(benchmark)
            yield f"{benchmark.name} was scored by different judges, so its means are not comparable: {listed}."

    yield from _offline(leaderboard)
    all_judges = {result.score.judge for result in results if result.score.judge}
    other_judges = all_judges - judges_of_leaderboard
    if other_judges:
        yield (
            f"Scores by {_listed(other_judges)} are only in the table of samples. To compare judges, run "
            "`discoverybench compare LOG:score=HMS LOG:score=HMS1 --anyway`."
        )
    yield from _edited(leaderboard)
    yield from _calls_as_text(leaderboard)
    yield from _at_working_limit(leaderboard)
    yield from _invalidated(results)
    yield from _ignored_reducers(results)


def _offline(leaderboard: Leaderboard) -> Iterator[str]:
    """Which judges are not language models, and which rows they scored."""
    rows: dict[str, list[str]] = defaultdict(list)
    for benchmark in leaderboard.benchmarks:
        offline = {judge for judge in benchmark.judges if is_offline(judge)}
        for judge in offline:
            scored = [standing.name for standing in benchmark.standings if judge in standing.judges]
            if len(scored) == len(benchmark.standings):
                rows[judge].append(f"all rows of {benchmark.name}")
            else:
                names = ", ".join(scored)
                rows[judge].append(f"{benchmark.name}: {names}")
    for judge, texts in sorted(rows.items()):
        listed = "; ".join(texts)
        yield f"The judge {judge} {OFFLINE_NOTE} It scored {listed}."


def _ignored_reducers(results: Sequence[ResultRow]) -> Iterator[str]:
    """Which logs name a reducer of epochs that HMS ignores: any but the mean.

    Inspect prints the reducer with the other options of the run, but does not apply it to HMS: the metric takes the
    scores of all epochs and averages them.
    """
    reducers = {result.run.log: result.run.epochs_reducer for result in results}
    for log, reducer in reducers.items():
        if reducer != "mean":
            yield (
                f"The header of {log} names the reducer {reducer}, which has no effect on HMS: it is the mean of the "
                "epochs. For the best and the worst of several epochs, see “Across epochs”."
            )


def _invalidated(results: Sequence[ResultRow]) -> Iterator[str]:
    """How many samples of each log are invalid, and how to replace them."""
    invalid: dict[str, set[str]] = defaultdict(set)
    of_eval_sets = set()
    for result in results:
        if result.score.outcome is SampleOutcome.INVALIDATED:
            invalid[result.run.log].add(result.sample.uuid)
            if result.run.is_of_eval_set:
                of_eval_sets.add(result.run.log)
    for log, samples in invalid.items():
        # The log of an eval set may be that of a shard, and `eval-retry` would run the samples of all shards.
        remedy = "repeat the command that ran it" if log in of_eval_sets else f"`{retry_command(log)}`"
        yield f"Samples of {log} that were invalidated and count as missing: {len(samples)}. Replace them: {remedy}."


def _edited(leaderboard: Leaderboard) -> Iterator[str]:
    """Which samples were run before and after an edit of their study."""
    for standing in leaderboard.standings:
        edited = edited_samples(standing.tasks)
        if edited:
            sample, changes = next(iter(edited.items()))
            listed = ", ".join(changes)
            yield (
                f"{standing.configuration.benchmark}, {standing.name}: samples that were run again after a change: "
                f"{len(edited)}, such as {sample} ({listed}). The versions count as different tasks. Leave out the "
                "logs from before the change."
            )


def _calls_as_text(leaderboard: Leaderboard) -> Iterator[str]:
    """In how many samples of a configuration the model wrote its calls as text. Such calls do not run."""
    for standing in leaderboard.standings:
        marked = [result for result in standing.results if result.score.metadata.get(CALLS_AS_TEXT_KEY)]
        if marked:
            yield (
                f"{standing.configuration.benchmark}, {standing.name}: {len(marked)} of {len(standing.results)} "
                f"{CALLS_AS_TEXT}"
            )


def _at_working_limit(leaderboard: Leaderboard) -> Iterator[str]:
    """Which samples ended at their working limit. Waiting for a provider's batch interface counts towards it."""
    for standing in leaderboard.standings:
        ended = [result.sample for result in standing.results if result.sample.limit == "working"]
        if ended:
            ids = list(dict.fromkeys(sample.id for sample in ended))
            named = ", ".join(ids[:MAX_NAMED])
            if len(ids) > MAX_NAMED:
                named += f" and {len(ids) - MAX_NAMED} more"
            yield (
                f"{standing.configuration.benchmark}, {standing.name}: {len(ended)} of {len(standing.results)} samples "
                f"ended at their working limit: {named}. Inspect counts waiting for a "
                "provider's batch interface as work. If that ended them, run them with a higher `--working-limit`."
            )


def _judges_of_standings(benchmark: Benchmark) -> str:
    texts = []
    for standing in benchmark.standings:
        judges = _listed(standing.judges)
        texts.append(f"{standing.name} by {judges}")
    return "; ".join(texts)


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))
