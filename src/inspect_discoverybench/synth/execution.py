"""Running a Python program in a process of its own in the sandbox, apart from the agent's session."""

from dataclasses import dataclass

from inspect_ai.util import OutputLimitExceededError, sandbox

from inspect_discoverybench.session.session import interpreter, require_not_lost


@dataclass(frozen=True)
class Execution:
    """How a program ended.

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
        SandboxLost: The sandbox was lost by the infrastructure.
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
