"""Turn Numba's compile errors into messages for users: which rule, which line, and why.

Rules and parts both use it.
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
    if plain := _wrong_types(found, text):
        return plain
    for pattern, words in REASONS:
        if match := re.search(pattern, found):
            return f"{match.expand(words)} (Numba: {found})"
    return found


# Operations on values of the wrong types.

OPERATORS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
    "and_": "&",
    "or_": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
    "neg": "-",
    "pos": "+",
    "invert": "~",
    "not_": "not",
    "contains": "in",
}
KINDS = (  # how Numba's name of a type begins, and plain words for it
    (r"(Literal\[int\]|u?int\d|u?intp)", "a whole number"),
    (r"float\d", "a number"),
    (r"complex", "a complex number"),
    (r"(Literal\[bool\]|bool)", "True or False"),
    (r"(Literal\[str\]|unicode_type|\[unichr)", "a string"),
    (r"none|NoneType", "None"),
    (r"(nested)?array\(|Array\(", "an array"),
    (r"(Uni|Named)?Tuple|\w+Tuple", "a tuple"),
    (r"(reflected )?list|List|LiteralList|Poison<LiteralList", "a list"),
    (r"DictType|LiteralStrKeyDict", "a dictionary"),
    (r"(reflected )?set", "a set"),
    (r"EdgeView", "an edge"),
    (r"NodeView", "a node"),
    (r"Record", "a record"),
    (r"type\(CPUDispatcher|Function|function|Dispatcher", "a function"),
)
INDEXED = ("an array", "a tuple", "a list", "a dictionary", "a record")


def _wrong_types(found: str, text: str) -> str:
    """What a rule tries to do with values of the wrong types; "" if that is not the reason."""
    if match := re.match(r"Cannot unify (.+) and (.+) for '([\w$]+)[.\w]*'", found):
        one, two = _kind(match[1]), _kind(match[2])
        return f"`{match[3].split('.')[0]}` is {one} on one path and {two} on another (Numba: {found})"
    if match := re.match(r"Invalid use of getiter with parameters \((.*)\)", found):
        return f"it loops over {_kind(match[1])} (Numba: {found})"
    if match := re.match(r"Invalid use of (u?int\d+|float\d+|bool\w*) with parameters", found):
        return f"it calls {_kind(match[1])} as if it were a function (Numba: {found})"
    if not found.startswith("No implementation of function"):
        return ""
    call = re.search(r">>> ([^\s(]+)\((.*)\)", text)
    name = call[1] if call else (re.findall(r"'(\w+)'|function (\w+)", found) or [("something",)])[0][-1]
    given = _arguments(call[2]) if call else []
    asked = f" (Numba: no implementation of {name}({_cut(', '.join(given))}))"
    return f"{_attempt(name, [_kind(each) for each in given])}{asked}"


def _attempt(name: str, kinds: list[str]) -> str:
    """In plain words: what an operation was applied to."""
    if name in ("setitem", "static_setitem") and len(kinds) > 1:
        if kinds[0] == "a tuple":
            return "it writes into a tuple, which can't be changed"
        if kinds[0] not in INDEXED:
            return f"it writes into {kinds[0]} as if it were an array"
        return f"it stores {kinds[-1]} in {kinds[0]}, which compiled code can't do"
    if name in ("getitem", "static_getitem") and kinds:
        if kinds[0] not in INDEXED:
            return f"it reads {kinds[0]} with an index, as if it were an array"
        return f"it reads {kinds[0]} with {kinds[-1]} as the index"
    sign = OPERATORS.get(name) or OPERATORS.get(name.removeprefix("i"))
    listed = " and ".join(kinds) if len(kinds) < 3 else ", ".join(kinds)
    if sign is not None:
        return f"it applies `{sign}` to {listed}"
    return f"it calls `{name}` with {listed or 'nothing'}, which compiled code can't do"


def _kind(name: str) -> str:
    """A type of Numba's in plain words."""
    name = re.sub(r"^\w+=", "", name.strip())  # a keyword argument
    for pattern, words in KINDS:
        if re.match(pattern, name):
            return words
    return f"a value of type {_cut(name)}"


def _arguments(text: str) -> list[str]:
    """The arguments of a signature, which may hold commas themselves.

    >>> _arguments("float64, UniTuple(int64 x 2), array(float64, 1d, C)")
    ['float64', 'UniTuple(int64 x 2)', 'array(float64, 1d, C)']
    """
    found, depth = [""], 0
    for letter in text:
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [each.strip() for each in found if each.strip()]


def _cut(text: str, most: int = 80) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
