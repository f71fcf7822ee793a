"""`discoverybench doctor`: the table of its checks. Each returns what it found or raises a `Problem`."""

import json
import os
import platform
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import requires, version
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import click
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import get_model
from inspect_ai.solver import generate
from inspect_ai.util import ComposeConfig
from packaging.requirements import Requirement
from packaging.version import Version

from inspect_discoverybench.cli.terminal import say
from inspect_discoverybench.dataset import released
from inspect_discoverybench.errors.exceptions import DataMissing
from inspect_discoverybench.errors.provider_failures import one_line
from inspect_discoverybench.errors.redaction import redact
from inspect_discoverybench.sandbox.image import image
from inspect_discoverybench.sandbox.shipped_files import shipped
from inspect_discoverybench.sandbox.specification import sandbox_spec
from inspect_discoverybench.scorer.judge import DEFAULT_JUDGE
from inspect_discoverybench.session.session import SessionState
from inspect_discoverybench.tasks import demo, judge_audit


class Problem(Exception):
    """Raised by a check that is not ok: what is wrong, and what to do if it is not the remedy of the check."""

    def __init__(self, message: str, remedy: str = "", warning: bool = False) -> None:
        """A failure or a warning."""
        super().__init__(message)
        self.remedy, self.status = remedy, "warning" if warning else "failure"


@dataclass(frozen=True)
class Check:
    """One check with the names of earlier checks that must be ok, and a time limit which allows for a busy machine.

    `run` returns what was found, in one line. Any exception is a failure, except for a warning.
    """

    name: str
    run: Callable[[], str]
    remedy: str = ""
    requires: Sequence[str] = ()
    seconds: float = 300


@dataclass(frozen=True)
class Finding:
    """What a check found: its status (`ok`, `warning`, `failure` or `skipped`), a message and a remedy, in one line."""

    name: str
    status: str
    message: str
    remedy: str | None
    seconds: float


def run_checks(checks: Sequence[Check]) -> Iterator[Finding]:
    """Run checks in order. A check is skipped if one that it requires is not ok."""
    passed = set()
    for check in checks:
        started = time.monotonic()
        if missing := [name for name in check.requires if name not in passed]:
            status, message, remedy = "skipped", f"needs {', '.join(missing)}", ""
        else:
            status, message, remedy = _run(check)
        if status == "ok":
            passed.add(check.name)
        yield Finding(check.name, status, redact(message), redact(remedy) or None, time.monotonic() - started)


def _run(check: Check) -> tuple[str, str, str]:
    """The status, message and remedy of a check."""
    results: list[tuple[str, str, str]] = []

    def run() -> None:
        try:
            results.append(("ok", check.run(), ""))
        except Exception as error:  # noqa: BLE001 - the other checks run, whatever happens in this one
            problem = error if isinstance(error, Problem) else Problem(str(error))
            results.append((problem.status, one_line(error), problem.remedy or check.remedy))

    # The thread is abandoned after the time limit: clients of engines and providers may hang.
    thread = Thread(target=run, daemon=True)
    # Standard output is for findings only. Inspect and the clients of engines may print to it.
    with redirect_stdout(sys.stderr):
        thread.start()
        thread.join(check.seconds)
    reason = f"did not finish within {check.seconds:g} s" if thread.is_alive() else "ended without a result"
    return results[0] if results else ("failure", reason, check.remedy)


PACKAGE = "inspect-discoverybench"
_OFFLINE = "discoverybench/baseline"

_START_DOCKER = "Install and start Docker, and allow this user to use it. The demo does not need it."
_SET_KEY = "Set the key, or choose another model."
_MODEL_SETTINGS = "Check the model's provider and its settings."

_DIAGNOSES = {
    "401": ("the provider rejects the API key (401)", "Set a valid key."),
    "403": ("the provider denies access (403)", "Check that the key may use this model."),
    "404": ("the provider does not have this model (404)", "Check the name of the model and the base URL."),
    "429": ("the rate limit or quota is exceeded (429)", "Check the account, or try again later."),
}
"""Meaning and remedy by status code. They replace the provider's message, which may repeat parts of the key."""


