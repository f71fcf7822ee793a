"""What each kind of crash leaves behind, and whether the next run completes without repeating samples."""

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
from inspect_discoverybench.sandbox.image import image

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
    """One kind of crash: what happens to the running evaluation, and what a user does before the next run."""

    name: str
    happen: Callable[[subprocess.Popen[bytes]], object]
    repair: Callable[[], object] = lambda: None
    sandbox: str = "local"
    with_inspect: bool = False
    """Whether `inspect eval` and `inspect eval-retry` run instead of `discoverybench run`."""


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
        command = [word.replace("MODEL", model) for word in (EVAL if crash.with_inspect else RUN)]
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
        again = [str(BIN / "inspect"), "eval-retry", "--log-dir", "logs/crash", *logs] if crash.with_inspect else RUN
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


def start_engine(folder: Path) -> subprocess.Popen[bytes]:
    """Start a Docker engine of this benchmark's own, which may be killed, and wait until it answers."""
    folders = [f"--data-root={folder}/data", f"--exec-root={folder}/exec"]
    options = [f"--pidfile={folder}/pid", f"--host=unix://{folder}/socket", "--bridge=none", "--iptables=false"]
    # In a network of its own, because it would remove the bridge of the machine's engine.
    command = ["unshare", "--net", "dockerd", *folders, *options]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    for _ in range(100):
        if not subprocess.run(["docker", "info"], capture_output=True, check=False).returncode:
            return process
        time.sleep(0.3)
    sys.exit(f"The second Docker engine does not start:\n{(folder / 'log').read_text('utf-8')[-2000:]}")


@contextmanager
def engine(folder: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start an engine that has the sandbox image, and make it the one that Inspect uses. The last one is running."""
    folder.mkdir()
    saved = subprocess.Popen(["docker", "save", image()], stdout=subprocess.PIPE)
    os.environ["DOCKER_HOST"] = f"unix://{folder}/socket"
    engines = [start_engine(folder)]
    try:
        subprocess.run(["docker", "load", "--quiet"], stdin=saved.stdout, capture_output=True, check=True)
        yield engines
    finally:
        remove_containers()
        engines[-1].terminate()
        engines[-1].wait()
        del os.environ["DOCKER_HOST"]


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a process, and wait for its end."""
    process.kill()
    process.wait()


def remove_containers() -> None:
    """Remove the containers that a crash has left, as `inspect sandbox cleanup docker` does."""
    if leftovers := containers():
        subprocess.run(["docker", "rm", "--force", *leftovers], capture_output=True, check=True)


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
    if os.geteuid() or not shutil.which("dockerd"):
        sys.exit("This benchmark mounts a file system and starts a Docker engine: run it as root, with dockerd.")
    with own_folders() as folder, small_disk(folder / "logs" / "crash"):
        os.environ["XDG_DATA_HOME"] = str(folder / "share")
        crashes = [
            Crash("`discoverybench run`: kill -9", send(signal.SIGKILL)),
            Crash("`discoverybench run`: SIGTERM", send(signal.SIGTERM)),
            Crash("`inspect eval`: kill -9", send(signal.SIGKILL), with_inspect=True),
            Crash("full disk", fill_disk, lambda: Path("logs/crash/filler").unlink()),
            Crash(
                "data folder removed",
                lambda _: Path("studies").rename("gone"),
                lambda: Path("gone").rename("studies"),
            ),
        ]
        rows = [measured(crash, folder) for crash in crashes]
        with engine(folder / "e") as engines:

            def restart() -> None:
                engines.append(start_engine(folder / "e"))

            crashes = [
                Crash("`discoverybench run`: SIGTERM, docker", send(signal.SIGTERM), sandbox="docker"),
                Crash("`discoverybench run`: kill -9, docker", send(signal.SIGKILL), remove_containers, "docker"),
                Crash(
                    "one container: kill -9",
                    lambda _: subprocess.run(["docker", "kill", containers()[0]], check=True),
                    sandbox="docker",
                ),
                Crash("Docker engine: kill -9", lambda _: end(engines[-1]), restart, "docker"),
            ]
            rows += [measured(crash, folder) for crash in crashes]
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
