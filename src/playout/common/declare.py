"""How a setting is declared: once, as a field of a frozen dataclass.

A field's specifier (`number`, `whole`, `flag`, `word`, `text`, `choice`) gives its meaning in English and Chinese, its
bounds and its unit. The checks, the options of the command line, the form on the page and the reference follow from it.
"""

import dataclasses
import functools
import inspect
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, dataclass_transform

from playout.errors import SettingsError

from .arguments import advice, did_you_mean, plain, refuses_unknown_names
from .arguments import whole as as_whole

T = TypeVar("T")
NUMBER, WHOLE = "number", "integer"  # which numbers a setting takes; JSON calls them so
MOST_WHOLE = 2**63
ON_OFF = {"on": True, "off": False}


class Text(NamedTuple):
    """What users read, in both languages of the page; `zh` is empty where there is only English."""

    en: str
    zh: str = ""


NOTHING = Text("")
VISITS = Text("visits", "次访问")
POSITIONS = Text("positions", "个局面")
PLAYOUTS = Text("playouts", "局")
ACTIONS = Text("actions", "步")
MOVES = Text("moves", "步")
THREADS = Text("threads", "个线程")
SIMULATIONS = Text("simulations", "次模拟")
SECONDS = Text("seconds", "秒")


@dataclass(frozen=True)
class Declaration:
    """What a setting may be, and what it means."""

    meaning: Text = NOTHING
    unit: Text | None = None
    name: str = ""  # among the flat names, where it is not the field's
    words: Mapping[str, Any] = field(default_factory=dict)  # each with the value, or the class, that it stands for
    number: str = ""  # NUMBER or WHOLE; empty: it can't be a number
    least: float = -math.inf
    most: float = math.inf
    above: float | None = None  # in place of `least`: it must be greater
    text: bool = False  # any text will do
    others: tuple[type[Any], ...] = ()  # classes without a word
    own: type[Any] | None = None  # users can derive classes of their own from this one
    besides: str = ""  # what else is accepted, for messages
    prefix: str = ""  # of the flat names that the fields of its classes have

    @property
    def kinds(self) -> dict[str, type[Any]]:
        """The words that stand for classes."""
        return {word: kind for word, kind in self.words.items() if isinstance(kind, type)}

    @property
    def classes(self) -> tuple[type[Any], ...]:
        return (*self.kinds.values(), *self.others)

    @property
    def is_nested(self) -> bool:
        """Whether it is always of one class, whose fields are options in its place."""
        return not self.words and not self.number and not self.text and bool(self.others)

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The least (or, with `above`, what it must exceed) and the most that a number may be; None: no such bound."""
        least, most = (-MOST_WHOLE, MOST_WHOLE - 1) if self.number == WHOLE else (-math.inf, math.inf)
        lower = self.least if self.above is None else self.above
        return lower if lower > least else None, self.most if self.most < most else None

    @property
    def number_text(self) -> str:
        """The numbers it takes, in words: "a number of at least 0 and at most 1"."""
        lower, upper = self.bounds
        limits = [] if lower is None else [f"{'at least' if self.above is None else 'more than'} {lower:.10g}"]
        limits += [] if upper is None else [f"at most {upper:.10g}"]
        if self.number == WHOLE:
            return f"a whole number of {' and '.join(limits) or '64 bits'}"
        return f"a number of {' and '.join(limits)}" if limits else "a number"

    @property
    def expected(self) -> str:
        """What can be given in Python, for messages."""
        constants = [value for value in self.words.values() if not isinstance(value, type)]
        listed = [repr(value) for value in constants if value is not None]
        listed += [self.number_text] * bool(self.number) + ["a text"] * self.text
        listed += [f"{kind.__name__}()" for kind in self.classes]
        further = [self.besides] * bool(self.besides)
        further += [f"a po.{self.own.__name__} of your own"] if self.own else []
        further += ["None"] * (None in constants)
        return one_of(listed) + "".join(f", or {other}" for other in further)

    def check(self, name: str, value: Any) -> None:
        """Raise `SettingsError` where the setting `name` can't be `value`; the fields of a part are checked, too."""
        if isinstance(value, self._accepted):
            check_fields(name, value)
        elif not self._is_constant(value) and not self._is_number(value) and not (self.text and isinstance(value, str)):
            raise SettingsError(f"settings: {name} is {value!r:.80}, expected {self._wanted(value)}{self._hint(value)}")

    @property
    def _accepted(self) -> tuple[type[Any], ...]:
        return self.classes if self.own is None else (*self.classes, self.own)

    def _is_constant(self, value: Any) -> bool:
        known = (stands_for for stands_for in self.words.values() if not isinstance(stands_for, type))
        return any(type(value) is type(constant) and value == constant for constant in known)

    def _is_number(self, value: Any) -> bool:
        if not self.number or isinstance(value, bool) or not isinstance(value, int | float):
            return False
        if isinstance(value, float) and (self.number == WHOLE or not math.isfinite(value)):
            return False
        return self.least <= value <= self.most and (self.above is None or value > self.above)

    def _wanted(self, value: Any) -> str:
        """What can be given, with the bound that is left out elsewhere if that is what the value breaks."""
        if self.number == NUMBER and isinstance(value, float) and not math.isfinite(value):
            return self.expected.replace("a number", "a finite number")
        open_above = self.bounds[0] is not None and self.bounds[1] is None
        if self.number == WHOLE and isinstance(value, int) and value >= MOST_WHOLE and open_above:
            return self.expected.replace(self.number_text, f"{self.number_text} and below 2^63")
        return self.expected

    def _hint(self, value: Any) -> str:
        if isinstance(value, type) and issubclass(value, self._accepted):
            return f"; did you mean {value.__name__}()?"
        if isinstance(value, Mapping) and self.classes:
            return "; Settings.from_dict reads a dictionary"
        if not isinstance(value, str | type):
            return ""
        given = value if isinstance(value, str) else value.__name__
        if given.lower() in self.kinds:
            return f"; did you mean {self.kinds[given.lower()].__name__}()?"
        if self.classes:
            names = [f"{kind.__name__}()" for kind in self.classes]
            return advice(given, "preset's name") or did_you_mean(given, names, "{}")
        return did_you_mean(given, [word for word in self.words.values() if isinstance(word, str)])


