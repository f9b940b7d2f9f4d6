"""Output that several commands share: tables, JSON, a progress bar, Ctrl-C."""

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from playout.errors import FileError
from playout.search import Search

PATIENCE = 0.5  # seconds before a progress bar appears
PIPE_WIDTH = 120  # characters, for tables that go to a file or pipe


def check_can_write(path: Path | None, option: str) -> None:
    """Reject a file that can't be written before the work starts rather than after it."""
    if path is None:
        return
    folder = path.parent
    why = None
    if path.is_dir():
        why = "it is a folder"
    elif not folder.is_dir():
        why = f"folder {folder} does not exist"
    elif not os.access(path if path.exists() else folder, os.W_OK):
        why = "permission denied"
    if why is not None:
        raise FileError(cannot_write(option, path, why))


def cannot_write(option: str, path: Path, why: str | None) -> str:
    """The message for a file that can't be written."""
    return f"{option} {path}: can't write there: {why}; choose a file in a folder that you can write to"


def console() -> Console:
    """The console for tables: as wide as the terminal; of a fixed width in a pipe."""
    out = Console(highlight=False)
    return out if out.is_terminal else Console(highlight=False, width=PIPE_WIDTH)


def print_json(data: dict[str, Any]) -> None:
    """Print one JSON object."""
    print(json.dumps(data, indent=2))


def rate(count: float, seconds: float) -> str:
    """A speed in words."""
    return f"{count / seconds:,.0f} a second" if seconds > 0 else "at once"


def on_terminal() -> bool:
    """Whether a person sees the output."""
    return sys.stdout.isatty() and sys.stderr.isatty()


@contextlib.contextmanager
def progress(what: str, wanted: bool = True) -> Iterator[Callable[[str, float], None] | None]:
    """A function that shows a text and the share of the work that is done; None if not on a terminal."""
    if not wanted or not on_terminal():
        yield None
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[text]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(what, total=1.0, text="")
    began = time.monotonic()

    def show(text: str, share: float) -> None:
        if not bar.live.is_started and time.monotonic() - began > PATIENCE:
            bar.start()
        bar.update(task, completed=share, text=text)

    try:
        yield show
    finally:
        bar.stop()


@contextlib.contextmanager
def search_progress(what: str, wanted: bool = True) -> Iterator[Callable[[Search, float], None] | None]:
    """The same, in the form that `Search.run` takes."""
    with progress(what, wanted) as show:
        yield None if show is None else lambda search, share: show(f"{search.simulations:,} simulations", share)


@contextlib.contextmanager
def stopped_by_interrupt(search: Search) -> Iterator[None]:
    """Ctrl-C ends the run, which then returns its result so far; a second Ctrl-C ends the program."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: Any) -> None:
        search.stop()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
