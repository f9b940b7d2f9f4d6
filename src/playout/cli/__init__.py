"""The command `playout`: one thin file per command. This one collects them and turns every error into one line."""

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from playout.common.arguments import did_you_mean
from playout.common.interrupt import INTERRUPTED, STOPPED
from playout.common.raised import described, users_place
from playout.common.version import __version__
from playout.errors import PlayoutError
from playout.game.wrap.running import raised_at
from playout.workers.site import listeners

from . import (
    analyze,
    arena,
    bench,
    compare,
    doctor,
    evaluate,
    games,
    mcp,
    perft,
    play,
    serve,
    settings,
    solve,
    train,
    tune,
    uci,
    warm,
)
from .options import Command

# Newer versions of Typer bring their own Click; this is its UsageError in either case.
USAGE_ERROR: Any = typer.BadParameter.__bases__[0]


class InterruptError(Exception):
    """Ctrl-C in a command that does not handle it; Typer would exit without a message."""


class CommandGroup(TyperGroup):
    """All commands. Ctrl-C becomes an `InterruptError`, which Typer passes on."""

    def make_context(self, *arguments: Any, **named: Any) -> Any:
        with _ctrl_c_passed_on():
            return super().make_context(*arguments, **named)

    def invoke(self, ctx: Any) -> Any:
        with _ctrl_c_passed_on():
            return super().invoke(ctx)


@contextlib.contextmanager
def _ctrl_c_passed_on() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as interrupt:
        raise InterruptError(*interrupt.args) from None


app = typer.Typer(
    name="playout",
    cls=CommandGroup,
    help="Monte Carlo Tree Search: search positions, play games, look inside the search.",
    epilog="Exit codes: 0 success, 1 `doctor` found an error, 2 invalid input, 130 Ctrl-C.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    games.games,
    analyze.analyze,
    solve.solve,
    play.play,
    serve.serve,
    arena.arena,
    evaluate.evaluate,
    compare.compare,
    tune.tune,
    train.train,
    uci.uci,
    mcp.mcp,
    perft.perft,
    doctor.doctor,
    bench.bench,
    settings.settings,
    warm.warm,
):
    app.command(cls=Command)(command)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"playout {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that can't show … must not crash the program
    given = None if arguments is None else list(arguments)
    try:
        code = get_command(app).main(args=given, prog_name="playout", standalone_mode=False)
        sys.stdout.flush()
    except PlayoutError as error:
        return _refuse(str(error))
    except USAGE_ERROR as error:
        return _refuse(_usage(error, sys.argv[1:] if given is None else given))
    except BrokenPipeError:  # the reader is gone, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # discard what is left to flush
        return 1
    except (InterruptError, KeyboardInterrupt) as interrupt:
        print(f"{STOPPED}: {interrupt}" if interrupt.args else STOPPED, file=sys.stderr)
        return INTERRUPTED
    except BaseException as error:  # a user's function may raise SystemExit as well
        if place := users_place(error):
            return _refuse(f"{described(error)}{raised_at(error)}, raised at {place}")
        raise
    finally:
        listeners.clear()  # those of `--ray`
    return code if isinstance(code, int) else 0


def _usage(error: Any, arguments: Sequence[str]) -> str:
    """The message for a wrong call, with the closest option; Click does not suggest --seed for -seed."""
    context = getattr(error, "ctx", None)
    called = " ".join(("playout", *arguments[:1])) if context is None else context.command_path
    command = f"`{called} --help` shows its options"
    option = getattr(error, "option_name", None)
    if option is None or context is None:
        message = error.format_message().rstrip(".")
        parameters = [] if context is None else [parameter.name for parameter in context.command.params]
        if message.startswith("Got unexpected extra") and "position" in parameters:
            message += "; put quotes around a position that has spaces"
        return f"{message}; {command}"
    known = [name for parameter in context.command.params for name in parameter.opts if name.startswith("--")]
    written = next((text for text in arguments if text.startswith(option)), option).partition("=")[0]
    return f"No such option: {written} ({command}){did_you_mean(written, known)}"


def _refuse(message: str) -> int:
    print(f"playout: {' '.join(message.split())}", file=sys.stderr)
    return 2
