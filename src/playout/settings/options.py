"""Search settings by flat names and words, as a command line or an arena player gives them: `policy=puct`, `c=2`.

A policy or backup of a user's own is `policy=file.py:Class`, and its fields are further names.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

from playout.backups import Backup
from playout.common.arguments import belongs_to, did_you_mean
from playout.errors import SettingsError
from playout.parts.part import KNOWN, Part, is_own, kind_of, load_part
from playout.policies import Policy

if TYPE_CHECKING:
    from .settings import Settings


@dataclass(frozen=True)
class Option:
    """One name on the command line: where it goes in `Settings.to_dict()`, how it is written, what it means."""

    part: str  # a field of Settings
    values: Mapping[str, Any] | type[int] | type[float] | type[str]  # words and what they stand for, or the kind
    meaning: str
    field: str = ""  # of that part, when the part has fields of its own
    kinds: tuple[str, ...] = ()  # the choices of the part that have the field
    number: bool = False  # a number does as well as the words
    own: type[Part] | None = None  # a class of the user's own, derived from this, does as well

    @property
    def expected(self) -> str:
        if self.values is str:
            return "a text"
        number = "a whole number" if self.values is int else "a number"
        if isinstance(self.values, Mapping):
            words = [*self.values, *([number] if self.number else ()), *(["file.py:Class"] if self.own else ())]
            return f"{', '.join(words[:-1])} or {words[-1]}"
        return number

    def word(self, value: Any) -> str:
        """How a value is written."""
        if is_dataclass(value):
            return type(value).__name__.lower()
        if isinstance(self.values, Mapping):
            for word, stands_for in self.values.items():
                if isinstance(value, Mapping) and isinstance(stands_for, Mapping):
                    if value["kind"] == stands_for["kind"]:
                        return word
                elif type(value) is type(stands_for) and value == stands_for:
                    return word
            if isinstance(value, Mapping):
                return str(value["kind"])
        return f"{value:g}" if isinstance(value, float) else str(value)


ON_OFF = {"on": True, "off": False}
AS_ON_OFF = {"true": "on", "yes": "on", "1": "on", "false": "off", "no": "off", "0": "off"}
ROLLOUTS, NET = ("rollouts", "mixed"), ("network",)
OPTIONS: dict[str, Option] = {
    "policy": Option(
        "policy",
        {"uct": {"kind": "UCT"}, "ucb1tuned": {"kind": "UCB1Tuned"}, "puct": {"kind": "PUCT"}},
        "how a child is selected",
        own=Policy,
    ),
    "c": Option("policy", float, "how much the policy explores", "c", ("uct", "ucb1tuned", "puct")),
    "growth": Option("policy", float, "by how much c grows with ln((N + base + 1) / base)", "growth", ("puct",)),
    "base": Option("policy", float, "the number of visits where that growth sets in", "base", ("puct",)),
    "variance": Option(
        "policy", float, "how much c follows the deviation of the returns, 0 to 1", "variance", ("puct",)
    ),
    "expected": Option("policy", float, "the deviation where c is as it was given", "expected", ("puct",)),
    "expected_visits": Option("policy", float, "for how many visits that counts", "expected_visits", ("puct",)),
    "backup": Option(
        "backup",
        {"mean": {"kind": "Mean"}, "best": {"kind": "Best"}, "power_mean": {"kind": "PowerMean"}},
        "what an edge makes of the returns it gets: their mean, the greatest, or something between",
        own=Backup,
    ),
    "p": Option("backup", float, "1: the mean; the larger, the nearer to the greatest", "p", ("power_mean",)),
    "unvisited": Option(
        "unvisited",
        {"auto": None, "infinity": "infinity", "parent": {"kind": "Parent"}},
        "score of a child never visited; auto: infinity for UCT, parent for PUCT",
        number=True,
    ),
    "reduction": Option("unvisited", float, "what is taken off the parent's value", "reduction", ("parent",)),
    "by_seen": Option(
        "unvisited",
        ON_OFF,
        "the reduction grows with the root of the priors' share that was visited",
        "by_seen",
        ("parent",),
    ),
    "evaluator": Option(
        "evaluator",
        {
            "rollouts": {"kind": "Rollouts"},
            "static": {"kind": "Static"},
            "mixed": {"kind": "Mixed"},
            "network": {"kind": "Network"},
        },
        "what a new position is worth: playouts, the game's static value, both, or a network's answer",
    ),
    "network": Option(
        "evaluator", str, "a network's file (.onnx, or Leela's .pb.gz); empty: the game's own", "file", NET
    ),
    "batch": Option("evaluator", {"auto": None}, "positions evaluated at once; auto: measured", "batch", NET, True),
    "virtual_loss": Option(
        "evaluator",
        float,
        "1: a position under evaluation counts as lost, 0: as worth what it was",
        "virtual_loss",
        NET,
    ),
    "policy_temperature": Option("evaluator", float, "above 1, the network's policy is flatter", "temperature", NET),
    "cache": Option("evaluator", int, "positions whose answers are remembered", "cache", NET),
    "threads": Option("evaluator", int, "of the network", "threads", NET),
    "rollouts": Option("evaluator", int, "playouts from each new position", "n", ROLLOUTS),
    "depth": Option("evaluator", {"none": None}, "actions after which a playout is cut off", "depth", ROLLOUTS, True),
    "guided": Option("evaluator", ON_OFF, "playouts by the game's own policy or priors", "guided", ROLLOUTS),
    "weight": Option("evaluator", float, "the playouts' share of a mixed value", "weight", ("mixed",)),
    "expansion": Option(
        "expansion",
        {"all": {"kind": "All"}, "one": {"kind": "OneAtATime"}, "widening": {"kind": "Widening"}},
        "which children a node has: all at once, one more each visit, or min(cap, initial + k N^alpha)",
    ),
    "first_visit": Option(
        "expansion", ON_OFF, "a position becomes a node at its first visit; off: at its second", "first_visit", ("all",)
    ),
    "initial": Option("expansion", float, "children at first", "initial", ("widening",)),
    "k": Option("expansion", float, "the factor of N^alpha", "k", ("widening",)),
    "alpha": Option("expansion", float, "the power of the visits", "alpha", ("widening",)),
    "cap": Option("expansion", {"none": None}, "children at most", "cap", ("widening",), True),
    "priors": Option(
        "priors",
        {"auto": None, **ON_OFF},
        "take and weigh actions by the priors of the game or the network; off: all the same; auto: on for puct and "
        "widening",
    ),
    "answer": Option(
        "answer",
        {word: word for word in ("visits", "value", "bound", "proof")},
        "what makes an action the best: visits, value, lower confidence bound, or proof",
    ),
    "solver": Option("solver", ON_OFF, "prove positions exactly where finished games allow it"),
    "discount": Option("discount", float, "what a reward one step later is worth"),
    "normalise": Option(
        "normalise", {"auto": None, **ON_OFF}, "scale values by the range seen; auto: when the game's is unknown"
    ),
    "noise": Option("noise", {"off": None, "on": {"kind": "Noise"}}, "Dirichlet noise on the root's priors"),
    "noise_fraction": Option("noise", float, "the noise's share", "fraction", ("on",)),
    "noise_alpha": Option("noise", float, "how even the noise is", "alpha", ("on",)),
    "temperature": Option(
        "temperature",
        {"falling": {"kind": "Falling"}},
        "variety of the action that is played; 0: always the best; falling: for the first moves of a game",
        number=True,
    ),
    "temperature_first": Option("temperature", float, "the temperature of the first moves", "first", ("falling",)),
    "temperature_moves": Option("temperature", int, "how many moves that is", "moves", ("falling",)),
    "temperature_then": Option("temperature", float, "the temperature after them", "then", ("falling",)),
    "confidence": Option("confidence", float, "of the intervals and of the lower confidence bound"),
    "ties": Option("ties", {"random": "random", "first": "first"}, "how equal scores are told apart"),
    "evaluate_root": Option("evaluate_root", ON_OFF, "the first simulation evaluates the root itself"),
    "outcomes": Option(
        "outcomes",
        {"all": None, "widening": {"kind": "Widening"}},
        "which outcomes of chance a node lets in: all, or min(cap, initial + k N^alpha) different ones",
    ),
    "outcomes_initial": Option("outcomes", float, "outcomes at first", "initial", ("widening",)),
    "outcomes_k": Option("outcomes", float, "the factor of N^alpha", "k", ("widening",)),
    "outcomes_alpha": Option("outcomes", float, "the power of the visits", "alpha", ("widening",)),
    "outcomes_cap": Option("outcomes", {"none": None}, "outcomes at most", "cap", ("widening",), True),
    "open_loop": Option("open_loop", ON_OFF, "nodes stand for the actions played; chance is drawn anew on each walk"),
    "transpositions": Option(
        "transpositions",
        {**ON_OFF, "check": "check"},
        "one node for each position, however it is reached; check: compare the positions of equal keys",
    ),
    "early_stop": Option("early_stop", ON_OFF, "stop when the best action can't be overtaken any more"),
}


LIMITS = ("n", "t")  # what an arena player calls its limits

Finder = Callable[[type[Part], str], type[Part]]


def options_with(parts: Iterable[type[Part]]) -> dict[str, Option]:
    """All options, with those of a user's own parts: their kinds are words, their fields names.

    A field whose name has another meaning already is `policy.NAME` or `backup.NAME`.
    """
    found = dict(OPTIONS)
    for part in parts:
        kind, role = kind_of(part), part._role
        if not is_own(kind):
            continue
        choice: Any = found[role]
        found[role] = dataclasses.replace(choice, values={**choice.values, kind: {"kind": kind}})
        for f in dataclasses.fields(part):  # type: ignore[arg-type]  # every part is a dataclass
            name = f.name if _is_free(f.name, role, found) else f"{role}.{f.name}"
            values: Any = ON_OFF if f.type in (bool, "bool") else int if f.type in (int, "int") else float
            known = found.get(name) or Option(role, values, f"a setting of {part.__qualname__}", f.name)
            found[name] = dataclasses.replace(known, kinds=(*known.kinds, kind))
    places = {option.part: place for place, option in reversed(list(enumerate(OPTIONS.values())))}
    return dict(sorted(found.items(), key=lambda item: places[item[1].part]))  # fields beside their part's


def canonical(given: Mapping[str, Any], options: Mapping[str, Option], label: str = "--option ") -> dict[str, Any]:
    """The same by the names that `options` has; `SettingsError` where one is unknown, or given twice."""
    found: dict[str, Any] = {}
    for typed, value in given.items():
        name = _find(typed, label, options)
        if name in found:
            raise SettingsError(f"{label}{typed}: {name} is given twice; give it once")
        found[name] = value
    return found


def _is_free(name: str, role: str, taken: Mapping[str, Option]) -> bool:
    if name in LIMITS:
        return False
    return name not in taken or (taken[name].part, taken[name].field) == (role, name)


def make_settings(
    preset: str, given: Mapping[str, Any], label: str = "--option ", find: Finder = load_part
) -> "Settings":
    """A preset with changes in the flat form; what is chosen (policy=puct) comes before what it has (c=2).

    A value is a word, or what the word stands for: "off" or False, "puct" or PUCT(). `label` stands before a name in
    refusals. `find` gives the class that `file.py:Class` names.
    """
    from .settings import Outside, Settings
    from .settings import preset as make

    data = make(preset).to_dict()
    given = {name: _found_part(name, value, find) for name, value in given.items()}
    options = options_with(part for part in map(_class_of, given.values()) if part is not None)
    _check_clear(given, options, label)
    wanted = canonical(given, options, label).items()
    for name, value in wanted:
        option = options[name]
        if not option.field:
            found = _value(name, value, options, label)
            if isinstance(found, Mapping) or (is_dataclass(found) and not isinstance(found, Outside | type)):
                whole = isinstance(found, Mapping) and is_own(found["kind"])  # its fields may have no defaults
                found = found if whole else Settings.from_dict({name: found}).to_dict()[name]
            data[option.part] = found
    for name, value in wanted:
        option = options[name]
        if option.field:
            if _kind(data, option) not in option.kinds:
                instead = f"{label}{option.part}={option.kinds[0]}"
                raise SettingsError(
                    f"{label}{name}={value}: {name} belongs to {option.part}={' or '.join(option.kinds)}, and "
                    f"{option.part} is {_kind(data, option)}; leave it out, or add {instead}"
                )
            _fields(data, option)[option.field] = _value(name, value, options, label)
    return Settings.from_dict(data)


def flat(settings: "Settings") -> dict[str, str]:
    """Settings in the words of the command line; a field of something not chosen as it would be if it were."""
    from .settings import Settings

    data, found = settings.to_dict(), dict[str, str]()
    for name, option in options_with((type(settings.policy), type(settings.backup))).items():
        if not option.field:
            found[name] = _kind(data, option)
            continue
        there = data
        if _kind(data, option) not in option.kinds:
            chosen = _value(option.part, option.kinds[0], OPTIONS)
            there = Settings.from_dict({option.part: chosen}).to_dict()
        found[name] = option.word(_fields(there, option)[option.field])
    return found


def _found_part(name: str, value: Any, find: Finder) -> Any:
    """A value, and where it names a class of the user's own, the kind of that class."""
    option = OPTIONS.get(name.lower())
    if option is None or option.own is None or not isinstance(value, str):
        return value
    own = ":" in value or value.endswith(".py")
    return {"kind": kind_of(find(option.own, value))} if own else value


