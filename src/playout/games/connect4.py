"""Connect four: drop stones into seven columns, four in a row win."""

import re
from typing import Any

import numpy as np

from playout.core.rng import random_below
from playout.errors import PositionError
from playout.game import TERMINAL, Game

from . import _shared as shared

# Bitboards, one for each side. A column has seven bits; the seventh is always empty, so that no line of four runs from
# one column into the next. Neighbours: 1 up, 7 right, 8 right and up, 6 right and down.
#
#     6 13 20 27 34 41 48     always empty
#     5 12 19 26 33 40 47
#     4 11 18 25 32 39 46
#     3 10 17 24 31 38 45
#     2  9 16 23 30 37 44
#     1  8 15 22 29 36 43
#     0  7 14 21 28 35 42
#     1  2  3  4  5  6  7     the column's name

BOTTOM = np.uint64(sum(1 << 7 * column for column in range(7)))
CELLS = np.uint64(sum(63 << 7 * column for column in range(7)))
CENTRE = np.uint64(63 << 21)
DIRECTIONS = (1, 6, 7, 8)
ZERO, ONE, COLUMN = np.uint64(0), np.uint64(1), np.uint64(63)
ODD, HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


@shared.helper
def has_four(stones):
    found = ZERO
    for step in DIRECTIONS:
        pairs = stones & (stones >> np.uint64(step))
        found |= pairs & (pairs >> np.uint64(2 * step))
    return found != 0


@shared.helper
def completing(stones, occupied):
    """The empty cells, within reach or not, that would make four of these stones."""
    found = ZERO
    for step in DIRECTIONS:
        one, two, three = np.uint64(step), np.uint64(2 * step), np.uint64(3 * step)
        before, after = stones << one, stones >> one
        found |= before & (stones << two) & ((stones << three) | after)
        found |= after & (stones >> two) & ((stones >> three) | before)
    return found & (CELLS ^ (occupied & CELLS))


