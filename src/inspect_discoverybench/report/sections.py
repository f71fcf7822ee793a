"""The sections of the report."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, get_args

import altair as alt
import pandas as pd

from inspect_discoverybench.dataset.published_study import GUESSED_STUDIES
from inspect_discoverybench.report.aggregates import (
    HIGH,
    HMS,
    KEYS,
    LOW,
    MIN_COVERAGE,
    TRIALS,
    USAGE,
    aggregate,
    difference,
    is_on_front,
    means,
    task_table,
    usage,
)
from inspect_discoverybench.report.charts import HMS_INTERVAL, Chart, bars, differences, dots, panels, scatter
from inspect_discoverybench.report.judges import judge_sections
from inspect_discoverybench.report.report_columns import DETAILS, LOSS_COLORS, ROLES, SCORES, judge_notes, reducer_notes
from inspect_discoverybench.report.section import Description, Section, cell_text, descriptions
from inspect_discoverybench.scorer.facets import FACET_KEYS
from inspect_discoverybench.statistics.mean import estimate_mean
from inspect_discoverybench.submission.submission import Source

KINDS = AGENT, BEST, *_, PAPER = ("agent", "best agent", *dict.fromkeys(ROLES.values()), "paper")

MEASURES = ("cost", "tokens", "seconds")
"""Usage with a Pareto front."""

HINT = "domain_knowledge"

ARCHAEOLOGY = ("archaeology", "humanities")
"""Domains of the archaeology tasks. The released metadata call the domain humanities."""

GUESSER = "no_data_guess"

NOT_ASSERTED = "none asserted"
"""The form of answers in which the judge found no hypothesis."""

GROUP_NOTE = (
    "The figure shows only the best agent of each benchmark, which the first table marks: the first one if several are "
    "tied, and none if different judges scored the configurations. The table lists all agents. Groups with few tasks "
    "have wide intervals."
)

Pair = tuple[Mapping[str, Any], str, "pd.Series[float]", pd.DataFrame]
"""Key columns of a row, its label in the figure, first HMS by task, and the tasks of the second HMS, indexed by id."""


@cache
def published() -> pd.DataFrame:
    """HMS × 100 by benchmark, agent and model, from Figure 4 (left) of the paper."""
    return pd.read_csv(Path(__file__).with_name("published.csv"), comment="#")


def sections(samples: pd.DataFrame) -> list[Section]:
    """All sections that the samples (after `add_report_columns`, with all judges) have data for, in reading order."""
    judged = samples[samples.is_main]
    tasks = task_table(judged)
    candidates = [
        _overview(tasks, [*judge_notes(judged), *reducer_notes(samples)]),
        _studies(tasks),
        _published(tasks),
        _oracles(tasks),
        _facets(tasks),
        _losses(judged, tasks),
        _answers(judged, tasks),
        *(_group(tasks, name, section) for name, section in descriptions().items() if section.column),
        _paired("domain_knowledge", _hints(tasks)),
        _paired("variants", _variants(tasks)),
        _paired("memory", _guesses(tasks)),
        _cost(tasks),
        *judge_sections(samples),
    ]
    return [section for section in candidates if section is not None]


def _overview(tasks: pd.DataFrame, notes: Sequence[str]) -> Section:
    """HMS by agent and model (paper, Figure 4 left)."""
    first = tasks.drop_duplicates(KEYS)
    table = aggregate(tasks).merge(usage(tasks, MEASURES), on=KEYS, how="left")
    table.insert(2, "kind", [*first.is_best.map({True: BEST, False: AGENT}).mask(first.role != "", first.role)])
    is_marked = tasks[(tasks.role == "") & tasks.hms.notna()].groupby("benchmark", sort=False).is_best.any()
    if names := " and ".join(is_marked.index[~is_marked]):
        notes = [f"No best agent is marked for {names}, because different judges scored the samples.", *notes]
    return Section("hms", table, _overview_chart, notes, {"coverage": 100 * MIN_COVERAGE})


def _overview_chart(table: pd.DataFrame) -> Chart | None:
    paper = published()[published().benchmark.isin(table.benchmark)].sort_values(HMS, ascending=False)
    paper = paper.assign(configuration=paper.agent + " · " + paper.model + ", paper", kind=PAPER)
    both = pd.concat([table, paper]).astype(dict.fromkeys(HMS_INTERVAL, float))
    both[LOW], both[HIGH] = both[LOW].fillna(both[HMS]), both[HIGH].fillna(both[HMS])
    kinds = [kind for kind in KINDS if kind in {*both.kind}]
    return panels(both, partial(dots, row="configuration", mark="kind", marks=kinds))


def _studies(tasks: pd.DataFrame) -> Section | None:
    """HMS on these tasks and on new studies; None if no configuration has tasks of two known studies."""
    rows, notes = [], []
    for (benchmark, configuration), group in tasks.dropna(subset="hms").groupby(KEYS, sort=False):
        result = estimate_mean(group.hms.clip(0, 1).tolist(), group.gold_hypothesis.tolist(), group.study.tolist())
        if new := result.new_studies:
            row = [result.mean, result.low, result.high, new.low, new.high, new.macro_average, new.lowest, new.highest]
            rows.append([benchmark, configuration, *(100 * value for value in row), new.studies])
        else:
            reason = "the study of a task is not known" if group.study.isna().any() else "all tasks are of one study"
            notes.append(f"{configuration} ({benchmark}) is left out, because {reason}.")
    if not rows:
        return None
    if guesses := sorted(GUESSED_STUDIES.intersection(tasks.study)):
        notes.append(f"Studies that are guesses: {', '.join(guesses)}.")
    names = [HMS, LOW, HIGH, "new studies low", "new studies high", "macro average", "one left out low"]
    table = pd.DataFrame(rows, columns=[*KEYS, *names, "one left out high", "studies"])
    return Section("studies", table, notes=notes)


def _published(tasks: pd.DataFrame) -> Section | None:
    scores = published()[published().benchmark.isin(tasks.benchmark)]
    table = scores.pivot(index=["benchmark", "agent"], columns="model", values=HMS).add_prefix(f"{HMS}, ")
    return None if table.empty else Section("published", table.rename_axis(columns=None).reset_index())


def _oracles(tasks: pd.DataFrame) -> Section | None:
    """Best and last trial of oracles; None if no oracle ran several trials."""
    oracles = tasks.dropna(subset=[*TRIALS])
    if oracles.empty:
        return None
    trials = oracles.rename(columns=TRIALS).melt(
        [*KEYS, "gold_hypothesis", "order"], [*TRIALS.values()], "trial", "hms_of_trial"
    )
    table = means(trials.sort_values("order", kind="stable"), [*KEYS, "trial"], "hms_of_trial")
    draw = partial(panels, draw=partial(dots, row="configuration", mark="trial"))
    return Section("oracles", table.drop(columns="gold hypotheses"), draw)


def _facets(tasks: pd.DataFrame) -> Section:
    """Facets against each other (paper, Figure 4 right)."""
    table = tasks.drop_duplicates(KEYS)[[*KEYS, "agent", "model"]]
    for score in SCORES[1:]:
        table = table.merge(means(tasks, value=score, names=_interval(score))[[*KEYS, *_interval(score)]], on=KEYS)
    table = table.merge(means(tasks)[[*KEYS, "tasks"]], on=KEYS)
    return Section("facets", table, _facet_chart)


def _interval(score: str) -> tuple[str, str, str]:
    return f"{score} × 100", f"{score} {LOW}", f"{score} {HIGH}"


def _facet_chart(table: pd.DataFrame) -> Chart | None:
    context, variables, relationship = map(_interval, FACET_KEYS[:3])

    def draw(rows: pd.DataFrame) -> Chart:
        left = scatter(rows, context, variables, "agent", "model")
        return alt.hconcat(left, scatter(rows, variables, relationship, "agent", "model"), spacing=30)

    return panels(table.dropna(subset=[context[0], variables[0], relationship[0]]), draw)


def _losses(judged: pd.DataFrame, tasks: pd.DataFrame) -> Section:
    """Share of samples by the first facet that fails."""
    table = _shares(judged, "lost_at", [*LOSS_COLORS], tasks)
    colors = {stage: color for stage, color in LOSS_COLORS.items() if stage in {*table.lost_at}}
    draw = partial(bars, row="configuration", stage="lost_at", share="share in %", colors=colors)
    return Section("losses", table, partial(panels, draw=draw))


def _answers(judged: pd.DataFrame, tasks: pd.DataFrame) -> Section | None:
    """How the answers of agents were read; None if the logs do not record it."""
    is_refused = (judged.refusal == True) & judged.submission_source.isna()  # noqa: E712 - NaN is false
    answers = judged.assign(form=judged.submission_source.mask(is_refused, NOT_ASSERTED))
    table = _shares(answers, "form", [*get_args(Source), NOT_ASSERTED], tasks)
    return None if table.empty else Section("answers", table)


def _shares(judged: pd.DataFrame, column: str, values: list[str], tasks: pd.DataFrame) -> pd.DataFrame:
    """Number and share of the samples with each of these values of a column, by configuration."""
    counts = judged[judged[column].isin(values)].groupby([*KEYS, column]).size().rename("samples").reset_index()
    counts["share in %"] = 100 * counts.samples / counts.groupby(KEYS).samples.transform("sum")
    counts = counts.sort_values(column, key=lambda cells: cells.map(values.index))
    return tasks.drop_duplicates(KEYS)[KEYS].merge(counts, on=KEYS)


def _group(tasks: pd.DataFrame, name: str, section: Description) -> Section | None:
    """HMS by group (paper, Figures 5 and 6); None if all tasks of each benchmark are in one group."""
    column, order = str(section.column), section.order
    tasks = tasks.explode(column, ignore_index=True).dropna(subset=column)
    tasks = tasks[tasks.groupby("benchmark")[column].transform("nunique") > 1]
    if tasks.empty:
        return None
    values = sorted(
        tasks[column].unique(),
        key=lambda value: (order.index(str(value)) if str(value) in order else len(order), value),
    )
    rank = tasks[column].map(values.index)
    if section.by_size:
        rank -= len(values) * tasks.groupby([*KEYS, column]).hms.transform("count")
    table = aggregate(tasks.assign(rank=rank).sort_values(["order", "rank"], kind="stable"), [column])
    shown = tasks.loc[tasks.is_best, KEYS].drop_duplicates("benchmark")

    def draw(table: pd.DataFrame) -> Chart | None:
        cells = zip(table[column], table.tasks, strict=True)
        labels = [f"{cell_text(value, 'g')}, n = {count}" for value, count in cells]
        return panels(table.assign(label=labels).merge(shown), partial(dots, row="label"), by=KEYS)

    return Section(name, table, draw, [GROUP_NOTE])


def _paired(name: str, pairs: Iterable[Pair]) -> Section | None:
    """Two means of the same tasks and their difference; None without common tasks."""
    before, after = (f"{mean} {HMS}" for mean in descriptions()[name].means or ())
    rows = [
        {**key, "label": label, **result}
        for key, label, first, second in pairs
        if (result := difference(first, second.hms, second.gold_hypothesis, (before, after))) is not None
    ]
    if not rows:
        return None
    table = pd.DataFrame(rows)
    labels = table.pop("label")
    draw = partial(panels, draw=lambda rows: differences(rows, labels[rows.index], before, after))
    return Section(name, table, draw)


def _hints(tasks: pd.DataFrame) -> Iterator[Pair]:
    """The effect of domain knowledge as a hint (paper §5.3)."""
    parts = tasks.hints.fillna("").str.split(", ")
    frame = tasks.assign(
        is_hinted=parts.map(lambda names: HINT in names),
        hints=parts.map(lambda names: ", ".join(name for name in names if name != HINT)),
    )
    details = [name for name in DETAILS if name != "data_commit" or tasks.data_commit.nunique() > 1]
    keys = ["benchmark", "agent", "model", *details]
    for _, group in frame.fillna(dict.fromkeys(keys, "")).groupby(keys, sort=False):
        for name, rows in (("archaeology", group[group.domain.isin(ARCHAEOLOGY)]), ("all", group)):
            without, hinted = (rows[rows.is_hinted == is_hinted].set_index("id") for is_hinted in (False, True))
            if not hinted.empty:
                key = {column: hinted[column].iloc[0] for column in KEYS} | {"task set": name}
                yield key, f"{name} · {key['configuration']}", without.hms, hinted


def _variants(tasks: pd.DataFrame) -> Iterator[Pair]:
    """The same questions on processed and on raw data (paper §4.1)."""
    for (benchmark, configuration), group in tasks.groupby(KEYS, sort=False):
        hard, hms = group[group.variant_of.notna()].set_index("id"), group.set_index("id").hms
        key = {"benchmark": benchmark, "configuration": configuration}
        yield key, str(configuration), hard.variant_of.map(hms), hard


def _guesses(tasks: pd.DataFrame) -> Iterator[Pair]:
    """Guesses without data compared with agents that saw the data (paper §5.2)."""
    guesses = tasks[tasks.agent == GUESSER]
    agents = tasks[(tasks.role == "") & (tasks.agent != GUESSER)]
    for (benchmark, configuration, model, hints), group in agents.groupby([*KEYS, "model", "hints"], sort=False):
        same = guesses[(guesses.benchmark == benchmark) & (guesses.model == model) & (guesses.hints == hints)]
        for guesser, guess in same.groupby("configuration", sort=False):
            label = str(configuration) + (f" against {guesser}" if same.configuration.nunique() > 1 else "")
            key = {"benchmark": benchmark, "configuration": configuration, "guesses": guesser}
            yield key, label, guess.set_index("id").hms, group.set_index("id")


def _cost(tasks: pd.DataFrame) -> Section:
    """The usage of each configuration, and the Pareto front of usage and HMS."""
    table = means(tasks)[[*KEYS, *HMS_INTERVAL]].merge(usage(tasks, [*USAGE]), on=KEYS)
    systems = table[KEYS].merge(tasks.drop_duplicates(KEYS)[[*KEYS, "agent", "model", "competes"]], "left")
    names = [USAGE[name] for name in MEASURES if USAGE[name] in table]
    fronts = {name: f"Pareto front ({name.removesuffix(' per sample')})" for name in names}
    for name, front in fronts.items():
        is_marked = is_on_front(table[name].where(systems.competes), table[HMS], table.benchmark)
        table[front] = is_marked.map({True: "yes", False: ""})

    def plots(rows: pd.DataFrame) -> Chart | None:
        charts = [
            scatter(known, (name, name, name), HMS_INTERVAL, "agent", "model", known[known[front] == "yes"])
            for name, front in fronts.items()
            if not (known := rows.dropna(subset=[name, HMS])).empty
        ]
        return alt.hconcat(*charts, spacing=24) if charts else None

    named = systems[["agent", "model"]]
    return Section(
        "cost", table, lambda table: panels(table.join(named), plots), values={"coverage": 100 * MIN_COVERAGE}
    )