def _class_of(value: Any) -> type[Part] | None:
    if isinstance(value, Part):
        return type(value)
    return KNOWN.get(value["kind"]) if isinstance(value, Mapping) and "kind" in value else None


def _find(name: str, label: str, options: Mapping[str, Option]) -> str:
    plain = name.lower().replace("-", "_")
    known = {other.lower(): other for other in options}
    if name in options or plain in known:
        return name if name in options else known[plain]
    role, dot, field = name.partition(".")
    for other, option in options.items():
        if dot and option.field and (option.part, option.field) == (role, field):
            return other
    longer = next((other for other in options if other.endswith(f".{name}")), "")
    hint = f"; did you mean '{longer}'?" if longer else belongs_to(name, "preset") if not label else ""
    hint = hint or did_you_mean(plain, options)
    raise SettingsError(f"{label}{name}: the search has no such setting (`playout settings` lists them){hint}")


def _check_clear(given: Iterable[str], options: Mapping[str, Option], label: str) -> None:
    """Refuse a name that may mean two settings."""
    for name in given:
        for other in options:
            role, dot, field = other.partition(".")
            if dot and field == name and other not in given:
                raise SettingsError(
                    f"{label}{name}: the search has a setting {name}, and so has the {role}; write {label}{other}=… "
                    f"for that of the {role}, or give both"
                )


