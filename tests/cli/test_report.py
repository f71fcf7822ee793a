"""`discoverybench report`: from a folder of logs to a page, tables and figures."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspect_discoverybench.cli.main import main
from tests.synthetic_logs import Run, write_logs

OLD_LOGS = Path(__file__).parents[1] / "fixtures" / "logs"


def run(*arguments: object) -> Result:
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(main, ["report", *words])


def test_a_report_of_logs_has_a_page_tables_and_figures(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    write_logs([Run("real", "react", "provider/large", 0.4)], folder, samples=12)
    broken = folder / "2026-01-02_broken.eval"
    broken.touch()

    report = tmp_path / "report"
    result = run(folder, "--out", report, "--pool-splits")
    assert result.exit_code == 0, result.output
    assert result.output.startswith(
        f"Wrote {report}/report.html: 12 samples of 1 configuration. Tables are in {report}/tables, figures in "
        f"{report}/figures.\nLeft out 1 log:\n  {broken}: cannot be read: "
    )
    for name in ("report.html", "samples.csv", "figures/hms.svg"):
        assert (report / name).exists()
    table = report / "tables" / "hms.csv"
    assert "DB-REAL all" in table.read_text("utf-8")


@pytest.mark.usefixtures("sweep")
def test_old_logs_give_a_report_which_a_second_one_replaces(tmp_path: Path) -> None:
    out = tmp_path / "report"
    first = run(OLD_LOGS, "--out", out)
    assert first.exit_code == 0
    table = out / "tables" / "hms.csv"
    table.write_text("obsolete", "utf-8")

    second = run(OLD_LOGS / "v1_react.eval", "--out", out, "--title", "Pilot & more")
    assert second.exit_code == 0
    assert "obsolete" not in table.read_text("utf-8")
    page = out / "report.html"
    assert "<title>Pilot &amp; more</title>" in page.read_text("utf-8")
