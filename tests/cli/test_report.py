"""`discoverybench report`: from a folder of logs to a page, tables and figures."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from inspect_ai.log import read_eval_log, write_eval_log

from inspect_discoverybench.cli.main import main
from tests.synthetic_logs import Run, write_logs

OLD_LOGS = Path(__file__).parents[1] / "fixtures" / "logs"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


def test_a_report_of_logs_has_a_page_tables_and_figures(tmp_path: Path) -> None:
    runs = [Run("real", agent, "provider/large", hms) for agent, hms in (("react", 0.4), ("no_data_guess", 0.1))]
    write_logs(runs, tmp_path / "logs", samples=12)
    (tmp_path / "logs" / "2026-01-02_broken.eval").touch()
    result = run(tmp_path / "logs", "--out", tmp_path / "report")
    assert result.exit_code == 0, result.output
    report = tmp_path / "report"
    assert result.output.startswith(
        f"Wrote {report}/report.html: 24 samples of 2 configurations. Tables are in {report}/tables, figures in "
        f"{report}/figures.\nLeft out 1 log:\n  {tmp_path}/logs/2026-01-02_broken.eval: cannot be read: "
    )
    assert sorted(path.name for path in report.iterdir()) == ["figures", "report.html", "samples.csv", "tables"]
    names = {path.name for path in (report / "tables").iterdir()}
    assert {"hms.csv", "facets.csv", "losses.csv", "domain.csv", "controls.csv"} <= names
    assert {"hms.svg", "hms.png"} <= {path.name for path in (report / "figures").iterdir()}
    assert "react · provider/large" in (report / "tables" / "hms.csv").read_text("utf-8")


def test_scores_out_of_range_and_missing_metadata_are_refused_and_endless_text_is_cut(tmp_path: Path) -> None:
    [path] = write_logs([Run("real", "react", "provider/large", 0.4)], tmp_path, samples=8)
    original = read_eval_log(str(path))
    for metadata, hms, output in (
        ({"domain": "x" * 2_000_000}, 1.0, "Wrote "),
        ({}, 1.7, "the sample test/0 has hms = 1.7, not a score in 0–1.\n"),
        (None, 1.0, "a sample has no metadata, such as its goal and gold hypothesis.\n"),
    ):
        log = original.model_copy(deep=True)
        [sample, *_] = log.samples or []
        sample.metadata = {} if metadata is None else {**sample.metadata, **metadata}
        (sample.scores or {})["HMS"].value = {"hms": hms, "context": 1.0, "variables": 1.0, "relationship": 1.0}
        write_eval_log(log, str(path))
        result = run(path, "--out", tmp_path, "--force")
        assert output in result.output
        assert result.output.count("\n") == 1


@pytest.mark.usefixtures("sweep")
def test_old_logs_give_a_report_which_a_second_one_replaces(tmp_path: Path) -> None:
    out = tmp_path / "report"
    assert run(OLD_LOGS, "--out", out).exit_code == 0
    (out / "tables" / "hms.csv").write_text("obsolete", "utf-8")
    assert run(OLD_LOGS / "v1_react.eval", "--out", out, "--title", "Pilot & more").exit_code == 0
    assert "obsolete" not in (out / "tables" / "hms.csv").read_text("utf-8")
    assert "<title>Pilot &amp; more</title>" in (out / "report.html").read_text("utf-8")
