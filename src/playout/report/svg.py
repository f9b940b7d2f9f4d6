"""Drawings: the most visited part of a tree, and histograms of scores."""

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .colours import BAD, GOOD, GREY, as_hex, escape, range_of, shade
from .numbers import bounds_text, significant, with_error
from .words import count, number, proven_word, results, who

if TYPE_CHECKING:
    from playout.scores import Evaluation
    from playout.search.node import Node

CARD, CARD_HEIGHT, ROW = 144, 36, 43  # a node's width and height, and the height of a row
GAP, MORE, MARGIN, HEADING = 60, 20, 8, 22  # between columns, for "n more", around the drawing, for "player 1 chose"
SMALLEST, LARGEST = 3.0, 12.0  # the radius of the disc that shows visits
LETTERS = 14  # characters of an action's text that fit on a card


# The tree.


@dataclass
class _Card:
    """A node as it is drawn."""

    node: "Node"
    column: int
    children: list["_Card"] = field(default_factory=list)
    more: int = 0  # children that are not drawn
    y: float = 0.0  # the middle of the card
    more_y: float = 0.0

    def all(self) -> "Iterator[_Card]":
        yield self
        for child in self.children:
            yield from child.all()

    @property
    def x(self) -> int:
        return MARGIN + self.column * (CARD + GAP)


def tree_svg(node: "Node", depth: int = 3, width: int = 4, most: int = 26) -> str:
    """The most visited part of the tree below a node: `depth` levels, `width` children a node, `most` nodes in all.

    The node is at the left. A disc grows with the visits; its colour is the value, from orange (bad) to blue (good),
    for the player who chose the action, who is named above the column.
    """
    root = _most_visited(node, depth, width, most)
    height = _place(root, MARGIN + HEADING) + MARGIN
    cards = list(root.all())
    limits = range_of(node.search.game, [card.node.value for card in cards])
    visits = max(1, node.visits)
    parts = [_branch(card, child, visits) for card in cards for child in card.children]
    for card in cards:
        parts.append(_drawn(card, visits, shade(card.node.value, limits)))
        if card.more and card.children:
            parts.append(text_at(card.x + CARD + GAP + 6, card.more_y + 4, f"{card.more:,} more"))
        elif card.more:
            parts.append(text_at(card.x + CARD + 6, card.y + 4, f"{card.more:,} below"))
    for column in range(1 + max(card.column for card in cards)):
        nodes = [card.node for card in cards if card.column == column]
        says = {f"{who(n.player)} moves" if n.parent is None else f"{who(n.parent.player)} chose" for n in nodes}
        if len(says) == 1:
            parts.append(text_at(MARGIN + column * (CARD + GAP), MARGIN + HEADING / 2 + 2, says.pop()))
    wide = max(card.x for card in cards) + CARD + GAP + MARGIN
    return svg_of(wide, height, parts, f"Search tree of {node.search.game.title}, {count(node.visits, 'visit')}")


def _most_visited(node: "Node", depth: int, width: int, most: int) -> _Card:
    """The nodes to draw: from the root on, always the children of the most visited node, until there are enough."""
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
    """Give a card and all cards below it their rows, starting at `top`; returns where the next one may start."""
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
    """A card with a background of its own, readable on any page."""
    node, game = card.node, card.node.search.game
    name = node.text if node.parent is not None else "root"
    word = proven_word(node.proven, game.players, game.range)
    top, middle = card.y - CARD_HEIGHT / 2, card.x + 19
    radius = SMALLEST + (LARGEST - SMALLEST) * math.sqrt(min(1.0, node.visits / visits))
    facts = f"{count(node.visits, 'visit')}, value {number(node.value)} for {who(node.value_for)}"
    if node.wdl is not None:
        facts += f", {results(node.wdl)} won/drawn/lost"
    if word:
        facts += f", proven: {word}"
    border = f'stroke="{colour}" stroke-width="2"' if word else f'stroke="{GREY}" stroke-opacity="0.6"'
    short = name if len(name) <= LETTERS else name[: LETTERS - 1] + "…"
    return (
        f"<g><title>{escape(name)}: {escape(facts)}</title>"
        f'<rect x="{card.x}" y="{top:g}" width="{CARD}" height="{CARD_HEIGHT}" rx="6" fill="#fbfbfa" {border}/>'
        f'<circle cx="{middle}" cy="{card.y:g}" r="{radius:.1f}" fill="{colour}"/>'
        f'<text x="{card.x + 38}" y="{card.y - 3:g}" font-size="12" font-weight="bold" fill="#22262b">'
        f"{escape(short)}</text>"
        f'<text x="{card.x + 38}" y="{card.y + 12:g}" fill="#4d545c">{_compact(node.visits)} · '
        f"{word or number(node.value)}</text></g>"
    )


def _compact(visits: int) -> str:
    """A count short enough for a card.

    >>> _compact(98765), _compact(1234567), _compact(2**31 - 1)
    ('98,765', '1.23M', '2,147M')
    """
    if visits < 1_000_000:
        return f"{visits:,}"
    millions = visits / 1_000_000
    return f"{millions:.2f}M" if millions < 10 else f"{millions:,.0f}M"


# Scores.


def scores_svg(found: "Evaluation", width: float = 560.0, height: float = 110.0) -> str:
    """A histogram for each player, one below the other on the same axis, with the mean and its interval."""
    edges, top, left = found.edges, 34.0, 12.0
    label = f"{found.game}: scores of {', '.join(scores.player for scores in found.scores)}"
    parts: list[str] = []
    if not edges:
        return svg_of(width, 40, [text_at(left, 24, "no game was finished")], label)
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
        floor = top + height
        median = significant(scores.quartiles[1])
        parts.append(text_at(left, top - 12, f"{scores.player}: {mean_text}{error}, median {median}"))
        for i, n in enumerate(bars):
            tall = (height - 8) * n / highest
            parts.append(
                f'<rect x="{left + i * step + 1:.1f}" y="{floor - tall:.1f}" width="{step - 2:.1f}" '
                f'height="{tall:.1f}" fill="{as_hex(GOOD)}"><title>{bounds[i]} to {bounds[i + 1]}: {n}</title></rect>'
            )
        mean = at(scores.mean)
        parts.append(f'<path d="M{left:g} {floor:g}H{width - left:g}" stroke="{GREY}"/>')
        parts.append(f'<path d="M{mean:.1f} {top:g}V{floor:g}" stroke="{as_hex(BAD)}" stroke-width="2"/>')
        if error:
            ends = f"M{at(scores.mean - scores.error):.1f} {top + 4:g}H{at(scores.mean + scores.error):.1f}"
            parts.append(f'<path d="{ends}" stroke="{as_hex(BAD)}" stroke-width="4" stroke-opacity="0.5"/>')
        top += height + 34
    for i in range(0, len(edges), max(1, len(edges) // 8)):
        parts.append(text_at(left + i * step, top - 18, bounds[i], "middle"))
    return svg_of(width, top - 8, parts, label)


# What all drawings share.


def svg_of(width: float, height: float, parts: list[str], label: str) -> str:
    """A drawing with its title, for people who do not see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" font-family="sans-serif" font-size="11">'
        f"<title>{escape(label)}</title>{''.join(parts)}</svg>"
    )


def text_at(x: float, y: float, words: str, anchor: str = "start") -> str:
    """A line of text in grey, which can be read on white and on black."""
    anchored = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{anchored} fill="{GREY}">{escape(words)}</text>'
