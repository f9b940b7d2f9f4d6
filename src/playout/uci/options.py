"""What a chess program can set in the engine, how the protocol writes it, and the settings of the search it makes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playout.errors import SettingsError
from playout.game import Game
from playout.settings import PRESETS, WITH_NETWORK, Network, Settings, is_fast, preset_for
from playout.settings.options import OPTIONS, Option, make_settings
from playout.settings.settings import MOST_THREADS

MOST = 10**12  # what a number in a command may be; larger ones are cut to it
EMPTY = "<empty>"  # how the protocol writes an empty text
AUTO = "auto"  # as the preset has it
OWN_NAMES = ("c", "network", "temperature", "threads")  # settings that have a UCI option of their own, below
CLOCK = ("early_stop",)  # what the engine's clock decides


@dataclass(frozen=True)
class UciOption:
    """One line of the answer to `uci`."""

    kind: str  # spin, check, combo, string, button
    default: Any = None
    least: int = 0
    most: int = 0
    words: tuple[str, ...] = ()

    def line(self, name: str) -> str:
        text = f"option name {name} type {self.kind}"
        if self.kind == "check":
            text += f" default {'true' if self.default else 'false'}"
        elif self.kind != "button":
            text += f" default {self.default}"
        if self.kind == "spin":
            text += f" min {self.least} max {self.most}"
        return text + "".join(f" var {word}" for word in self.words)

    def value(self, name: str, text: str) -> Any:
        if self.kind == "spin":
            number = whole(text)
            if number is None or not self.least <= number <= self.most:
                raise SettingsError(f"option {name} is '{text}', expected a whole number {self.least} to {self.most}")
            return number
        if self.kind == "check":
            if text.lower() not in ("true", "false"):
                raise SettingsError(f"option {name} is '{text}', expected true or false")
            return text.lower() == "true"
        if self.kind == "combo":
            if text.lower() not in self.words:
                raise SettingsError(f"option {name} is '{text}', expected one of {', '.join(self.words)}")
            return text.lower()
        return text


def options_for(game: Game) -> dict[str, UciOption]:
    """What can be set, with the presets that suit the game."""
    # A choice called "default" would be read as the keyword of an option's line.
    presets = [name for name in PRESETS if name != "default" and suits(PRESETS[name].settings, game)]
    return {
        "Hash": UciOption("spin", 512, 1, 1 << 20),  # megabytes, the byte limit of the tree
        "Threads": UciOption("spin", 1, 1, MOST_THREADS),
        "MultiPV": UciOption("spin", 1, 1, game.max_actions),
        "Ponder": UciOption("check", False),
        "UCI_ShowWDL": UciOption("check", False),
        "Move Overhead": UciOption("spin", 30, 0, 10_000),  # milliseconds
        "Clear Hash": UciOption("button"),
        "Preset": UciOption("combo", AUTO, words=(AUTO, *presets)),
        "Network": UciOption("string", EMPTY),  # the setting `network`; with it, auto is the preset for networks
        "C": UciOption("string", AUTO),  # the setting `c`
        "Seed": UciOption("spin", 0, 0, 2**31 - 1),
        "Temperature": UciOption("spin", 0, 0, 1000),  # hundredths; 0: always the best move
        **{name: _from_declaration(option) for name, option in OPTIONS.items() if name not in OWN_NAMES + CLOCK},
    }


def _from_declaration(option: Option) -> UciOption:
    """The UCI option of a setting: its words, or a text where numbers are taken, too."""
    if option.declared.number or not option.words:
        return UciOption("string", AUTO)
    return UciOption("combo", AUTO, words=(AUTO, *(word for word in option.words if word != AUTO)))


def search_settings(values: Mapping[str, Any], game: Game) -> Settings:
    """What the engine searches with: the preset chosen, or the game's own, with the options that change it. The clock
    decides when to stop early."""
    name, c, file = values["Preset"], values["C"], values["Network"]
    file = "" if file == EMPTY else file
    if name == AUTO:
        name = WITH_NETWORK if file else preset_for(game)
    given: dict[str, Any] = {"early_stop": False}
    evaluator = PRESETS[name].settings.evaluator
    if isinstance(evaluator, Network) and file:
        given["network"], evaluator = file, Network(file)
    if values["Threads"] > 1:  # of the search, or of what takes nearly all of its time
        with_network = isinstance(evaluator, Network) and not is_fast(evaluator)
        given["network_threads" if with_network else "threads"] = str(values["Threads"])
    if c.lower() not in ("", AUTO, EMPTY):
        given["c"] = c
    given |= {name: text for name, text in values.items() if name in OPTIONS and text not in ("", AUTO, EMPTY)}
    try:
        return make_settings(name, given)
    except SettingsError as error:
        if "c" not in given:
            raise
        expected = f"{AUTO} or {OPTIONS['c'].expected}"
        raise SettingsError(f"option C is '{c}', expected {expected}: {error}") from None


def suits(settings: Settings, game: Game) -> bool:
    try:
        settings.params(game)
    except SettingsError:
        return False
    return True


def whole(text: str) -> int | None:
    """A whole number, cut to what a search can use; None where it is not a number."""
    try:
        return max(-MOST, min(MOST, int(text)))
    except ValueError:
        return None
