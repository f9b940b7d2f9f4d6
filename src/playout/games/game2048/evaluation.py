"""The static value of 2048: empty cells, ordered and smooth lines, and the largest tile in a corner."""

import numpy as np

from playout.games._shared import count_bits

from .board import NIBBLE, OFFSETS, ROUGH, UNEVEN, empty_cells, largest_tile, row_of, transposed


def evaluate(state, values):
    """An estimate of the points still to come, 0 at the end."""
    if not state.coming and not state.moves:
        return
    offset = OFFSETS[state.side]
    turned = transposed(state.board)
    empty, uneven, rough = count_bits(empty_cells(state.board, state.side)), 0, 0
    most = np.int64(largest_tile(state.board))
    for row in range(state.side):
        across, down = row_of(state.board, row, offset), row_of(turned, row, offset)
        uneven += np.int64(UNEVEN[across]) + np.int64(UNEVEN[down])
        rough += np.int64(ROUGH[across]) + np.int64(ROUGH[down])
    end = 4 * (state.side - 1)
    corner = 0.0
    for cell in (0, end, 4 * end, 4 * end + end):
        if np.int64((state.board >> np.uint64(cell)) & NIBBLE) == most:
            corner = state.corner
    found = state.alive + state.empty * empty - state.uneven * uneven - state.rough * rough + corner
    values[0] = state.scale * max(found, 0.0)  # never worth less than a lost game
