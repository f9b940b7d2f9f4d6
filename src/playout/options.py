"""Search settings by flat names and words, as a command line or an arena player gives them: `policy=puct`, `c=2`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

from .arguments import belongs_to, did_you_mean
from .errors import SettingsError

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

    @property
    def expected(self) -> str:
        if self.values is str:
            return "a text"
        number = "a whole number" if self.values is int else "a number"
        if isinstance(self.values, Mapping):
            words = [*self.values, number] if self.number else list(self.values)
            return f"{', '.join(words[:-1])} or {words[-1]}"
        return number


ON_OFF = {"on": True, "off": False}
AS_ON_OFF = {"true": "on", "yes": "on", "1": "on", "false": "off", "no": "off", "0": "off"}
ROLLOUTS, NET = ("rollouts", "mixed"), ("network",)
OPTIONS: dict[str, Option] = {
    "policy": Option(
        "policy",
        {"uct": {"kind": "UCT"}, "ucb1tuned": {"kind": "UCB1Tuned"}, "puct": {"kind": "PUCT"}},
        "how a child is selected",
    ),
    "c": Option("policy", float, "how much the policy explores", "c", ("uct", "ucb1tuned", "puct")),
    "growth": Option("policy", float, "by how much c grows with ln((N + base + 1) / base)", "growth", ("puct",)),
    "base": Option("policy", float, "the number of visits where that growth sets in", "base", ("puct",)),
    "variance": Option(
        "policy", float, "how much c follows the deviation of the returns, 0 to 1", "variance", ("puct",)
    ),
    "expected": Option("policy", float, "the deviation where c is as it was given", "expected", ("puct",)),
    "expected_visits": Option("policy", float, "for how many visits that counts", "expected_visits", ("puct",)),
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


def make_settings(preset: str, given: Mapping[str, Any], label: str = "--option ") -> "Settings":
    """A preset with changes in the flat form; what is chosen (policy=puct) comes before what it has (c=2).

    A value is a word, or what the word stands for: "off" or False, "puct" or PUCT(). `label` stands before a name in
    refusals.
    """
    from .settings import Outside, Settings
    from .settings import preset as make

    data = make(preset).to_dict()
    wanted = [(_find(name, label), value) for name, value in given.items()]
    for name, value in wanted:
        option = OPTIONS[name]
        if not option.field:
            found = _value(name, value, label)
            if isinstance(found, Mapping) or (is_dataclass(found) and not isinstance(found, Outside)):
                found = Settings.from_dict({name: found}).to_dict()[name]
            data[option.part] = found
    for name, value in wanted:
        option = OPTIONS[name]
        if option.field:
            if _kind(data, option) not in option.kinds:
                instead = f"{label}{option.part}={option.kinds[0]}"
                raise SettingsError(
                    f"{label}{name}={value}: {name} belongs to {option.part}={' or '.join(option.kinds)}, and "
                    f"{option.part} is {_kind(data, option)}; leave it out, or add {instead}"
                )
            _fields(data, option)[option.field] = _value(name, value, label)
    return Settings.from_dict(data)


def flat(settings: "Settings") -> dict[str, str]:
    """Settings in the words of the command line; a field of something not chosen as it would be if it were."""
    from .settings import Settings

    data, found = settings.to_dict(), dict[str, str]()
    for name, option in OPTIONS.items():
        if not option.field:
            found[name] = _kind(data, option)
            continue
        there = data
        if _kind(data, option) not in option.kinds:
            chosen = _value(option.part, option.kinds[0])
            there = Settings.from_dict({option.part: chosen}).to_dict()
        found[name] = _word(option, _fields(there, option)[option.field])
    return found


def _find(name: str, label: str) -> str:
    plain = name.lower().replace("-", "_")
    if plain in OPTIONS:
        return plain
    hint = (belongs_to(name, "preset") if not label else "") or did_you_mean(plain, OPTIONS)
    raise SettingsError(f"{label}{name}: the search has no such setting (`playout settings` lists them){hint}")


def _value(name: str, given: Any, label: str = "") -> Any:
    option = OPTIONS[name]
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
    return _word(OPTIONS[option.part], data[option.part])


def _word(option: Option, value: Any) -> str:
    if is_dataclass(value):
        return type(value).__name__.lower()
    if isinstance(option.values, Mapping):
        for word, stands_for in option.values.items():
            if isinstance(value, Mapping) and isinstance(stands_for, Mapping):
                if value["kind"] == stands_for["kind"]:
                    return word
            elif type(value) is type(stands_for) and value == stands_for:
                return word
    return f"{value:g}" if isinstance(value, float) else str(value)


def _fields(data: dict[str, Any], option: Option) -> dict[str, Any]:
    """Where the fields of a part are; a mixed evaluator keeps those of its playouts one level down."""
    fields: dict[str, Any] = data[option.part]
    if option.kinds == ROLLOUTS and fields["kind"] == "Mixed":
        nested: dict[str, Any] = fields.setdefault("rollouts", {"kind": "Rollouts"})
        return nested
    return fields
