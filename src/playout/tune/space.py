"""What is tuned: ranges and choices of search settings, as text (`c=0.5..4:log,policy=uct,puct`) or as Python has them.

Names, types and bounds are those that the settings declare.
"""

import contextlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from playout.common.arguments import plain, whole
from playout.common.declare import WHOLE
from playout.errors import PlayoutError, SettingsError
from playout.game import Game
from playout.play.fingerprints import fingerprints_of_settings
from playout.play.players import check_player
from playout.play.spec import SEARCH, Spec
from playout.settings import Settings
from playout.settings.options import Option, UnknownOptionError, canonical, flat, make_settings, options_with

EXAMPLE = "c=0.5..4,policy=uct,puct"
LOG = "log"
DIGITS = 4  # significant ones of a tuned number: what is printed is what was played
RANGE = re.compile(r"(?P<low>.+?)\.\.(?P<high>[^:]*)(:(?P<scale>.*))?")
NUMBER = r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?"
UNTUNABLE = {
    "wdl": "it counts results and does not change the play",
    "cache": "it changes the memory and the speed, not the play",
    "threads": "it changes the speed, not the play",
    "network_threads": "it changes the speed, not the play",
    "seed": "it is chance; --seed gives the tuning one",
    "simulations": "more of them are always better; -n gives them",
    "seconds": "more of them are always better; -t gives them",
    "n": "more simulations are always better; -n gives them",
    "t": "more time is always better; -t gives it",
    "roots": "it changes the speed, not the play",
    "workers": "it changes the speed, not the play; --workers gives them",
    "games": "it is not a setting of the search; --games gives them",
}


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, with `log` on a logarithmic scale, with `step` in steps."""

    name: str
    low: float
    high: float
    whole: bool = False
    log: bool = False
    step: float | None = None

    @property
    def text(self) -> str:
        """As it is written after --over."""
        scale = f":{LOG}" if self.log else "" if self.step is None else f":{self.step:g}"
        return f"{self.name}={self.low:g}..{self.high:g}{scale}"

    def distribution(self, optuna: Any) -> Any:
        """What Optuna draws from."""
        if self.whole:
            step = 1 if self.step is None else int(self.step)
            return optuna.distributions.IntDistribution(int(self.low), int(self.high), log=self.log, step=step)
        return optuna.distributions.FloatDistribution(self.low, self.high, log=self.log, step=self.step)

    def suggest(self, trial: Any) -> Any:
        """What a trial draws."""
        if self.whole:
            step = 1 if self.step is None else int(self.step)
            return trial.suggest_int(self.name, int(self.low), int(self.high), log=self.log, step=step)
        return trial.suggest_float(self.name, self.low, self.high, log=self.log, step=self.step)

    def value(self, drawn: Any) -> Any:
        """The setting for what was drawn, rounded to the digits that are shown."""
        if self.whole:
            return int(drawn)
        return min(max(float(f"{drawn:.{DIGITS}g}"), self.low), self.high)

    def drawn(self, word: str) -> Any:
        """What would have to be drawn for a setting; None where that is not in the range."""
        try:
            number = float(word)
        except ValueError:
            return None
        on_step = (
            self.step is None or abs((number - self.low) / self.step - round((number - self.low) / self.step)) < 1e-9
        )
        if not self.low <= number <= self.high or not on_step:
            return None
        return int(number) if self.whole else number


@dataclass(frozen=True)
class Choices:
    """One of several words or numbers."""

    name: str
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """As it is written after --over."""
        return f"{self.name}={','.join(self.words)}"

    def distribution(self, optuna: Any) -> Any:
        """What Optuna draws from."""
        return optuna.distributions.CategoricalDistribution(self.words)

    def suggest(self, trial: Any) -> Any:
        """What a trial draws."""
        return trial.suggest_categorical(self.name, self.words)

    def value(self, drawn: Any) -> Any:
        """The setting for what was drawn."""
        return drawn

    def drawn(self, word: str) -> Any:
        """What would have to be drawn for a setting; None where that is not among the choices."""
        return next((known for known in self.words if known == word or _same_number(known, word)), None)


Dimension = Range | Choices


@dataclass(frozen=True)
class Space:
    """The settings that are tuned, as changes of a base: a preset with options."""

    preset: str
    given: Mapping[str, str]
    dimensions: tuple[Dimension, ...]
    options: Mapping[str, Option] = field(repr=False)

    @property
    def base(self) -> Settings:
        """The settings as they are."""
        return make_settings(self.preset, self.given)

    @property
    def base_name(self) -> str:
        """The base as an arena player."""
        return ",".join([self.preset, *(f"{key}={value}" for key, value in self.given.items())])

    def sources(self) -> dict[str, str]:
        """Fingerprints of the users' code and networks in the base and among the choices."""
        found = fingerprints_of_settings(self.base)
        for dimension in self.dimensions:
            for word in dimension.words if isinstance(dimension, Choices) else ():
                if self.options[dimension.name].declared.own is None or ":" not in word:
                    continue
                with contextlib.suppress(PlayoutError):  # a trial that draws it says what is wrong
                    chosen = fingerprints_of_settings(self.settings({dimension.name: word}))
                    found[f"{dimension.name}={word}"] = chosen.get(dimension.name, "")
        return found

    def settings(self, chosen: Mapping[str, Any]) -> Settings:
        """The base with what was chosen; `SettingsError` where that can't be."""
        return make_settings(self.preset, self.changes(chosen))

    def changes(self, chosen: Mapping[str, Any]) -> dict[str, str]:
        """All options that differ from the preset, as --option has them."""
        kept = {key: value for key, value in self.given.items() if key not in chosen}
        return kept | {key: _word(value) for key, value in chosen.items()}

    def suggest(self, trial: Any) -> dict[str, Any]:
        """What a trial draws. A field of something that was not chosen is left out."""
        chosen = dict[str, Any]()
        for dimension in self.dimensions:
            if self.applies(dimension.name, chosen):
                chosen[dimension.name] = dimension.value(dimension.suggest(trial))
        return chosen

    def base_drawn(self) -> dict[str, Any] | None:
        """What would have to be drawn to get the base itself; None where it is not in the space."""
        words, found = flat(self.base), dict[str, Any]()
        for dimension in self.dimensions:
            if self.applies(dimension.name, found):
                found[dimension.name] = dimension.drawn(words[dimension.name])
        return None if None in found.values() else found

    def applies(self, name: str, chosen: Mapping[str, Any]) -> bool:
        """Whether a setting belongs to the parts that are chosen: c to policy=uct, visit_offset not to root=plain."""
        option = self.options[name]
        if not option.paths:
            return True
        part = {option.part: chosen[option.part]} if option.part in chosen else {}
        return self.options[option.part].word(getattr(self.settings(part), option.part)) in option.paths


