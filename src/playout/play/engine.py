"""Another program's UCI engine as a process: started, asked for moves, and killed when it hangs.

Every failure is an `EngineError`.
"""

import contextlib
import os
import queue
import re
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import IO

GAMES_FOLDERS = ("/usr/games", "/usr/local/games")  # where Debian installs engines, off the PATH
LINE_LIMIT = 1 << 16  # bytes; a longer line is split
WAITING_LINES = 1000  # unread lines; an engine that writes more has to wait


class EngineError(Exception):
    """A failure of an engine: `kind` is "crash", "hang", "time" or "protocol"."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


def find_program(name: str) -> str | None:
    """The path of a program on the PATH or among Debian's games."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(GAMES_FOLDERS))


class EngineProcess:
    """One engine. A process that ended or was killed is started again by the next `new_game`."""

    def __init__(self, command: Sequence[str], options: Mapping[str, str], patience: float = 10.0) -> None:
        self.command, self.options, self.patience = list(command), dict(options), patience
        self.known: list[str] = []  # options that the engine has
        self.name = ""
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process, shake hands, set the options."""
        self.close()
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # no Ctrl-C, and its children can be killed with it
            )
        except OSError as error:
            raise EngineError("crash", f"can't be started: {error.strerror or error}") from None
        self._lines: queue.Queue[str | None] = queue.Queue(WAITING_LINES)
        self._said: deque[str] = deque(maxlen=5)
        assert self._process.stdout
        assert self._process.stderr
        self._threads = [
            threading.Thread(target=_read, args=(self._process.stdout, self._lines.put), daemon=True),
            threading.Thread(target=_read, args=(self._process.stderr, self._note), daemon=True),
        ]
        for thread in self._threads:
            thread.start()
        self.known = []
        self._send("uci")
        self._wait("uciok", "uci", self._learn)
        lower = {name.lower(): name for name in self.known}
        for name, value in self.options.items():
            if name.lower() not in lower:
                some = ", ".join(self.known[:12]) + (", …" if len(self.known) > 12 else "")
                raise EngineError("protocol", f"has no option '{name}' (it has: {some or 'none'})")
            self._send(f"setoption name {lower[name.lower()]} value {value}")
        self._ready()

    def new_game(self) -> None:
        """Announce a new game, to a new process if the old one has ended."""
        if self._process is None or self._process.poll() is not None:
            self.start()
        self._send("ucinewgame")
        self._ready()

    def choose(self, position: str, go: str, deadline: float, look: Callable[[str], None] | None = None) -> str:
        """The engine's move after `position` and `go`; an error of kind "time" after `deadline` seconds.

        `look` gets the lines before the move, such as `info depth 8 score cp 31`.
        """
        self._send(position)
        self._send(go)
        try:
            line = self._wait("bestmove", go, look, deadline)
        except EngineError as error:
            if error.kind != "hang":
                raise
            self._send("stop")
            self._wait("bestmove", f"{go}, nor to stop", seconds=self.patience)  # if none comes it hangs, and is killed
            raise EngineError("time", f"no move within {deadline:.2f} s") from None
        words = line.split()
        return words[1] if len(words) > 1 else ""

    def close(self) -> None:
        """End the process: with `quit`, and soon after by force."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            assert process.stdin
            process.stdin.write(b"quit\n")
            process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.5 if process.poll() is None else 0)
        self._kill(process)

    def _kill(self, process: "subprocess.Popen[bytes]") -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)  # also what a wrapper script has started
            else:
                process.kill()
        process.wait()
        until = time.monotonic() + 2.0  # a process that left the group may hold the pipe for longer
        while any(thread.is_alive() for thread in self._threads) and time.monotonic() < until:
            with contextlib.suppress(queue.Empty):
                self._lines.get(timeout=0.01)  # the reader may be waiting for room
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _fail(self, kind: str, reason: str) -> EngineError:
        """Kill the process; the error quotes the last line on stderr, which often tells why."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.2 if kind == "crash" else 0)
            code = process.poll()
            self._kill(process)
            if kind == "crash" and code is not None:
                reason += f" (exit code {code})"
            if self._said:
                reason += f"; it said: {self._said[-1][:200]}"
        return EngineError(kind, reason)

    def _send(self, line: str) -> None:
        try:
            if self._process is None or self._process.stdin is None:
                raise OSError
            self._process.stdin.write(f"{line}\n".encode())
        except OSError:
            raise self._fail("crash", f"ended before '{line.partition(' ')[0]}'") from None

    def _ready(self) -> None:
        self._send("isready")
        self._wait("readyok", "isready")

    def _wait(
        self, word: str, asked: str, look: Callable[[str], None] | None = None, seconds: float | None = None
    ) -> str:
        """The next line that begins with `word`; `look` gets the lines before it."""
        seconds = self.patience if seconds is None else seconds
        until = time.monotonic() + seconds
        while True:
            left = until - time.monotonic()
            try:
                if left <= 0.0:  # also where lines keep coming
                    raise queue.Empty
                line = self._lines.get(timeout=left)
            except queue.Empty:
                reason = f"no '{word}' within {seconds:.2f} s as an answer to '{asked}'"
                if word == "bestmove" and asked.partition(" ")[0] == "go" and not asked.endswith("stop"):
                    raise EngineError("hang", reason) from None  # `choose` gives it one more chance
                raise self._fail("hang", reason) from None
            if line is None:
                raise self._fail("crash", f"ended without '{word}' as an answer to '{asked}'")
            if line.split(maxsplit=1)[:1] == [word]:
                return line
            if look is not None:
                look(line)

    def _learn(self, line: str) -> None:
        if found := re.match(r"option name (.+?) type ", line):
            self.known.append(found[1])
        elif line.startswith("id name "):
            self.name = line.removeprefix("id name ").strip()

    def _note(self, line: str | None) -> None:
        if line is not None and line.strip():
            self._said.append(line.strip())


def _read(stream: IO[bytes], put: Callable[[str | None], None]) -> None:
    """Pass on the lines of a stream, and None at its end."""
    with contextlib.suppress(OSError, ValueError):
        rest = b""
        while chunk := os.read(stream.fileno(), LINE_LIMIT):
            *lines, rest = (rest + chunk).split(b"\n")
            if len(rest) > LINE_LIMIT:
                lines.append(rest)
                rest = b""
            for line in lines:
                put(line.decode(errors="replace").strip())
        if rest:
            put(rest.decode(errors="replace").strip())
    put(None)
