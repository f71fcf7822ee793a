"""The sandbox that runs the agents' code: a Docker container, a pod in a Kubernetes cluster, or the local machine."""

import hashlib
import os
import platform
import shutil
import subprocess
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile, gettempdir

import anyio
import yaml
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import ComposeConfig, SandboxEnvironmentSpec, StoreModel, sandbox, store_as
from inspect_ai.util import subprocess as run_on_host

from inspect_discoverybench.messages import DataMissing, InvalidArgument
from inspect_discoverybench.session.client import runs
from inspect_discoverybench.session.session import is_local

BUILD_INPUTS = ("Dockerfile", "requirements.txt", "init.py")
"""The files in `sandbox/` that determine the image. `sandbox/.dockerignore` excludes all others from the build."""

IMAGE_VARIABLE = "DISCOVERYBENCH_IMAGE"
"""Environment variable: the image of tasks without the argument `image`."""

OWNER_FILE = ".session-owner"
"""File in the folder of a local sandbox with the process id of its evaluation, and the name of the machine."""

VALUES = "sandbox/helm-values.yaml"

_PACKAGE = Path(__file__).parents[1]


def shipped(name: str) -> Path:
    """Absolute path of a file or folder from the root of the repository, in a wheel or in an editable install.

    Raises:
        DataMissing: The installation does not have it.
    """
    for root in (_PACKAGE / "_shipped", _PACKAGE.parents[1]):
        if (root / name).exists():
            return root / name
    raise DataMissing(f"{name} is missing from the installation in {_PACKAGE}. Reinstall inspect-discoverybench.")


def sandbox_spec(provider: str, build: bool = False, custom_image: str | None = None) -> SandboxEnvironmentSpec:
    """Make the sandbox specification of a task.

    A custom image is never built. By default the image is `DISCOVERYBENCH_IMAGE`; if that is not set, it is built from
    `sandbox/` if it is missing or `build` is true, and for `k8s` it is the published one.

    Raises:
        InvalidArgument: The provider is not supported, or an argument does not apply to it.
    """
    chosen = custom_image or os.environ.get(IMAGE_VARIABLE)
    if build and (provider != "docker" or chosen):
        got = f"image={chosen}" if provider == "docker" else f"sandbox={provider}"
        raise InvalidArgument(
            f"build=true requires sandbox=docker and the package's own image, got {got}. Omit one of them."
        )
    match provider:
        case "docker":
            return SandboxEnvironmentSpec("docker", _compose(chosen, build))
        case "k8s":
            return SandboxEnvironmentSpec("k8s", str(_helm_values(chosen)))
        case "local" if custom_image:
            raise InvalidArgument(f"image={custom_image} requires sandbox=docker or sandbox=k8s, got sandbox=local.")
        case "local":
            return SandboxEnvironmentSpec("local")
    raise InvalidArgument(
        f"sandbox={provider} is not supported. Possible values: docker, k8s, local. "
        "For other providers, use Inspect's option --sandbox PROVIDER:CONFIG."
    )


def image(folder: Path | None = None) -> str:
    """Name and tag of the image that is built from a folder; by default, from `sandbox/`.

    The tag is a digest of the build inputs, so no outdated image is used.
    """
    return f"inspect-discoverybench-sandbox:{build_digest(folder or shipped('sandbox'))[:12]}"


def build_digest(folder: Path) -> str:
    """SHA-256 of the build inputs in a folder, as hexadecimal digits. It does not depend on the line endings."""
    contents = ((folder / name).read_bytes().replace(b"\r\n", b"\n") for name in BUILD_INPUTS)
    return hashlib.sha256(b"".join(hashlib.sha256(content).digest() for content in contents)).hexdigest()


def _compose(chosen: str | None, build: bool) -> ComposeConfig:
    """Read `compose.yaml` and set the image. The section `build` is kept only if the image must be built.

    With this section, Inspect would build the image at the start of each run. Compose writes the project name into the
    image, and each run is a new project, so each build would leave an untagged image behind.
    """
    compose = yaml.safe_load(shipped("compose.yaml").read_text("utf-8"))
    service = compose["services"]["default"]
    service["image"] = chosen or image()
    is_built = not build and _exists(service["image"])
    if is_built:
        # Do not look for the image in a registry: `x-local` is read by Inspect, `pull_policy` by Compose.
        service |= {"pull_policy": "never", "x-local": True}
    if is_built or chosen:
        del service["build"]
    else:
        # An absolute path, because Inspect resolves relative paths against the current directory.
        service["build"] = {"context": str(shipped("sandbox"))}
    return ComposeConfig.model_validate(compose)