def read_space(over: Any, game: Game, preset: str, given: Mapping[str, str]) -> Space:
    """The space that a caller gives: a text, several, or a mapping from names to texts, (low, high) or [choices]."""
    asked = list(_asked(over))
    if not asked:
        raise SettingsError(f"there is nothing to tune; name settings, as in {EXAMPLE}")
    base = make_settings(preset, given)
    classes = [type(base.policy), type(base.backup)]
    for name, values in asked:  # a user's own policy brings settings of its own
        if name in ("policy", "backup"):
            for word in values if isinstance(values, tuple) else ():
                with_word = _refused(name, lambda word=word, name=name: make_settings(preset, {**given, name: word}))
                classes.append(type(getattr(with_word, name)))
    options = options_with(classes)
    found = dict[str, Dimension]()
    for typed, values in asked:
        name = _name(typed, options, game)
        if name in found:
            raise SettingsError(f"--over has {name} twice; give it once")
        found[name] = _dimension(name, values, options[name])
    ordered = sorted(found.values(), key=lambda dimension: bool(options[dimension.name].paths))  # parts before fields
    space = Space(preset, dict(given), tuple(ordered), options)
    _check(space, game)
    return space


def _asked(over: Any) -> Iterator[tuple[str, Any]]:
    """Names with a text (a range), or with a tuple of words."""
    if isinstance(over, Mapping):
        for name, values in over.items():
            if isinstance(values, str):
                yield from _asked(f"{name}={values}")
            elif isinstance(values, tuple) and len(values) == 2 and all(_is_number(v) for v in values):
                yield str(name), f"{plain(values[0])!r}..{plain(values[1])!r}"
            elif isinstance(values, list | tuple) and values:
                yield str(name), tuple(_word(value) for value in values)
            else:
                raise SettingsError(
                    f"over has {name}: {values!r:.80}, expected (low, high), a list of choices or a text as in '0.5..4'"
                )
        return
    texts = [over] if isinstance(over, str) else over
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        raise SettingsError(f"over is {over!r:.80}, expected a text as in {EXAMPLE}, several, or a dictionary")
    for text in texts:
        parts = list[tuple[str, list[str]]]()
        for part in text.split(","):
            name, equals, value = (word.strip() for word in part.partition("="))
            if not (value if equals else name) or (equals and not name) or (not equals and not parts):
                raise SettingsError(
                    f"--over got '{text}', expected NAME=LOW..HIGH or NAME=CHOICE,CHOICE, as in {EXAMPLE}"
                )
            if equals:
                parts.append((name, [word.strip() for word in value.split("|")]))
            else:
                parts[-1][1].extend(word.strip() for word in name.split("|"))
        for name, words in parts:
            yield name, words[0] if len(words) == 1 and ".." in words[0] else tuple(words)


