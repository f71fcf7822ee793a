"""What each kind of crash leaves behind, and whether the next run completes without repeating samples."""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from inspect_ai.log import EvalSample, list_eval_logs, read_eval_log
from measure import own_folders, processes_in, show

from inspect_discoverybench.dataset import splits
from inspect_discoverybench.sandbox import image

sys.path.append(str(Path(__file__).resolve().parents[1]))
from tests.endpoint import Answer, Request, serve, tool_call

SAMPLES = 6
PARALLEL = 2
CELLS = ("x = 1", "import time; time.sleep(5); x")
OBSERVATION = "1"
"""What the second cell shows, unless the sandbox is lost."""
HANG_SECONDS = 600
BIN = Path(sys.executable).parent

EXPERIMENT = f"""\
name: crash
tasks: [{{name: discoverybench/custom, args: {{path: studies, sandbox: SANDBOX}}}}]
solvers: [discoverybench/react]
models: [MODEL]
grader: discoverybench/lexical
log_dir: logs/crash
limits: {{samples: {SAMPLES}}}
options: {{max_samples: {PARALLEL}, continue_on_fail: true}}
"""
RUN = [str(BIN / "discoverybench"), "run", "crash.yaml", "--retries", "0"]
EVAL = [
    *(str(BIN / "inspect"), "eval", "discoverybench/custom", "-T", "path=studies", "-T", "sandbox=local"),
    *("--model", "MODEL", "--model-role", "grader=discoverybench/lexical", "--log-dir", "logs/crash"),
    *("--limit", str(SAMPLES), "--max-samples", str(PARALLEL)),
]


@dataclass
class Agent:
    """A scripted model. It sets `busy` when the samples after the first two are running their second cell."""

    second_cells: int = 0
    busy: threading.Event = field(default_factory=threading.Event)

    def answer(self, request: Request) -> Answer:
        """Two cells, then the submission."""
        calls = sum(message["role"] == "tool" for message in request["messages"])
        if calls == len(CELLS):
            return tool_call("submit", hypothesis="y rises with x.", workflow="Load.")
        self.second_cells += calls == 1
        if self.second_cells == 2 * PARALLEL:
            self.busy.set()
        return tool_call("python", code=CELLS[calls])


@dataclass(frozen=True)
class Crash:
    """One kind of crash.

    Attributes:
        name: Its name in the table.
        happen: Causes the crash, given the running evaluation.
        repair: What a user does before the next run.
        sandbox: `local` or `docker`.
        command: Command of the first run.
        again: Command of the next run; None for `inspect eval-retry`.
    """

    name: str
    happen: Callable[[subprocess.Popen[bytes]], None]
    repair: Callable[[], None] = lambda: None
    sandbox: str = "local"
    command: tuple[str, ...] = tuple(RUN)
    again: tuple[str, ...] | None = tuple(RUN)


def scored() -> dict[str | None, EvalSample]:
    """Scored samples in the logs by the id that Inspect gives to each run of a sample."""
    result: dict[str | None, EvalSample] = {}
    for info in list_eval_logs("logs/crash"):
        with suppress(FileNotFoundError):
            samples = read_eval_log(info, resolve_attachments=True).samples or []
            result |= {sample.uuid: sample for sample in samples if sample.scores and not sample.error}
    return result


def containers() -> list[str]:
    """Containers of the engine in `DOCKER_HOST`; none if it does not answer."""
    if "DOCKER_HOST" not in os.environ:
        return []
    return subprocess.run(["docker", "ps", "-aq"], capture_output=True, text=True, check=False).stdout.split()


def measured(crash: Crash, folder: Path) -> list[str]:
    """Crash one run, run it again, and return the row."""
    shutil.rmtree("studies", ignore_errors=True)
    shutil.copytree(Path(splits.__file__).with_name("demo"), "studies")
    for log in Path("logs/crash").glob("*"):
        log.unlink()
    agent = Agent()
    with serve(agent.answer) as endpoint, Path("first.txt").open("w+", encoding="utf-8") as output:
        os.environ |= {"LAB_API_KEY": "none", "LAB_BASE_URL": endpoint.url}
        model = f"openai-api/lab/{endpoint.url.split(':')[-1].removesuffix('/v1')}"
        Path("crash.yaml").write_text(EXPERIMENT.replace("SANDBOX", crash.sandbox).replace("MODEL", model), "utf-8")
        command = [word.replace("MODEL", model) for word in crash.command]
        evaluation = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        if not agent.busy.wait(HANG_SECONDS):
            evaluation.kill()
            sys.exit(f"{crash.name}: the run did not reach its third sample. Its output is in {output.name}.")
        time.sleep(2)
        crash.happen(evaluation)
        try:
            code = str(evaluation.wait(HANG_SECONDS))
        except subprocess.TimeoutExpired:
            evaluation.kill()
            code = "hangs"
        time.sleep(3)
        kernels = [process for process in processes_in(folder) if "kernel.pyc" in " ".join(process.cmdline())]
        leftovers = f"{len(kernels)} / {len(containers())}"
        before = scored()
        crash.repair()
        logs = [info.name for info in list_eval_logs("logs/crash")]
        again = crash.again or (str(BIN / "inspect"), "eval-retry", "--log-dir", "logs/crash", *logs)
        second = subprocess.run(again, capture_output=True, text=True, timeout=2 * HANG_SECONDS, check=False)
        after = scored()
        output.seek(0)
        errors = [line for line in output.read().splitlines() if line.startswith("Error")]
    print(f"{crash.name}: {errors}\n{second.stdout[-500:] if second.returncode else ''}", file=sys.stderr)
    disturbed = sum(not any(message.text == OBSERVATION for message in sample.messages) for sample in before.values())
    kept = len(before.keys() & after.keys())
    return [crash.name, code, f"{len(before)}", f"{disturbed}", leftovers, f"{kept}", f"{len(after)} of {SAMPLES}"]


