"""The program that runs `predict` on fresh rows. It runs only in the sandbox, in a process that never has the target.

The host has checked the code. As a second line, the process cannot open files or start others once it has imported
what `predict` may use, and its time and memory are limited. Whatever it prints is read as predictions and nothing else.
"""

import builtins
import contextlib
import io
import json
import math
import resource
import signal
import sys
import time
from typing import Any

import numpy as np
import pandas as pd

MEMORY_BYTES = 4 * 2**30
CPU_SECONDS = 3
"""After this time the code is interrupted; a second later the process is killed. Imports do not count."""
ALLOWED = {"numpy": np, "pandas": pd, "math": math}
BUILTINS = (
    "abs all any bool dict divmod enumerate filter float frozenset int isinstance len list map max min pow print range "
    "reversed round set slice sorted str sum tuple zip ArithmeticError Exception IndexError KeyError TypeError "
    "ValueError ZeroDivisionError"
)


class Refused(Exception):
    """The code asks for something that it may not use."""


class OutOfTime(BaseException):
    """The code runs too long. Not an `Exception`, which the code may handle."""


def import_allowed(name: str, *_: Any, **__: Any) -> Any:
    """Import one of the allowed modules."""
    if name not in ALLOWED:
        raise Refused(f"the module {name} is not available")
    return ALLOWED[name]


def restrict() -> None:
    """Give up files, other processes, and most time and memory."""
    for kind, limit in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, math.ceil(time.process_time()) + CPU_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        bounded = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (bounded, bounded + 1 if kind == resource.RLIMIT_CPU else bounded))
    signal.signal(signal.SIGXCPU, out_of_time)


def out_of_time(*_: Any) -> None:
    """End the code."""
    raise OutOfTime(f"it did not end in {CPU_SECONDS} s of CPU time")


def predictions(code: str, frame: pd.DataFrame) -> list[Any]:
    """Run the function; return one value per row.

    Raises:
        ValueError: The values do not have this form.
    """
    available = {name: getattr(builtins, name) for name in BUILTINS.split()} | {"__import__": import_allowed}
    names: dict[str, Any] = {"__builtins__": available, "np": np, "pd": pd, "math": math}
    exec(compile(code, "predict", "exec"), names)
    values = np.asarray(names["predict"](frame))
    if values.ndim == 0:
        values = np.full(len(frame), values)
    values = values.reshape(-1)
    if len(values) != len(frame):
        raise ValueError(f"predict returned {len(values)} values for {len(frame)} rows")
    if values.dtype.kind in "fiub":
        if not np.isfinite(values.astype(float)).all():
            raise ValueError("some predictions are not finite")
        return values.tolist()
    return [str(value) for value in values]


def load_lazy_modules() -> None:
    """Import what numpy imports on first use, such as `np.rec`: afterwards no file can be opened."""
    for name in dir(np):
        getattr(np, name, None)


def main() -> None:
    """Read the request, print the predictions or the error as JSON."""
    request = json.load(sys.stdin)
    frame = pd.DataFrame(request["columns"])
    load_lazy_modules()
    restrict()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            reply: dict[str, Any] = {"values": predictions(request["code"], frame)}
    except BaseException as error:  # noqa: BLE001 - whatever the code raises is sent back
        reply = {"error": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(reply))


main()
