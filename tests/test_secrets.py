"""No key from the environment of an evaluation ends up in its log, its container or its report.

One sample runs in a real container with the real provider of OpenAI. The agent's code searches all that it can read.
"""

import base64
import json
import subprocess
from pathlib import Path
from uuid import uuid4
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from inspect_ai import eval as inspect_eval
from inspect_ai.log import read_eval_log

from inspect_discoverybench import demo
from inspect_discoverybench.cli.main import main
from tests.endpoint import Answer, Request, question, serve, tool_call, truthful
from tests.solvers.scripted import observations

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "HF_TOKEN", "OUR_PASSWORD")
HYPOTHESIS = "In Norway, salmon shrink by 3 %."

# The code does not contain what it looks for. It plants a control in a file and in the environment of a process.
SEARCH = r"""
import json, os, subprocess, sys
planted = "-".join(["planted", RUN])
with open("control", "w") as file:
    _ = file.write(planted)
command = [sys.executable, "-c", "print(flush=True); input()"]
control = subprocess.Popen(command, env={"CONTROL": planted}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
_ = control.stdout.readline()
print(dict(os.environ))
found, searched = [], 0
def search(path):
    global searched
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return
    searched += 1
    if planted.encode() in content:
        found.append(path.replace(str(control.pid), "CONTROL"))
for process in filter(str.isdigit, os.listdir("/proc")):
    for name in ("environ", "cmdline"):
        search(f"/proc/{process}/{name}")
for folder, folders, names in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys", "/dev")]
    for name in names:
        if os.path.isfile(path := os.path.join(folder, name)):
            search(path)
control.kill()
print(json.dumps([sorted(found), searched]))
"""


def containers() -> str:
    """Configuration and output of the containers, as Docker reports them."""
    ids = subprocess.run(["docker", "ps", "--quiet"], capture_output=True, text=True, check=True).stdout.split()
    description = subprocess.run(["docker", "inspect", *ids], capture_output=True, text=True, check=False).stdout
    for container in ids:
        logs = subprocess.run(["docker", "logs", container], capture_output=True, text=True, check=False)
        description += logs.stdout + logs.stderr
    return description


def texts(path: Path) -> list[bytes]:
    """The contents of a file; of a log, those of its parts. Inspect adds their compression to `ZipFile`."""
    if path.suffix != ".eval":
        return [path.read_bytes()]
    with ZipFile(path) as log:
        return [log.read(name) for name in log.namelist()]


def holders(folder: Path, *secrets: str) -> list[str]:
    """The files in a folder that contain one of these texts, as it is or in base64."""
    forms = [form for text in secrets for form in (text.encode(), base64.b64encode(text.encode()).rstrip(b"="))]
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files for text in texts(path) if any(form in text for form in forms)]


@pytest.mark.usefixtures("engine")
@pytest.mark.timeout(900)
def test_no_key_is_in_the_log_the_container_or_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = uuid4().hex
    secrets = {name: f"planted-{run}-{name}" for name in KEYS}
    for name, secret in secrets.items():
        monkeypatch.setenv(name, secret)
    descriptions: list[str] = []

    def answer(request: Request) -> Answer:
        if question(request):
            return truthful(request)
        if request["messages"][-1]["role"] != "tool":
            return tool_call("python", code=SEARCH.replace("RUN", repr(run)))
        descriptions.append(containers())
        return tool_call("submit", hypothesis=HYPOTHESIS, workflow="1. Guess.")

    with serve(answer) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        # A new name, because Inspect keeps the models that it has made, with the address of their endpoint.
        model = f"openai/gpt-4o-{run}"
        [log] = inspect_eval(
            demo(sandbox="docker"),
            model=model,
            model_roles={"grader": model},
            limit=1,
            log_dir=str(tmp_path / "logs"),
            max_retries=1,
        )
    assert log.status == "success", log.error
    # The provider did use the key.
    assert {headers["authorization"] for headers in endpoint.headers} == {f"Bearer {secrets['OPENAI_API_KEY']}"}

    [sample] = read_eval_log(log.location, resolve_attachments=True).samples or []
    environment, result = observations(sample)[0].splitlines()
    assert "planted" not in environment
    paths, searched = json.loads(result)
    # The search found the controls that it planted, and no key.
    assert paths == ["/proc/CONTROL/environ", "/workspace/control"]
    assert searched > 10_000
    [description] = descriptions
    assert "OMP_NUM_THREADS" in description  # a variable of compose.yaml, so Docker reports the environment
    assert f"planted-{run}-" not in description

    report = CliRunner().invoke(main, ["report", str(tmp_path / "logs"), "--out", str(tmp_path / "report")])
    assert report.exit_code == 0, report.output
    assert holders(tmp_path / "logs", *secrets.values()) == []
    assert holders(tmp_path / "report", *secrets.values()) == []
    # The search finds what is there.
    assert len(holders(tmp_path / "logs", HYPOTHESIS)) > 0
    assert "report.html" in holders(tmp_path / "report", "gpt-4o")
