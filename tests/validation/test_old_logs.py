"""Logs made by task version 1-A are scored and read like new ones."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from inspect_ai import score as inspect_score
from inspect_ai.log import read_eval_log

from inspect_discoverybench.cli.agree import agree
from inspect_discoverybench.scorer.scorer import hms

LOGS = Path(__file__).parents[1] / "fixtures" / "logs"
REACT, NO_DATA_GUESS = LOGS / "v1_react.eval", LOGS / "v1_no_data_guess.eval"


def test_the_fixtures_are_of_task_version_1() -> None:
    assert [read_eval_log(path, header_only=True).eval.task_version for path in (REACT, NO_DATA_GUESS)] == ["1-A"] * 2


@pytest.mark.parametrize("path", [REACT, NO_DATA_GUESS], ids=lambda path: path.stem)
def test_an_old_log_scores_as_before(path: Path) -> None:
    old = read_eval_log(path)
    new = inspect_score(old, hms("discoverybench/lexical"), action="overwrite", display="none")
    assert new.status == "success"
    assert len(new.samples or []) == 2
    for before, after in zip(old.samples or [], new.samples or [], strict=True):
        assert before.scores
        assert after.scores
        assert after.scores["HMS"].answer == before.scores["HMS"].answer
        assert after.scores["HMS"].value == before.scores["HMS"].value


def test_agree_reads_old_logs() -> None:
    result = CliRunner().invoke(agree, ["sheet", str(REACT), str(NO_DATA_GUESS), "--out", "sheet"])
    assert result.exit_code == 0, result.output
    assert (Path("sheet") / "vote.html").is_file()