def all_checks(provider: str, model: str | None, grader: str | None) -> list[Check]:
    """The checks in the order in which they run. Without a grader, only the key of the default judge is checked."""
    sandbox_checks = {
        "docker": [
            # With the oldest versions that Inspect supports.
            Check(
                "engine",
                partial(check_version, "Docker Engine", "24.0.6", "docker version --format {{.Server.Version}}"),
                _START_DOCKER,
            ),
            Check(
                "compose",
                partial(check_version, "Compose", "2.21.0", "docker compose version --short"),
                "Install the Docker Compose plugin.",
            ),
            Check("image", check_image, _START_DOCKER, ["engine"]),
        ],
        "k8s": [Check("cluster", check_cluster, "Install Helm 3, and check the current context: kubectl cluster-info")],
        "local": [],
    }[provider]
    run_sample = f"Run a sample: inspect eval discoverybench/demo -T sandbox={provider} --limit 1"
    checks = [
        Check("python", lambda: f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        Check("packages", check_packages, f"Run: pip install --upgrade {PACKAGE}"),
        Check("data", check_data, "Run: discoverybench data fetch"),
        *sandbox_checks,
        Check("session", partial(check_session, provider), run_sample, [check.name for check in sandbox_checks]),
    ]
    if model is not None:
        checks += [
            Check("model key", partial(check_key, model), _SET_KEY),
            Check("model call", partial(check_call, model), _MODEL_SETTINGS, ["model key"]),
        ]
    if grader is not None:
        checks += [
            Check("judge key", partial(check_key, grader), _SET_KEY),
            Check("judge pair", partial(check_pair, grader), _MODEL_SETTINGS, ["judge key"]),
        ]
    else:
        remedy = "Set the key, or name a judge in every run: --model-role grader=PROVIDER/MODEL"
        checks.append(Check("judge key", partial(check_key, DEFAULT_JUDGE, chosen=False), remedy))
    return checks


def check_packages() -> str:
    """Whether every required package is installed in a supported version."""
    requirements = [Requirement(text) for text in requires(PACKAGE) or []]
    # Skip extras, which are optional, and requirements whose markers are for other machines.
    applicable = [r for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})]
    problems = [
        f"{requirement.name} {installed} is installed, but {requirement.specifier} is required"
        for requirement in applicable
        if not requirement.specifier.contains(installed := version(requirement.name), prereleases=True)
    ]
    if problems:
        raise Problem("; ".join(problems))
    names = ", ".join(f"{name} {version(name)}" for name in (PACKAGE, "inspect-ai"))
    return f"{names}; all {len(applicable)} requirements are met"


def check_data() -> str:
    """Whether the released data are present and every file matches the release."""
    try:
        root = released.local_root()
    except DataMissing as error:
        if os.environ.get(released.DATA_DIR_VARIABLE):
            problem, _, remedy = error.message.partition(". ")
            raise Problem(problem, remedy) from error
        message = "the released data are not downloaded; `real` and `synth` download them on first use"
        raise Problem(message, warning=True) from error
    report = released.verify(root)
    if not report.clean:
        raise Problem(f"{root}: {report}", released.remedy(root))
    return f"all {report.checked} files in {root} match the release"


def check_version(name: str, minimum: str, command: str) -> str:
    """Whether a program responds with a version such as `v26.1.5+dfsg1` that Inspect supports."""
    found = _output(*command.split())
    number = re.search(r"\d+(\.\d+)*", found)
    if number is None or Version(number[0]) < Version(minimum):
        raise Problem(f"{name} {found} is older than {minimum}", f"Install a newer {name}.")
    return f"{name} {found}"


def check_image() -> str:
    """Whether the engine has the image that tasks use. The tag of our own is a digest of the files it is built from."""
    config = sandbox_spec("docker").config
    name = str(config.services["default"].image) if isinstance(config, ComposeConfig) else ""
    try:
        identity = _output("docker", "image", "inspect", "--format", "{{.Id}}", name)
    except Problem as missing:
        own = f"build --tag {name} {shlex.quote(str(shipped('sandbox')))}" if name == image() else f"pull {name}"
        raise Problem(f"{name} is not on this machine", f"Run: docker {own}", warning=True) from missing
    return f"{name} ({identity[:19]})"


def check_cluster() -> str:
    """Whether the provider and Helm are installed, and the cluster of the current context responds."""
    sandbox_spec("k8s")
    _output("helm", "list", "--short")
    return "Helm reaches the cluster of the current context"


def check_session(provider: str) -> str:
    """Whether an agent can run code in a sandbox of this provider: one sample of the demo, with the offline model."""
    sample = _run_sample(demo(sandbox=provider), _OFFLINE, limit=1)
    if sample.store_as(SessionState).cells == 0:
        raise Problem("the agent ran no code")
    return f"an agent ran code in the sandbox {provider} ({sample.total_time or 0:.1f} s)"


