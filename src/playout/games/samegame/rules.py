"""The rules of SameGame: groups, gravity, and what they bring."""

import numpy as np

from playout.core.rng import random_below
from playout.game import TERMINAL, Game
from playout.games._shared import helper

# A column is 16 bytes, its lowest cell first: cell = 16 * column + row. A group is named by its first cell.
#
#     2 1 . .     a1 is the group of     . . . .     4 points; now a1 is
#     1 1 2 .     the four 1s; taken     . . 2 .     the group of the
#     1 2 2 3     off the board:         2 2 2 3     four 2s

MOST = 15  # columns, and rows
COLUMN, CELLS = 16, 16 * MOST
MOST_COLOURS = 9
MOST_GROUPS = MOST * MOST // 2
CODE_BITS = 18  # as many codes as papers' programs have
EMPTY_BONUS = 1000
EARLY = 10  # moves

KEYS = np.random.default_rng(1).integers(2**64, size=(CELLS, MOST_COLOURS + 1), dtype=np.uint64)
KEYS[:, 0] = 0
CODES = (KEYS >> np.uint64(64 - CODE_BITS)).astype(np.uint32)


@helper
def first_of(parents, cell):
    while parents[cell] != cell:
        cell = np.int64(parents[cell])
    return cell


@helper
def join_cells(state):
    """For each cell, an earlier one of its group, or itself: only neighbours below and to the left are compared."""
    for column in range(state.width):
        for cell in range(COLUMN * column, COLUMN * column + state.heights[column]):
            colour = state.cells[cell]
            first = np.int64(cell)
            state.parents[cell] = cell
            if cell > COLUMN * column and state.cells[cell - 1] == colour:
                first = first_of(state.parents, np.int64(cell - 1))
                state.parents[cell] = first
            if column > 0 and state.cells[cell - COLUMN] == colour:
                left = first_of(state.parents, np.int64(cell - COLUMN))
                state.parents[max(first, left)] = min(first, left)


@helper
def find_groups(state):
    """Label the cells with their groups, and list the groups that can be removed."""
    join_cells(state)
    count, of_tabu, allowed = 0, 0, 0
    before = np.int64(state.count)
    for column in range(state.width):
        for cell in range(COLUMN * column, COLUMN * column + state.heights[column]):
            colour = state.cells[cell]
            first = state.parents[state.parents[cell]]  # the earlier cell has its final label
            state.parents[cell] = first
            if first == cell:
                state.sizes[cell] = 1
                state.codes[cell] = CODES[cell, colour]
                continue
            state.sizes[cell] = 0
            state.codes[cell] = 0
            state.codes[first] ^= CODES[cell, colour]
            state.sizes[first] += 1
            if state.sizes[first] == 2:
                state.groups[count] = first
                count += 1
                of_tabu += colour == state.avoided
    listed = max(before, count)
    if 0 < of_tabu < count:
        for i in range(count):
            first = state.groups[i]
            pair = state.sizes[first] == 2 and state.made > EARLY
            if state.cells[first] != state.avoided or pair:
                state.groups[allowed] = first
                allowed += 1
        count = allowed
    for i in range(count, listed):
        state.groups[i] = 0
    state.count = count


@helper
def clear_cell(state, cell):
    """Empty a cell. What was known about it goes too: equal boards are equal states."""
    state.cells[cell] = 0
    state.parents[cell] = 0
    state.sizes[cell] = 0
    state.codes[cell] = 0


@helper
def remove_group(state, group):
    """Take a group off the board and let the rest fall."""
    left = np.int64(state.sizes[group])
    column = group // COLUMN
    emptied = 0
    while left > 0:
        bottom = COLUMN * column
        kept, height = bottom, bottom + np.int64(state.heights[column])
        for cell in range(bottom, height):
            if state.parents[cell] == group:
                left -= 1
            else:
                state.cells[kept] = state.cells[cell]
                kept += 1
        for cell in range(kept, height):
            clear_cell(state, cell)
        state.heights[column] = kept - bottom
        emptied += kept == bottom
        column += 1
    if emptied > 0:
        close_up(state, group // COLUMN)


@helper
def close_up(state, column):
    """Move columns to the left, over the empty ones."""
    to = column
    for at in range(column, state.width):
        height = np.int64(state.heights[at])
        if height == 0:
            continue
        if to < at:
            for row in range(MOST):
                state.cells[COLUMN * to + row] = state.cells[COLUMN * at + row]
                clear_cell(state, COLUMN * at + row)
            state.heights[to] = height
            state.heights[at] = 0
        to += 1
    state.width = to


class SameGameRules(Game):
    """An action is the first cell of a group."""

    players = 1
    max_actions = MOST_GROUPS
    action_codes = 1 << CODE_BITS
    unkeyed = ("score", "made")
    settings = {"board": 0, "columns": 15, "rows": 15, "colours": 5, "seed": 1, "tabu": 0, "cells": ""}  # noqa: RUF012
    files = {"file": "cells"}  # noqa: RUF012
    state = np.dtype(
        [
            ("cells", np.uint8, (CELLS,)),  # colours from 1 on; 0: empty
            ("heights", np.uint8, (MOST,)),
            ("width", np.uint8),  # columns that are not empty
            ("count", np.uint8),  # of `groups`
            ("score", np.int32),
            ("made", np.int32),  # moves
            # About the groups, by their first cell; other entries are 0.
            ("parents", np.uint8, (CELLS,)),  # of any cell: the first cell of its group
            ("sizes", np.uint8, (CELLS,)),
            ("codes", np.uint32, (CELLS,)),
            ("groups", np.uint8, (MOST_GROUPS,)),  # those that can be removed
        ]
    )
    constants = np.dtype(
        [
            ("board", np.int64),
            ("columns", np.int64),
            ("rows", np.int64),
            ("colours", np.int64),
            ("seed", np.int64),
            ("tabu", np.int64),
            ("frequent", np.int64),  # the most frequent colour of the board
            ("avoided", np.int64),  # the colour that tabu=1 saves for the end; 0: none
            ("start", np.uint8, (CELLS,)),
        ]
    )

    @staticmethod
    def initial_state(state):
        for cell in range(CELLS):
            state.cells[cell] = state.start[cell]
            if state.start[cell] > 0:
                state.heights[cell // COLUMN] += 1
                state.width = cell // COLUMN + 1
        find_groups(state)

    @staticmethod
    def current_player(state):
        return TERMINAL if state.count == 0 else 0

    @staticmethod
    def legal_actions(state, actions):
        for i in range(state.count):
            actions[i] = state.groups[i]
        return state.count

    @staticmethod
    def apply(state, action, rewards):
        points = (np.int64(state.sizes[action]) - 2) ** 2
        remove_group(state, action)
        if state.width == 0:
            points += EMPTY_BONUS
        state.score += points
        state.made += 1
        rewards[0] = points
        find_groups(state)

    @staticmethod
    def action_code(state, action):
        """A hash of the group's cells and its colour."""
        return np.int64(state.codes[action])

    @staticmethod
    def playout_action(state, actions, count, rng):
        """Any group, but one of the colour that the board has most of only if three draws give nothing else."""
        action = np.int64(actions[random_below(rng, count)])
        for _ in range(2):
            if state.cells[action] == state.frequent:
                action = np.int64(actions[random_below(rng, count)])
        return action

    @staticmethod
    def hash(state):
        """Zobrist key of the cells."""
        key = np.uint64(0)
        for column in range(state.width):
            for cell in range(COLUMN * column, COLUMN * column + state.heights[column]):
                key ^= KEYS[cell, state.cells[cell]]
        return key