def _value(name: str, given: Any, options: Mapping[str, Option], label: str = "") -> Any:
    option = options[name]
    if isinstance(option.values, Mapping) and "on" in option.values:
        given = AS_ON_OFF.get(str(given).lower(), given)
    if not isinstance(given, str):
        return given
    if isinstance(option.values, Mapping):
        if given.lower() in option.values:
            value = option.values[given.lower()]
            return dict(value) if isinstance(value, dict) else value
        parse: Callable[[str], Any] | None = _number if option.number else None
    else:
        parse = _number if option.values is int else option.values
    try:
        if parse is None:
            raise ValueError
        return parse(given)
    except ValueError:
        hint = did_you_mean(given, option.values) if isinstance(option.values, Mapping) else ""
        raise SettingsError(f"{label}{name} is '{given}', expected {option.expected}{hint}") from None


def _number(text: str) -> float:
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def _kind(data: Mapping[str, Any], option: Option) -> str:
    """The word for what a part is now."""
    return OPTIONS[option.part].word(data[option.part])


def _fields(data: dict[str, Any], option: Option) -> dict[str, Any]:
    """Where the fields of a part are; a mixed evaluator keeps those of its playouts one level down."""
    fields: dict[str, Any] = data[option.part]
    if option.kinds == ROLLOUTS and fields["kind"] == "Mixed":
        nested: dict[str, Any] = fields.setdefault("rollouts", {"kind": "Rollouts"})
        return nested
    return fields
