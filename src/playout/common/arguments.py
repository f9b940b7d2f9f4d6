"""Checks of what callers pass: misspelled or misplaced names, and numbers in the forms that people write."""

import difflib
import functools
import inspect
import os
import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

from playout.errors import FileError, SettingsError

P = ParamSpec("P")
T = TypeVar("T")

CLOSE = 0.6  # how similar two names have to be, from 0 to 1
COMMON_START = 3  # or the number of letters with which both start: sims, simulations
SEED_BITS = 32  # of a random seed: short enough to type
MOST_SEED = 2**64 - 1


def did_you_mean(given: str, known: Iterable[str], shown: str = "'{}'") -> str:
    """The end of a message about an unknown name: the closest known name, or nothing.

    >>> did_you_mean("polcy", ["policy", "evaluator"])
    "; did you mean 'policy'?"
    >>> did_you_mean("sims", ["simulations", "seconds"], "run({}=…)")
    '; did you mean run(simulations=…)?'
    >>> did_you_mean("colour", ["policy", "evaluator"])
    ''
    """
    names = {_bare(name): name for name in known}
    wanted = _bare(given)
    close = difflib.get_close_matches(wanted, names, 1, CLOSE)
    if not close and len(wanted) >= COMMON_START:
        close = [name for name in names if name.startswith(wanted[:COMMON_START])]
    return f"; did you mean {shown.format(names[close[0]])}?" if close else ""


def _bare(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "")


def refuses_unknown_names(function: Callable[P, T]) -> Callable[P, T]:
    """Decorator for a public function or constructor: wrong arguments raise a `SettingsError` in one line."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return function(*arguments, **named)
        except TypeError:  # from the call itself, or from inside?
            try:
                signature.bind(*arguments, **named)
            except TypeError as error:
                raise SettingsError(_wrong_call(function, signature, arguments, named, error)) from None
            raise

    return checked


def checks_calls(cls: type[T]) -> type[T]:
    """Class decorator: the constructor and public methods check their arguments like `refuses_unknown_names`."""
    for name, member in list(vars(cls).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(member, classmethod):
            setattr(cls, name, classmethod(refuses_unknown_names(member.__func__)))
        elif inspect.isfunction(member):
            setattr(cls, name, refuses_unknown_names(member))
    return cls


def _wrong_call(
    function: Callable[..., Any], signature: inspect.Signature, arguments: Any, named: Any, error: TypeError
) -> str:
    """Message for a call that does not match the signature."""
    name = function.__qualname__.removesuffix(".__init__")
    takes = [p for p in signature.parameters.values() if p.name not in ("self", "cls") and p.kind != p.VAR_KEYWORD]
    names = [p.name for p in takes]
    listed = ", ".join(names) or "nothing"
    for key in named:
        if key not in names:
            hint = belongs_to(key, name) or did_you_mean(key, names)
            return f"{name} has no '{key}' (it has: {listed}){hint}"
    by_place = [p.name for p in takes if p.kind == p.POSITIONAL_OR_KEYWORD]
    count = len(arguments) - ("self" in signature.parameters or "cls" in signature.parameters)
    if count > len(by_place):
        by_name = [p.name for p in takes if p.kind == p.KEYWORD_ONLY]
        instead = f"; pass the others by name, as in {by_name[0]}=…" if by_name else ""
        expected = f"at most {len(by_place)} ({', '.join(by_place)})" if by_place else "none"
        return f"{name} got {count} positional argument{'s' if count > 1 else ''}, expected {expected}{instead}"
    return f"{name}: {error} (it has: {listed})"


_places: list[tuple[str, Callable[[str], str], Callable[[], Iterable[str]]]] = []  # see `note_names`


def note_names(place: str, written: str | Callable[[str], str], names: Callable[[], Iterable[str]]) -> None:
    """Register the names that `place` takes, so that the message for a name in the wrong place can say where it goes.

    `written` is that advice, with {} for the name, or a function of the name.
    """
    _places.append((place, written.format if isinstance(written, str) else written, names))


def parameters(function: Callable[..., Any]) -> Callable[[], list[str]]:
    """The parameters of a function or method, for `note_names`."""
    return lambda: [name for name in inspect.signature(function).parameters if name != "self"]


def belongs_to(key: str, name: str) -> str:
    """The end of a message about a name that belongs to something other than `name`: where it goes, or nothing.

    >>> import playout
    >>> belongs_to("seed", "Search.run")
    "; 'seed' is given to Search(seed=…)"
    """
    for place, written, names in _places:
        if place != name and key in names():
            return f"; {written(key)}"
    return ""


def advice(key: str, name: str) -> str:
    """The end of a message about something that only `name` takes: how to write it, or nothing.

    >>> import playout
    >>> advice("chess", "preset's name")
    "; write preset('chess')"
    """
    for place, written, names in _places:
        if place == name and key in names():
            return f"; {written(key)}"
    return ""


def takes(function: Any, count: int) -> bool:
    """Whether something can be called with `count` positional arguments.

    >>> takes(lambda a, b: a, 2), takes(lambda a: a, 2), takes(3, 2)
    (True, False, False)
    """
    if not callable(function):
        return False
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # built in, without a signature
        pass
    return True


def whole(value: Any) -> int | None:
    """A whole number in any form, including NumPy's and 1e5; None if it is not one.

    >>> whole(1e5), whole(1.5), whole(True)
    (100000, None, None)
    """
    value = plain(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def whole_text(text: str) -> int:
    """A whole number as people write it: 100000, 100_000 or 1e5; `ValueError` if it is not one.

    >>> whole_text("1e5"), whole_text("100_000")
    (100000, 100000)
    """
    try:
        return int(text)
    except ValueError:
        found = whole(float(text))
        if found is None:
            raise
        return found


def whole_from(value: Any, name: str, least: int = 1, most: int = 10**9) -> int:
    """Check a count that a caller passes as the argument `name`."""
    found = whole(value)
    if found is None or not least <= found <= most:
        upper = f" and at most {most}" if found is not None and found > most else ""
        raise SettingsError(f"{name} is {value!r:.80}, expected a whole number of at least {least}{upper}")
    return found


def plain(value: Any) -> Any:
    """Convert NumPy's numbers to Python's; anything else is returned unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def path_from(given: Any, caller: str) -> Path:
    """The file that a caller passes."""
    if not isinstance(given, str | os.PathLike):
        raise FileError(f"{caller} got {given!r:.80}, expected the name of a file")
    return Path(given)


def seed_from(seed: Any) -> int:
    """Check a seed; None gives a random one."""
    if seed is None:
        return secrets.randbits(SEED_BITS)
    found = whole(seed)
    if found is None or not 0 <= found <= MOST_SEED:
        raise SettingsError(f"seed is {seed!r}, expected a whole number from 0 to 2^64 - 1")
    return found
