"""Code that reaches for the network or the answer key, in Python, notebooks and shells."""

import pytest

from inspect_discoverybench.scanners.lookup import Names, lookups

SHELL = [
    ("curl -s https://example.org | head", "network"),
    ("sudo pip install linearmodels", "network"),
    ("%pip install linearmodels", "network"),
    ("!wget example.org/data.csv\ndf = 1", "network"),
    ("git clone https://example.org/a.git", "network"),
    ("ls -la / && cat data.csv", "other files"),
    ("find / -name '*.csv'", "other files"),
    ("cat ../../secrets.txt", "other files"),
    ("cat answer_key.csv", "answer key"),
    ("grep -r 'gold_hypothesis' .", "answer key"),
    ("python3 - <<'EOF'\nimport requests\nrequests.get('https://example.org')\nEOF", "network"),
    ("python -c 'import os; os.listdir(\"/\")'", "other files"),
]
HARMLESS = ["ls -la", "cat data.csv | head -5", "pip list", "find . -name '*.csv'", "python analysis.py", "git status"]


@pytest.mark.parametrize(("code", "kind"), SHELL)
def test_shell_commands(code: str, kind: str) -> None:
    assert [lookup.kind for lookup in lookups(code, Names())] == [kind]


@pytest.mark.parametrize("code", HARMLESS)
def test_harmless_commands(code: str) -> None:
    assert lookups(code, Names()) == []


def test_a_module_is_reported_where_it_is_used() -> None:
    names = Names()
    assert lookups("import requests as r", names) == []
    assert [lookup.what for lookup in lookups("r.get(address)", names)] == ["r.get(address)"]


def test_data_files_are_no_answer_keys() -> None:
    code = "pd.read_csv('metadata_1.csv')"
    assert lookups(code, Names()) != []
    assert lookups(code, Names(["metadata_1.csv"])) == []


@pytest.mark.parametrize("code", ["x = = 1", "\0", "(" * 5000])
def test_code_that_cannot_be_parsed_has_no_lookups(code: str) -> None:
    assert lookups(code, Names()) == []
