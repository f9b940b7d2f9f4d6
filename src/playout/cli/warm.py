"""`playout warm`: compile ahead."""

from typing import Annotated

import typer

from .options import whole


def warm(
    game: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME]…", help="Games whose rules are compiled, too.", show_default=False),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All built-in games, and searches in graphs, open loops and with networks.")
    ] = False,
    processes: Annotated[
        int | None, typer.Option("--processes", metavar="N", parser=whole, help="At once.", show_default="one a core")
    ] = None,
    background: Annotated[
        bool, typer.Option("--background", help="In one process of low priority, without a word.")
    ] = False,
) -> None:
    """Compile ahead what analyze, play and serve need, so that the first search starts at once.

    Machine code is kept on disk (PLAYOUT_CACHE_DIR moves it) until Playout, Numba or the rules of the game change.
    """
    import time

    from playout.core.cache import cache_folder
    from playout.errors import SettingsError
    from playout.play.warm import Done, be_modest, tasks
    from playout.play.warm import warm as compile_all

    if processes is not None and processes < 1:
        raise SettingsError(f"--processes is {processes}, expected a whole number of at least 1")
    wanted, found, began = tasks(game or (), everything), list[Done](), time.perf_counter()
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
    done = f"Compiled {count} functions in {seconds:.1f} s, kept in {cache_folder()}"
    print(done if count else "There was nothing left to compile.")