class Connect4(Game):
    """Players: X (0) moves first, O (1). Actions: columns 0 to 6, written 1 to 7.

    Positions: the columns played, `44455` (the empty board: an empty text); or six rows from the top, `......./…`, of
    X, O and points. A position is written as columns in an order that leads to it, not always the one it was played in.

    What a network sees: the player's own stones, then the other's; row 0 is the bottom. It answers with the columns.
    """

    name = "connect4"
    preset = "connect4"
    players = 2
    max_actions = 7
    planes = (2, 6, 7)
    policy_size = 7
    state = np.dtype([("mine", np.uint64), ("theirs", np.uint64), ("ply", np.int32), ("over", np.int32)])

    @staticmethod
    def initial_state(state):
        pass  # an empty board is all zeros

    @staticmethod
    def current_player(state):
        return TERMINAL if state.over else state.ply & 1

    @staticmethod
    def legal_actions(state, actions):
        occupied = state.mine | state.theirs
        count = 0
        for column in range(7):
            if (occupied >> np.uint64(7 * column + 5)) & ONE == 0:
                actions[count] = column
                count += 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        player = state.ply & 1
        column = np.uint64(7 * action)
        occupied = state.mine | state.theirs
        stones = state.mine | ((occupied + (ONE << column)) & (COLUMN << column))
        state.mine = state.theirs
        state.theirs = stones
        state.ply += 1
        if has_four(stones):
            rewards[player] = 1.0
            rewards[1 - player] = -1.0
            state.over = 1
        elif state.ply == 42:
            state.over = 1

    @staticmethod
    def hash(state):
        # Mine plus occupied plus the bottom row is one number for each board, and each step after it can be undone.
        key = (state.mine + (state.mine | state.theirs) + BOTTOM) * ODD
        return key ^ (key >> HALF)

    @staticmethod
    def priors(state, actions, count, out):
        """The centre first; a win before everything, then a block, last what lets the other side win on top of it."""
        occupied = state.mine | state.theirs
        wins, losses = completing(state.mine, occupied), completing(state.theirs, occupied)
        total = 0.0
        for i in range(count):
            column = np.uint64(7 * actions[i])
            stone = (occupied + (ONE << column)) & (COLUMN << column)
            weight = 4.0 - abs(3 - actions[i])
            if stone & wins != 0:
                weight = 1000.0
            elif stone & losses != 0:
                weight = 100.0
            elif (stone << ONE) & losses != 0:
                weight *= 0.05
            out[i] = weight
            total += weight
        for i in range(count):
            out[i] /= total

    @staticmethod
    def playout_action(state, actions, count, rng):
        """Win if that can be done, else block, else anything but what lets the other side win on top of it."""
        occupied = state.mine | state.theirs
        reachable = (occupied + BOTTOM) & CELLS
        wins = completing(state.mine, occupied) & reachable
        if wins != 0:
            return shared.lowest_bit(wins) // 7
        losses = completing(state.theirs, occupied)
        good = reachable & losses
        if good == 0:
            good = reachable & ~(losses >> ONE)
        if good == 0:
            good = reachable
        for _ in range(random_below(rng, shared.count_bits(good))):
            good &= good - ONE
        return shared.lowest_bit(good) // 7

    @staticmethod
    def evaluate(state, values):
        """Cells that would make four count two, stones in the centre a half; s becomes s / (4 + |s|)."""
        if state.over:
            return
        occupied = state.mine | state.theirs
        reachable = (occupied + BOTTOM) & CELLS
        wins, losses = completing(state.mine, occupied), completing(state.theirs, occupied)
        score = 2.0 * (shared.count_bits(wins) - shared.count_bits(losses))
        score += 0.5 * (shared.count_bits(state.mine & CENTRE) - shared.count_bits(state.theirs & CENTRE))
        value = score / (4.0 + abs(score))
        if wins & reachable != 0:
            value = 0.95
        elif shared.count_bits(losses & reachable) > 1:  # two cells to block
            value = -0.95
        player = state.ply & 1
        values[player] = value
        values[1 - player] = -value

    @staticmethod
    def observe(state, player, planes):
        own = 0 if state.ply & 1 == player else 1  # `mine` is of the side to move
        for row in range(6):
            for column in range(7):
                cell = np.uint64(7 * column + row)
                planes[own, row, column] = (state.mine >> cell) & ONE
                planes[1 - own, row, column] = (state.theirs >> cell) & ONE

    def symmetries(self) -> list[tuple[Any, Any]]:
        """Left and right exchanged."""
        cells = np.arange(2 * 6 * 7).reshape(self.planes)
        return [(cells[:, :, ::-1].ravel(), np.arange(7)[::-1].copy())]

    def action_to_text(self, state: Any, action: int) -> str:
        return str(action + 1)

    def action_from_text(self, state: Any, text: str) -> int:
        if not re.fullmatch("[1-7]", text.strip()):
            raise shared.refused(self, state, text, "expected a column, 1 to 7")
        action = int(text) - 1
        if action not in shared.legal(self, state):
            raise shared.refused(self, state, text, f"column {action + 1} is full")
        return action

    def state_to_text(self, state: Any) -> str:
        rows = _rows(state)
        order = _order(rows)
        return "/".join(rows) if order is None else "".join(str(column + 1) for column in order)

    def state_from_text(self, state: Any, text: str) -> None:
        if text[0].isdigit():
            moves = re.sub(r"[,\s]", "", text)
            if not re.fullmatch(r"\d*", moves):
                raise PositionError(f"{self.title}: can't read moves '{text}', expected columns 1 to 7 as in 44455")
            shared.replay(self, state, moves, text)
            return
        rows = re.split(r"[/\s]+", re.sub(r"[-_]", ".", text.upper()))
        if len(rows) != 6 or not all(re.fullmatch("[XO.]{7}", row) for row in rows):
            raise PositionError(
                f"{self.title}: can't read position '{text}', expected columns 1 to 7 as in 44455, or six rows of "
                f"seven X, O and . from the top as in {'/'.join(['.......'] * 5)}/..XO..."
            )
        order = _order(rows)
        if order is None:
            raise PositionError(f"{self.title}: position '{text}' can't be: {_impossible(rows)}")
        shared.replay(self, state, [str(column + 1) for column in order], text)

    def show(self, state: Any) -> str:
        lines = ["  ".join(row) for row in _rows(state)]
        return "\n".join([*lines, "  ".join("1234567"), _status(state)])

    def draw(self, state: Any) -> str:
        body = [shared.element("rect", width=288, height=248, rx=12, fill="#2f62a3")]
        winners = _winning_cells(state)
        for r, row in enumerate(_rows(state)):
            for c, cell in enumerate(row):
                fill = {"X": shared.RED, "O": shared.GOLD}.get(cell, "#dfe6ee")
                ring = 4 if 7 * c + 5 - r in winners else 0
                body.append(
                    shared.element(
                        "circle", cx=24 + 40 * c, cy=24 + 40 * r, r=16, fill=fill, stroke="#fff", stroke_width=ring
                    )
                )
        for c in range(7):
            body.append(shared.element("text", str(c + 1), x=24 + 40 * c, y=264, font_size=14, fill=shared.GREY))
        return shared.svg(288, 270, body, f"Connect four, {_status(state)}")


