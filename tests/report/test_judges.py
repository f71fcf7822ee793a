"""Judges: whose scores are shown, notices about them and what audits say; and samples whose calls did not run."""

import pytest

from inspect_discoverybench.report.contents import Contents
from inspect_discoverybench.report.judges import judge_sentences
from inspect_discoverybench.report.means import HMS
from inspect_discoverybench.report.notices import notices
from inspect_discoverybench.results.audit_record import AuditedFacet, AuditRecord
from tests.typed_results import MISSING, OFFLINE_JUDGE, contents, result, results, rows, sections


def notices_of(shown: Contents) -> list[str]:
    return list(notices(shown.leaderboard, shown.results))


def test_the_scores_of_the_judge_with_most_scores_are_shown() -> None:
    """Each sample counts once; one without a submission, for which no judge was asked, is in the mean."""
    first = results({"a": 1.0, "b": 1.0}, judge_record='{"judge": "provider/first"}')
    second = results({"a": 0.0, "b": 0.0, "c": 0.0}, score="HMS1", judge_record='{"judge": "provider/second"}')
    failing = results(dict.fromkeys("abcd", MISSING), score="HMS2", judge_record='{"judge": "provider/failing"}')
    silent = result("d", 0.0, outcome="no submission", judge_record=None)
    shown = contents(first, second, failing, [silent])
    [section, *_] = shown.sections
    assert rows(section, HMS, "judged", "no submission") == [(0, 3, 1)]
    assert len(shown.samples) == 2 + 3 + 4 + 1  # the table of samples has the scores of every judge
    assert notices_of(shown) == [
        "Scores by provider/failing, provider/first are only in the table of samples. To compare judges, run "
        "`discoverybench compare LOG:score=HMS LOG:score=HMS1 --anyway`."
    ]


ADDED = {
    "claims": {"claim": 1.0},
    "released": {"hms_released": 0.5, "context_recall": 1.0, "context_precision": 0.5},
}


@pytest.mark.parametrize("section", ADDED)
def test_of_two_scores_by_one_judge_the_one_with_more_keys_is_shown(section: str) -> None:
    """`inspect score --action append` adds the keys in a second score."""
    first = results({"a": 1.0, "b": 0.0})
    again = results({"a": 1.0, "b": 0.0}, score="HMS1", **ADDED[section])
    shown = sections(first, again)
    assert section in shown
    assert rows(shown["hms"], HMS, "judged") == [(50, 2)]


def test_of_two_scores_by_one_judge_a_decided_one_is_shown() -> None:
    first = results({"a": 1.0, "b": MISSING})
    again = results({"a": 1.0, "b": 0.5}, score="HMS1")
    assert rows(sections(first, again)["hms"], HMS, "judged", "unscored") == [(75, 2, 0)]


def test_a_notice_names_judges_that_differ() -> None:
    other = '{"judge": "provider/judge", "settings": {"temperature": 1}}'
    shown = contents(
        results({"a": 1.0}),
        results({"a": 0.5}, agent="codegen", judge_record=other),
    )
    assert notices_of(shown) == [
        "DB-REAL test was scored by different judges, so its means are not comparable: react · provider/model by "
        "provider/judge; codegen · provider/model by provider/judge (settings.temperature=1)."
    ]


def test_the_notice_about_an_offline_judge_names_the_rows_that_it_scored() -> None:
    """Other benchmarks, and other rows of the same one, were judged by a language model."""
    shown = contents(
        results({"a": 1.0}, task="demo", judge_record=OFFLINE_JUDGE),
        results({"a": 1.0}),
        results({"a": 1.0}, agent="codegen", judge_record=OFFLINE_JUDGE),
        results({"a": 1.0}, split="train"),
    )
    [note] = [notice for notice in notices_of(shown) if "is not a language model" in notice]
    assert note == (
        "The judge discoverybench/lexical is not a language model. These scores check the installation; they are not a "
        "result. It scored DB-REAL test: codegen · provider/model; all rows of demo."
    )


def test_a_notice_counts_samples_that_wrote_their_calls_as_text_by_configuration() -> None:
    shown = contents(
        results({"a": 0.0, "b": 0.0}, metadata={"wrote_calls_as_text": True}),
        results({"c": 1.0}),
        results({"a": 1.0, "b": 0.0, "c": 1.0}, agent_arguments="actions=text"),
    )
    assert notices_of(shown) == [
        "DB-REAL test, react · provider/model: 2 of 3 samples wrote their calls as text. Try `-M emulate_tools=true`, "
        "or pass `-T 'agent_args={actions: text}'` with `-T agent`, `-S actions=text` with `--solver`, or in an "
        "experiment `actions: text` in the solver's `args`."
    ]


def test_the_judge_stands_beside_what_its_latest_audit_said() -> None:
    def audit(created: str, accuracy: float) -> AuditRecord:
        facets = {"context": AuditedFacet(accuracy, 0.69), "variables": AuditedFacet(0.8, None)}
        return AuditRecord("provider/judge", created, 176, facets)

    benchmarks = contents(results({"a": 1.0})).leaderboard.benchmarks
    [without] = judge_sentences(benchmarks, [])
    assert without.startswith("Judge: provider/judge. These logs have no audit of it: run `inspect eval ")

    # A notice says that this is not a language model, so no audit is asked for.
    offline = contents(results({"a": 1.0}, judge_record=OFFLINE_JUDGE)).leaderboard.benchmarks
    assert [*judge_sentences(offline, [])] == []

    [audited] = judge_sentences(benchmarks, [audit("2026-02-01", 0.9), audit("2026-01-01", 0.5)])
    assert audited == (
        "Judge: provider/judge. Its audit of 2026-02-01 (176 samples): context right in 90% (always the same verdict: "
        "69%), variables right in 80%."
    )
