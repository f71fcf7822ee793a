"""Notices: what a reader must know before any number of a report."""

from collections.abc import Iterator, Sequence

from inspect_discoverybench.report.judges import is_offline, judge_differences
from inspect_discoverybench.report.leaderboard import Benchmark, Leaderboard, Standing


def notices(leaderboard: Leaderboard) -> list[str]:
    """The notices, one paragraph each."""
    paragraphs = list(_offline_notices(leaderboard))
    for benchmark in leaderboard.benchmarks:
        paragraphs += _judge_notices(benchmark)
    paragraphs += _reducer_notices(leaderboard.standings)
    return paragraphs


def _offline_notices(leaderboard: Leaderboard) -> Iterator[str]:
    judges = {judge for standing in leaderboard.standings for judge in standing.judges}
    offline = sorted(filter(is_offline, judges))
    if offline:
        yield (
            f"The judge {', '.join(offline)} is no language model. These scores check the installation; they are not a "
            "result."
        )


def _judge_notices(benchmark: Benchmark) -> Iterator[str]:
    """Which judge scored which configurations, if there are several."""
    configurations: dict[str, dict[str, None]] = {}
    for standing in benchmark.standings:
        for judge in sorted(standing.judges):
            configurations.setdefault(judge, {})[standing.name] = None
    if len(configurations) < 2:
        return
    shares = "; ".join(f"{judge} scored {', '.join(names)}" for judge, names in configurations.items())
    differences = ", ".join(judge_differences(benchmark.results))
    yield (
        f"{benchmark.name} was scored by different judges, so its means are not comparable: {shares}. "
        f"The judges differ in {differences}."
    )


def _reducer_notices(standings: Sequence[Standing]) -> Iterator[str]:
    """A notice for each way other than the mean in which logs reduce epochs."""
    names: dict[str, dict[str, None]] = {}
    for standing in standings:
        for result in standing.results:
            names.setdefault(result.run.epochs_reducer, {})[standing.name] = None
    for reducer, configurations in names.items():
        if reducer != "mean":
            yield f"The logs of {', '.join(configurations)} reduce epochs by {reducer}; here, epochs are averaged."
