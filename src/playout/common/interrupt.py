"""Ctrl-C while the command is still being imported: one line and exit code 130 instead of a traceback."""

import os
import sys
from typing import Any

STOPPED = "playout: stopped by Ctrl-C"
INTERRUPTED = 130


def _is_command() -> bool:
    """Whether this process is `playout` or `python -m playout`; other programs handle Ctrl-C themselves."""
    if sys.argv[:1] == ["-m"]:
        return "playout" in sys.orig_argv
    return os.path.splitext(os.path.basename(sys.argv[0] if sys.argv else ""))[0] == "playout"


def _hook(kind: Any, error: Any, trace: Any) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    sys.stderr.write(f"{STOPPED}\n")
    sys.stderr.flush()
    os._exit(INTERRUPTED)  # Python would end with the signal instead


if _is_command():
    sys.excepthook = _hook
