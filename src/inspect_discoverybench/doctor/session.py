"""Check of a session: one cell in a real sandbox."""

import hashlib

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import SandboxEnvironmentSpec

from inspect_discoverybench.doctor.check import Finding, Status
from inspect_discoverybench.doctor.engine import build_command
from inspect_discoverybench.doctor.evaluation import evaluate
from inspect_discoverybench.sandbox import image, sandbox_spec
from inspect_discoverybench.session.session import PythonSession
from inspect_discoverybench.shipped import shipped

LOCK = "/opt/sandbox/requirements.txt"
"""Path of the lock file in the image."""

CELL = f"""
import hashlib, os
print(6 * 7, hashlib.sha256(open({LOCK!r}, "rb").read()).hexdigest() if os.path.exists({LOCK!r}) else "none")
"""


@solver
def one_cell() -> Solver:
    """Run one cell; its output is the completion."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        session = PythonSession()
        state.output.completion = (await session.run(CELL)).output
        await session.stop()
        return state

    return solve


def check_session(provider: str) -> Finding:
    """Run one cell as an agent does, and compare the packages in the image with those of this version.

    Args:
        provider: `docker`, `k8s` or `local`.
    """
    spec = sandbox_spec(provider)
    [sample] = evaluate(Task(dataset=[Sample(id="cell", input="One cell.")], solver=one_cell(), sandbox=spec), "none")
    result, _, digest = sample.output.completion.strip().partition(" ")
    if result != "42":
        return Finding(
            Status.FAILURE,
            f"6 * 7 gave {sample.output.completion.strip()[:200] or 'no output'}",
            "Rebuild the image." if provider == "docker" else "Check the sandbox.",
        )
    if _is_own_image(spec) and digest != hashlib.sha256(shipped("sandbox/requirements.txt").read_bytes()).hexdigest():
        return Finding(
            Status.FAILURE, f"{image()} was built from files other than those that its tag identifies", build_command()
        )
    return Finding(Status.OK, f"a cell ran in the sandbox {provider}: 6 * 7 = 42 ({sample.total_time or 0:.1f} s)")


def _is_own_image(spec: SandboxEnvironmentSpec) -> bool:
    services = getattr(spec.config, "services", {})
    return "default" in services and services["default"].image == image()