def check_key(model: str, chosen: bool = True) -> str:
    """Whether the model can be created, which requires its key and its package; only a warning unless it was chosen."""
    try:
        get_model(model)  # inspect-evals-lint: ignore[IEBP001] -- no task is built
    except Exception as error:  # providers raise different types
        raise Problem(f"{model}: {one_line(error)}", warning=not chosen) from error
    return f"{model} can be created"


def check_call(model: str) -> str:
    """Ask the model one question."""
    question = "This is a test of the connection. Reply with the word: ready"
    sample = _run_sample(Task(dataset=[Sample(id="question", input=question)], solver=generate()), model)
    if not sample.output.completion.strip():
        raise Problem(f"{model} returned an empty reply", warning=True)
    return f"{model} replied in {sample.total_time or 0:.1f} s"


def check_pair(judge: str) -> str:
    """Let the judge decide one pair of the judge audit."""
    # A judge that always agrees is wrong about this pair.
    kind = "variable swapped"
    sample = _run_sample(judge_audit(repeats=1, kind=kind, released=False), judge, limit=1)
    score = (sample.scores or {})["audit"]
    if "no valid reply" in str(score.answer):
        raise Problem(f"{judge}: {score.answer}, after three attempts", "Choose another judge.")
    if score.as_dict()["right"] != 1:
        remedy = f"Run: inspect eval discoverybench/judge_audit --model {judge}"
        raise Problem(f"{judge} judged a pair incorrectly ({kind}): {score.answer}", remedy, warning=True)
    return f"{judge} judged a pair correctly in {sample.total_time or 0:.1f} s ({kind})"


def _output(*command: str) -> str:
    """Run one of the programs that Inspect and its providers use, and return its output."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    if done.returncode:
        raise Problem(done.stderr.strip() or f"`{shlex.join(command)}` failed")
    return done.stdout.strip()


def _run_sample(task: Task, model: str, **options: Any) -> EvalSample:
    """Run one sample as a user does, and leave no log behind. The options of Inspect's `eval` select the sample."""
    limits: Any = {"time_limit": 90, "timeout": 45, "max_retries": 1}
    options |= {"display": "none", "log_level": "critical"}
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        [log] = inspect_eval(task, model=model, log_dir=folder, **limits, **options)
        # Read the samples here: the log that Inspect returns loads them from the file on access.
        samples = list(log.samples or [])
    error = samples[0].error if samples else log.error
    if error is None:
        return samples[0]
    # Without a provider, such a number is of something else, such as a package index.
    status = None if model == _OFFLINE else re.search(r"\b(401|403|404|429)\b", error.message)
    raise Problem(*_DIAGNOSES[status[1]]) if status else Problem(error.message)


COLORS = {"ok": "green", "warning": "yellow", "failure": "red", "skipped": "bright_black"}
STATUS_WIDTH = max(map(len, COLORS)) + 2


@click.command()
@click.option("--model", metavar="PROVIDER/MODEL", help="Check the key of this model, and call it once.")
@click.option("--grader", metavar="PROVIDER/MODEL", help="Check the key of this judge, and let it judge one pair.")
@click.option(
    "--sandbox",
    type=click.Choice(["docker", "k8s", "local"]),
    default="docker",
    show_default=True,
    help="Sandbox to run a test cell in.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(model: str | None, grader: str | None, sandbox: str, as_json: bool) -> None:
    """Check Python, packages, data, the sandbox, and with --model and --grader the models.

    Each line is ok, a warning or a failure with its remedy. A check is skipped if a check that it requires has
    failed. Requests are sent to a provider only with --model and --grader.

    Exit codes: 0 no check failed, 1 a check failed, 2 invalid options.
    """
    checks = all_checks(sandbox, model, grader)
    width = max(len(check.name) for check in checks) + 2
    findings = []
    for finding in run_checks(checks):
        findings.append(asdict(finding) | {"seconds": round(finding.seconds, 3)})
        if not as_json:
            status = click.style(f"{finding.status:<{STATUS_WIDTH}}", fg=COLORS[finding.status])
            click.echo(f"{status}{finding.name:<{width}}{finding.message}")
            if finding.remedy:
                say(f"{'':<{STATUS_WIDTH + width}}{finding.remedy}")
    failed = any(finding["status"] == "failure" for finding in findings)
    if as_json:
        say(json.dumps({"ok": not failed, "checks": findings}, indent=2))
    if failed:
        raise click.exceptions.Exit(1)
