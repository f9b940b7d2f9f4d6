"""`playout warm`: compile in advance."""

import time
from typing import Annotated

import typer

from playout.common.runtime import cache_folder
from playout.errors import SettingsError
from playout.play.warm import Done, be_modest, tasks
from playout.play.warm import warm as compile_all
from playout.solve.warm import nested_tasks

from .options import whole


def warm(
    game: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME]…", help="Games whose rules are compiled as well.", show_default=False),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all", help="All built-in games, searches with transpositions, open loop and networks, and nested search."
        ),
    ] = False,
    processes: Annotated[
        int | None,
        typer.Option("--processes", metavar="N", parser=whole, help="Processes to use.", show_default="one per core"),
    ] = None,
    background: Annotated[
        bool, typer.Option("--background", help="In one process of low priority, without output.")
    ] = False,
) -> None:
    """Compile in advance what analyze, play and serve need, so that the first search starts at once.

    Compiled code stays on disk (PLAYOUT_CACHE_DIR sets the folder) until Playout, Numba or the game's rules change.
    """
    if processes is not None and processes < 1:
        raise SettingsError(f"--processes is {processes}, expected a whole number of at least 1")
    names, found, began = game or (), list[Done](), time.perf_counter()
    wanted = tasks(names, everything) + nested_tasks(names, everything)
    if background:
        be_modest()
        compile_all(wanted, found.append, 1)
        return

    def say(done: Done) -> None:
        found.append(done)
        if done.skipped:
            print(f"{done.task.name}: skipped: {done.skipped}", flush=True)
        elif done.functions:
            many = "functions" if done.functions > 1 else "function"
            print(f"{done.task.name}: {done.functions} {many} in {done.seconds:.1f} s", flush=True)

    print(f"Compiling: {', '.join(task.name for task in wanted)}", flush=True)
    compile_all(wanted, say, processes)
    count = sum(done.functions for done in found)
    seconds = time.perf_counter() - began
    done = f"Compiled {count} functions in {seconds:.1f} s, stored in {cache_folder()}"
    print(done if count else "Everything was already compiled.")
