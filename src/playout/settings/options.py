"""Search settings by flat names and words, as a command line or an arena player gives them: `policy=puct`, `c=2`.

The options follow from the declarations of `Settings` and its parts. A policy or backup of a user's own is
`policy=file.py:Class`, or a word of an installed package, and its fields are further names.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any, NamedTuple

from playout.common.arguments import belongs_to, did_you_mean, refuses_unknown_names
from playout.common.declare import WHOLE, Declaration, Text, declarations, one_of
from playout.errors import SettingsError
from playout.parts.part import KNOWN, Part, installed_parts, is_own, kind_of, load_part

from .presets import preset_settings
from .settings import Settings, from_plain

AS_ON_OFF = {"true": "on", "yes": "on", "1": "on", "false": "off", "no": "off", "0": "off"}
LIMITS = ("n", "t")  # what an arena player calls its limits

Finder = Callable[[type[Part], str], type[Part]]


class OptionError(SettingsError):
    """A name or a value of an option that can't be used. The message begins with the option's name: the command line
    puts its own words before it."""


class UnknownOptionError(OptionError):
    """A name that no option has."""

    def __init__(self, name: str, hint: str) -> None:
        self.name, self.message = name, f"{name}: the search has no such setting (`playout settings` lists them)"
        super().__init__(f"{self.message}{hint}")
        self.hint = hint


@dataclasses.dataclass(frozen=True)
class Option:
    """One flat name: which part of `Settings` it sets, or which field of that part."""

    part: str  # a field of Settings
    declared: Declaration
    paths: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)  # to the field, by the part's kind

    @property
    def kinds(self) -> tuple[str, ...]:
        """The choices of the part that have the field; none where the option is the part itself."""
        return tuple(self.paths)

    @property
    def field(self) -> str:
        """The name of the field; empty where the option is the part itself."""
        return next(iter(self.paths.values()))[-1] if self.paths else ""

    @property
    def meaning(self) -> str:
        return self.declared.meaning.en

    @property
    def words(self) -> Mapping[str, Any]:
        return self.declared.words

    @property
    def expected(self) -> str:
        """What can be given, as a message or a table says it."""
        declared = self.declared
        words = [*declared.words, *([declared.number_text] if declared.number else ())]
        return one_of([*words, *(["file.py:Class"] if declared.own else ()), *(["a text"] if declared.text else ())])

    def word(self, value: Any) -> str:
        """How a value is written."""
        kind = value.kind if isinstance(value, _Chosen) else type(value)
        for word, stands_for in self.declared.words.items():
            constant = type(value) is type(stands_for) and not isinstance(value, type)
            if stands_for is kind or (constant and value == stands_for):
                return word
        if dataclasses.is_dataclass(kind):
            return kind_of(kind) if issubclass(kind, Part) else kind.__name__
        return f"{value:g}" if isinstance(value, float) else str(value)

    def value(self, name: str, given: Any) -> Any:
        """What a word stands for; a value that is not a word stands for itself."""
        declared = self.declared
        if "on" in declared.words:
            given = AS_ON_OFF.get(str(given).lower(), given)
        if isinstance(given, Mapping) and not self.paths:
            return from_plain(Settings, self.part, given)
        if not isinstance(given, str):
            return given
        if given.lower() in declared.words:
            found = declared.words[given.lower()]
            return _Chosen(found) if isinstance(found, type) else found
        if declared.text:
            return given
        try:
            if not declared.number:
                raise ValueError
            return int(given) if declared.number == WHOLE and given.lstrip("+-").isdigit() else float(given)
        except ValueError:
            others = installed_parts(self.part) if declared.own else []
            hint = did_you_mean(given, [*declared.words, *others])
            of_packages = f" (of installed packages: {', '.join(others)})" if others else ""
            raise OptionError(f"{name} is '{given}', expected {self.expected}{of_packages}{hint}") from None


class _Chosen(NamedTuple):
    """A class that a word names, to be made with the fields that are given beside it."""

    kind: type[Any]


def _declared_options() -> dict[str, Option]:
    found: dict[str, Option] = {}
    for part, declared in declarations(Settings):
        found[part] = Option(part, declared)
        for word, kind in declared.kinds.items():
            _add_fields(found, part, declared.prefix, word, kind)
    return found


def _add_fields(
    found: dict[str, Option], part: str, prefix: str, word: str, kind: type[Any], above: tuple[str, ...] = ()
) -> None:
    """Add options for the fields of a kind that the part may be; `above` is the way to it inside of the part."""
    for field, declared in declarations(kind):
        path = (*above, field)
        if declared.is_nested:
            _add_fields(found, part, prefix, word, declared.others[0], path)
            continue
        name = prefix + (declared.name or field)
        known = found.get(name) or Option(part, declared)
        assert known.part == part, f"{name} would be an option of {known.part} and of {part}"
        found[name] = dataclasses.replace(known, paths={**known.paths, word: path})


OPTIONS: dict[str, Option] = _declared_options()


def options_with(parts: Iterable[type[Part]]) -> dict[str, Option]:
    """All options, with those of a user's own parts: their kinds are words, their fields names.

    A field whose name already has another meaning is `policy.NAME` or `backup.NAME`.
    """
    found = dict(OPTIONS)
    for part in parts:
        kind, role = kind_of(part), part._role
        if not is_own(kind):
            continue
        choice = found[role].declared
        found[role] = Option(role, dataclasses.replace(choice, words={**choice.words, kind: part}))
        for field, declared in declarations(part):
            name = field if _is_free(field, role, found) else f"{role}.{field}"
            if not declared.meaning.en:
                declared = dataclasses.replace(declared, meaning=Text(f"a setting of {part.__qualname__}"))
            known = found.get(name) or Option(role, declared)
            found[name] = dataclasses.replace(known, paths={**known.paths, kind: (field,)})
    places = {option.part: place for place, option in reversed(list(enumerate(OPTIONS.values())))}
    return dict(sorted(found.items(), key=lambda item: places[item[1].part]))  # fields beside their part's


def _is_free(name: str, role: str, taken: Mapping[str, Option]) -> bool:
    if name in LIMITS:
        return False
    return name not in taken or (taken[name].part, taken[name].field) == (role, name)


def canonical(given: Mapping[str, Any], options: Mapping[str, Option]) -> dict[str, Any]:
    """The same by the names that `options` has; `OptionError` where one is unknown, or given twice."""
    found: dict[str, Any] = {}
    for typed, value in given.items():
        name = _find(typed, options)
        if name in found:
            raise OptionError(f"{typed}: {name} is given twice; give it once")
        found[name] = value
    return found


def make_settings(preset: str, given: Mapping[str, Any], find: Finder = load_part) -> Settings:
    """A preset with changes in the flat form; what is chosen (policy=puct) comes before what it has (c=2).

    A value is a word, or what the word stands for: "off" or False, "puct" or PUCT(). `find` gives the class that
    `file.py:Class` names.
    """
    base = preset_settings(preset)
    if not given:
        return base
    given = {name: _found_part(name, value, find) for name, value in given.items()}
    options = options_with(part for part in map(_class_of, given.values()) if part is not None)
    _check_clear(given, options)
    wanted = canonical(given, options)
    parts: dict[str, Any] = {name: getattr(base, name) for name, _ in declarations(Settings)}
    for name, value in wanted.items():
        if not options[name].paths:
            parts[name] = options[name].value(name, value)
    fields: dict[str, dict[tuple[str, ...], Any]] = {}
    for name, value in wanted.items():
        if options[name].paths:
            option, kind = options[name], options[options[name].part].word(parts[options[name].part])
            if kind not in option.paths:
                raise OptionError(
                    f"{name}={value}: {name} belongs to {option.part}={' or '.join(option.kinds)}, and {option.part} "
                    f"is {kind}; leave it out, or add {option.part}={option.kinds[0]}"
                )
            fields.setdefault(option.part, {})[option.paths[kind]] = option.value(name, value)
    return Settings(**{name: _built(part, fields.get(name, {})) for name, part in parts.items()})


def _built(part: Any, fields: Mapping[tuple[str, ...], Any]) -> Any:
    """A part with some of its fields changed, each named by the way to it."""
    whole = part.kind if isinstance(part, _Chosen) else part
    changes = {path[0]: value for path, value in fields.items() if len(path) == 1}
    for outer in {path[0] for path in fields if len(path) > 1}:
        inner = {path[1:]: value for path, value in fields.items() if path[0] == outer}
        changes[outer] = _built(getattr(whole, outer), inner)  # of a class, that is the default
    if isinstance(part, _Chosen):
        return part.kind(**changes)
    return dataclasses.replace(part, **changes) if changes else part


@refuses_unknown_names
def preset(name: str, **changes: Any) -> Settings:
    """The settings of a preset, with changes by the names and words of the command line, or as `Settings` has them.

    >>> preset("textbook", answer="visits", c=2).policy
    UCT(c=2)
    >>> from playout import PUCT
    >>> preset("default", policy="puct", c=2).policy == preset("default", policy=PUCT(2)).policy
    True
    """
    try:
        return make_settings(name, changes)
    except UnknownOptionError as error:
        raise SettingsError(f"{error.message}{belongs_to(error.name, 'preset') or error.hint}") from None


def flat(settings: Settings) -> dict[str, str]:
    """Settings in the words of the command line; a field of something not chosen has its default."""
    options, found = options_with((type(settings.policy), type(settings.backup))), dict[str, str]()
    for name, option in options.items():
        part = getattr(settings, option.part)
        kind = options[option.part].word(part)
        if kind in option.paths:
            found[name] = option.word(reduce(getattr, option.paths[kind], part))
        else:
            found[name] = default_of(options, name, option.kinds[0]) if option.paths else kind
    return found


def default_of(options: Mapping[str, Option], name: str, kind: str) -> str:
    """The default of a field where its part is of this kind; empty: it has to be given."""
    option, whole = options[name], options[options[name].part].words[kind]
    default = reduce(lambda part, field: getattr(part, field, None), option.paths[kind], whole)
    missing = default is None and None not in option.words.values()
    return "" if missing else option.word(default)


def how_to_write(name: str) -> str:
    """How to give an option to `preset`, with the choice that it belongs to where the preset has another.

    >>> how_to_write("c"), how_to_write("network_threads")
    ('write preset("default", c=…)', 'write preset("default", evaluator="network", network=…, network_threads=…)')
    """
    option, chosen = OPTIONS[name], list[str]()
    usual = OPTIONS[option.part].word(getattr(preset_settings("default"), option.part))
    if option.paths and usual not in option.paths:
        kind = option.kinds[0]
        beside = [other for other in OPTIONS if OPTIONS[other].part == option.part and kind in OPTIONS[other].paths]
        missing = [other for other in beside if other != name and not default_of(OPTIONS, other, kind)]
        chosen = [f'{option.part}="{kind}"', *(f"{other}=…" for other in missing)]
    return f'write preset("default", {", ".join([*chosen, f"{name}=…"])})'


def _found_part(name: str, value: Any, find: Finder) -> Any:
    """A value, and where it names a class of the user's own, that class."""
    option = OPTIONS.get(name.lower())
    if option is None or option.declared.own is None or not isinstance(value, str):
        return value
    own = ":" in value or value.endswith(".py")
    own = own or (value.lower() not in option.words and value.lower() in installed_parts(option.part))
    return _Chosen(find(option.declared.own, value)) if own else value


def _class_of(value: Any) -> type[Part] | None:
    if isinstance(value, Part):
        return type(value)
    if isinstance(value, _Chosen):
        return value.kind
    return KNOWN.get(value["kind"]) if isinstance(value, Mapping) and "kind" in value else None


def _find(name: str, options: Mapping[str, Option]) -> str:
    plain = name.lower().replace("-", "_")
    known = {other.lower(): other for other in options}
    if name in options or plain in known:
        return name if name in options else known[plain]
    role, dot, field = name.partition(".")
    for other, option in options.items():
        if dot and option.field and (option.part, option.field) == (role, field):
            return other
    longer = next((other for other in options if other.endswith(f".{name}")), "")
    raise UnknownOptionError(name, f"; did you mean '{longer}'?" if longer else did_you_mean(plain, options))


def _check_clear(given: Iterable[str], options: Mapping[str, Option]) -> None:
    """Refuse a name that may mean two settings."""
    for name in given:
        for other in options:
            role, dot, field = other.partition(".")
            if dot and field == name and other not in given:
                raise OptionError(
                    f"{name}: the search has a setting {name}, and so has the {role}; write {other}=… for that of the "
                    f"{role}, or give both"
                )
