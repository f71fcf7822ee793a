"""Whether a sandbox that fails was lost, and whether the agent's code or the infrastructure is the cause."""

import re

from inspect_ai.util import SandboxUnavailableError, sandbox, store_as

from inspect_discoverybench.errors.exceptions import DiscoveryBenchError, EngineFailed
from inspect_discoverybench.sandbox.engine import inspect_container
from inspect_discoverybench.session.state import SessionState, is_local

LOSS_SECONDS = 60
"""Time limit for finding out, in seconds, whether the sandbox was lost. A busy engine may take several seconds."""

MAX_REASON = 500
"""Number of characters that are shown of a failure's reason."""

_CONTAINER_ID = re.compile(r"[0-9a-f]{12}")


async def require_not_lost() -> None:
    """Check, after a failure of the sandbox, that the infrastructure is not the cause. A local sandbox cannot be lost.

    The agent's code cannot stop Docker. It has one way to end a container of `compose.yaml`: to use more memory than
    the limit. The system then kills a process of the container. If that is process 1, the container ends, and Docker
    records that it ran out of memory. This function asks Docker on this machine, so code in the sandbox cannot
    influence the answer.

    Raises:
        DiscoveryBenchError: The engine does not respond, or the sandbox has ended and the agent's code is not the
            cause.
    """
    if is_local():
        return
    host = store_as(SessionState).host
    if host is not None and _CONTAINER_ID.fullmatch(host):
        reason = await _container_loss(host)
    else:
        reason = await _provider_loss(has_started=host is not None)
    if reason is None:
        return

    cause = " ".join(reason.split()).rstrip(".")[-MAX_REASON:]
    raise DiscoveryBenchError(
        f"The sandbox was lost: {cause}. The agent's code is not the cause, so the sample is not scored. "
        "Check that Docker or your sandbox provider is running, then run the sample again with "
        "`inspect eval-retry` or `discoverybench run`."
    )


async def _container_loss(container: str) -> str | None:
    """Why a container is not running; None if it is running, or if the agent's code may have filled its memory."""
    try:
        state = await inspect_container(container, LOSS_SECONDS)
    except EngineFailed as error:
        return error.message
    if state.status == "running" or state.out_of_memory:
        return None
    return f"container {container} is {state.status} (exit code {state.exit_code}) and did not run out of memory"


async def _provider_loss(has_started: bool) -> str | None:
    """Why the sandbox runs no commands; None if it runs one, or if the agent's code may keep it from running them.

    This is for sandboxes whose container is not known: those of other providers than Docker, and Docker's before a
    kernel has started.

    A command that fails after a kernel has started proves nothing, because the agent's code may be the cause. But if
    the provider says that the sandbox is not running, the sandbox counts as lost. The agent's code may have caused
    this, too, but only Docker has a record of it (`_container_loss`).

    Args:
        has_started: Whether a kernel has started in the sandbox. The agent's code may have run then.
    """
    try:
        # In `/`, because the agent's code may have made the working folder inaccessible.
        probe = await sandbox().exec(["true"], cwd="/", timeout=LOSS_SECONDS, timeout_retry=False)
    except SandboxUnavailableError as error:
        return str(error)
    except (OSError, RuntimeError) as error:  # the agent's code may have used up all processes, for example
        return None if has_started else str(error)
    if probe.success or has_started:
        return None
    return probe.stderr.strip() or f"exit code {probe.returncode}"
