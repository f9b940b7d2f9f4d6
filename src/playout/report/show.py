"""How results and trees look: a table in a terminal, plain text, HTML and SVG in a notebook.

Whatever a game says (its words for actions, its positions) is taken for text and nothing else: it is cleaned of control
characters and escaped. Numbers read the same everywhere: 12,345 · 42.1% · +0.215 · '—' for what is not known.
"""

import base64
import heapq
import html
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any

from playout.game import CHANCE, TERMINAL

from .numbers import bounds_text, significant, with_error

if TYPE_CHECKING:
    from playout.scores import Evaluation
    from playout.search.node import Node
    from playout.search.result import ActionStats, Result

UNKNOWN = "—"
BAR = 10  # characters of the longest bar in a table
LINE_SHOWN = 6  # actions of an expected line in a table
TEXT_ROWS, TEXT_WIDTH = 12, 100  # of str(result)

# Colours that hold their own on white and on black: bad, neither, good.
BAD, MIDDLE, GOOD = (0xD9, 0x7B, 0x29), (0x8E, 0x94, 0x9C), (0x2F, 0x7F, 0xD6)
GREY = "#80868e"


# Words and numbers.


def clean(text: str) -> str:
    """A game's word on one line, without what would control a terminal or be no XML.

    >>> clean("a\\x1b[31m\\nb")
    'a�[31m�b'
    """
    return "".join(c if c.isprintable() else "�" for c in text)


def number(value: float | None) -> str:
    """A value: its sign and three decimals.

    >>> number(0.2154), number(-12345.6789), number(-0.0001), number(None)
    ('+0.215', '-12,345.679', '0.000', '—')
    """
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if abs(value) >= 1e9:
        return f"{value:+.3e}"
    return f"{value:+,.3f}" if abs(value) >= 0.0005 else "0.000"


def percent(share: float | None) -> str:
    """A share of one.

    >>> percent(0.4213), percent(1.0), percent(0.0004), percent(None)
    ('42.1%', '100.0%', '<0.1%', '—')
    """
    if share is None or not math.isfinite(share):
        return UNKNOWN
    return "<0.1%" if 0 < share < 0.0005 else f"{100 * share:.1f}%"


def count(number: float, what: str, plural: str = "") -> str:
    """So many of them.

    >>> count(1, "visit"), count(12345, "visit")
    ('1 visit', '12,345 visits')
    """
    return f"{number:,.0f} {what if number == 1 else plural or what + 's'}"


def duration(seconds: float) -> str:
    """
    >>> duration(0.0021), duration(1.234), duration(125)
    ('2.1 ms', '1.23 s', '125 s')
    """
    if seconds < 0.1:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:,.0f} s"


def proven_word(value: float | None, players: int, limits: tuple[float, float] | None) -> str | None:
    """An exact value in a word: the most there is, the least, or the number itself.

    >>> proven_word(1.0, 2, (-1.0, 1.0)), proven_word(0.0, 2, (-1.0, 1.0)), proven_word(-0.5, 1, (-1.0, 1.0))
    ('win', 'draw', '-0.500')
    """
    if value is None:
        return None
    if limits is not None:
        if value >= limits[1] - 1e-9:
            return "win" if players > 1 else "best possible"
        if value <= limits[0] + 1e-9:
            return "loss" if players > 1 else "worst possible"
        if players == 2 and abs(value - (limits[0] + limits[1]) / 2) < 1e-9:
            return "draw"
    return number(value)


def who(player: int) -> str:
    return "nobody" if player == TERMINAL else "chance" if player == CHANCE else f"player {player + 1}"


def _margin(stats: "ActionStats", z: float) -> str:
    """Half the interval. Visits that all brought the same have no spread, and tell nothing of how far off they are."""
    if stats.proven is not None:
        return "exact"
    return f"{z * stats.error:,.3f}" if stats.error else UNKNOWN


def _shares(result: "Result") -> list[float]:
    total = sum(s.visits for s in result.actions)
    return [s.visits / total if total else 0.0 for s in result.actions]


def _line(result: "Result", stats: "ActionStats") -> str:
    texts = [clean(t) for t in result.line_text(stats.line[:LINE_SHOWN])]
    return " ".join(texts) + (" …" if len(stats.line) > LINE_SHOWN else "") if stats.visits else UNKNOWN


