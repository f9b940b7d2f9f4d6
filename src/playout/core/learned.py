"""What playouts learn: how simulations ended in which a player took an action, wherever in the game that was.

MAST (Finnsson and Björnsson 2008) keeps the mean return of each action, NST (Tak, Winands and Björnsson 2012) also that
of each action after the one before it. Playouts take the legal action of the highest mean, now and then any.

The tables are one array, `tree.learned`: for each entry the mean of its returns (not a number if it has none) and how
many there were. First come the entries of single actions, player * codes + code, then for NST those of pairs. They
belong to the tree: a new one knows nothing, and when an action is played, the returns so far count for less.
"""

from typing import Any

import numpy as np

from .arrays import zero
from .jit import inlined, njit
from .params import NST, OPEN, RANDOM
from .played import NOTHING

MOST_PAIR_BITS = 16  # 2 to this power: the most entries for pairs; with more pairs, some share an entry
TRUSTED = 7  # returns that a pair needs before its mean counts, as in the paper
MIX = 0x9E3779B1
TO_SHARE = 2.0**-32  # a number of 32 bits as a share of all


def pair_bits_for(players: int, codes: int) -> int:
    """2 to this power is the number of entries for pairs: one for each pair, or as many as there may be.

    >>> pair_bits_for(2, 16), pair_bits_for(2, 512)
    (9, 16)
    """
    return min(MOST_PAIR_BITS, int(players * codes * codes - 1).bit_length())


def new_learned(players: int, codes: int, learns: int) -> Any:
    """Tables in which nothing has been learned yet; empty if playouts don't learn."""
    entries = players * codes if learns != RANDOM else 0
    if learns == NST:
        entries += 1 << pair_bits_for(players, codes)
    return decayed(np.zeros(2 * entries), 0.0)


def decayed(learned: Any, decay: float) -> Any:
    """The same means, each of as many returns as there were, times `decay`.

    >>> decayed(np.array([0.5, 8.0, -1.0, 3.0]), 0.25).tolist()
    [0.5, 2.0, -1.0, 0.75]
    >>> decayed(np.array([0.5, 8.0]), 0.0).tolist()
    [nan, 0.0]
    """
    counts = decay * learned[1::2]
    return np.column_stack([np.where(counts > 0.0, learned[::2], np.nan), counts]).ravel()


def has_fault(learned: Any) -> bool:
    """Whether the numbers of a table can't be: a count that is negative or not finite, or returns without a mean."""
    means, counts = learned[::2], learned[1::2]
    return not (np.all((counts >= 0.0) & (counts < np.inf)) and np.all(np.isfinite(means) == (counts > 0.0)))


@njit
def add_learned(total, before, own):
    """Add to a table what a thread has learned in its own copy since that was made from `before`.

    >>> total = np.array([0.5, 2.0, np.nan, 0.0])
    >>> add_learned(total, total.copy(), np.array([0.2, 5.0, 1.0, 1.0]))
    >>> [float(number) for number in total.round(12)]
    [0.2, 5.0, 1.0, 1.0]
    """
    for entry in range(total.shape[0] // 2):
        at = 2 * entry
        more = own[at + 1] - before[at + 1]
        if more > 0.0:
            known, count = total[at] * total[at + 1] if total[at + 1] > 0.0 else 0.0, total[at + 1] + more
            learnt = own[at] * own[at + 1] - (before[at] * before[at + 1] if before[at + 1] > 0.0 else 0.0)
            total[at], total[at + 1] = (known + learnt) / count, count


@njit
def pair_place(entry, before, single, pair_bits):
    """The place of a pair among the pairs: an action's entry and the code of the action before it.

    `single` is the number of entries of single actions. As long as all pairs fit, each has a place of its own.
    """
    key = before * single + entry
    if pair_bits < MOST_PAIR_BITS:
        return key
    return (key ^ ((key >> pair_bits) * MIX)) & ((1 << pair_bits) - 1)


@njit
def mean_of(learned, entry, before, single, pair_bits):
    """The mean of an action, not a number if it has no returns.

    With NST (`pair_bits` above 0), half of it is that of the pair with the code `before`, once that is TRUSTED.
    """
    if pair_bits == 0 or before < 0:
        return learned[2 * entry]
    pair = single + pair_place(entry, before, single, pair_bits)
    mean, of_pair, count = learned[2 * entry], learned[2 * pair], learned[2 * pair + 1]
    return 0.5 * (mean + of_pair) if count >= TRUSTED else mean


@njit
def share_from(bits):
    """A number in [0, 1), from the lower half of 64 random bits."""
    return np.float64(bits & np.uint64(0xFFFFFFFF)) * TO_SHARE


@inlined
def learn(params, tree, work, topology, depth):
    """Add the return of a simulation, for the player who acted, to the entries of the actions that it played.

    All actions of the path and of the playouts count the same; the return is that from the root on.
    """
    players, returns = params.players, work.rewards  # not `work.values`: a backup may still need the static value
    for p in range(players):
        got = work.returns[p]
        for d in range(depth - 1, -1, -1):
            scale = params.discount
            if topology == OPEN:
                scale = work.path_scales[d]
            got = work.path_rewards[d * players + p] + scale * got
        returns[p] = got
    for i in range(1, work.played[0]):
        entry = np.int64(work.played[i])
        if entry >= 0:
            add_return(tree.learned, entry, returns[entry >> params.code_bits])
    if params.learns == NST:
        learn_pairs(params, tree, work, depth)
    zero(returns)


@inlined
def learn_pairs(params, tree, work, depth):
    """The same for the pairs. In front of each playout is the last action of the path."""
    single = params.players << params.code_bits
    before, last = np.int64(NOTHING), np.int64(NOTHING)
    for i in range(1, work.played[0]):
        entry = np.int64(work.played[i])
        if entry >= 0:
            if before >= 0:
                pair = single + pair_place(entry, before, single, params.pair_bits)
                add_return(tree.learned, pair, work.rewards[entry >> params.code_bits])
            before = entry & (params.codes - 1)
        elif i > depth:
            before = last
        if i == depth:
            last = before


@inlined
def add_return(learned, entry, got):
    before, mean = learned[2 * entry + 1], learned[2 * entry]
    learned[2 * entry + 1] = before + 1.0
    learned[2 * entry] = mean + (got - mean) / (before + 1.0) if before > 0.0 else got
