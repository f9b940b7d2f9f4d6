"""Turn Numba's compile errors into messages for users: which rule, which line, and why.

A small file on its own, because rules and parts both use it.
"""

import dis
import re
from collections.abc import Callable
from typing import Any


class RuleCompileError(Exception):
    """Numba can't compile a rule: which one, where, and why."""

    def __init__(self, rule: str, file: str, line: int, reason: str) -> None:
        super().__init__(rule, file, line, reason)
        self.rule, self.file, self.line, self.reason = rule, file, line, reason


def where_of(error: Exception, function: Callable[..., Any]) -> tuple[str, int]:
    """The file and line that Numba's message points at, or the function's first line if it names none."""
    code = getattr(function, "py_func", function).__code__
    unknown = re.search(r"NameError: name '(\w+)'", str(error))
    if isinstance(error, KeyError) or unknown:  # Numba names the missing field or variable, but not the line
        name = unknown[1] if unknown else error.args[0]
        lines = [i.positions.lineno for i in dis.get_instructions(code) if i.argval == name and i.positions]
        return code.co_filename, lines[0] if lines and lines[0] else code.co_firstlineno
    places = re.findall(r'File "([^"]+)", line (\d+)', str(error))
    places += re.findall(r"Raised from (.+) \((\d+)\)", str(error))
    for file, line in reversed(places):
        if file and (code.co_filename.endswith(file.lstrip(".")) or file == code.co_filename):
            return code.co_filename, int(line)
    if places:
        return places[-1][0], int(places[-1][1])
    return code.co_filename, code.co_firstlineno


# Numba's most frequent messages, and plainer words for them.
REASONS = (
    (
        r"Untyped global name '(\w+)'.*<class 'function'>",
        r"`\1` is a plain Python function, and rules can call compiled ones only; write @numba.njit above it",
    ),
    (
        r"Untyped global name '(\w+)'.*<class '([\w.]+)'>",
        r"`\1` is a \2, and rules can use numbers, tuples and NumPy arrays from outside",
    ),
    (r"NameError: name '(\w+)' is not defined", r"`\1` is not defined"),
    (r"No conversion from none to ", r"a path through the function returns nothing, expected an integer"),
    (r"No conversion from (.+) to none", r"it returns a value, expected none"),
    (r"No conversion from (.+) to u?int64", r"it returns something that is not a number"),
    (r"Unknown attribute '(\w+)' of type (\w+)", r"there is no `.\1` on a value of type \2"),
    (r"Cannot cast (\S+) to (\w+)", r"\1 does not fit into a field of type \2"),
)


def reason_of(error: Exception) -> str:
    """Why a rule can't be compiled: in plain words where possible, and the relevant line of Numba's message."""
    if isinstance(error, KeyError):
        return f"the state has no field `{error.args[0]}`"
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    skip = ("Failed in", "File ", "During", "<source", "def ", "This error", "There are", "- Resolution", "^")
    wanted = [line for line in lines if not line.startswith(skip)]
    found = wanted[0] if wanted else lines[0] if lines else repr(error)
    found = re.sub(r"\.*\s*Raised from .*", "", found)
    for pattern, words in REASONS:
        if match := re.search(pattern, found):
            return f"{match.expand(words)} (Numba: {found})"
    return found