def _rows(state: Any) -> list[str]:
    """Six rows from the top, each cell X, O or a point."""
    mine, theirs = int(state.mine), int(state.theirs)
    own, other = "XO" if state.ply % 2 == 0 else "OX"

    def cell(bit: int) -> str:
        return own if mine >> bit & 1 else other if theirs >> bit & 1 else "."

    return ["".join(cell(7 * column + height) for column in range(7)) for height in range(5, -1, -1)]


def _stones(rows: list[str], side: str) -> int:
    return sum(1 << 7 * c + 5 - r for r, row in enumerate(rows) for c, cell in enumerate(row) if cell == side)


def _order(rows: list[str]) -> list[int] | None:
    """Columns to play, the sides in turn and nobody winning before the end, that build this board; None: no way.

    Without a four any order will do, since part of such a board has none either. With one, the last stone must be part
    of every four.
    """
    stacks = ["".join(row[c] for row in reversed(rows)).rstrip(".") for c in range(7)]
    total = sum(map(len, stacks))
    if any("." in stack for stack in stacks) or _stones(rows, "X").bit_count() != (total + 1) // 2:
        return None
    sides = [np.uint64(_stones(rows, side)) for side in "XO"]
    if not any(has_four(stones) for stones in sides):
        return _build(stacks, total)
    last = "XO"[(total + 1) % 2]
    for column, stack in enumerate(stacks):
        if stack.endswith(last):
            stone = np.uint64(1 << 7 * column + len(stack) - 1)
            if any(has_four(stones & ~stone) for stones in sides):
                continue
            order = _build([s[:-1] if c == column else s for c, s in enumerate(stacks)], total - 1)
            if order is not None:
                return [*order, column]
    return None


def _build(stacks: list[str], total: int) -> list[int] | None:
    """The same for stacks of X and O without a four, by trying; heights that led nowhere are not tried twice."""
    heights, order = [0] * 7, list[int]()
    failed: set[tuple[int, ...]] = set()

    def extend() -> bool:
        if len(order) == total:
            return True
        if tuple(heights) in failed:
            return False
        side = "XO"[len(order) % 2]
        for column, stack in enumerate(stacks):
            if stack[heights[column] : heights[column] + 1] == side:
                heights[column] += 1
                order.append(column)
                if extend():
                    return True
                heights[column] -= 1
                order.pop()
        failed.add(tuple(heights))
        return False

    return order if extend() else None


def _impossible(rows: list[str]) -> str:
    """Why nobody can have played this board."""
    for c in range(7):
        stack = "".join(row[c] for row in reversed(rows))
        if "." in stack.rstrip("."):
            return f"a stone in column {c + 1} hangs in the air"
    counts = [_stones(rows, side).bit_count() for side in "XO"]
    won = [bool(has_four(np.uint64(_stones(rows, side)))) for side in "XO"]
    return shared.impossible(counts, won, "four") or "no order of moves, X and O in turn, leads to it"


def _winning_cells(state: Any) -> set[int]:
    stones, found = int(state.theirs), set[int]()
    for bit in range(49):
        for step in DIRECTIONS:
            line = [bit + step * i for i in range(4)]
            if all(stones >> b & 1 for b in line):
                found.update(line)
    return found


def _status(state: Any) -> str:
    if has_four(state.theirs):
        return f"{'OX'[state.ply % 2]} has won"
    return "a draw" if state.over else f"{'XO'[state.ply % 2]} to move"
