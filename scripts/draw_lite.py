"""Draws the 48 goals of `split=lite` from DB-REAL test, and writes their ids in order.

    DISCOVERYBENCH_DATA_DIR=… python scripts/draw_lite.py

Each data set has places in proportion to its goals. Within it, golds are drawn with chances in proportion to their
numbers of goals, because the mean over test weights them so. One goal of each gold is drawn, with equal chances. A draw
counts only if no two goals have the same gold or question, and the types of goals are in proportion, too.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate

from inspect_discoverybench.dataset.sample_metadata import SampleMetadata
from inspect_discoverybench.dataset.splits import LITE_IDS, released_samples
from inspect_discoverybench.dataset.task_text import Hints
from inspect_discoverybench.replies import normalize_case_and_spaces

PLACES = 48
SEED = 1

TOLERANCE = 1
"""Places by which the number of goals of a type may differ from its share."""

Goals = Sequence[SampleMetadata]


def in_proportion(counts: Counter[str], places: int) -> Counter[str]:
    """Divide places in proportion to counts: what is left after rounding down goes to the largest remainders."""
    shares = {name: places * count / counts.total() for name, count in counts.items()}
    divided = Counter({name: int(share) for name, share in shares.items()})
    by_remainder = sorted(shares, key=lambda name: shares[name] - divided[name], reverse=True)
    divided.update(by_remainder[: places - divided.total()])
    return divided


def drawn_golds(goals: Goals, places: int, generator: random.Random) -> list[Goals]:
    """The goals of each of some golds, drawn with chances in proportion to their numbers (systematic sampling).

    A gold whose chance would exceed 1 is certain.
    """
    by_gold: dict[str, list[SampleMetadata]] = defaultdict(list)
    for goal in goals:
        by_gold[goal.gold_hypothesis].append(goal)
    groups = list(by_gold.values())
    generator.shuffle(groups)
    groups.sort(key=len, reverse=True)

    certain: list[Goals] = []
    while groups and places * len(groups[0]) >= sum(map(len, groups)):
        certain.append(groups.pop(0))
        places -= 1
    if not places:
        return certain

    generator.shuffle(groups)
    ends = list(accumulate(map(len, groups)))
    step = ends[-1] / places
    start = generator.uniform(0, step)
    points = [start + step * number for number in range(places)]
    drawn = [next(group for group, end in zip(groups, ends, strict=True) if point < end) for point in points]
    return certain + drawn


def draws(goals: Goals, generator: random.Random) -> Iterator[list[SampleMetadata]]:
    """Draws without end, each with one goal of every drawn gold."""
    places = in_proportion(Counter(goal.dataset for goal in goals), PLACES)
    strata = defaultdict(list)
    for goal in goals:
        strata[stratum(goal.dataset)].append(goal)
    while True:
        chosen = []
        for members in strata.values():
            quota = sum(places[dataset] for dataset in {goal.dataset for goal in members})
            chosen += [generator.choice(group) for group in drawn_golds(members, quota, generator)]
        if Counter(goal.dataset for goal in chosen) == places:
            yield chosen


def stratum(dataset: str) -> str:
    """Data sets that share golds are drawn from together: the raw and the processed data of one study."""
    return dataset.removesuffix("_raw").removesuffix("_indicators")


def is_acceptable(chosen: Goals, types: Counter[str]) -> bool:
    """Whether golds and questions are all different, and the types of goals are nearly in proportion."""
    golds = {goal.gold_hypothesis for goal in chosen}
    questions = {normalize_case_and_spaces(goal.goal) for goal in chosen}
    of_type = Counter(goal.question_type for goal in chosen)
    return (
        len(golds) == len(questions) == len(chosen)
        and max(abs(of_type[name] - types[name]) for name in types) <= TOLERANCE
    )


def in_order(chosen: Goals, generator: random.Random) -> list[SampleMetadata]:
    """One goal of each data set first, and then all data sets in proportion, so that the first n goals are spread."""
    queues = defaultdict(list)
    for goal in generator.sample(chosen, len(chosen)):
        queues[goal.dataset].append(goal)
    firsts = [queue[0] for queue in sorted(queues.values(), key=len, reverse=True)]
    # Each later goal, with the share of its data set that is before it.
    shares = {}
    for queue in queues.values():
        for number, goal in enumerate(queue):
            shares[goal.sample_id] = number / len(queue)
    others = [goal for queue in queues.values() for goal in queue[1:]]
    return firsts + sorted(others, key=lambda goal: (shares[goal.sample_id], goal.sample_id))


def lite_ids() -> list[str]:
    """Draw the goals; their ids in order."""
    samples = released_samples("real", "test", Hints())
    goals = [SampleMetadata.model_validate(sample.metadata) for sample in samples]
    types = in_proportion(Counter(goal.question_type for goal in goals), PLACES)
    generator = random.Random(SEED)
    chosen = next(chosen for chosen in draws(goals, generator) if is_acceptable(chosen, types))
    return [goal.sample_id for goal in in_order(chosen, generator)]


if __name__ == "__main__":
    LITE_IDS.write_text("\n".join(lite_ids()) + "\n", "utf-8")
