"""Notices: what a reader must know before any number of a report."""

from collections.abc import Iterator, Sequence

from inspect_discoverybench.report.judges import is_offline
from inspect_discoverybench.report.leaderboard import Leaderboard
from inspect_discoverybench.results.result import Result


def notices(leaderboard: Leaderboard, results: Sequence[Result]) -> Iterator[str]:
    """The notices, one paragraph each.

    Args:
        leaderboard: The configurations, each sample with the score of one judge.
        results: The results of all judges.
    """
    shown: set[str] = set()
    for benchmark in leaderboard.benchmarks:
        judges: set[str] = set()
        for standing in benchmark.standings:
            judges |= standing.judges
        if len(judges) > 1:
            shares = []
            for standing in benchmark.standings:
                by = _listed(standing.judges)
                shares.append(f"{standing.name} by {by}")
            listed = "; ".join(shares)
            yield f"{benchmark.name} was scored by different judges, so its means are not comparable: {listed}."
        shown |= judges

    offline = {judge for judge in shown if is_offline(judge)}
    if offline:
        yield (
            f"The judge {_listed(offline)} is no language model. These scores check the installation; they are not a "
            "result."
        )
    all_judges = {result.score.judge for result in results if result.score.judge}
    others = all_judges - shown
    if others:
        yield (
            f"Scores by {_listed(others)} are only in the table of samples. To compare judges, run `discoverybench "
            "compare LOG:score=HMS LOG:score=HMS1 --anyway`."
        )
    reducers = {result.run.epochs_reducer for result in results} - {"mean"}
    if reducers:
        yield f"Logs reduce epochs by {_listed(reducers)}; here, epochs are averaged."


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names))
