"""What a chess program can set in the engine, and how the protocol writes it."""

from dataclasses import dataclass
from typing import Any

from playout.errors import SettingsError
from playout.game import Game
from playout.settings import PRESETS, Settings

MOST = 10**12  # what a number in a command may be; larger ones are cut to it


@dataclass(frozen=True)
class Option:
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


def options_for(game: Game) -> dict[str, Option]:
    """What can be set, with those presets that the game has the parts for."""
    # A choice called "default" would be read as the keyword of an option's line.
    presets = [name for name in PRESETS if name != "default" and suits(PRESETS[name].make(), game)]
    return {
        "Hash": Option("spin", 512, 1, 1 << 20),  # megabytes, the byte limit of the tree
        "Threads": Option("spin", 1, 1, 1),
        "MultiPV": Option("spin", 1, 1, game.max_actions),
        "Ponder": Option("check", False),
        "UCI_ShowWDL": Option("check", False),
        "Move Overhead": Option("spin", 30, 0, 10_000),  # milliseconds
        "Clear Hash": Option("button"),
        "Preset": Option("combo", "auto", words=("auto", *presets)),
        "Network": Option("string", "<empty>"),  # a network's file; with it, auto is the preset `network`
        "C": Option("string", "auto"),  # how much the policy explores; auto: as the preset has it
        "Seed": Option("spin", 0, 0, 2**31 - 1),
        "Temperature": Option("spin", 0, 0, 1000),  # hundredths; 0: always the best move
    }


def suits(settings: Settings, game: Game) -> bool:
    try:
        settings.params(game)
    except SettingsError:
        return False
    return True


def whole(text: str) -> int | None:
    """A whole number, cut to what a search can mean by it; None where it is no number."""
    try:
        return max(-MOST, min(MOST, int(text)))
    except ValueError:
        return None
