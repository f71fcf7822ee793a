"""Runs a Python program in a separate process in the sandbox, outside the agent's session."""

from dataclasses import dataclass

from inspect_ai.util import OutputLimitExceededError, sandbox

from inspect_discoverybench.session.session import interpreter, require_not_lost


@dataclass(frozen=True)
class Execution:
    """The result of running a program.

    Attributes:
        output: What it printed.
        failure: Why it has no output; empty if it succeeded.
    """

    output: str
    failure: str = ""


async def execute(program: str, request: str, seconds: int) -> Execution:
    """Run a program, which sets its own memory limit. No file is written.

    Args:
        program: The Python program.
        request: What it reads from its standard input.
        seconds: Time limit.

    Raises:
        ProcessLookupError: The sample has no sandbox.
        SandboxLost: The sandbox was lost because of the infrastructure.
    """
    try:
        result = await sandbox().exec(
            # Isolated mode: no module in the agent's folder is imported.
            [interpreter(), "-I", "-c", program],
            input=request,
            cwd="/",
            env={"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            timeout=seconds,
            timeout_retry=False,
        )
    except TimeoutError:
        return Execution("", f"it did not end in {seconds} s")
    except OutputLimitExceededError:
        return Execution("", "it printed too much")
    except (OSError, RuntimeError, UnicodeDecodeError) as error:
        await require_not_lost()
        return Execution("", f"{type(error).__name__}: {error}"[:300])
    if not result.success:
        await require_not_lost()
        lines = result.stderr.strip().splitlines()
        return Execution("", f"exit code {result.returncode} {''.join(lines[-1:])[:300]}".strip())
    return Execution(result.stdout)
