"""What a result says, as short strings: the same in a terminal and in a notebook."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from playout.game import CHANCE

from .words import UNKNOWN, clean, count, duration, number, percent, proven_word, results, who

if TYPE_CHECKING:
    from playout.search.result import ActionStats, Result

RESULTS = "W/D/L"  # the title of the column of wins, draws and losses
LINE_SHOWN = 6  # actions of an expected line that a table shows
FOUND_SHOWN = 24  # actions of the best line found


@dataclass(frozen=True)
class ActionRow:
    """One action as a table shows it. Text from the game is cleaned, not escaped."""

    action: str
    visits: str
    share: str
    value: str
    margin: str  # half the width of the confidence interval
    prior: str
    results: str  # wins, draws and losses
    proven: str
    line: str
    value_found: float | None  # the value itself, for colours
    bar: float  # the length of its bar, from 0 to 1
    is_best: bool


def rows(result: "Result", most: int | None = None) -> list[ActionRow]:
    """The first `most` actions, the most visited first."""
    total = sum(stats.visits for stats in result.actions)
    shares = [stats.visits / total if total else 0.0 for stats in result.actions]
    highest = max(shares, default=0.0) or 1.0
    return [
        ActionRow(
            action=clean(stats.text),
            visits=f"{stats.visits:,}",
            share=percent(share),
            value=number(stats.value),
            margin=_margin(stats, result.z),
            prior=percent(stats.prior),
            results=results(stats.wdl),
            proven=proven(result, stats.proven) or UNKNOWN,
            line=_line(result, stats),
            value_found=stats.value,
            bar=share / highest,
            is_best=stats.action == result.best,
        )
        for stats, share in list(zip(result.actions, shares, strict=True))[:most]
    ]


def interval_title(result: "Result") -> str:
    """The title of the column of margins."""
    return f"± {100 * result.settings.confidence:g}%"


def left_out(result: "Result", shown: int) -> str:
    """A line for the actions that a table leaves out; empty if it shows all."""
    missing = len(result.actions) - shown
    return f"… and {count(missing, 'more action')}" if missing > 0 else ""


def proven(result: "Result", value: float | None) -> str | None:
    """An exact value of this game in a word, None where nothing is proven."""
    game = result.position.game
    return proven_word(value, game.players, game.range)


def head(result: "Result") -> list[str]:
    """The game and position, the best action, and the size of the search: one line each."""
    game, position = result.position.game, clean(result.position.text) or "the start"
    lines = [f"{clean(game.title)}: {position}"]
    if result.best is not None:
        stats, word = result.stats(result.best), proven(result, result.proven)
        value = f"value {number(result.value)}" + (f", proven: {word}" if word else "")
        whose = f" (for {who(result.position.player)}, who moves)" if game.players > 1 else ""
        lines.append(f"best {clean(stats.text)} · {value}{whose}")
    elif result.position.is_terminal:
        lines.append("the game is over")
    elif result.position.player == CHANCE:
        lines.append("chance moves next")
    else:
        lines.append("not searched yet")
    lines += found_line(result)
    speed = ""
    if result.seconds > 0:
        speed = f" in {duration(result.seconds)} ({result.simulations_per_second:,.0f} a second)"
    lines.append(f"{count(result.simulations, 'simulation')}{speed} · {count(result.nodes, 'position')} in the tree")
    return lines


def found_line(result: "Result") -> list[str]:
    """A line for the best complete line that one player without chance has seen; empty if there is none."""
    found = result.best_found
    if found is None:
        return []
    texts = " ".join(clean(text) for text in found.line[:FOUND_SHOWN])
    more = f" … ({count(len(found.line), 'action')})" if len(found.line) > FOUND_SHOWN else ""
    by = f" by simulation {found.simulation:,}" if found.simulation is not None else ""
    return [f"best found {number(found.value)}{by}: {texts}{more}"]


def _margin(stats: "ActionStats", z: float) -> str:
    """Half the interval's width. Equal returns have no spread, which does not make their mean exact: unknown."""
    if stats.proven is not None:
        return "exact"
    return f"{z * stats.error:,.3f}" if stats.error else UNKNOWN


def _line(result: "Result", stats: "ActionStats") -> str:
    if not stats.visits:
        return UNKNOWN
    texts = [clean(text) for text in result.line_text(stats.line[:LINE_SHOWN])]
    return " ".join(texts) + (" …" if len(stats.line) > LINE_SHOWN else "")
