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
from measure import own_folders, show

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


def samples() -> list[EvalSample]:
    """Every sample in the logs."""
    result = []
    for info in list_eval_logs("logs/crash"):
        with suppress(FileNotFoundError):
            result += read_eval_log(info, resolve_attachments=True).samples or []
    return result


def scored() -> dict[str | None, EvalSample]:
    """Scored samples by the id that Inspect gives to each run of a sample."""
    return {sample.uuid: sample for sample in samples() if sample.scores and not sample.error}


def observed(sample: EvalSample) -> bool:
    """Whether the sample's second cell ran undisturbed."""
    return any(message.role == "tool" and message.text == OBSERVATION for message in sample.messages)


def kernels(folder: Path) -> list[str]:
    """Kernels of local sandboxes of this benchmark."""
    names = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (process / "cmdline").read_bytes().decode().split("\0")
            is_kernel = any(part.endswith("kernel.pyc") for part in command)
            if is_kernel and (process / "cwd").readlink().is_relative_to(folder):
                names.append(process.name)
    return names


def containers() -> list[str]:
    """Containers of the engine in `DOCKER_HOST`."""
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
    with serve(agent.answer) as endpoint:
        os.environ |= {"LAB_API_KEY": "none", "LAB_BASE_URL": endpoint.url}
        model = f"openai-api/lab/{endpoint.url.split(':')[-1].removesuffix('/v1')}"
        Path("crash.yaml").write_text(EXPERIMENT.replace("SANDBOX", crash.sandbox).replace("MODEL", model), "utf-8")
        command = [word.replace("MODEL", model) for word in crash.command]
        first = Path("first.txt")
        with first.open("wb") as output:
            evaluation = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        if not agent.busy.wait(HANG_SECONDS):
            evaluation.kill()
            sys.exit(f"{crash.name}: the run did not reach its third sample.\n{first.read_text('utf-8')}")
        time.sleep(2)
        crash.happen(evaluation)
        try:
            code = str(evaluation.wait(HANG_SECONDS))
        except subprocess.TimeoutExpired:
            evaluation.kill()
            code = "hangs"
        time.sleep(3)
        leftovers = f"{len(kernels(folder))} / {len(containers())}"
        before = scored()
        message = " ".join(sorted({sample.error.message for sample in samples() if sample.error}))
        message = message or next(
            (line for line in first.read_text("utf-8").splitlines() if line.startswith("Error")), "–"
        )
        crash.repair()
        logs = [info.name for info in list_eval_logs("logs/crash")]
        again = crash.again or (str(BIN / "inspect"), "eval-retry", "--log-dir", "logs/crash", *logs)
        second = subprocess.run(again, capture_output=True, text=True, timeout=2 * HANG_SECONDS, check=False)
        after = scored()
    print(f"{crash.name}: {message}\n{second.stdout[-500:] if second.returncode else ''}", file=sys.stderr)
    wrong = sum(not observed(sample) for sample in before.values())
    overlap = len(before.keys() & after.keys())
    return [crash.name, code, f"{len(before)}", f"{wrong}", leftovers, f"{overlap}", f"{len(after)} of {SAMPLES}"]


def send(number: int) -> Callable[[subprocess.Popen[bytes]], None]:
    """Send a signal to the evaluation."""
    return lambda evaluation: evaluation.send_signal(number)


def fill_disk(_: subprocess.Popen[bytes]) -> None:
    """Leave no space in the log directory."""
    with suppress(OSError), Path("logs/crash/filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(bytes(4096))


def free_disk() -> None:
    """Free the space in the log directory."""
    Path("logs/crash/filler").unlink()


def remove_data(_: subprocess.Popen[bytes]) -> None:
    """Remove the data folder."""
    Path("studies").rename("gone")


def restore_data() -> None:
    """Put the data folder back."""
    shutil.move("gone", "studies")


@dataclass
class Engine:
    """A Docker engine of this benchmark's own, which may be killed."""

    folder: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        folders = [f"--data-root={self.folder}/data", f"--exec-root={self.folder}/exec"]
        options = [f"--pidfile={self.folder}/pid", f"--host=unix://{self.folder}/socket", "--bridge=none"]
        with Path(f"{self.folder}/log").open("ab") as log:
            # In a network of its own, because it would remove the bridge of the machine's engine.
            command = ["unshare", "--net", "dockerd", *folders, *options, "--iptables=false"]
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        for _ in range(100):
            if not subprocess.run(["docker", "info"], capture_output=True, check=False).returncode:
                return
            time.sleep(0.3)
        sys.exit(f"The second Docker engine does not start:\n{Path(f'{self.folder}/log').read_text('utf-8')[-2000:]}")

    def kill(self, *_: object) -> None:
        """Kill it without a chance to clean up."""
        assert self.process
        self.process.kill()
        self.process.wait()


@contextmanager
def engine(folder: Path) -> Iterator[Engine]:
    """Start an engine that has the sandbox image, and make it the one that Inspect uses."""
    folder.mkdir()
    saved = subprocess.Popen(["docker", "save", image()], stdout=subprocess.PIPE)
    os.environ["DOCKER_HOST"] = f"unix://{folder}/socket"
    own = Engine(folder)
    own.start()
    try:
        subprocess.run(["docker", "load", "--quiet"], stdin=saved.stdout, capture_output=True, check=True)
        yield own
    finally:
        remove_containers()
        assert own.process
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
            Crash("full disk", fill_disk, free_disk),
            Crash("data folder removed", remove_data, restore_data),
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