def _word(result: "Result", value: float | None) -> str | None:
    game = result.position.game
    return proven_word(value, game.players, game.range)


def _head(result: "Result") -> list[str]:
    """What everybody wants to know, in a few short lines."""
    game, position = result.position.game, clean(result.position.text) or "the start"
    lines = [f"{clean(game.title)}: {position}"]
    if result.best is not None:
        stats, word = result.stats(result.best), _word(result, result.proven)
        value = f"value {number(result.value)}" + (f", proven: {word}" if word else "")
        whose = f" (for {who(result.position.player)}, who moves)" if game.players > 1 else ""
        lines.append(f"best {clean(stats.text)} · {value}{whose}")
    elif result.position.is_terminal:
        lines.append("the game is over")
    elif result.position.player == CHANCE:
        lines.append("chance moves next")
    else:
        lines.append("not searched yet")
    speed = ""
    if result.seconds > 0:
        speed = f" in {duration(result.seconds)} ({result.simulations_per_second:,.0f} a second)"
    lines.append(f"{count(result.simulations, 'simulation')}{speed} · {count(result.nodes, 'position')} in the tree")
    return lines


# Text.


def result_table(result: "Result", most: int | None = None) -> Any:
    """The actions as a Rich table, the most visited first; what `most` leaves out is counted below."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("action", no_wrap=True)
    for title in ("visits", "share"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, min_width=BAR)
    for title in ("value", f"± {100 * result.settings.confidence:g}%", "prior"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("proven", no_wrap=True)
    table.add_column("expected line", no_wrap=True, overflow="ellipsis", style="dim")
    shares = _shares(result)
    shown = list(zip(result.actions, shares, strict=True))[:most]
    for stats, share in shown:
        table.add_row(
            Text(clean(stats.text)),
            f"{stats.visits:,}",
            percent(share),
            Text(bar(share / (max(shares) or 1.0)), style="blue"),
            number(stats.value),
            _margin(stats, result.z),
            percent(stats.prior),
            _word(result, stats.proven) or UNKNOWN,
            Text(_line(result, stats)),
            style="bold" if stats.action == result.best else "",
        )
    if len(shown) < len(shares):
        table.caption = f"… and {count(len(shares) - len(shown), 'more action')}"
        table.caption_justify = "left"
    return table


def result_text(result: "Result") -> str:
    """The result as plain text, without colours."""
    from rich.console import Console

    lines = _head(result)
    if result.actions:
        file = StringIO()
        # Nothing of the surroundings (a terminal, FORCE_COLOR, COLUMNS) may change what str() gives.
        console = Console(file=file, width=TEXT_WIDTH, color_system=None, force_terminal=False, _environ={})
        console.print(result_table(result, TEXT_ROWS))
        lines += ["", *(line.rstrip() for line in file.getvalue().rstrip().splitlines())]
    return "\n".join(lines)


def bar(share: float, length: int = BAR) -> str:
    """A bar of eighths of a character; what is above nothing shows at least one.

    >>> bar(0.3), bar(1e-9, 40), bar(0.0)
    ('███', '▏', '')
    """
    eighths = max(1, round(8 * length * share)) if share > 0 else 0
    return "█" * (eighths // 8) + ("▏▎▍▌▋▊▉"[eighths % 8 - 1] if eighths % 8 else "")


# HTML.


def result_html(result: "Result", tree: str = "", most: int = 20) -> str:
    """The result for a notebook: the numbers, the board, the actions; `tree` is a drawing to put below."""
    head = _head(result)
    cell = "padding:2px 10px 2px 0;text-align:{};border:0;white-space:nowrap;background:none"
    left, right = cell.format("left"), cell.format("right")
    titles = (
        ("action", left),
        ("visits", right),
        ("share", right),
        ("", left),
        ("value", right),
        (f"± {100 * result.settings.confidence:g}%", right),
        ("prior", right),
        ("proven", left),
        ("expected line", left),
    )
    shares = _shares(result)
    rows = []
    for stats, share in list(zip(result.actions, shares, strict=True))[:most]:
        length = 80 * share / max(shares) if share else 0
        bar = (
            f'<div style="width:80px"><div style="width:{length:.1f}px;height:9px;border-radius:2px;'
            f'background:{_colour(result, stats.value)}"></div></div>'
        )
        texts = (
            _escape(stats.text),
            f"{stats.visits:,}",
            _escape(percent(share)),
            bar,
            number(stats.value),
            _margin(stats, result.z),
            _escape(percent(stats.prior)),
            _word(result, stats.proven) or UNKNOWN,
            _escape(_line(result, stats)),
        )
        cells = (f'<td style="{style}">{text}</td>' for text, (_, style) in zip(texts, titles, strict=True))
        weight = ' style="font-weight:bold"' if stats.action == result.best else ""
        rows.append(f"<tr{weight}>{''.join(cells)}</tr>")
    table = ""
    if rows:
        names = "".join(f'<th style="{style};opacity:.7">{title}</th>' for title, style in titles)
        look = "border-collapse:collapse;border:0;margin:0;font:inherit;color:inherit"
        table = f'<table style="{look}"><tr>{names}</tr>{"".join(rows)}</table>'
    if len(rows) < len(shares):
        table += f'<div style="opacity:.7">… and {count(len(shares) - len(rows), "more action")}</div>'
    title = f'<div style="font-weight:bold">{_escape(head[0])}</div>'
    facts = "".join(f"<div>{_escape(line)}</div>" for line in head[1:])
    below = f'<div style="margin-top:12px;overflow-x:auto">{tree}</div>' if tree else ""
    return (
        '<div style="font-family:sans-serif;font-size:13px;line-height:1.5">'
        '<div style="display:flex;gap:24px;flex-wrap:wrap;align-items:flex-start">'
        f'<div>{_picture(result)}</div><div style="overflow-x:auto">{title}{facts}'
        f'<div style="margin-top:8px">{table}</div></div></div>{below}</div>'
    )


def _picture(result: "Result") -> str:
    """The game's drawing as an image: it can't run scripts or change the page around it."""
    drawing = result.position.draw()
    if "xmlns=" not in drawing.partition(">")[0]:
        drawing = drawing.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    data = base64.b64encode(drawing.encode()).decode()
    return f'<img alt="{_escape(result.position.text)}" style="max-width:180px" src="data:image/svg+xml;base64,{data}">'


def _colour(result: "Result", value: float | None) -> str:
    values = [s.value for s in result.actions if s.value is not None]
    limits = result.position.game.range or ((min(values), max(values)) if values else None)
    return _shade(value, limits)


def _shade(value: float | None, limits: tuple[float, float] | None) -> str:
    """Orange for the least, grey halfway, blue for the most; small differences from halfway can be seen."""
    if value is None or limits is None or not limits[1] > limits[0]:
        return _hex(MIDDLE)
    at = 2 * min(1.0, max(0.0, (value - limits[0]) / (limits[1] - limits[0]))) - 1
    end, strength = GOOD if at > 0 else BAD, math.sqrt(abs(at))
    return _hex(tuple(round(m + strength * (e - m)) for m, e in zip(MIDDLE, end, strict=True)))


def _hex(colour: tuple[int, ...]) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour)


def _escape(text: str) -> str:
    return html.escape(clean(text))


# The tree.

CARD, CARD_HEIGHT, ROW = 144, 36, 43  # a node's width and height, and the height that it takes with its surroundings
GAP, MORE, MARGIN, HEADING = 60, 20, 8, 22  # between columns, for "n more", around it all, for "player 1 chose"
SMALLEST, LARGEST = 3.0, 12.0  # radius of the disc that stands for visits
LETTERS = 14  # of an action's text


@dataclass
class _Card:
    """A node as it is drawn."""

    node: "Node"
    column: int
    children: list["_Card"] = field(default_factory=list)
    more: int = 0  # children that are not drawn
    y: float = 0.0  # of its middle
    more_y: float = 0.0

    def all(self) -> "Iterator[_Card]":
        yield self
        for child in self.children:
            yield from child.all()

    @property
    def x(self) -> int:
        return MARGIN + self.column * (CARD + GAP)


def tree_svg(node: "Node", depth: int = 3, width: int = 4, most: int = 26) -> str:
    """The part of the tree below a node that was visited most: so many levels, children of a node, nodes in all.

    The node is at the left. A disc grows with the visits; its colour is the value, from orange (bad) to blue (good),
    for the player who chose the action, who is named above the column.
    """
    root = _most_visited(node, depth, width, most)
    height = _place(root, MARGIN + HEADING) + MARGIN
    cards = list(root.all())
    values = [v for card in cards if (v := card.node.value) is not None]
    limits = node.search.game.range or ((min(values), max(values)) if values else None)
    visits = max(1, node.visits)
    parts = [_branch(card, child, visits) for card in cards for child in card.children]
    for card in cards:
        parts.append(_drawn(card, visits, _shade(card.node.value, limits)))
        if card.more:
            beside, below = (card.x + CARD + 6, card.y), (card.x + CARD + GAP + 6, card.more_y)
            parts.append(
                _note(*below, f"{card.more:,} more") if card.children else _note(*beside, f"{card.more:,} below")
            )
    for column in range(1 + max(card.column for card in cards)):
        nodes = [card.node for card in cards if card.column == column]
        says = {f"{who(n.player)} moves" if n.parent is None else f"{who(n.parent.player)} chose" for n in nodes}
        if len(says) == 1:
            parts.append(_note(MARGIN + column * (CARD + GAP), MARGIN + HEADING / 2 - 2, says.pop()))
    wide = max(card.x for card in cards) + CARD + GAP + MARGIN
    label = f"Search tree of {clean(node.search.game.title)}, {count(node.visits, 'visit')}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {height:g}" width="{wide}" height="{height:g}" '
        f'role="img" font-family="sans-serif" font-size="11"><title>{html.escape(label)}</title>{"".join(parts)}</svg>'
    )


def _most_visited(node: "Node", depth: int, width: int, most: int) -> _Card:
    """What to draw: always the children of the node visited most among those that are there, until there are enough."""
    root = _Card(node, 0)
    waiting, order = [(-node.visits, 0, root)], 0
    drawn = 1
    while waiting:
        _, _, card = heapq.heappop(waiting)
        children = [n for n in card.node.first_children(width) if n.is_visited] if card.column < depth else []
        children = children[: max(0, most - drawn)]
        card.children = [_Card(n, card.column + 1) for n in children]
        card.more = card.node.child_count - len(children)
        drawn += len(children)
        for child in card.children:
            order += 1
            heapq.heappush(waiting, (-child.node.visits, order, child))
    return root


def _place(card: _Card, top: float) -> float:
    """Give a card and all below it their rows, from `top` on; returns where the next may begin."""
    if not card.children:
        card.y = top + ROW / 2
        return top + ROW
    for child in card.children:
        top = _place(child, top)
    card.y = (card.children[0].y + card.children[-1].y) / 2
    card.more_y = top + MORE / 2 - 6
    return top + (MORE if card.more else 0)


def _branch(card: _Card, child: _Card, visits: int) -> str:
    start, end = card.x + CARD, child.x
    middle, thick = (start + end) / 2, 1.0 + 5.0 * math.sqrt(child.node.visits / visits)
    return (
        f'<path d="M{start} {card.y:g}C{middle:g} {card.y:g} {middle:g} {child.y:g} {end} {child.y:g}" fill="none" '
        f'stroke="{GREY}" stroke-opacity="0.5" stroke-width="{thick:.1f}"/>'
    )


def _drawn(card: _Card, visits: int, colour: str) -> str:
    """A card with its own background, so that it can be read on any page."""
    node, game = card.node, card.node.search.game
    name = clean(node.text) if node.parent is not None else "root"
    word = proven_word(node.proven, game.players, game.range)
    top, middle = card.y - CARD_HEIGHT / 2, card.x + 19
    radius = SMALLEST + (LARGEST - SMALLEST) * math.sqrt(min(1.0, node.visits / visits))
    facts = f"{count(node.visits, 'visit')}, value {number(node.value)} for {who(node.value_for)}"
    if word:
        facts += f", proven: {word}"
    border = f'stroke="{colour}" stroke-width="2"' if word else f'stroke="{GREY}" stroke-opacity="0.6"'
    short = name if len(name) <= LETTERS else name[: LETTERS - 1] + "…"
    return (
        f"<g><title>{html.escape(name)}: {html.escape(facts)}</title>"
        f'<rect x="{card.x}" y="{top:g}" width="{CARD}" height="{CARD_HEIGHT}" rx="6" fill="#fbfbfa" {border}/>'
        f'<circle cx="{middle}" cy="{card.y:g}" r="{radius:.1f}" fill="{colour}"/>'
        f'<text x="{card.x + 38}" y="{card.y - 3:g}" font-size="12" font-weight="bold" fill="#22262b">'
        f"{html.escape(short)}</text>"
        f'<text x="{card.x + 38}" y="{card.y + 12:g}" fill="#4d545c">{_compact(node.visits)} · '
        f"{word or number(node.value)}</text></g>"
    )


def _compact(visits: int) -> str:
    """A count that fits: 98,765 or 1.23M.

    >>> _compact(98765), _compact(1234567), _compact(2**31 - 1)
    ('98,765', '1.23M', '2,147M')
    """
    if visits < 1_000_000:
        return f"{visits:,}"
    millions = visits / 1_000_000
    return f"{millions:.2f}M" if millions < 10 else f"{millions:,.0f}M"


def _note(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y + 4:g}" fill="{GREY}">{html.escape(text)}</text>'


# Scores.


def scores_svg(found: "Evaluation", width: float = 560.0, height: float = 110.0) -> str:
    """A histogram for each player, one below the other on the same axis, with the mean and its interval."""
    edges, top, left = found.edges, 34.0, 12.0
    label = f"{found.game}: scores of {', '.join(scores.player for scores in found.scores)}"
    parts: list[str] = []
    if not edges:
        return _svg(width, 40, [_svg_text(left, 24, "no game was finished")], label)
    step = (width - 2 * left) / (len(edges) - 1)
    counts, bounds = [scores.histogram(edges) for scores in found.scores], bounds_text(edges)
    highest = max(max(found) for found in counts)

    def at(score: float) -> float:
        share = (score - edges[0]) / (edges[-1] - edges[0])
        return left + min(max(share, 0.0), 1.0) * (width - 2 * left)

    for scores, bars in zip(found.scores, counts, strict=True):
        if not scores.records:
            continue
        mean_text, error_text = with_error(scores.mean, scores.error)
        error = "" if math.isnan(scores.error) else f" ± {error_text}"
        words = f"{clean(scores.player)}: {mean_text}{error}, median {significant(scores.quartiles[1])}"
        floor = top + height
        parts.append(_svg_text(left, top - 12, words))
        for i, n in enumerate(bars):
            tall = (height - 8) * n / highest
            parts.append(
                f'<rect x="{left + i * step + 1:.1f}" y="{floor - tall:.1f}" width="{step - 2:.1f}" '
                f'height="{tall:.1f}" fill="{_rgb(GOOD)}"><title>{bounds[i]} to {bounds[i + 1]}: {n}</title></rect>'
            )
        mean = at(scores.mean)
        parts.append(f'<path d="M{left:g} {floor:g}H{width - left:g}" stroke="{GREY}"/>')
        parts.append(f'<path d="M{mean:.1f} {top:g}V{floor:g}" stroke="{_rgb(BAD)}" stroke-width="2"/>')
        if error:
            ends = f"M{at(scores.mean - scores.error):.1f} {top + 4:g}H{at(scores.mean + scores.error):.1f}"
            parts.append(f'<path d="{ends}" stroke="{_rgb(BAD)}" stroke-width="4" stroke-opacity="0.5"/>')
        top += height + 34
    for i in range(0, len(edges), max(1, len(edges) // 8)):
        parts.append(_svg_text(left + i * step, top - 18, bounds[i], "middle"))
    return _svg(width, top - 8, parts, label)


def _svg(width: float, height: float, parts: list[str], label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" font-family="sans-serif" font-size="11">'
        f"<title>{_escape(label)}</title>{''.join(parts)}</svg>"
    )


def _svg_text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{GREY}">{_escape(words)}</text>'


def _rgb(colour: tuple[int, int, int]) -> str:
    return f"#{colour[0]:02x}{colour[1]:02x}{colour[2]:02x}"