def _name(typed: str, options: Mapping[str, Option], game: Game) -> str:
    word = typed.lower().replace("-", "_")
    if word in UNTUNABLE and (word in options or word not in game.settings):
        raise SettingsError(f"--over {typed}: nothing can be tuned there: {UNTUNABLE[word]}")
    try:
        (name,) = canonical({typed: None}, options)
    except UnknownOptionError as error:
        if word in game.settings:
            raise SettingsError(
                f"--over {typed}: that is a setting of the game {game.title}, and only those of the search are tuned; "
                f"give it by --set"
            ) from None
        raise SettingsError(f"--over {error}") from None
    return name


def _dimension(name: str, values: Any, option: Option) -> Dimension:
    if isinstance(values, str):
        return _range(name, values, option)
    ranged = next((word for word in values if RANGE.fullmatch(word)), None)
    if ranged is not None:
        raise SettingsError(f"--over {name}: {ranged} is a range and stands among choices; give one or the other")
    words = tuple(_number_or_word(name, word, option) for word in values)
    if twice := next((word for word in words if words.count(word) > 1), None):
        raise SettingsError(f"--over {name}: {twice} is there twice; give it once")
    if len(words) == 1:
        raise SettingsError(
            f"--over {name}={words[0]} is a single value, and there is nothing to tune; give {_both(name, option)}, or "
            f"set it by --option {name}={words[0]}"
        )
    return Choices(name, words)


def _both(name: str, option: Option) -> str:
    """An example of what can be tuned."""
    words = [word for word in option.words if word != "auto"]
    return f"{name}=LOW..HIGH" if option.declared.number else f"{name}={','.join(words[:2])}"


def _number_or_word(name: str, word: str, option: Option) -> str:
    if not option.declared.own or word in option.words:
        value = _refused(name, lambda: option.value(name, word))
        if _is_number(value):
            _in_bounds(name, word, value, option)
        return option.word(value) if not option.declared.text else word
    return word


