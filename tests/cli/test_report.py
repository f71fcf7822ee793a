"""`discoverybench report`: from a folder of logs to a page, tables and figures."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspect_discoverybench.cli.main import main
from tests.synthetic_logs import Run, write_logs

OLD_LOGS = Path(__file__).parents[1] / "fixtures" / "logs"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


def test_a_report_of_logs_has_a_page_tables_and_figures(tmp_path: Path) -> None:
    write_logs([Run("real", "react", "provider/large", 0.4)], tmp_path / "logs", samples=12)
    (tmp_path / "logs" / "2026-01-02_broken.eval").touch()
    report = tmp_path / "report"
    result = run(tmp_path / "logs", "--out", report)
    assert result.exit_code == 0, result.output
    assert result.output.startswith(
        f"Wrote {report}/report.html: 12 samples of 1 configuration. Tables are in {report}/tables, figures in "
        f"{report}/figures.\nLeft out 1 log:\n  {tmp_path}/logs/2026-01-02_broken.eval: cannot be read: "
    )
    for name in ("report.html", "samples.csv", "tables/hms.csv", "figures/hms.svg"):
        assert (report / name).exists()


def test_splits_are_pooled_when_asked_for(tmp_path: Path) -> None:
    logs = write_logs([Run("real", "react", "provider/large", 0.4)], tmp_path / "logs", samples=12)
    assert run(*logs, "--out", tmp_path / "report", "--pool-splits").exit_code == 0
    assert "DB-REAL all" in (tmp_path / "report/tables/hms.csv").read_text("utf-8")


@pytest.mark.usefixtures("sweep")
def test_old_logs_give_a_report_which_a_second_one_replaces(tmp_path: Path) -> None:
    out = tmp_path / "report"
    assert run(OLD_LOGS, "--out", out).exit_code == 0
    (out / "tables" / "hms.csv").write_text("obsolete", "utf-8")
    assert run(OLD_LOGS / "v1_react.eval", "--out", out, "--title", "Pilot & more").exit_code == 0
    assert "obsolete" not in (out / "tables" / "hms.csv").read_text("utf-8")
    assert "<title>Pilot &amp; more</title>" in (out / "report.html").read_text("utf-8")