def send(number: int) -> Callable[[subprocess.Popen[bytes]], None]:
    """Send a signal to the evaluation."""
    return lambda evaluation: evaluation.send_signal(number)


def fill_disk(_: subprocess.Popen[bytes]) -> None:
    """Leave no space in the log directory."""
    with suppress(OSError), Path("logs/crash/filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(bytes(4096))


def move(folder: str, name: str) -> None:
    """Rename a folder."""
    Path(folder).rename(name)


class Engine:
    """A Docker engine of this benchmark's own, which may be killed."""

    def __init__(self, folder: Path) -> None:
        """Start it."""
        self.folder = folder
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        folders = [f"--data-root={self.folder}/data", f"--exec-root={self.folder}/exec"]
        options = [f"--pidfile={self.folder}/pid", f"--host=unix://{self.folder}/socket", "--bridge=none"]
        with (self.folder / "log").open("ab") as log:
            # In a network of its own, because it would remove the bridge of the machine's engine.
            command = ["unshare", "--net", "dockerd", *folders, *options, "--iptables=false"]
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        for _ in range(100):
            if not subprocess.run(["docker", "info"], capture_output=True, check=False).returncode:
                return
            time.sleep(0.3)
        sys.exit(f"The second Docker engine does not start:\n{(self.folder / 'log').read_text('utf-8')[-2000:]}")

    def kill(self, *_: object) -> None:
        """Kill it without a chance to clean up."""
        self.process.kill()
        self.process.wait()


@contextmanager
def engine(folder: Path) -> Iterator[Engine]:
    """Start an engine that has the sandbox image, and make it the one that Inspect uses."""
    folder.mkdir()
    saved = subprocess.Popen(["docker", "save", image()], stdout=subprocess.PIPE)
    os.environ["DOCKER_HOST"] = f"unix://{folder}/socket"
    own = Engine(folder)
    try:
        subprocess.run(["docker", "load", "--quiet"], stdin=saved.stdout, capture_output=True, check=True)
        yield own
    finally:
        remove_containers()
        own.process.terminate()
        own.process.wait()
        del os.environ["DOCKER_HOST"]


def remove_containers() -> None:
    """Remove the containers that a crash has left, as `inspect sandbox cleanup docker` does."""
    if leftovers := containers():
        subprocess.run(["docker", "rm", "--force", *leftovers], capture_output=True, check=True)


def kill_container(_: subprocess.Popen[bytes]) -> None:
    """Kill one of the containers."""
    subprocess.run(["docker", "kill", containers()[0]], capture_output=True, check=True)


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Mount a small file system in memory."""
    folder.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def main() -> None:
    """Crash runs in every way and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="only crashes whose name contains this text")
    only = parser.parse_args().only or ""
    if os.geteuid() or not shutil.which("dockerd"):
        sys.exit(
            "This benchmark mounts a file system and starts a Docker engine of its own: run it as root, with dockerd."
        )
    rows = []
    with own_folders() as folder, small_disk(folder / "logs" / "crash"):
        os.environ["XDG_DATA_HOME"] = str(folder / "share")
        crashes = [
            Crash("`discoverybench run`: kill -9", send(signal.SIGKILL)),
            Crash("`discoverybench run`: SIGTERM", send(signal.SIGTERM)),
            Crash("`inspect eval`: kill -9", send(signal.SIGKILL), command=tuple(EVAL), again=None),
            Crash("full disk", fill_disk, lambda: Path("logs/crash/filler").unlink()),
            Crash("data folder removed", lambda _: move("studies", "gone"), lambda: move("gone", "studies")),
        ]
        rows = [measured(crash, folder) for crash in crashes if only in crash.name]
        with engine(folder / "e") as own:
            crashes = [
                Crash("`discoverybench run`: SIGTERM, docker", send(signal.SIGTERM), sandbox="docker"),
                Crash("`discoverybench run`: kill -9, docker", send(signal.SIGKILL), remove_containers, "docker"),
                Crash("one container: kill -9", kill_container, sandbox="docker"),
                Crash("Docker engine: kill -9", own.kill, own.start, "docker"),
            ]
            rows += [measured(crash, folder) for crash in crashes if only in crash.name]
    show(
        f"{SAMPLES} samples, {PARALLEL} at a time; the crash comes while the third and the fourth run a cell",
        ("crash", "exit code", "scored", "wrongly", "left", "kept", "after"),
        rows,
        "scored: samples in the logs after the crash. wrongly: those of them that the crash had disturbed.",
        "left: kernels / containers 3 s after the end. kept: scored samples that the next run did not repeat.",
        "after: samples scored after the next run.",
    )


if __name__ == "__main__":
    main()