def _range(name: str, text: str, option: Option) -> Range:
    shown, found = f"--over {name}={text}", RANGE.fullmatch(text)
    if not option.declared.number:
        raise SettingsError(f"{shown}: {name} is {option.expected}, and no range; write {_both(name, option)}")
    numbers = [found[end].strip() for end in ("low", "high")] if found else []
    if not found or not all(re.fullmatch(NUMBER, number, re.IGNORECASE) for number in numbers):
        raise SettingsError(
            f"{shown}: expected LOW..HIGH, as in {name}=0.5..4, and after it :{LOG} or a step if wanted"
        )
    counted = option.declared.number == WHOLE
    for number in numbers:
        if counted and whole(float(number)) is None:
            raise SettingsError(f"{shown}: {name} is {number}, expected {option.declared.number_text}")
        _in_bounds(name, f"{text}", int(float(number)) if counted else float(number), option)
    low, high = map(float, numbers)
    if low > high:
        raise SettingsError(f"{shown} runs the wrong way round; write {numbers[1]}..{numbers[0]}")
    if low == high:
        raise SettingsError(
            f"{shown} is one point, and there is nothing to tune; set it by --option {name}={numbers[0]}"
        )
    scale = found["scale"]
    if scale is None or scale.strip().lower() == LOG:
        if scale is not None and low <= 0:
            raise SettingsError(f"{shown}: a logarithmic scale begins above 0, and this one at {numbers[0]}; raise it")
        return Range(name, low, high, counted, scale is not None)
    step = _number(scale.strip())
    if step is None or not 0 < step < high - low or (counted and whole(step) is None):
        kind = "a whole number" if counted else "a number"
        raise SettingsError(
            f"{shown}: after the colon is '{scale}', expected {LOG} or a step: {kind} above 0 and below {high - low:g}"
        )
    return Range(name, low, low + math.floor((high - low) / step + 1e-9) * step, counted, step=step)


def _in_bounds(name: str, text: str, value: Any, option: Option) -> None:
    try:
        option.declared.check(name, value)
    except SettingsError as error:
        raise SettingsError(f"--over {name}={text}: {str(error).removeprefix('settings: ')}") from None


def _check(space: Space, game: Game) -> None:
    """Refuse what never applies, and choices that the game can't be searched with."""
    tuned = {dimension.name: dimension for dimension in space.dimensions}
    words = flat(space.base)
    check_player(Spec(space.base_name, SEARCH, space.base), game)
    for dimension in space.dimensions:
        if not isinstance(dimension, Choices) or space.options[dimension.name].paths:
            continue
        for word in dimension.words:
            chosen = {dimension.name: word}
            _refused(dimension.name, lambda chosen=chosen: check_player(Spec("", SEARCH, space.settings(chosen)), game))
    for name in tuned:
        option = space.options[name]
        if not option.paths:
            continue
        part = tuned.get(option.part)
        kinds = part.words if isinstance(part, Choices) else (words[option.part],)
        if not any(space.applies(name, {option.part: kind}) for kind in kinds):
            raise SettingsError(
                f"--over {name}: {name} belongs to {option.part}={' or '.join(option.kinds)}, and {option.part} is "
                f"{' or '.join(kinds)}; leave it out, or add --option {option.part}={option.kinds[0]}"
            )


def _refused(name: str, wanted: Any) -> Any:
    try:
        return wanted()
    except PlayoutError as error:
        raise SettingsError(f"--over {name}: {str(error).removeprefix('settings: ')}") from None


def _is_number(value: Any) -> bool:
    return isinstance(plain(value), int | float) and not isinstance(value, bool)


def _number(word: str) -> float | None:
    return float(word) if re.fullmatch(NUMBER, word, re.IGNORECASE) else None


def _same_number(one: str, other: str) -> bool:
    return _number(one) is not None and _number(one) == _number(other)


def _word(value: Any) -> str:
    value = plain(value)
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:.10g}" if isinstance(value, float) else str(value)
