"""What Inspect records of the settings of a model, by command: the table of docs/security.md.

Each setting has a value of its own, which is searched for in all files that the command and a report leave, and in what
they print. Names and values do not look like secrets, because `discoverybench run` refuses an experiment file with one.
"""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml

from tests.command_line import completed
from tests.conftest import REPOSITORY
from tests.dataset.studies import write_study
from tests.endpoint import Answer, Request, question, serve, tool_call, truthful
from tests.inspect_command import invoke

ROWS: list[tuple[str, tuple[str, ...], str, str]] = [
    # row, planted settings, recorded by inspect eval, recorded by discoverybench run
    ("key in the provider's environment variable", ("environment key",), "–", "–"),
    ("model argument `api_key` (and `aws_…`)", ("api_key",), "–", "–"),
    (
        "other model arguments, such as `default_headers` and `default_query`",
        ("header", "query"),
        "log",
        "log, `logs.json`, `eval-set.json`",
    ),
    (
        "generation settings, such as `extra_headers` and `extra_body`",
        ("extra header", "body"),
        "log",
        "log, `logs.json`",
    ),
    ("base URL as an option", ("url",), "log", "log, `logs.json`"),
    ("base URL in the provider's environment variable", ("environment url",), "log", "log, `logs.json`"),
]


def planted(setting: str) -> str:
    return f"planted-{setting.replace(' ', '-')}-0123"


ARGUMENTS = {
    "api_key": planted("api_key"),
    "default_headers": {"X-Team": planted("header")},
    "default_query": {"team": planted("query")},
}
CONFIG = {"extra_headers": {"X-Group": planted("extra header")}, "extra_body": {"group": planted("body")}}


def answer(request: Request) -> Answer:
    if question(request):
        return truthful(request)
    return tool_call("submit", hypothesis="In Norway, salmon shrink by 3 %.", workflow="1. Guess.")


def inspect_eval(model: str, url: str) -> str:
    """The output of a run with all settings. The judge has no base URL, so it uses that of the environment."""
    role = {"model": f"{model}-judge", **CONFIG, "model_args": ARGUMENTS}
    words = ["eval", "discoverybench/demo", "--limit", "1", "--model", model, "--model-base-url", url]
    for name, value in ARGUMENTS.items():
        words += ["-M", f"{name}={json.dumps(value)}"]
    for name, value in CONFIG.items():
        words += [f"--{name.replace('_', '-')}", json.dumps(value)]
    result = invoke(*words, "--model-role", f"grader={json.dumps(role)}")
    assert result.exit_code == 0, result.output
    return result.output


def discoverybench_run(model: str, url: str) -> str:
    """The output of an experiment with the same settings."""
    settings: Mapping[str, Any] = {"name": model, "args": ARGUMENTS, "config": CONFIG}
    experiment = {
        "name": "recorded",
        "tasks": ["discoverybench/demo"],
        "models": [{**settings, "base_url": url}],
        "grader": {**settings, "name": f"{model}-judge"},
        "limits": {"samples": 1},
        "log_dir": "logs",
    }
    Path("experiment.yaml").write_text(yaml.safe_dump(experiment), "utf-8")
    output = completed("run experiment.yaml")
    Path("experiment.yaml").unlink()  # it has all settings, and is not a file that the command leaves
    return output


def holders(folder: Path, text: str) -> set[str]:
    """The files in a folder that contain a text, as it is or in base64."""
    forms = (text.encode(), base64.b64encode(text.encode()).rstrip(b"="))
    found = set()
    for path in folder.rglob("*"):
        if any(form in content for form in forms for content in contents(path)):
            found.add("log" if path.suffix == ".eval" else f"`{path.name}`")
    return found


def contents(path: Path) -> list[bytes]:
    if path.suffix == ".eval":
        with ZipFile(path) as log:
            return [log.read(part) for part in log.namelist()]
    return [path.read_bytes()] if path.is_file() else []


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("run", [inspect_eval, discoverybench_run])
def test_settings_are_recorded_where_the_table_says(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(answer) as endpoint:
        server = endpoint.url.removesuffix("/v1")
        port = server.split(":")[-1]
        # A name of its own for each endpoint, because Inspect keeps the clients of earlier ones.
        model = f"openai-api/lab/{port}"
        monkeypatch.setenv("LAB_API_KEY", planted("environment key"))
        monkeypatch.setenv("LAB_BASE_URL", f"{server}/{planted('environment url')}/v1")
        printed = run(model, f"{server}/{planted('url')}/v1")
    printed += completed("report logs --out report")
    assert (tmp_path / "report" / "samples.csv").exists()  # so the search below covers the report

    for row, settings, by_inspect, by_run in ROWS:
        cell = by_inspect if run is inspect_eval else by_run
        expected = set() if cell == "–" else set(cell.split(", "))
        for setting in settings:
            assert holders(tmp_path, planted(setting)) == expected, row
            assert planted(setting) not in printed


def test_the_table_of_the_page_is_the_one_that_is_tested() -> None:
    page = (REPOSITORY / "docs" / "security.md").read_text("utf-8")
    for row, _, by_inspect, by_run in ROWS:
        assert f"| {row} | {by_inspect} | {by_run} |" in page


@pytest.mark.parametrize(
    ("command", "recorded"),
    [
        ("ask --sandbox local --solver no_data_guess --model MODEL --grader MODEL", {"log"}),
        ("judge --gold A. --pred B. --out scores.json --grader MODEL", {"`scores.json`"}),
    ],
)
def test_other_commands_record_the_base_url_of_the_environment_and_not_the_key(
    command: str, recorded: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_study(Path("mine"))
    with serve(answer) as endpoint:
        server = endpoint.url.removesuffix("/v1")
        monkeypatch.setenv("LAB_API_KEY", planted("environment key"))
        monkeypatch.setenv("LAB_BASE_URL", f"{server}/{planted('environment url')}/v1")
        # A name of its own for each run, because Inspect keeps the clients of earlier ones.
        model = f"openai-api/lab/{server.split(':')[-1]}-other"
        printed = completed(f"{command.replace('MODEL', model)} --metadata mine/metadata_0.json --goal Why?")
    assert holders(tmp_path, planted("environment key")) == set()
    assert holders(tmp_path, planted("environment url")) == recorded
    assert planted("environment key") not in printed