def one_of(words: list[str]) -> str:
    """Words as a sentence lists them: "a, b or c"."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


# The specifiers. Each returns a field of a dataclass, as `dataclasses.field` does.


def number(
    *,
    default: float | None,
    meaning: Text | str = "",
    least: float = -math.inf,
    most: float = math.inf,
    above: float | None = None,
    unit: Text | None = None,
    name: str = "",
    none: str = "",
) -> Any:
    """A field that takes a number: `least` or more, or more than `above`; `most` at most. `none` is the word for None,
    where that is accepted; `name` the flat name, where it is not the field's."""
    return _field(
        default, _words(meaning, none), number=NUMBER, least=least, most=most, above=above, unit=unit, name=name
    )


def whole(
    *,
    default: int | None,
    meaning: Text | str = "",
    least: int = -MOST_WHOLE,
    most: int = MOST_WHOLE - 1,
    unit: Text | None = None,
    name: str = "",
    none: str = "",
) -> Any:
    """The same for a whole number."""
    return _field(default, _words(meaning, none), number=WHOLE, least=least, most=most, unit=unit, name=name)


def flag(*, default: bool | None, meaning: Text | str = "", none: str = "", name: str = "") -> Any:
    """A field that is on or off; `none` is the word for None, where that is accepted."""
    said = _words(meaning, none)
    return _field(default, said | {"words": {**said["words"], **ON_OFF}}, name=name)


