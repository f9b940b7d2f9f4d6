"""What several commands do on a terminal: tables, JSON, a progress bar, the wait for the compiler, Ctrl-C."""

import contextlib
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from playout.search import Search

PATIENCE = 0.5  # seconds before a bar appears
PIPE_WIDTH = 120  # of tables that go to a file


def check_can_write(path: Path | None, option: str) -> None:
    """Refuse a file that can't be written before the work begins, not after it."""
    from playout.errors import FileError

    if path is None:
        return
    folder = path.parent
    why = None
    if path.is_dir():
        why = "it is a folder"
    elif not folder.is_dir():
        why = f"there is no folder {folder}"
    elif not os.access(path if path.exists() else folder, os.W_OK):
        why = "it may not be written"
    if why is not None:
        raise FileError(f"{option} {path}: can't write there: {why}; give a file in a folder of yours")


def console() -> "Console":
    """Where tables go: as wide as the terminal, of one width in a pipe."""
    from rich.console import Console

    out = Console(highlight=False)
    return out if out.is_terminal else Console(highlight=False, width=PIPE_WIDTH)


def print_json(data: dict[str, Any]) -> None:
    print(json.dumps(data, indent=2))


def rate(count: float, seconds: float) -> str:
    return f"{count / seconds:,.0f} a second" if seconds > 0 else "at once"


def on_terminal() -> bool:
    return sys.stdout.isatty() and sys.stderr.isatty()


@contextlib.contextmanager
def progress(what: str, wanted: bool = True) -> Iterator[Callable[[str, float], None] | None]:
    """A function that shows how far the work is, as a text and a share; None where nobody looks."""
    if not wanted or not on_terminal():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

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
def search_progress(what: str, wanted: bool = True) -> Iterator[Callable[["Search", float], None] | None]:
    """The same, as `Search.run` takes it."""
    with progress(what, wanted) as show:
        yield None if show is None else lambda search, share: show(f"{search.simulations:,} simulations", share)


@contextlib.contextmanager
def stopped_by_interrupt(search: "Search") -> Iterator[None]:
    """Ctrl-C ends the run, which then returns what it has found; a second one ends the program."""
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
