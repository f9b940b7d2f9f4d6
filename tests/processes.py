"""Programs that tests start: they hear Ctrl-C, and none outlives its test."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def hearing_ctrl_c() -> Iterator[None]:
    """Ctrl-C as on a terminal, here and in processes started meanwhile.

    A shell starts its background jobs with SIGINT ignored, and they hand that on: so would a suite that is one.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def start(command: list[str], **options: Any) -> "subprocess.Popen[Any]":
    """Start a program in a session of its own, so that `end` finds the processes that it starts, too."""
    with hearing_ctrl_c():
        return subprocess.Popen(command, start_new_session=True, **options)


def end(process: "subprocess.Popen[Any]") -> None:
    """Kill a program and what it started; nothing if all of them have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):  # what was not read any more
                pipe.close()


@contextlib.contextmanager
def started(command: list[str], **options: Any) -> Iterator["subprocess.Popen[Any]"]:
    """A program that is ended with the block."""
    process = start(command, **options)
    try:
        yield process
    finally:
        end(process)