def word(*, default: str, words: tuple[str, ...], meaning: Text | str = "") -> Any:
    """A field that is one of several words."""
    return _field(default, _words(meaning), words={known: known for known in words})


def text(*, default: str, meaning: Text | str = "", name: str = "") -> Any:
    """A field that takes any text."""
    return _field(default, _words(meaning), text=True, name=name)


def choice(
    *,
    default: Any,
    words: Mapping[str, Any] | None = None,
    meaning: Text | str = "",
    others: tuple[type[Any], ...] = (),
    own: type[Any] | None = None,
    besides: str = "",
    prefix: str = "",
    number: bool = False,
    least: float = -math.inf,
) -> Any:
    """A field that is an object of one of several classes, or a constant: `words` has a word for each. See
    `Declaration` for the rest."""
    return _field(
        default,
        _words(meaning),
        words=words or {},
        others=others,
        own=own,
        besides=besides,
        prefix=prefix,
        number=NUMBER if number else "",
        least=least,
    )


def _words(meaning: Text | str, none: str = "") -> dict[str, Any]:
    said = meaning if isinstance(meaning, Text) else Text(meaning)
    return {"meaning": said, "words": {none: None} if none else {}}


def _field(default: Any, said: dict[str, Any], **declared: Any) -> Any:
    return field(default=default, metadata={"declaration": Declaration(**{**said, **declared})})


# Classes of settings.


@dataclass_transform(frozen_default=True, field_specifiers=(field, number, whole, flag, word, text, choice))
def setting(cls: type[T]) -> type[T]:
    """A frozen dataclass whose constructor refuses unknown names in one line, and takes NumPy's numbers, and 1e5 for a
    whole number. Its docstring lists its fields."""
    made: Any = dataclass(frozen=True)(cls)
    counted = {f.name for f in dataclasses.fields(made) if f.type in (int, int | None)}
    fill = made.__init__
    signature = inspect.signature(fill)

    def initialise(*values: Any, **named: Any) -> None:
        given = signature.bind(*values, **named).arguments
        for name, value in given.items():
            found = as_whole(value) if name in counted else None
            given[name] = plain(value) if found is None else found
        fill(**given)

    made.__init__ = refuses_unknown_names(functools.wraps(fill)(initialise))
    lines = [f"    {name}: {declared.meaning.en}" for name, declared in declarations(made) if declared.meaning.en]
    if lines:
        made.__doc__ = "\n".join([inspect.cleandoc(made.__doc__ or ""), "", "Fields:", *lines])
    found: type[T] = made
    return found


def declaration(f: "dataclasses.Field[Any]") -> Declaration | None:
    """What a field declares; where it says nothing, what follows from its type. None: nothing is known of it."""
    declared: Declaration | None = f.metadata.get("declaration")
    if f.type is int and (declared is None or declared.number == NUMBER):
        declared = declared or Declaration()
        least, most = max(declared.least, -MOST_WHOLE), min(declared.most, MOST_WHOLE - 1)
        return dataclasses.replace(declared, number=WHOLE, least=least, most=most)
    if declared is not None:
        return declared
    if f.type is bool:
        return Declaration(words=ON_OFF)
    return Declaration(number=NUMBER) if f.type is float else None


def declarations(cls: Any) -> Iterator[tuple[str, Declaration]]:
    """The fields of a class of settings, or of an object of one, by name."""
    for f in dataclasses.fields(cls):
        declared = declaration(f)
        if declared is not None:
            yield f.name, declared


def check_fields(name: str, part: Any) -> None:
    """Raise `SettingsError` where a field of `part` can't be what it is; `name` says in messages where the part is."""
    for key, declared in declarations(part):
        declared.check(f"{name}.{key}" if name else key, getattr(part, key))


def check_number(name: str, value: Any) -> None:
    """Raise `SettingsError` where a value is not a finite number."""
    Declaration(number=NUMBER).check(name, value)
