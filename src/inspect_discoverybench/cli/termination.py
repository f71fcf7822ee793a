"""Signals that end a command."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import psutil  # type: ignore[import-untyped]


@contextmanager
def interrupt_on_termination() -> Iterator[list[int]]:
    """Handle SIGTERM and SIGHUP like Ctrl-C, so that Inspect writes its logs and removes its containers.

    Slurm, Kubernetes and CI systems end a job with SIGTERM, and a closed terminal sends SIGHUP. A signal that
    is ignored, for example under `nohup`, stays ignored.

    Yields:
        A list to which each received signal is added. It stays empty if the user pressed Ctrl-C.
    """
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        received.append(number)
        _interrupt(frame)

    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    handled = [number for number in signals if signal.getsignal(number) is signal.SIG_DFL]
    for number in handled:
        signal.signal(number, interrupt)
    try:
        yield received
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(frame: FrameType | None) -> None:
    # Signal all child processes, as a terminal does on Ctrl-C. Without the signal, `docker compose exec` would wait for
    # the agent's code to end.
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            process.send_signal(signal.SIGINT)
    # The handler of Ctrl-C is usually that of the event loop. A background job has no handler, because the shell
    # disables Ctrl-C for background jobs. Then Python's own handler is called.
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        handler = signal.default_int_handler
    handler(signal.SIGINT, frame)