def _exists(name: str) -> bool:
    """Whether Docker has the image. If Docker does not respond, the answer is no, and Inspect reports the problem."""
    with suppress(OSError, subprocess.SubprocessError):
        # The command uses the same context as Compose.
        return not subprocess.run(
            ["docker", "image", "inspect", name], capture_output=True, timeout=10, check=False
        ).returncode
    return False


def _helm_values(chosen: str | None) -> Path:
    """The values for the chart of inspect-k8s-sandbox: the shipped file, or a copy with another image.

    The provider reads values only from a file. `eval-retry` takes its path from the log, so the copy is in the cache
    folder, under a name that contains a digest of its contents.
    """
    if find_spec("k8s_sandbox") is None:
        raise InvalidArgument(
            "sandbox=k8s requires inspect-k8s-sandbox. To install it, run: pip install 'inspect-discoverybench[k8s]'"
        )
    # Needed only here, and slow to import.
    import pooch  # type: ignore[import-untyped]

    shipped_values = shipped(VALUES)
    values = yaml.safe_load(shipped_values.read_text("utf-8"))
    service = values["services"]["default"]
    if chosen is None:
        if "@sha256:" in service["image"]:
            return shipped_values
        raise InvalidArgument(
            "sandbox=k8s requires an image that the cluster can pull, but this version has no published image. "
            f"Push it with `make image-push REGISTRY=…`, and pass -T image=NAME or set {IMAGE_VARIABLE}."
        )
    service["image"] = chosen
    text = yaml.safe_dump(values, sort_keys=False)
    name = f"helm-values-{hashlib.sha256(text.encode()).hexdigest()[:12]}.yaml"
    copy = Path(pooch.os_cache("inspect-discoverybench")) / name
    if not copy.exists():
        copy.parent.mkdir(parents=True, exist_ok=True)
        # Runs may start at the same time: each writes its own temporary file and renames it.
        with NamedTemporaryFile("w", dir=copy.parent, delete=False, encoding="utf-8") as file:
            file.write(text)
        Path(file.name).replace(copy)
    return copy


class SandboxImage(StoreModel):
    """The image of the sample's container, kept in the log."""

    image_id: str | None = None
    """The engine's id of the image, such as `sha256:…`; None if the sandbox is not a Docker container."""


@solver
def record_image() -> Solver:
    """Record the id of the image in the store of each sample; or mark its folder, in a local sandbox.

    The tag of an image can be assigned to another one, and a retry may run on another machine, so the id belongs to the
    sample. The containers of a task have the same image, so it is looked up once.
    """
    lock = anyio.Lock()
    ids: list[str | None] = []

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async with lock:
            if not ids:
                ids.append(await _image_id())
                _remove_abandoned()
        with suppress(ProcessLookupError):  # the sample has no sandbox
            if is_local():
                await sandbox().write_file(OWNER_FILE, f"{os.getpid()} {_machine()}")
        if ids[0] is not None:
            store_as(SandboxImage).image_id = ids[0]
        return state

    return solve


def _machine() -> str:
    """The machine, and on Linux the container, where process ids have the same meaning."""
    return " ".join([platform.node(), *(str(path.readlink()) for path in Path("/proc/self/ns").glob("pid"))])


def _remove_abandoned() -> None:
    """Remove the folders of local sandboxes, which Inspect makes with `tempfile`, whose evaluations were killed."""
    for file in Path(gettempdir()).glob(f"tmp*/{OWNER_FILE}"):
        # Another evaluation may remove the folder now, code of an agent may have changed the file, and Windows has no
        # `getuid`.
        with suppress(OSError, ValueError, AttributeError):
            is_own = file.parent.lstat().st_uid == os.getuid() and file.is_file() and not file.parent.is_symlink()
            process, _, machine = file.read_text("utf-8").partition(" ") if is_own else ("", "", "")
            if machine == _machine() and not runs(int(process)):
                shutil.rmtree(file.parent, ignore_errors=True)


async def _image_id() -> str | None:
    """The id of the image, or None if it is unknown: the record must not make a sample fail."""
    # Providers without containers raise NotImplementedError; a missing sandbox, program or response is an OSError.
    with suppress(NotImplementedError, OSError, RuntimeError):
        connection = await sandbox().connection()
        if connection.type == "docker" and connection.container:
            command = ["docker", "container", "inspect", "--format", "{{.Image}}", connection.container]
            result = await run_on_host(command, timeout=10)
            return result.stdout.strip() if result.success else None
    return None
