"""Variants of a search as text, and those that are compared where none are named.

Variants change one base, a preset with options if wanted. `policy=puct` is a change of it, `puct,c=2` a variant by its
name with an option, `mine:connect4,c=2` another preset with one, under a name of its own. In a list, NAME=VALUE belongs
to the variant before it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from playout.common.arguments import did_you_mean
from playout.common.declare import ON_OFF
from playout.errors import FileError, PlayoutError, SettingsError
from playout.game import Game
from playout.play.players import check_player, check_players
from playout.play.spec import UCI, WITHOUT_LIMITS, Spec, spec_of
from playout.settings import BEST, PRESETS, preset_for
from playout.settings.options import OPTIONS, flat

# The set that is compared: every word of these settings, every switch of the playouts, and the others by name.
CHOICES = ("policy", "backup", "root")
PLAYOUTS = "rollouts"  # the evaluator that has these
OTHERS = {
    "graph": "transpositions=on",
    "open-loop": "open_loop=on",
    "widening": "expansion=widening",
    "no-proofs": "solver=off",
}
EXAMPLES = "puct, puct,c=2, mine:connect4,c=2 or @FILE"
NAMED = re.compile(rf"\s*(?!{UCI}:)([^:=?]+):(.*)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Variant:
    """A way to search: the text that says how it differs, and the player that it is."""

    text: str
    spec: Spec

    @property
    def name(self) -> str:
        """What tables and charts show."""
        return self.spec.name


class LeftOut(NamedTuple):
    """A variant of the set that the game can't be searched with, and why."""

    name: str
    reason: str


def built_in() -> dict[str, str]:
    """The texts of all variants by name, the word of a setting; with the setting after it where a preset has that name.

    >>> built_in()["puct"], built_in()["best-backup"], built_in()["guided-playouts"]
    ('policy=puct', 'backup=best', 'guided=on')
    """
    switches = [name for name, option in OPTIONS.items() if PLAYOUTS in option.paths and set(option.words) == {*ON_OFF}]
    found = [(word, choice, f"{choice}={word}") for choice in CHOICES for word in OPTIONS[choice].words]
    found += [(switch, "playouts", f"{switch}=on") for switch in switches]
    names = [f"{word}-{setting}" if word in (BEST, *PRESETS) else word for word, setting, _ in found]
    return {name.replace("_", "-"): text for name, (_, _, text) in zip(names, found, strict=True)} | OTHERS


def default_variants(game: Game, base: str) -> tuple[list[Variant], list[LeftOut]]:
    """The variants of a base that a game can be searched with, the game's own preset among them, and the others.

    What the base has already is no variant of it.
    """
    found, left_out = list[Variant](), list[LeftOut]()
    has, own = flat(spec_of(base, base, game, BEST).settings), preset_for(game)
    texts = {name: text for name, text in built_in().items() if any(has[key] != word for key, word in _options(text))}
    if own != base.partition(",")[0]:
        texts[own] = own
    for name, text in texts.items():
        try:
            variant = _variant(name, text, game, base)
        except PlayoutError as error:
            left_out.append(LeftOut(name, str(error).removeprefix("settings: ")))
            continue
        if variant.spec.settings.open_loop and not game.has("chance_outcomes"):
            left_out.append(LeftOut(name, f"{game.title} has no chance, and then an open loop is a tree"))
        else:
            found.append(variant)
    return found, left_out


def read_variants(given: Sequence[str | Spec], game: Game, base: str, what: str = "variant") -> list[Variant]:
    """The variants that texts name, each text a list of them or `@FILE`; `SettingsError` says what is wrong."""
    known = built_in()
    found = list[Variant]()
    for one in given:
        if not isinstance(one, str | Spec):
            raise SettingsError(f"{what} is {one!r:.80}, expected a text as in {EXAMPLES}, or a Spec")
        if isinstance(one, Spec):
            check_players([one], game)
            found.append(Variant(one.name, one))
            continue
        for name, text in _split(one, what):
            try:
                found.append(_variant(name or text, _expanded(text, known), game, base))
            except PlayoutError as error:
                raise SettingsError(f"{what} '{name or text}': {error}") from None
    names = [variant.name for variant in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise SettingsError(f"{what} '{twice}' is given twice; give one of them another name, as in other:{twice}")
    return found


def _variant(name: str, text: str, game: Game, base: str) -> Variant:
    whole = text
    if "=" in text.partition(",")[0]:
        changed = [key for key, _ in _options(text)]
        kept = [f"{key}={word}" for key, word in _options(base.partition(",")[2]) if key not in changed]
        whole = ",".join([base.partition(",")[0], *kept, text])
    spec = spec_of(name, whole, game, BEST)
    check_player(spec, game)
    return Variant(text, spec)


def _options(text: str) -> list[tuple[str, str]]:
    """NAME=VALUE,NAME=VALUE as names and values.

    >>> _options("policy=puct,c=2"), _options("")
    ([('policy', 'puct'), ('c', '2')], [])
    """
    pairs = [part.partition("=") for part in text.split(",") if part]
    return [(key.strip().lower().replace("-", "_"), word.strip()) for key, _, word in pairs]


def _split(text: str, what: str) -> Iterator[tuple[str, str]]:
    """The variants of a list, or of the lines of a file, each as the name that it was given (or "") and its text."""
    if text.strip().startswith("@"):
        path = Path(text.strip()[1:]).expanduser()
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise FileError(f"{what}s {path}: can't read it: {reason}") from None
        lists = [line for line in lines if line.strip() and not line.strip().startswith("#")]
        if not lists:
            raise FileError(f"{what}s {path}: the file has none, expected one a line, as in {EXAMPLES}")
        for line in lists:
            yield from _split(line, what)
        return
    found = list[list[str]]()
    for part in text.split(","):
        if not part.strip():
            raise SettingsError(f"{what} '{text}' has an empty part, expected as in {EXAMPLES}")
        if not found or NAMED.fullmatch(part) or "=" not in part:
            found.append([])
        found[-1].append(part.strip())
    for parts in found:
        named = NAMED.fullmatch(whole := ",".join(parts))
        if named and not named[2].strip():
            raise SettingsError(f"{what} '{whole}' has a name and nothing after it, expected as in {EXAMPLES}")
        yield (named[1].strip(), named[2].strip()) if named else ("", whole)


def _expanded(text: str, known: Mapping[str, str]) -> str:
    """The same with the text of a variant in place of its name.

    >>> _expanded("puct,c=2", built_in())
    'policy=puct,c=2'
    """
    first, *rest = text.split(",")
    word = first.lower().replace("_", "-")
    others = (BEST, *PRESETS, *WITHOUT_LIMITS)
    if word not in known and first not in others and "=" not in first and not word.startswith(f"{UCI}:"):
        there = f"variants: {', '.join(known)}; presets: {', '.join(PRESETS)}"
        raise SettingsError(
            f"there is no variant or preset of that name ({there}){did_you_mean(word, (*known, *others))}"
        )
    return ",".join([known.get(word, first), *rest])
