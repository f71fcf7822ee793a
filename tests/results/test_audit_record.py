"""Audits of judges among the logs of a report."""

from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval

from inspect_discoverybench import judge_audit
from inspect_discoverybench.errors.exceptions import DataError
from inspect_discoverybench.report.judges import judge_sentences
from inspect_discoverybench.results.frame import read_results
from tests.synthetic_logs import Run, write_logs


@pytest.fixture
def audit_log() -> Path:
    """An audit of the offline judge, on pairs of one kind."""
    [log] = inspect_eval(
        judge_audit(kind="relation negated", released=False),
        model="discoverybench/lexical",
        log_dir="audit",
    )
    return Path(log.location)


def test_an_audit_is_read_beside_the_results_and_is_not_left_out(audit_log: Path) -> None:
    logs = write_logs([Run("real", "react", "provider/large", 0.4)], Path("logs"), samples=2)
    frame = read_results([*logs, audit_log])
    assert frame.left_out == {}
    [audit] = frame.audits
    assert audit.judge == "discoverybench/lexical"
    assert audit.facets.keys() == {"context", "variables", "relationship"}
    context = audit.facets["context"]
    assert 0 <= context.accuracy <= 1
    assert context.best_constant is not None
    # A judge can always say "the same context". It cannot always give the same variables.
    assert audit.facets["variables"].best_constant is None
    assert list(judge_sentences([], frame.audits)) == []  # no benchmark was scored by the audited judge


def test_an_audit_alone_gives_no_report(audit_log: Path) -> None:
    with pytest.raises(DataError, match=r"has no DiscoveryBench results: its task is discoverybench/judge_audit"):
        read_results([audit_log])
