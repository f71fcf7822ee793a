"""Which judged samples annotators label: at random, stratified by the outcome of the facets (paper §4.3)."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from hashlib import sha256
from random import Random
from typing import TypeVar

from inspect_discoverybench.errors import InvalidArgument
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.scorer.pair import NOT_PUBLIC, NOT_SUBMITTED
from inspect_discoverybench.validation.answers import Replies, answers_in, facet_scores, reason_for, recorded_replies
from inspect_discoverybench.validation.judged_sample import JudgedSample
from inspect_discoverybench.validation.sheet import Item

S = TypeVar("S", bound=Hashable)


def has_replies(sample: JudgedSample) -> bool:
    """Whether the judge's replies are recorded, and the facets that were scored follow from them."""
    return facet_scores(answers_in(_replies(sample))) == sample.judged.metadata.get("facets")


def stratum_of(sample: JudgedSample) -> str:
    """The outcome of each facet: 0, partial or 1; a dash if the judge was not asked about it."""
    scores = facet_scores(answers_in(_replies(sample)))
    names = {None: "–", 0.0: "0", 1.0: "1"}
    return ", ".join(names.get(scores.get(facet), "partial") for facet in FACET_KEYS)


def draw_samples(samples: Sequence[JudgedSample], count: int, seed: int) -> list[Item]:
    """Draw judged samples, at least one of each stratum, and their order at random.

    Args:
        samples: At least one sample; each has replies.
        count: Number of samples. All are drawn if there are fewer.
        seed: Random seed.

    Raises:
        InvalidArgument: `count` is smaller than the number of strata.
    """
    strata: dict[str, list[JudgedSample]] = defaultdict(list)
    for sample in samples:
        strata[stratum_of(sample)].append(sample)
    random = Random(seed)
    drawn = [
        (sample, {"stratum": name, "weight": str(len(strata[name]) / size)})
        for name, size in allocate({name: len(strata[name]) for name in sorted(strata)}, count).items()
        for sample in random.sample(strata[name], size)
    ]
    random.shuffle(drawn)
    # Items of different sheets have different names. The letter keeps a spreadsheet from reading one as a number.
    digest = sha256(repr([(sample.log, sample.score, sample.key) for sample, _ in drawn]).encode()).hexdigest()[:6]
    return [_item(f"j{digest}-{place:03}", sample, key) for place, (sample, key) in enumerate(drawn, 1)]


def allocate(sizes: Mapping[S, int], count: int) -> dict[S, int]:
    """Distribute a sample over strata: at least one for each, the rest in proportion to their sizes.

    Args:
        sizes: Size of each stratum, at least 1.
        count: Size of the sample. If it exceeds the population, everything is drawn.

    Raises:
        InvalidArgument: `count` is smaller than the number of strata.
    """
    population = sum(sizes.values())
    if count >= population:
        return dict(sizes)
    if count < len(sizes):
        raise InvalidArgument(
            f"--samples must be at least {len(sizes)}, got {count}: the judged samples have {len(sizes)} different "
            "outcomes, and at least one sample of each is drawn."
        )
    drawn = dict.fromkeys(sizes, 1)
    for _ in range(count - len(sizes)):
        open_strata = [name for name in sizes if drawn[name] < sizes[name]]
        # The stratum that is furthest below its proportional share.
        neediest = max(open_strata, key=lambda name: sizes[name] * count / population - drawn[name])
        drawn[neediest] += 1
    return drawn


def _replies(sample: JudgedSample) -> Replies:
    return recorded_replies(sample.judged.metadata.get("replies") or {})


def _item(name: str, sample: JudgedSample, key: Mapping[str, str]) -> Item:
    replies = _replies(sample)
    answers = answers_in(replies)
    return Item(
        name=name,
        texts={
            **sample.texts,
            "gold_workflow": sample.judged.sample.metadata["gold_workflow"] or NOT_PUBLIC,
            "predicted_hypothesis": sample.hypothesis,
            "predicted_workflow": sample.judged.metadata.get("workflow") or NOT_SUBMITTED,
        },
        key={
            "log": sample.log,
            "score": sample.score,
            **sample.key,
            **key,
            "hms": str(sample.judged.value("hms")),
            **{step.value: answer for step, answer in answers.items()},
        },
        answers={step: {"value": answer, "reason": reason_for(replies[step])} for step, answer in answers.items()},
    )
