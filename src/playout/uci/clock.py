"""How long to think about one move."""

MOVES_LEFT = 30  # moves that a game is assumed to last, unless the chess program says how many are left
INCREMENT_SHARE = 0.75  # of the increment is used; the rest is a reserve against delays
CAP_SHARE = 0.3  # of the clock is the most that one move may take
LAST_MOVE_SHARE = 0.8  # … or this share, for the last move before the next time control
LEAST_SECONDS = 0.001


def seconds_for_move(remaining: float, increment: float, moves_to_go: int | None, overhead: float) -> float:
    """How long to think, in seconds: clock / moves + 3/4 increment, but no more than 0.3 of the clock (0.8 for the last
    move before the next control). `overhead` is taken off the clock first. Never below a thousandth.

    >>> seconds_for_move(60.0, 0.0, None, 0.0)
    2.0
    >>> seconds_for_move(0.02, 0.05, None, 0.03)
    0.001
    """
    clock = remaining - overhead
    moves = min(moves_to_go, MOVES_LEFT) if moves_to_go else MOVES_LEFT
    cap = clock * max(CAP_SHARE, LAST_MOVE_SHARE / moves)
    return max(LEAST_SECONDS, min(clock / moves + INCREMENT_SHARE * increment, cap))
