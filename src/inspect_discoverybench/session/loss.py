"""The loss of a sandbox, by the infrastructure or by the agent's code.

The agent's code cannot stop Docker. It can end a container of `compose.yaml` only through the memory limit, where the
system may choose process 1, and Docker records that the container ran out of memory.
"""

import re

from inspect_ai.util import SandboxUnavailableError, sandbox, subprocess

from inspect_discoverybench.errors import SandboxLost

LOOKUP_SECONDS = 60
"""Time limit for Docker's response in seconds. A busy engine may take several."""

_CONTAINER_ID = re.compile(r"[0-9a-f]{12}")
_STATE = "{{.State.Status}} {{.State.OOMKilled}} {{.State.ExitCode}}"


async def require_sandbox(host: str | None) -> None:
    """Check that a sandbox that failed to run a command was not lost because of the infrastructure.

    Call this after the failure. It asks Docker on this machine, so code in the sandbox cannot influence the answer.

    Args:
        host: Host name of the sandbox, read before the agent's code ran. In Docker this is the container's id. None if
            no code of the agent has run.

    Raises:
        SandboxLost: The engine does not respond, or the sandbox has ended and the agent's code is not the cause.
    """
    reason = await (_container_loss(host) if host and _CONTAINER_ID.fullmatch(host) else _provider_loss(host is None))
    if reason:
        cause = " ".join(reason.split()).rstrip(".")[-500:]
        raise SandboxLost(
            f"The sandbox was lost: {cause}. The agent's code is not the cause, so the sample is not scored. "
            "Check that Docker or your sandbox provider is running, then run the sample again with "
            "`inspect eval-retry` or `discoverybench run`."
        )


async def _container_loss(container: str) -> str | None:
    """Why a container is not running; None if it is, or if it ran out of memory."""
    try:
        lookup = await subprocess(["docker", "inspect", "--format", _STATE, container], timeout=LOOKUP_SECONDS)
    except TimeoutError:
        return f"Docker did not respond within {LOOKUP_SECONDS} s"
    if not lookup.success:
        return lookup.stderr.strip() or f"exit code {lookup.returncode}"
    status, out_of_memory, code = lookup.stdout.split()
    if status == "running" or out_of_memory == "true":
        return None
    return f"container {container} is {status} (exit code {code}) and did not run out of memory"


async def _provider_loss(untouched: bool) -> str | None:
    """Why another provider's sandbox runs no commands; None if it runs one, or if the agent's code may be the cause."""
    try:
        probe = await sandbox().exec(["true"], cwd="/", timeout=LOOKUP_SECONDS, timeout_retry=False)
    except SandboxUnavailableError as error:
        return str(error)
    except (OSError, RuntimeError) as error:  # the agent's code may have used up all processes, for example
        return str(error) if untouched else None
    return None if probe.success or not untouched else probe.stderr.strip() or f"exit code {probe.returncode}"
