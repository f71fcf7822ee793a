"""`discoverybench report`: from a folder of logs to a page, tables and figures."""

from pathlib import Path

import pytest

from tests.command_line import completed
from tests.synthetic_logs import Run, write_logs

OLD_LOGS = Path(__file__).parents[1] / "fixtures" / "logs"


@pytest.mark.usefixtures("slow")
def test_a_report_of_logs_has_a_page_tables_and_figures() -> None:
    run = Run("real", "react", "provider/large", 0.4)
    write_logs([run], Path("logs"), samples=12)
    Path("logs/2026-01-02_broken.eval").touch()

    output = completed("report logs --pool-splits")
    written, files, reason = output.splitlines()
    assert written == (
        "Wrote report/report.html: 12 samples of 1 configuration. Tables are in report/tables, "
        "figures in report/figures."
    )
    assert files == "Left out 1 log:"
    assert "2026-01-02_broken.eval: cannot be read: " in reason
    for name in ("report.html", "samples.csv", "figures/hms.svg"):
        assert Path("report", name).exists()
    # With `--pool-splits`, the split test belongs to the benchmark of all splits.
    table = Path("report/tables/hms.csv")
    assert "DB-REAL all" in table.read_text("utf-8")


@pytest.mark.usefixtures("slow")
def test_old_logs_give_a_report() -> None:
    completed(f"report {OLD_LOGS} --out pilot")
    page = Path("pilot/report.html")
    assert "<title>DiscoveryBench results</title>" in page.read_text("utf-8")
